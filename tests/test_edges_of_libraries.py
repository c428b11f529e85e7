"""Functions of NumPy and SciPy at the edges of their domains: equal arguments, sizes that differ, options, extremes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.special
import scipy.stats
from numpy.polynomial import Chebyshev, Polynomial
from numpy.polynomial.polynomial import polyroots
from oracle import agrees, agrees_in_second_order, refuses
from scipy.spatial.transform import Rotation

import sct
from sct import grad, hessian, jvp

A = np.array([[0.3, 1.0, 0.5], [0.2, -2.0, 0.7], [1.0, 0.1, 4.0], [-0.4, 0.8, 0.2], [2.1, 0.6, -0.9]])
B = np.array([0.7, -0.3, 1.1, 0.4, 0.9])
X = np.array([1.0, 0.7, 0.3])
ODD = np.array([1.0, 5.0, 1.0])


def weighed(y: Any) -> Any:
    return np.sum(y * np.cos(1.0 + np.arange(y.size)).reshape(y.shape))


def lu(a: Any) -> Any:
    p, low, up = scipy.linalg.lu(a)
    return weighed(p) + weighed(low) + weighed(up * up)


def lu_by_indices(a: Any) -> Any:
    p, low, up = scipy.linalg.lu(a, p_indices=True)
    return weighed(low[p]) + weighed(up * up)


def lu_of_complex(a: Any) -> Any:
    _, low, up = scipy.linalg.lu(a * (1.0 + 0.3j))
    return weighed(np.abs(low)) + weighed(up.imag)


def lu_factor(a: Any) -> Any:
    factors, pivots = scipy.linalg.lu_factor(a)
    return weighed(factors * factors) + weighed(pivots)


def least_squares(a: Any) -> Any:
    x, residual, rank, s = scipy.linalg.lstsq(a, B[:len(a)])
    return weighed(x) + rank * np.sum(residual) + weighed(s)


SIZES: list[tuple[Callable[..., Any], np.ndarray]] = [
    (f, a) for f in (lu, lu_by_indices, lu_of_complex, lu_factor) for a in (A, A.T.copy(), A[:3], A[:, :1], A[:1])] + [
    (least_squares, A), (least_squares, A[:2]), (least_squares, A[:3])]


@pytest.mark.parametrize("f, a", SIZES)
def test_matrices_of_any_sizes(f: Callable[..., Any], a: np.ndarray) -> None:
    agrees(f, a)
    agrees_in_second_order(f, a, rtol=1e-4, atol=1e-5)


def test_the_residual_of_a_vector_is_a_number() -> None:
    def residual(a: Any) -> Any:
        return scipy.linalg.lstsq(a, B)[1]

    agrees(residual, A)
    rest = B - A @ np.linalg.lstsq(A, B)[0]
    np.testing.assert_allclose(grad(residual)(A), -2.0 * np.outer(rest, np.linalg.lstsq(A, B)[0]), rtol=1e-12)


ROTATIONS: list[Callable[..., Any]] = [
    lambda v: weighed(Rotation.from_rotvec(v).as_quat(canonical=True)),
    lambda v: weighed(Rotation.from_rotvec(3.0 * v).as_quat(True, scalar_first=True)),
    lambda v: weighed(Rotation.from_rotvec(3.0 * v).as_quat(scalar_first=True)),
    lambda v: weighed(Rotation.from_rotvec(v).as_rotvec(degrees=True)),
    lambda v: weighed(Rotation.from_rotvec(v).as_rotvec(True))]


@pytest.mark.parametrize("f", ROTATIONS)
def test_options_of_rotations(f: Callable[..., Any]) -> None:
    agrees(f, X)


def test_probabilities_are_completed() -> None:
    """SciPy computes the last one of the others wherever the sum is not 1, as it is nowhere beside this point."""
    def logpmf(p: Any) -> Any:
        return scipy.stats.multinomial.logpmf([1, 2, 3], 6, p)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.testing.assert_allclose(grad(logpmf)(np.array([0.2, 0.3, 0.5])), [-1.0, 2.0 / 3.0, 0.0], atol=1e-12)


@pytest.mark.parametrize("k, first, second", [(0, -3 / 10, 9 / 28), (1, -3 / 10, 9 / 28), (2, -9 / 10, 45 / 28)])
def test_carlson_of_equal_arguments(k: int, first: float, second: float) -> None:
    """The integral of (t + 1)**-n is 1 / (n - 1)."""
    def f(x: float) -> Any:
        return scipy.special.elliprd(*(x if j == k else 1.0 for j in range(3)))

    for x in (1.0, 1.0 + 1e-9):
        np.testing.assert_allclose([grad(f)(x), grad(grad(f))(x)], [first, second], rtol=1e-7)


@pytest.mark.parametrize("k, first, second", [(0, -3 / 10, 9 / 28), (2, -3 / 10, 9 / 28), (3, -3 / 5, 6 / 7)])
def test_carlson_of_the_third_kind(k: int, first: float, second: float) -> None:
    def f(x: float) -> Any:
        return scipy.special.elliprj(*(x if j == k else 1.0 for j in range(4)))

    for x in (1.0, 1.0 + 1e-9):
        np.testing.assert_allclose([grad(f)(x), grad(grad(f))(x)], [first, second], rtol=1e-7)


def test_carlson_with_a_zero() -> None:
    """R_D(0, y, y) is 3 pi / (4 y**1.5)."""
    def f(y: float) -> Any:
        return scipy.special.elliprd(0.0, 2.0, y)

    rise = (f(2.0 + 1e-6) - f(2.0 - 1e-6)) / 2e-6
    np.testing.assert_allclose(grad(f)(2.0), rise, rtol=1e-8)
    both = grad(lambda y: scipy.special.elliprd(0.0, y, y))(2.0)
    np.testing.assert_allclose(both, -9.0 * math.pi / 8.0 * 2.0 ** -2.5, rtol=1e-12)


@pytest.mark.parametrize("gamma", [0.5, 1e-3])
def test_voigt_without_its_normal_part(gamma: float) -> None:
    """Cauchy's density f, and sigma times f'' by sigma."""
    x, d = 0.3, 0.09 + gamma * gamma
    by_x, by_gamma = -2.0 * gamma * x / (math.pi * d * d), (x * x - gamma * gamma) / (math.pi * d * d)
    by_xx = gamma * (6.0 * x * x - 2.0 * gamma * gamma) / (math.pi * d ** 3)
    slopes = grad(scipy.special.voigt_profile, (0, 1, 2))
    np.testing.assert_allclose(slopes(x, 0.0, gamma), [by_x, 0.0, by_gamma], rtol=1e-13)
    np.testing.assert_allclose(slopes(x, 1e-7, gamma), [by_x, 1e-7 * by_xx, by_gamma], rtol=1e-9)
    second = hessian(lambda v: scipy.special.voigt_profile(v[0], v[1], v[2]))(np.array([x, 0.0, gamma]))
    np.testing.assert_allclose([second[0, 0], second[1, 1], second[2, 2]], [by_xx, by_xx, -by_xx], rtol=1e-12)


