"""Second derivatives of symmetric functions of eigenvalues and singular values, where values are equal.

The gradient of trace(g(A)) is g'(A); its derivative along D is a block of g' of [[A, D], [0, A]].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg

import sct
from sct import grad, hessian, hvp, jacfwd, jacrev, jvp

RNG = np.random.default_rng(0)
Q = np.linalg.qr(RNG.normal(size=(4, 4)))[0]
TURNED = np.linalg.qr(RNG.normal(size=(4, 4)) + 1j * RNG.normal(size=(4, 4)))[0]
C = RNG.normal(size=(4, 4))
D = C + C.T
SKEWED = RNG.normal(size=(4, 4)) + 1j * RNG.normal(size=(4, 4))
SPECTRA = [[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 2.0, 2.0], [0.5, 1.0, 1.0, 3.0], [0.5, 1.0, 1.5, 3.0],
           [1.0, 1.0 + 1e-10, 2.0, 3.0], [1.0, 1.0 + 1e-6, 2.0, 3.0]]


def turned(values: Any, basis: Any) -> Any:
    return (basis * np.array(values)) @ basis.conj().T


def squares(w: Any) -> Any:
    return np.sum(w ** 2)


def exponentials(w: Any) -> Any:
    return np.sum(np.exp(w))


def logarithms(w: Any) -> Any:
    return np.sum(np.log(w))


def entropy(w: Any) -> Any:
    return -np.sum(w * np.log(w))


SLOPES: list[tuple[Callable[..., Any], Callable[..., Any]]] = [
    (squares, lambda A: 2.0 * A), (exponentials, scipy.linalg.expm), (logarithms, np.linalg.inv),
    (entropy, lambda A: -scipy.linalg.logm(A) - np.eye(len(A)))]

EIGENVALUES = [np.linalg.eigvalsh, lambda A: np.linalg.eigvalsh(A, UPLO="U"), lambda A: np.linalg.eigh(A)[0],
               scipy.linalg.eigvalsh, lambda A: scipy.linalg.eigh(A)[0],
               lambda A: scipy.linalg.eigh(A, eigvals_only=True, lower=False),
               lambda A: np.linalg.eigvalsh(np.stack([A, np.eye(4)]))[0]]


def curvature(slope: Callable[..., Any], A: Any, direction: Any) -> Any:
    return slope(np.block([[A, direction], [np.zeros_like(A), A]]))[:4, 4:]


@pytest.mark.parametrize("values", SPECTRA, ids=str)
@pytest.mark.parametrize(("f", "slope"), SLOPES, ids=lambda f: f.__name__)
@pytest.mark.parametrize("basis", [np.eye(4), Q], ids=["diagonal", "turned"])
def test_traces_of_functions(values: Any, f: Callable[..., Any], slope: Callable[..., Any], basis: Any) -> None:
    A = turned(values, basis)

    def of_symmetric(x: Any) -> Any:
        return f(np.linalg.eigvalsh((x + x.T) / 2.0))

    expected = curvature(slope, A, D)
    np.testing.assert_allclose(hvp(of_symmetric, (A,), (D,)), expected, rtol=1e-6, atol=1e-6)
    dense = np.einsum("ijkl,kl->ij", hessian(of_symmetric)(A), D)
    np.testing.assert_allclose(dense, expected, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(np.einsum("ijkl,kl->ij", jacfwd(grad(of_symmetric))(A), D), expected, rtol=1e-6,
                               atol=1e-6)
    in_reverse = np.einsum("ijkl,kl->ij", jacrev(grad(of_symmetric))(A), D)
    differs = ~np.isclose(in_reverse, expected, rtol=1e-6, atol=1e-6)
    assert np.isnan(in_reverse[differs]).all()


@pytest.mark.parametrize("of", EIGENVALUES)
@pytest.mark.parametrize("values", SPECTRA, ids=str)
def test_spellings(of: Callable[..., Any], values: Any) -> None:
    A = turned(values, Q)

    def f(x: Any) -> Any:
        return np.sum(np.exp(of((x + x.T) / 2.0)))

    np.testing.assert_allclose(hvp(f, (A,), (D,)), curvature(scipy.linalg.expm, A, D), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("values", SPECTRA, ids=str)
def test_hermitian_matrices(values: Any) -> None:
    """A gradient is conjugated, as JAX's is."""
    A, direction = turned(values, TURNED), SKEWED + SKEWED.conj().T

    def f(x: Any) -> Any:
        return np.sum(np.exp(np.linalg.eigvalsh((x + x.conj().T) / 2.0)))

    np.testing.assert_allclose(grad(f)(A), scipy.linalg.expm(A).conj(), rtol=1e-10, atol=1e-10)
    expected = curvature(scipy.linalg.expm, A, direction).conj()
    np.testing.assert_allclose(hvp(f, (A,), (direction,)), expected, rtol=1e-6, atol=1e-6)
    for of in (scipy.linalg.eigvalsh, lambda x: scipy.linalg.eigh(x)[0], lambda x: np.linalg.eigh(x, "U")[0],
               lambda x: scipy.linalg.eigh(x, eigvals_only=True, lower=False)):
        g = lambda x, of=of: np.sum(np.exp(of((x + x.conj().T) / 2.0)))
        np.testing.assert_allclose(hvp(g, (A,), (direction,)), expected, rtol=1e-6, atol=1e-6)


