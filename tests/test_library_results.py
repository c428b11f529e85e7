"""Results of libraries: objects that are handed out, numbers of more than double precision, matrices of any rank."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, same_value
from scipy import integrate, linalg, optimize, signal, spatial, stats

from sct import SctError, check_grads, grad, jvp, value_and_grad

Y = np.array([1.0, 3.0, 2.0, 5.0, 4.0])
TALL = np.array([[1.0, 3.0], [2.0, 4.0], [4.0, 6.0], [1.0, 2.5]])
OF_RANK_ONE = np.outer([1.0, 2.0, 3.0, 1.0], [1.0, 2.0])
RIGHT = np.array([1.0, 2.0, 0.5, 4.0])
HAS_LONG = np.dtype(np.longdouble) != np.dtype(np.float64)

OBJECTS: dict[str, Callable[[Any], Any]] = {
    "isotonic": optimize.isotonic_regression,
    "in a tuple": lambda y: (optimize.isotonic_regression(y), y[0]),
    "in a list": lambda y: [optimize.isotonic_regression(y)],
    "minimize": lambda y: optimize.minimize(lambda x: np.sum((x - y) ** 2), np.zeros(5)),
    "minimize_scalar": lambda y: optimize.minimize_scalar(lambda x: (x - y[0]) ** 2, bounds=(0, 2), method="bounded"),
    "solve_ivp": lambda y: integrate.solve_ivp(lambda t, x: -x * y[0], (0.0, 1.0), [1.0]),
    "bounds": lambda y: (y, optimize.Bounds(y[0], 7.0)),
    "a constraint": lambda y: optimize.LinearConstraint(np.eye(5), y),
    "a hull": lambda y: spatial.ConvexHull(np.stack((y, y**2), 1))}


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_of_scipy_are_no_results(name: str) -> None:
    """They are of classes that sct does not make: what it reads of them may be returned."""
    with pytest.raises(SctError, match="a value that sct does not know is not supported as a result") as refusal:
        jvp(OBJECTS[name], (Y,), (np.ones(5),))
    assert refusal.value.why is not None and "sct reads" in refusal.value.why


def test_parts_of_objects_of_scipy_are_results() -> None:
    f = lambda y: (optimize.isotonic_regression(y).x, optimize.isotonic_regression(y).weights)
    values, slopes = jvp(f, (Y,), (np.arange(5.0),))
    assert all(map(same_value, values, f(Y)))
    np.testing.assert_allclose(slopes[0], [0.0, 1.5, 1.5, 3.5, 3.5])


OF_LONG: dict[str, Callable[[Any], Any]] = {
    "istft": lambda z: np.sum(signal.istft(z.reshape(3, 5), nperseg=4)[1] ** 3),
    "istft of complex numbers": lambda z: np.sum(signal.istft((z * (1.0 + 0.5j)).reshape(3, 5), nperseg=4)[1] ** 3),
    "envelope": lambda z: np.sum(signal.envelope(z) ** 3)}


@pytest.mark.skipif(not HAS_LONG, reason="this machine has no longer numbers")
@pytest.mark.parametrize("name", OF_LONG)
def test_transforms_of_long_numbers_are_long(name: str) -> None:
    f = OF_LONG[name]
    x = np.sin(np.arange(15.0) ** 2)
    value, slopes = value_and_grad(f)(x.astype(np.longdouble))
    assert type(value) is np.longdouble and value == f(x.astype(np.longdouble))
    np.testing.assert_allclose(slopes, grad(f)(x), rtol=1e-9, atol=1e-11)
    agrees(f, x)
    check_grads(f, (x,), order=2)


@pytest.mark.skipif(not HAS_LONG, reason="this machine has no longer numbers")
def test_distributions_are_not_differentiated_in_more_than_double_precision() -> None:
    x = np.array([0.3, 0.7], np.longdouble)
    for f in (lambda x: np.sum(stats.norm.std(x, scale=1.3)), lambda x: np.sum(stats.triang.pdf(0.5 * x, 0.3 * x))):
        with pytest.raises(SctError, match="more than double precision"):
            jvp(f, (x,), (x,))


def of_numpy(a: Any, b: Any) -> Any:
    x, residuals, rank, _ = np.linalg.lstsq(a, b)
    return np.sum(x**2) + np.sum(residuals) ** 2 + rank + len(residuals)


def of_several_columns(a: Any, b: Any) -> Any:
    x, residuals, _, _ = np.linalg.lstsq(a, np.stack((b, b * b, np.sin(b)), 1))
    return np.sum(x**2) + np.sum(residuals * np.arange(1.0, 1.0 + len(residuals)))


def of_scipy(a: Any, b: Any) -> Any:
    x, residuals, rank, _ = linalg.lstsq(a, b)
    return np.sum(x**2) + np.sum(residuals) + rank + np.size(residuals)


def with_a_cutoff(a: Any, b: Any) -> Any:
    x, residuals, _, _ = linalg.lstsq(a, b, 0.2)
    return np.sum(x**2) + np.sum(residuals)


OF_ANY_RANK = [of_numpy, of_several_columns, of_scipy, with_a_cutoff]


@pytest.mark.parametrize("f", OF_ANY_RANK, ids=lambda f: f.__name__)
def test_residuals_of_matrices_of_any_rank(f: Callable[..., Any]) -> None:
    """A matrix of lower rank has no residuals, so by the right-hand side only the solution moves."""
    by_right = lambda b, a: f(a, b)
    derivative = value_and_grad(by_right)
    for a in (TALL, OF_RANK_ONE, TALL):
        agrees(by_right, RIGHT, a, derivative=derivative)
    agrees(f, TALL, RIGHT)
    check_grads(f, (TALL, RIGHT), argnums=(0, 1), order=1 if f is with_a_cutoff else 2)


@pytest.mark.parametrize("f", OF_ANY_RANK[2:], ids=lambda f: f.__name__)
def test_least_squares_of_nan_raise_as_in_scipy(f: Callable[..., Any]) -> None:
    derivative = value_and_grad(f)
    for a in (TALL * np.nan, TALL, TALL * np.nan):
        agrees(f, a, RIGHT, derivative=derivative)


def test_least_squares_in_a_loop() -> None:
    def f(b: Any) -> Any:
        s = 0.0
        for k in range(3):
            s += np.sum(linalg.lstsq(OF_RANK_ONE * (k + 1.0), b * s + b)[0]) + linalg.lstsq(TALL, b * s + b)[1]
        return s

    agrees(f, 0.1 * RIGHT)


def turned(angles: Any, basis: Any) -> Any:
    """Columns that have these angles to the first columns of the basis, mixed."""
    k = len(angles)
    return (basis[:, :k] * np.cos(angles) + basis[:, k:2 * k] * np.sin(angles)) @ np.array([[1.0, 0.3], [0.2, 2.0]])


@pytest.mark.parametrize("angles", [[0.2, 1.1], [1.5, 0.001], [0.7, 0.8]])
def test_angles_between_spaces(angles: list[float]) -> None:
    """Each angle is found again, whatever columns span the spaces."""
    basis = np.linalg.qr(np.random.default_rng(2).normal(size=(5, 5)))[0]
    weighed = lambda t: linalg.subspace_angles(turned(t, basis), basis[:, :2] @ TALL[:2]) @ np.array([1.0, 3.0])
    rank = np.argsort(-np.array(angles))
    value, slopes = value_and_grad(weighed)(np.array(angles))
    assert value == weighed(np.array(angles))
    np.testing.assert_allclose(slopes[rank], [1.0, 3.0], rtol=1e-8)
    check_grads(lambda a, b: linalg.subspace_angles(a, b) @ np.array([1.0, 3.0]), (
        turned(np.array(angles), basis) + 0.1, basis[:, 1:4]), argnums=(0, 1), order=2)


@pytest.mark.filterwarnings("ignore:.*the result does not depend on")
def test_spaces_that_must_intersect() -> None:
    """Two planes in space have one angle of 0, and the one between them."""
    a, b = TALL[:3], OF_RANK_ONE[:3] + np.eye(3)[:, :2]
    check_grads(lambda a, b: linalg.subspace_angles(a, b)[0], (a, b), argnums=(0, 1), order=2)
    assert not grad(lambda a: linalg.subspace_angles(a, b)[1])(a).any()
    assert not grad(lambda a: np.sum(linalg.subspace_angles(a, TALL[:2])))(TALL[1:3]).any()


def test_angles_without_a_derivative() -> None:
    for a in (TALL, OF_RANK_ONE):
        with pytest.raises(SctError, match="an angle between the spaces is 0, or the columns of a matrix depend"):
            grad(lambda a: np.sum(linalg.subspace_angles(a, TALL)))(a)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", ["Newton-CG", "dogleg", "trust-ncg", "trust-krylov", "trust-exact", "trust-constr"])
def test_a_small_gradient_is_that_of_a_minimum(method: str) -> None:
    """Even if SciPy has not reached the tolerance."""
    def shrunk(k: Any) -> Any:
        cost = lambda x: np.sum((x - k) ** 2) + np.sum(x**4)
        slope = lambda x: 2.0 * (x - k) + 4.0 * x**3
        curvature = lambda x: np.diag(2.0 + 12.0 * x**2)
        return np.sum(optimize.minimize(
            cost, np.array([1.0, 2.0]), jac=slope, hess=curvature, method=method, tol=1e-30).x)

    k = np.array([0.3, 0.7])
    x = optimize.minimize(lambda x: np.sum((x - k) ** 2) + np.sum(x**4), np.zeros(2), tol=1e-12).x
    value, slopes = value_and_grad(shrunk)(k)
    assert value == shrunk(k)
    np.testing.assert_allclose(slopes, 2.0 / (2.0 + 12.0 * x**2), rtol=1e-6)