def test_voigt_where_its_expansion_begins() -> None:
    """Both sides of the number where the formula changes have the slopes of differences of high order."""
    def f(v: Any) -> Any:
        return scipy.special.voigt_profile(v[0], v[1], v[2])

    for sigma in (0.0205, 0.0207):
        v = np.array([0.3, sigma, 0.5])
        np.testing.assert_allclose(grad(f)(v)[1], sigma * hessian(f)(v)[0, 0], rtol=1e-9)


@pytest.mark.parametrize("size", [1e160, 1.0, 1e-170])
@pytest.mark.parametrize("f", [np.arctan2, math.atan2])
def test_angles_of_extreme_numbers(f: Callable[..., Any], size: float) -> None:
    def angle(y: float, x: float) -> Any:
        return f(y, x)

    np.testing.assert_allclose(jvp(angle, (size, size), (size, 0.0))[1], 0.5, rtol=1e-15)
    np.testing.assert_allclose(jvp(angle, (size, size), (size, size))[1], 0.0, atol=1e-15)
    np.testing.assert_allclose(grad(angle, (0, 1))(size, size), [0.5 / size, -0.5 / size], rtol=1e-15)
    assert np.isnan(grad(angle, (0, 1))(0.0, 0.0)).all()


CALLS: list[Callable[..., Any]] = [
    lambda x: np.sum(np.zeros_like(x, shape=(2,)) + x[:2]), lambda x: np.sum(np.full_like(x, x[0], shape=2) * x[1:]),
    lambda x: np.sum(np.ones_like(x, int, shape=(2, 3)) * x), lambda x: weighed(np.cumprod(x, dtype=float)),
    lambda x: weighed(np.cumsum(np.arange(3), dtype=float) * x), lambda x: weighed(np.nancumprod(x)),
    lambda x: np.i0(x[0]),
    lambda x: np.piecewise(x[0], [x[0] < 0.0, x[0] > 0.5], [np.sin, np.cos, np.exp]),
    lambda x: np.max(np.poly1d(x * ODD).r), lambda x: weighed(np.abs(np.poly1d(x * ODD[::-1] - 3.0).roots)),
    lambda x: np.max(Polynomial(x * ODD).roots()), lambda x: np.max(Polynomial(x * ODD, domain=[0, 3.0]).roots()),
    lambda x: np.max(Chebyshev(x * ODD).roots()), lambda x: np.max(polyroots(x * ODD)),
    lambda x: np.max(Polynomial(x[:2]).roots())]