def test_in_loops_and_functions() -> None:
    """The derivative of the eigenvalues and that of their gradient are in different functions."""
    def values(A: Any) -> Any:
        return np.linalg.eigvalsh((A + A.T) / 2.0)

    def f(A: Any, n: int) -> Any:
        total = 0.0
        for _ in range(n):
            w = sct.checkpoint(values)(A)
            total = total + np.sum(np.exp(w))
            A = 0.5 * A
        return total

    A = turned([1.0, 1.0, 2.0, 2.0], Q)
    expected = sum(0.25 ** k * curvature(scipy.linalg.expm, 0.5 ** k * A, D) for k in range(3))
    np.testing.assert_allclose(hvp(f, (A, 3), (D,)), expected, rtol=1e-6, atol=1e-6)


def test_what_is_not_symmetric_has_no_second_derivative() -> None:
    A = turned([1.0, 1.0, 2.0, 3.0], Q)
    assert np.isnan(hvp(lambda x: np.linalg.eigvalsh(x)[0] ** 2, (A,), (D,))).any()
    B = turned([0.5, 1.0, 2.0, 2.0], Q)
    step = 1e-4
    slope = (np.linalg.eigvalsh(B + step * D)[0] - 2.0 * np.linalg.eigvalsh(B)[0]
             + np.linalg.eigvalsh(B - step * D)[0]) / step ** 2
    second = np.sum(hvp(lambda x: np.linalg.eigvalsh((x + x.T) / 2.0)[0], (B,), (D,)) * D)
    np.testing.assert_allclose(second, slope, rtol=1e-4)


# -- singular values ----------------------------------------------------------------------------------------------

SINGULAR: list[tuple[Callable[..., Any], Callable[..., Any]]] = [
    (lambda A: np.sum(np.linalg.svd(A, compute_uv=False) ** 2), lambda A: 2.0 * A),
    (lambda A: np.sum(np.linalg.svd(A, full_matrices=False)[1] ** 2), lambda A: 2.0 * A),
    (lambda A: np.sum(np.linalg.svd(A)[1] ** 4), lambda A: 4.0 * A @ A.T @ A),
    (lambda A: np.sum(scipy.linalg.svdvals(A) ** 4), lambda A: 4.0 * A @ A.T @ A),
    (lambda A: np.linalg.norm(A, "nuc"), lambda A: A @ np.linalg.inv(scipy.linalg.sqrtm(A.T @ A)))]


