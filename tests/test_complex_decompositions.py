"""Vectors of complex matrices: `eigh`, `svd`, `qr`, as LAPACK turns them, and what does not depend on their phases."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

from sct import SctError, check_grads, grad, jvp

SHAPES = ((3, 3), (4, 3), (2, 3), (1, 1), (1, 3), (2, 3, 2))


def matrix(*shape: int, seed: int = 0, single: bool = False):
    rng = np.random.default_rng(seed)
    a = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    return a.astype(np.complex64) if single else a


def hermitian(*shape: int):
    a = matrix(*shape)
    return a + np.swapaxes(a, -1, -2).conj()


W = matrix(6, 6, seed=1)


def weighed(x):
    return np.real(np.sum(x * x * W[:x.shape[-2], :x.shape[-1]]))


def of_lower(a):
    w, v = np.linalg.eigh(a)
    return weighed(v) + np.sum(w ** 2)


def of_upper(a):
    return weighed(np.linalg.eigh(a, "U")[1])


def of_left_and_right(a):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return weighed(u) + np.sum(s ** 3) + weighed(vh)


def of_left(a):
    return np.sum(np.abs(np.linalg.svd(a, full_matrices=False)[0] + W[0, 0]))


def of_right(a):
    return weighed(np.linalg.svd(a, full_matrices=False)[2])


def put_together(a):
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    return weighed((u * s[..., None, :] ** 2) @ vh)


def of_qr(a):
    q, r = np.linalg.qr(a)
    return weighed(q) + weighed(r)


def of_r(a):
    return weighed(np.linalg.qr(a, "r"))


def norms(a):
    return np.linalg.norm(a, "nuc") + np.linalg.norm(a, 2) * np.linalg.norm(a, -2)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("f", [of_left_and_right, of_left, of_right, put_together, of_qr, of_r])
def test_of_any_matrix(f, shape) -> None:
    a = matrix(*shape)
    check_grads(f, (a,), order=2 if shape in ((4, 3), (2, 3)) else 1)
    assert np.array_equal(a, matrix(*shape))


@pytest.mark.parametrize("shape", [(3, 3), (1, 1), (2, 4, 4)], ids=str)
@pytest.mark.parametrize("f", [of_lower, of_upper])
def test_of_hermitian_matrices(f, shape) -> None:
    check_grads(f, (hermitian(*shape),), order=2)


@pytest.mark.parametrize("shape", [(3, 3), (5, 3), (3, 5)], ids=str)
def test_norms(shape) -> None:
    check_grads(norms, (matrix(*shape),), order=2)


def test_single_precision_stays_single() -> None:
    def of_factors(a):
        u, s, vh = np.linalg.svd(a)
        q, r = np.linalg.qr(a)
        return np.sum(np.imag(u)) + np.sum(np.imag(vh)) + np.sum(s) + np.sum(np.real(q)) + np.sum(np.imag(r))

    gradient = grad(of_factors)(matrix(3, 3, single=True))
    assert gradient.dtype == np.complex64
    np.testing.assert_allclose(gradient, grad(of_factors)(matrix(3, 3)), rtol=2e-2, atol=2e-2)


def test_another_size_after_the_first() -> None:
    gradient = grad(of_left_and_right)
    for shape in ((4, 3), (6, 2), (3, 4), (5, 5)):
        direction = matrix(*shape, seed=2)
        np.testing.assert_allclose(np.real(np.sum(gradient(matrix(*shape)) * direction)),
                                   jvp(of_left_and_right, (matrix(*shape),), (direction,))[1], rtol=1e-9)


def test_where_the_phase_jumps() -> None:
    diagonal = np.diag([1.0 + 0.0j, 2.0, 3.5])

    def of_moduli(a):
        w, v = np.linalg.eigh(a)
        return np.sum(np.abs(v[:, 1]) ** 2 * np.array([1.0, 2.0, 3.0])) + np.sum(w ** 3)

    def of_phases(a):
        return np.real(np.sum(np.linalg.eigh(a)[1] * np.array([[1j, 2, 3], [2, 1 + 1j, 1], [1, 2, 1j]])))

    np.testing.assert_allclose(grad(of_moduli)(diagonal), np.diag([3.0, 12.0, 36.75]), atol=1e-12)
    assert np.isnan(grad(of_phases)(diagonal)).any()


@pytest.mark.parametrize("f", [np.max, np.min])
@pytest.mark.parametrize("keywords", [{}, {"axis": 0}, {"axis": 1, "keepdims": True}], ids=str)
def test_extrema_by_the_real_part(f, keywords) -> None:
    def squared(z):
        return f(z, **keywords) ** 2

    check_grads(squared, (matrix(2, 3),), order=2)


def test_extrema_with_equal_real_parts() -> None:
    z = np.array([1 + 1j, 1 + 2j, 0.5 + 9j])
    np.testing.assert_allclose(grad(lambda z: np.abs(z.max()) ** 2)(z), [0.0, 2 - 4j, 0.0])


def test_questions_about_elements() -> None:
    z = np.array([1 + 1j, 2, 3j, 4.0])

    def chosen(z):
        return np.sum(np.abs(z[np.isreal(z)]) ** 2) + np.sum(np.where(np.iscomplex(z), np.real(z) ** 3, 0.0))

    np.testing.assert_allclose(grad(chosen)(z), [3.0, 4.0, 0.0, 8.0])
    assert grad(lambda x: x ** 2 if np.isreal(x) else x)(3.0) == 6.0


def test_a_root_of_a_matrix_with_a_negative_eigenvalue_is_refused_and_the_hint_works():
    def root(a):
        return scipy.linalg.sqrtm(a)

    def by_eigenvalues(a):
        w, V = np.linalg.eig(a)
        return (V * np.sqrt(w.astype(complex))) @ np.linalg.inv(V)
    a = hermitian(3, 3).real - 2.0 * np.eye(3)
    direction = np.random.default_rng(2).normal(size=(3, 3))
    assert np.linalg.eigvalsh(a)[0] < 0.0
    with pytest.raises(SctError, match=r"SCT209.*must be real(.|\n)*an eigenvalue of the matrix is negative"):
        jvp(root, (a,), (direction,))
    value, tangent = jvp(by_eigenvalues, (a,), (direction,))
    np.testing.assert_allclose(value, root(a), atol=1e-12)
    np.testing.assert_allclose(value @ tangent + tangent @ value, direction, atol=1e-12)