@pytest.mark.parametrize("f", CALLS)
def test_calls_of_numpy(f: Callable[..., Any]) -> None:
    agrees(f, X)


REFUSED: list[tuple[Callable[..., Any], str, str]] = [
    (lambda x: np.sum(np.ones_like(x, order="F") * x), "SCT205", "the keyword `order` of `numpy.ones_like` is not"),
    (lambda x: np.sum(np.linalg.svd(np.outer(x, x), hermitian=True)[1]), "SCT205", "the keyword `hermitian` of"),
    (lambda x: np.sum((x * 1j).view(float)), "SCT205", "`view` of an array as another dtype"),
    (lambda x: abs(np.sum(x * 1j, where=x > 0.0, initial=1j)), "SCT501", "`numpy.sum(where=)` of complex numbers"),
    (lambda x: abs(Polynomial(x * 1j)(0.5)), "SCT205", "it is linear in them")]


@pytest.mark.parametrize("f, code, text", REFUSED)
def test_refusals_say_what_is_not_supported(f: Callable[..., Any], code: str, text: str) -> None:
    f(X)
    assert text in str(refuses(f, X, code=code))


def test_what_numpy_does_not_take_raises_as_it_does() -> None:
    with pytest.raises(TypeError, match="zeros_like\\(\\) got an unexpected keyword argument 'bogus'"):
        sct.grad(lambda x: np.sum(np.zeros_like(x, bogus=1) + x))(X)  # type: ignore[call-overload]


TINY = 5e-324
"""The smallest positive number, whose inverse is too large for a number."""


@pytest.mark.parametrize("f", [np.arctan2, math.atan2])
@pytest.mark.parametrize(("y", "x", "dy", "dx", "slope"), [
    (TINY, 0.0, 1.0, 0.0, 0.0), (0.0, TINY, 0.0, 1.0, 0.0), (TINY, TINY, 1.0, 1.0, 0.0), (TINY, TINY, 0.0, 0.0, 0.0),
    (1e-310, 1e-310, 1.0, 0.0, math.inf), (1e-310, -2e-310, 2e-310, 0.0, -0.8), (2.0, TINY, 0.0, 1.0, -0.5),
    (1e300, 1e300, 1e300, 0.0, 0.5)])
def test_angles_at_numbers_near_zero(f: Any, y: float, x: float, dy: float, dx: float, slope: float) -> None:
    with np.errstate(all="ignore"):
        assert jvp(f, (y, x), (dy, dx))[1] == pytest.approx(slope)


MASK = [True, False, True]
OF_MASKS: dict[str, Callable[..., Any]] = {
    "a list": lambda x: weighed(np.delete(x, [True, False, True])),
    "a list from outside": lambda x: weighed(np.delete(x, MASK)),
    "an array": lambda x: weighed(np.delete(x, np.array(MASK))),
    "rows": lambda x: weighed(np.delete(np.outer(x, x), MASK, axis=0)),
    "columns": lambda x: weighed(np.delete(np.outer(x, x), MASK, axis=1)),
    "all axes": lambda x: weighed(np.delete(np.outer(x, x), MASK * 3)),
    "a comparison": lambda x: weighed(np.delete(x, x > 1.0)),
    "a list of comparisons": lambda x: weighed(np.delete(x, [v > 1.0 for v in x])),
    "none": lambda x: weighed(np.delete(x, [False] * 3)),
    "all": lambda x: weighed(np.delete(x, [True] * 3)) + x[0],
    "of another length": lambda x: weighed(np.delete(x, [True, False])),
    "beside integers": lambda x: weighed(np.delete(x, [True, 2]))}


@pytest.mark.parametrize("name", OF_MASKS)
def test_items_that_a_mask_deletes(name: str) -> None:
    agrees(OF_MASKS[name], np.array([0.5, 2.0, 1.5]))
