"""Decompositions, linear systems and tables of SciPy that have the derivative of a program or of equations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.signal
import scipy.sparse
import scipy.sparse.linalg
from oracle import agrees, agrees_in_second_order, refuses
from scipy.interpolate import RectBivariateSpline, RegularGridInterpolator, make_interp_spline
from scipy.optimize import isotonic_regression
from scipy.spatial.transform import Rotation, Slerp

from sct import grad, value_and_grad

pytestmark = pytest.mark.filterwarnings("ignore:.*the result does not depend on")
A = np.array([[3.0, 1.0, 0.5, 0.1], [0.2, 2.0, 0.7, -0.6], [1.0, 0.1, 4.0, 0.3], [-0.4, 0.8, 0.2, 1.0]])
TURNED = np.array([[1.0, 2.0, 0.3], [-1.5, 0.8, 0.2], [0.4, -0.1, 3.0]])
INDEFINITE = np.array([[0.01, 2.0, 1.0], [2.0, 0.02, 3.0], [1.0, 3.0, 0.1]])
X = np.array([0.31, 1.57, 0.83, 1.21, 0.47, 1.73])
GRID = np.arange(4.0), np.arange(6.0)


def weighed(y):
    return np.sum(y * np.cos(1.0 + np.arange(y.size)).reshape(y.shape))


def joined(parts):
    return sum(weighed(y) for y in parts)


DECOMPOSITIONS: list[tuple[Callable[..., Any], np.ndarray]] = [
    (lambda a: joined(scipy.linalg.schur(a)), A), (lambda a: joined(scipy.linalg.schur(a)), TURNED),
    (lambda a: joined(scipy.linalg.hessenberg(a, calc_q=True)), A),
    (lambda a: joined(scipy.linalg.rq(a)), A), (lambda a: joined(scipy.linalg.rq(a, mode="economic")), A[:2]),
    (lambda a: joined(scipy.linalg.ldl(a)[:2]), A), (lambda a: joined(scipy.linalg.ldl(a, lower=False)[:2]), A),
    (lambda a: joined(scipy.linalg.ldl(a)[:2]), INDEFINITE),
    (lambda a: joined(scipy.linalg.ldl(a, lower=False)[:2]), INDEFINITE),
    (lambda a: joined(scipy.linalg.eigh_tridiagonal(a[0], a[1, :3])), A),
    (lambda a: joined(scipy.linalg.eig_banded(a[:2], lower=True)), A),
    (lambda a: joined(scipy.sparse.linalg.eigsh(a + a.T, k=2, rng=0)), A),
    (lambda a: joined(scipy.sparse.linalg.svds(a[:3], k=2, rng=0)), A),
    (lambda a: weighed(scipy.sparse.linalg.expm_multiply(scipy.sparse.csr_matrix(0.1 * a), a[0])), A)]


@pytest.mark.parametrize("f, a", DECOMPOSITIONS)
def test_decompositions(f: Callable[..., Any], a: np.ndarray) -> None:
    agrees(f, a)
    agrees_in_second_order(f, a, rtol=1e-4, atol=1e-5)


def test_pivots_of_two_rows_are_met() -> None:
    """The matrix above is one that SciPy decomposes with such a pivot."""
    assert scipy.linalg.ldl(INDEFINITE)[1][1, 0] != 0.0 and scipy.linalg.schur(TURNED)[0][1, 0] != 0.0


def test_the_eigenvalue_of_a_sparse_matrix_has_the_derivative_of_the_dense_one() -> None:
    slope = grad(lambda a: scipy.sparse.linalg.eigsh(scipy.sparse.csc_matrix(a + a.T), k=1, which="LA", rng=0)[0][0])(A)
    v = np.linalg.eigh(A + A.T)[1][:, -1]
    assert np.allclose(slope, 2.0 * np.outer(v, v), rtol=1e-9)


def test_what_begins_at_random_is_refused() -> None:
    error = refuses(lambda a: scipy.sparse.linalg.eigsh(a + a.T, k=2)[0][0], A, code="SCT402")
    assert "differ from call to call" in str(error) and "rng=0" in error.hint


@pytest.mark.parametrize("f, reason", [
    (lambda a: scipy.linalg.schur(a, output="complex")[0].real, "phase"),
    (lambda a: scipy.linalg.rq(a[:2])[0], "any basis"),
    (lambda a: scipy.sparse.linalg.eigsh(a + a.T, k=2, sigma=0.1, rng=0)[0], "`sigma`"),
    (lambda a: scipy.signal.step((a[0], a[1]))[1], "poles"),
    (lambda a: RectBivariateSpline(*GRID, np.outer(a[0], X), s=1.0).ev(0.3, 0.4), "knots")])
def test_what_is_not_determined_is_refused(f: Callable[..., Any], reason: str) -> None:
    assert reason in str(refuses(lambda a: np.sum(f(a)), A, code="SCT402"))


def test_a_matrix_that_has_its_form_already_has_no_derivative() -> None:
    """Another sign of the next row is as good, and SciPy takes it for the matrix next to this one."""
    assert np.isnan(grad(lambda a: np.sum(scipy.linalg.hessenberg(a)))(np.triu(A, -1))).any()


def response(num, den, u, t):
    _, y, states = scipy.signal.lsim((num, den), u, t)
    _, h = scipy.signal.freqresp((num, den), np.array([0.3, 1.1]))
    return weighed(y) + weighed(states) + weighed(h.real) + weighed(h.imag)


def test_a_linear_system() -> None:
    agrees(response, np.array([1.0, 0.5]), np.array([1.0, 0.7, 2.0]), X, np.linspace(0.0, 1.0, 6))
    agrees_in_second_order(lambda den: response(X[:2], den, X, np.linspace(0.0, 2.0, 6)), np.array([1.0, 0.7, 2.0]))


def test_the_step_response_of_a_lag() -> None:
    """Of `1 / (k s + 1)`: `1 - exp(-t / k)`."""
    t = np.linspace(0.0, 3.0, 7)
    slope = grad(lambda k: np.sum(scipy.signal.step(([1.0 * k / k], np.array([k, 1.0])), T=t)[1]))(1.3)
    assert np.isclose(slope, np.sum(-np.exp(-t / 1.3) * t / 1.3**2))


@pytest.mark.parametrize("method", ["nearest", "slinear", "pchip"])
def test_tables_by_each_method(method: str) -> None:
    def f(values, x, y):
        table = RegularGridInterpolator((np.arange(6.0), np.arange(6.0)), values, method=method)
        return weighed(table((x, y)) + table(np.stack([y, x], axis=1)))

    agrees(f, np.outer(X, X[::-1] ** 2), 2.0 * X, X + 0.4)


@pytest.mark.parametrize("method, degree", [("cubic", 3), ("quintic", 5)])
def test_tables_by_splines(method: str, degree: int) -> None:
    """SciPy solves for the coefficients by iteration; the derivative is that of the spline which is meant."""
    t, values = np.arange(6.0), np.outer(X, X[::-1] ** 2)

    def f(values, x, y):
        return weighed(RegularGridInterpolator((t, t), values, method=method)((x, y)))

    def meant(values, x, y):
        along = make_interp_spline(t, values, degree)(x)
        return weighed(np.array([make_interp_spline(t, row, degree)(at) for row, at in zip(along, y)]))

    args = values, 2.0 * X, X + 0.4
    value, slopes = value_and_grad(f, (0, 1, 2))(*args)
    assert value == f(*args)
    for k, slope in enumerate(slopes):
        direction = np.cos(np.arange(slope.size)).reshape(slope.shape)
        ends = [meant(*[a + h * direction if j == k else a for j, a in enumerate(args)]) for h in (1e-6, -1e-6)]
        assert np.isclose(np.sum(slope * direction), (ends[0] - ends[1]) / 2e-6, rtol=1e-7)


def test_a_fixed_table_by_splines() -> None:
    agrees(lambda x: weighed(TABLE((x, 2.0 * x))) * TABLE([x[0], x[1]])[0], X, rtol=1e-4, atol=1e-4)


TABLE = RegularGridInterpolator(GRID, np.outer(X[:4], X), method="pchip")


def test_a_spline_over_a_rectangle() -> None:
    def f(z, x):
        spline = RectBivariateSpline(*GRID, z)
        return weighed(spline.ev(x, x[::-1])) + weighed(spline([0.5, x[0] + 1.0], [x[1]], dx=1))

    agrees(f, np.outer(X[:4], X), X)
    agrees(f, np.outer(X[:4], X), 3.0 * X)  # beyond the grid


def test_blocks_of_isotonic_regression() -> None:
    y = np.array([1.0, 3.0, 2.0, 2.5, 5.0, 4.0])
    value, slope = value_and_grad(lambda y: np.sum(isotonic_regression(y).x ** 2))(y)
    x = isotonic_regression(y).x
    assert value == np.sum(x**2) and np.allclose(slope, 2.0 * x)
    agrees(lambda y, w: weighed(isotonic_regression(y, weights=w, increasing=False).x), y, X)


def turned(v, t):
    rotations = Rotation.from_rotvec(v)
    between = Slerp([0.0, 1.0, 2.5], rotations)(t)
    return joined([between.as_matrix(), between[1].as_euler("ZYX"), (rotations.mean() ** 0.3).as_mrp()])


def test_rotations() -> None:
    v = np.array([[0.1, 0.2, -0.4], [1.0, 0.3, 0.2], [-0.5, 0.9, 0.7]])
    agrees(turned, v, X)
    agrees_in_second_order(lambda v: turned(v, X), v)
    agrees(lambda a: weighed(Rotation.from_matrix(a).as_quat()) + weighed(Rotation.from_matrix(a).as_euler("xyx")),
           np.eye(3) + 0.2 * A[:3, :3])
