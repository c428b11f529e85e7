"""Windows by their parameters, images that go on beyond their edges, and Simpson's rule by its points, of SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses
from scipy import integrate, signal
from scipy.signal import windows

from sct import check_grads, grad, hessian

X = np.array([0.31, 1.57, 0.83, 1.21, 0.47, 1.73])
IMAGE = np.cos(np.arange(20.0) ** 2).reshape(4, 5)
KERNEL = np.sin(1.0 + np.arange(12.0) ** 2).reshape(3, 4)


def weighed(y: Any) -> Any:
    return np.sum(y * np.cos(np.arange(y.size)).reshape(y.shape))


# -- windows -----------------------------------------------------------------------------------------------------------

WINDOWS: dict[str, Callable[..., Any]] = {
    "gaussian": lambda c, n, sym: windows.gaussian(n, c, sym),
    "general_gaussian": lambda c, n, sym: windows.general_gaussian(n, 0.7 * c, 2.0 + c, sym),
    "exponential": lambda c, n, sym: windows.exponential(n, tau=c, sym=sym),
    "kaiser": lambda c, n, sym: windows.kaiser(n, 3.0 * c, sym=sym),
    "tukey": lambda c, n, sym: windows.tukey(n, 0.3 * c, sym=sym),
    "general_hamming": lambda c, n, sym: windows.general_hamming(n, c, sym=sym),
    "general_cosine": lambda c, n, sym: windows.general_cosine(n, [c, c * c, 0.3], sym=sym),
    "get_window": lambda c, n, sym: signal.get_window(c, n, not sym) * signal.get_window(("tuk", 0.4 * c), n, not sym),
}


@pytest.mark.parametrize("name", WINDOWS)
@pytest.mark.parametrize("sym", [True, False])
def test_window(name: str, sym: bool) -> None:
    for n in (1, 7, 8):
        agrees(lambda c, n=n: weighed(WINDOWS[name](c, n, sym)), 1.3)
    check_grads(lambda c: weighed(WINDOWS[name](c, 7, sym)), (1.3,), order=2)
    agrees(lambda x: weighed(WINDOWS[name](x[0], len(x), sym) * x), X)


def test_other_windows() -> None:
    agrees(lambda c: weighed(windows.exponential(9, 3.3 * c, c, sym=False)), 1.3)
    agrees(lambda c: weighed(windows.kaiser_bessel_derived(8, 4.0 * c)), 1.3)
    agrees(lambda c: weighed(signal.get_window(("ggs", c, 2.0 * c), 8)), 1.3)
    agrees(lambda c: weighed(signal.get_window(("poisson", None, c), 8)), 1.3)
    agrees(lambda c: c * weighed(signal.get_window(("chebwin", 80.0), 8)), 1.3)


def test_tukeys_window_with_no_cosine_or_nothing_else() -> None:
    for alpha in (-0.5, 0.0, 1.0, 1.7):
        assert grad(lambda a: weighed(windows.tukey(9, a)))(alpha) == 0.0


def test_gaussian_in_closed_form() -> None:
    """d/ds of exp(-n**2 / (2 s**2)) is n**2 / s**3 of it."""
    n = np.arange(9) - 4.0
    slope = grad(lambda s: np.sum(windows.gaussian(9, s)))(1.7)
    np.testing.assert_allclose(slope, np.sum(n**2 / 1.7**3 * np.exp(-0.5 * (n / 1.7) ** 2)), rtol=1e-14)


def test_windows_that_are_refused() -> None:
    assert "scipy.signal.windows.kaiser" in str(refuses(lambda c: np.sum(np.kaiser(8, c)), 2.0, code="SCT205").hint)
    assert "stop_gradient" in str(
        refuses(lambda c: np.sum(signal.get_window(("chebwin", c), 8)), 50.0, code="SCT402").hint)


# -- images ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("boundary", ["fill", "wrap", "symm"])
@pytest.mark.parametrize("mode", ["full", "same", "valid"])
def test_images_beyond_their_edges(mode: str, boundary: str) -> None:
    for of in (signal.convolve2d, signal.correlate2d):
        f = lambda x, k, of=of: weighed(of(x, k, mode, boundary) ** 2)
        agrees(f, IMAGE.copy(), KERNEL[:2, :2].copy())
        agrees(lambda k, x, f=f: f(x, k), IMAGE.copy(), KERNEL[:1, :2].copy())
    check_grads(f, (IMAGE, KERNEL), order=2)


def test_what_is_around_an_image() -> None:
    f = lambda c: weighed(signal.convolve2d(c * IMAGE, KERNEL, fillvalue=c) ** 2) + weighed(
        signal.correlate2d(IMAGE, KERNEL[:2], "same", "fill", c * c) ** 2)
    agrees(f, 1.3)
    check_grads(f, (1.3,), order=2)


def test_the_correlation_with_an_even_kernel_is_the_sum_of_products() -> None:
    """The element at (1, 1) of mode 'same' multiplies a kernel of two by two with the elements from (1, 1) on."""
    value = lambda x: signal.correlate2d(x, KERNEL[:2, :2], "same")[1, 1]
    expected = np.zeros_like(IMAGE)
    expected[1:3, 1:3] = KERNEL[:2, :2]
    np.testing.assert_array_equal(grad(value)(IMAGE), expected)


# -- Simpson's rule ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_simpson_by_its_points(n: int) -> None:
    x, y = np.cumsum(X[:n]), IMAGE.ravel()[:n]
    for of in (integrate.simpson, integrate.cumulative_simpson):
        f = lambda x, y, of=of: weighed(of(y, x=x) ** 2)
        agrees(f, x, y)
        check_grads(f, (x, y), order=2)
    if n > 4:
        return
    for axis, points in ((0, np.cumsum(np.exp(IMAGE[:n]), axis=0)), (0, x), (-2, x)):
        f = lambda x, y, axis=axis: weighed(integrate.simpson(y, x, axis=axis) ** 2) + weighed(
            integrate.cumulative_simpson(y, x=x, axis=axis, initial=0.5 * y[0, 0]) ** 2)
        agrees(f, points, IMAGE[:n])
        check_grads(f, (points, IMAGE[:n]), order=1)


@pytest.mark.parametrize("n", [3, 4, 7, 8])
def test_simpson_is_exact_for_parabolas(n: int) -> None:
    """The integral of t**2 from a to b is (b**3 - a**3) / 3, wherever the points between are."""
    x = np.cumsum(0.3 + np.cos(np.arange(float(n))) ** 2)
    slope, curvature = grad(lambda x: integrate.simpson(x**2, x))(x), hessian(lambda x: integrate.simpson(x**2, x))(x)
    expected = np.zeros(n)
    expected[[0, -1]] = -x[0] ** 2, x[-1] ** 2
    np.testing.assert_allclose(slope, expected, atol=1e-12)
    np.testing.assert_allclose(curvature, np.diag(2.0 * np.sign(expected) * x), atol=1e-11)


def test_cumulative_simpson_by_its_step_and_its_start() -> None:
    f = lambda c: weighed(integrate.cumulative_simpson(c * IMAGE, dx=c * c, initial=c)) + weighed(
        integrate.cumulative_simpson(IMAGE, dx=c + np.exp(IMAGE[:1]), axis=0, initial=c * IMAGE[2:3]))
    agrees(f, 1.3)
    check_grads(f, (1.3,), order=2)