@pytest.mark.parametrize("values", [[2.0, 2.0, 2.0], [3.0, 3.0, 1.0], [3.0, 1.5, 0.5]], ids=str)
@pytest.mark.parametrize("rows", [3, 4])
@pytest.mark.parametrize(("f", "slope"), SINGULAR, ids=range(len(SINGULAR)))
def test_singular_values(values: Any, rows: int, f: Callable[..., Any], slope: Callable[..., Any]) -> None:
    A = np.linalg.qr(C[:rows, :3])[0] * np.array(values) @ np.linalg.qr(C[1:, 1:])[0]
    direction = RNG.normal(size=(rows, 3))
    step = 1e-5
    expected = (slope(A + step * direction) - slope(A - step * direction)) / (2.0 * step)
    np.testing.assert_allclose(hvp(f, (A,), (direction,)), expected, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(hvp(lambda x: f(x.T), (A.T,), (direction.T,)), expected.T, rtol=1e-6, atol=1e-6)


def test_nuclear_norm_in_reverse() -> None:
    direction = RNG.normal(size=(4, 4))
    made = np.einsum("ijkl,kl->ij", jacrev(grad(lambda A: np.linalg.norm(A, "nuc")))(Q), direction)
    np.testing.assert_allclose(made, (direction - Q @ direction.T @ Q) / 2.0, atol=1e-12)


@pytest.mark.parametrize("f", [
    lambda A: np.sum(scipy.linalg.polar(A)[0] * C), lambda A: np.sum(scipy.linalg.polar(A)[1] * C),
    lambda A: np.sum(scipy.linalg.polar(A, side="left")[1] ** 2),
    lambda A: np.sum(scipy.linalg.orthogonal_procrustes(A, np.eye(4))[0] * C)])
@pytest.mark.parametrize("A", [Q, 2.0 * np.eye(4), C], ids=["orthogonal", "identity", "other"])
def test_orthogonal_factors(f: Callable[..., Any], A: Any) -> None:
    step = 1e-6
    np.testing.assert_allclose(np.sum(grad(f)(A) * D), (f(A + step * D) - f(A - step * D)) / (2 * step), rtol=1e-6,
                               atol=1e-7)
    np.testing.assert_allclose(jvp(f, (A,), (D,))[1], np.sum(grad(f)(A) * D), rtol=1e-9, atol=1e-9)


# -- vectors of equal values --------------------------------------------------------------------------------------


def root(A: Any) -> Any:
    w, V = np.linalg.eigh(A)
    return np.sum((V * np.sqrt(w)) @ V.T * C)


def same(A: Any) -> Any:
    w, V = np.linalg.eigh(A)
    return np.sum((V * w) @ V.T * C)


def factor(A: Any) -> Any:
    U, _, Vh = np.linalg.svd(A)
    return np.sum(U @ Vh * C)


@pytest.mark.parametrize(("f", "A"), [
    (root, turned([1.0, 1.0, 2.0, 3.0], Q)), (root, np.eye(4)), (same, np.zeros((4, 4))), (same, np.eye(4)),
    (factor, Q), (factor, np.eye(4))])
def test_what_reads_vectors_of_equal_values_is_not_a_number(f: Callable[..., Any], A: Any) -> None:
    """Values that are equal to rounding are equal; a quotient of rounding errors is no derivative."""
    assert np.isnan(grad(f)(A)).any()
    assert np.isnan(jvp(f, (A,), (D,))[1])


@pytest.mark.parametrize("f", [
    lambda a: np.sum(np.cos(np.linalg.eigvalsh(a))), lambda a: np.sum(np.cos(scipy.linalg.eigh(a + a.T)[0])),
    lambda a: np.sum(np.linalg.svd(a)[1] ** 3), lambda a: np.sum(scipy.linalg.svdvals(a[:2]) ** 3),
    lambda a: np.sum(np.cos(scipy.linalg.eigvals_banded(a[:2]))),
    lambda a: np.sum(np.cos(scipy.linalg.eigvalsh_tridiagonal(a[0], a[1, :2])))])
def test_directions_that_do_not_move_the_matrix(f: Callable[[Any], Any]) -> None:
    a = np.array([[1.0, 0.3, -0.2], [0.3, 2.0, 0.4], [-0.2, 0.4, 3.5]])
    g = lambda p: f(a + p[0]) + p[1] ** 2
    second = hessian(g)(np.array([0.1, 0.7]))
    slope = lambda t: grad(g)(np.array([0.1 + t, 0.7]))[0]
    np.testing.assert_allclose(second, [[(slope(1e-5) - slope(-1e-5)) / 2e-5, 0.0], [0.0, 2.0]], rtol=1e-7, atol=1e-8)
    assert np.all(hvp(f, (a,), (np.zeros((3, 3)),)) == 0.0)
    assert np.all(np.isfinite(hessian(f)(a)))
