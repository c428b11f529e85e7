"""Functions of scipy.linalg in programs: the value is SciPy's, derivatives agree with differences and with JAX.

The samples of the ops (`test_ops.py`) sweep sizes, precisions and keywords.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy
import scipy.linalg
from oracle import agrees, refuses
from scipy import linalg

from sct import check_grads, grad, hessian, jvp, value_and_grad

RNG = np.random.default_rng(0)
A = RNG.normal(size=(3, 3)) + 3.0 * np.eye(3)
B = RNG.normal(size=(3, 3)) - 2.0 * np.eye(3)
Q = RNG.normal(size=(3, 3))
W = RNG.normal(size=(3, 3))
V = RNG.normal(size=3)


def gaussian(s: np.ndarray) -> Any:
    """A negative logarithm of a likelihood by a Cholesky factor."""
    c, low = linalg.cho_factor(s @ s.T + np.eye(3))
    return 0.5 * V @ linalg.cho_solve((c, low), V) + np.sum(np.log(np.diag(c)))


def triangular(s: np.ndarray) -> Any:
    factor = scipy.linalg.cholesky(s @ s.T + np.eye(3), lower=True)
    z = scipy.linalg.solve_triangular(factor, V, lower=True)
    return z @ z + scipy.linalg.det(s)


def by_lu(s: np.ndarray) -> Any:
    factors = linalg.lu_factor(s)
    return np.sum(linalg.lu_solve(factors, V) ** 2) + np.sum(linalg.lu_solve(factors, W, trans=1) * Q)


def by_parts(s: np.ndarray) -> Any:
    p, low, up = linalg.lu(s)
    return np.sum(p @ low * W) + np.sum(up**2)


def flow(s: np.ndarray) -> Any:
    """Two steps of a linear system."""
    x = V
    for _ in range(2):
        x = linalg.expm(0.1 * s) @ x
    return x @ x


def modes(s: np.ndarray) -> Any:
    w, v = linalg.eigh(s + s.T, W @ W.T + np.eye(3))
    return np.sum(w**2) + np.sum((v[:, 0] * V)) ** 2


def decomposed(s: np.ndarray) -> Any:
    q, r = linalg.qr(s, mode="economic")
    u, d, vh = linalg.svd(s)
    return np.sum(q * W) + r[0, 1] + np.sum((u * d) @ vh * Q) + np.sum(linalg.svdvals(s) ** 3)


def equations(s: np.ndarray) -> Any:
    x = linalg.solve_sylvester(s, B @ B, Q)
    y = linalg.solve_continuous_lyapunov(s, x)
    z = linalg.solve_discrete_lyapunov(0.1 * s, y)
    return np.sum(z * W)


def control(s: np.ndarray) -> Any:
    """The cost of a linear-quadratic regulator."""
    x = linalg.solve_continuous_are(s, W, Q @ Q.T + np.eye(3), s @ s.T + np.eye(3))
    return V @ x @ V


def systems(s: np.ndarray) -> Any:
    x = linalg.solve(s, V)
    y = linalg.solve(s @ s.T, x, assume_a="pos")
    z = linalg.solve(s + s.T, W, assume_a="sym", lower=True)
    return y @ V + np.sum(z * Q) + np.sum(linalg.solve(s, y, transposed=True))


def blocks(s: np.ndarray) -> Any:
    m = linalg.block_diag(s, s[:1] * 2.0)
    return np.sum(m @ np.arange(float(m.shape[1]))) + linalg.norm(s) + linalg.norm(s[0]) + np.sum(linalg.pinv(s) * W)


PROGRAMS: list[Callable[[Any], Any]] = [
    gaussian, triangular, by_lu, by_parts, flow, modes, decomposed, equations, control, systems, blocks]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_program(f: Callable[[Any], Any]) -> None:
    agrees(f, A)
    check_grads(f, (A,), order=2)
    slope = value_and_grad(f)
    for a in (A, A + 0.1 * W, np.asfortranarray(A)):
        value, gradient = slope(a)
        assert value == f(a)
        np.testing.assert_allclose(np.sum(gradient * W), jvp(f, (a,), (W,))[1], rtol=1e-8)


@pytest.mark.parametrize("f", [gaussian, flow, systems], ids=lambda f: f.__name__)
def test_second_derivatives_are_symmetric(f: Callable[[Any], Any]) -> None:
    h = hessian(f)(A).reshape(9, 9)
    np.testing.assert_allclose(h, h.T, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("lower", [True, False])
def test_one_triangle_is_read(lower: bool) -> None:
    s = A @ A.T
    for f in (lambda s: np.sum(linalg.cholesky(s, lower=lower) * W),
              lambda s: linalg.solve(s, V, assume_a="pos", lower=lower) @ V,
              lambda s: np.sum(linalg.eigvalsh(s, lower=lower) ** 2)):
        g = grad(f)(s)
        assert np.all((np.triu if lower else np.tril)(g, 1 if lower else -1) == 0.0)
        agrees(f, s)


def test_against_jax() -> None:
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    jsp, jnp = jax.scipy.linalg, jax.numpy
    pairs: list[tuple[Any, Any]] = [
        (lambda a: np.sum(linalg.expm(a) * W), lambda a: jnp.sum(jsp.expm(a) * W)),
        (lambda a: linalg.solve(a, V) @ V, lambda a: jsp.solve(a, V) @ V),
        (lambda a: linalg.solve_triangular(a, V) @ V, lambda a: jsp.solve_triangular(a, V) @ V),
        (lambda a: linalg.det(a), lambda a: jsp.det(a)),
        (lambda a: np.sum(linalg.inv(a) * W), lambda a: jnp.sum(jsp.inv(a) * W)),
        (lambda a: np.sum(linalg.lu(a)[1] * W), lambda a: jnp.sum(jsp.lu(a)[1] * W)),
    ]
    for f, exact in pairs:
        np.testing.assert_allclose(grad(f)(A), jax.grad(exact)(A), rtol=1e-9, atol=1e-12)


def test_single_precision_stays() -> None:
    f = lambda a: np.sum(linalg.solve(a, linalg.expm(a)))
    g = grad(f)(A.astype("f4"))
    assert g.dtype == np.float32
    np.testing.assert_allclose(g, grad(f)(A), rtol=1e-3, atol=1e-3)


def regulated(a: np.ndarray) -> Any:
    """The cost of a controlled system, whose motion is read through a logarithm and a root."""
    x = linalg.solve_discrete_are(0.3 * a, B, a @ a.T, np.eye(3))
    x[0] *= 2.0
    turn = linalg.fractional_matrix_power(linalg.expm(linalg.logm(a @ a.T)), a[0, 0] / 9.0)
    t = linalg.solve_toeplitz((a[0] + 9.0, a[1]), linalg.toeplitz(V, a[2]) @ V)
    return np.sum((x + turn) * W) + t @ linalg.circulant(t)[0]


def test_functions_of_matrices() -> None:
    s = np.random.default_rng(0).normal(size=(3, 3)) + 3.0 * np.eye(3)
    agrees(regulated, s)
    check_grads(regulated, (s,), order=2)


def test_refused() -> None:
    refuses(lambda a: np.sum(linalg.inv(a, overwrite_a=True)), A, code="SCT501")
    refuses(lambda a: np.sum(linalg.solve(a, V, assume_a="banded")), A, code="SCT501")
    refuses(lambda a: np.sum(linalg.inv(a)), np.stack([A, A]), code="SCT501")
    refuses(lambda a: np.sum(linalg.qz(a, a @ a)[0]), A, code="SCT207")
    refuses(lambda a: np.sum(linalg.qr(a, pivoting=True)[1]), A, code="SCT501")


def test_the_derivative_of_the_exponential() -> None:
    """As differences of the exponential, and as its own derivative."""
    a = np.random.default_rng(5).normal(size=(3, 3)) * 0.4
    e = a @ a.T + np.eye(3)
    f = lambda a, e: np.sum(scipy.linalg.expm_frechet(a, e)[1] * np.cos(np.arange(9.0)).reshape(3, 3))
    g = lambda a, e: np.sum(scipy.linalg.expm_frechet(a, e, compute_expm=False) ** 2)
    for each in (f, g):
        assert value_and_grad(each)(a, e)[0] == each(a, e)
        check_grads(each, (a, e), order=2)
    weights = np.cos(np.arange(9.0)).reshape(3, 3)
    np.testing.assert_allclose(grad(f, argnums=1)(a, e), grad(lambda a: np.sum(scipy.linalg.expm(a) * weights))(a))


@pytest.mark.parametrize("lower", [True, False])
def test_bands(lower: bool) -> None:
    """The eigenvalues and the Cholesky factor of a band are those of the matrix."""
    rng = np.random.default_rng(3)
    band = rng.uniform(0.1, 0.4, (3, 5))
    band[0 if lower else 2] += 3.0
    weights = np.cos(np.arange(15.0)).reshape(3, 5)

    def f(band):
        values = scipy.linalg.eigvals_banded(band, lower=lower)
        return np.sum(values * np.arange(5.0)) * np.sum(scipy.linalg.eig_banded(band, lower, eigvals_only=True) ** 3) \
            + np.sum(scipy.linalg.cholesky_banded(band, lower=lower) * weights)

    agrees(f, band)
    check_grads(f, (band,), order=2)
    g = lambda d: np.sum(scipy.linalg.eigh_tridiagonal(d, d[:4] ** 2, eigvals_only=True) * np.arange(5.0))
    agrees(g, band[0])
    h = lambda d: scipy.linalg.eigh_tridiagonal(d, d[:4])[1][0, 0]
    agrees(h, band[0])
    check_grads(h, (band[0],), order=2)
