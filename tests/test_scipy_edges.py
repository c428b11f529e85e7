"""SciPy at an edge: short signals, ties with the padding, orders with a fraction, long numbers."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses
from scipy import linalg, ndimage, optimize, signal, special, stats

from sct import SctError, grad, jvp, value_and_grad

X = np.array([0.3, 1.1, -0.4, 0.9, 2.0, 0.1, 0.7])
HAS_LONG = np.dtype(np.longdouble) != np.dtype(np.float64)


def welch(x: Any) -> Any:
    return np.sum(np.cos(np.arange(3.0))[: len(x) // 2 + 1] * signal.welch(x, nperseg=4)[1][:3])


def test_signals_shorter_than_a_window() -> None:
    """One derivative is called with longer and shorter signals."""
    derivative = value_and_grad(welch)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy's, of the window
        for n in (7, 2, 5, 3, 4):
            x = X[:n].copy()
            value, dx = derivative(x)
            assert value == welch(x)
            slopes = [(welch(x + 1e-6 * e) - welch(x - 1e-6 * e)) / 2e-6 for e in np.eye(n)]
            np.testing.assert_allclose(dx, slopes, rtol=1e-6, atol=1e-8)


def test_medians_that_are_tied_with_the_zeros_around() -> None:
    """Below and above its value the zeros are the median: the element in the middle of the tie does not move it."""
    image = np.array([[-0.1, -0.3, 0.9, 1.1], [0.5, 0.0, -0.8, 0.2], [0.3, 0.7, -0.5, -1.1]])
    weights = np.cos(np.arange(12.0)).reshape(3, 4)
    slopes = np.zeros((3, 4))
    for k in np.ndindex(3, 4):
        step = np.zeros((3, 4))
        step[k] = 1e-6
        slopes[k] = np.sum(weights * (signal.medfilt2d(image + step, 3) - signal.medfilt2d(image - step, 3))) / 2e-6
    np.testing.assert_allclose(grad(lambda m: np.sum(weights * signal.medfilt2d(m, 3)))(image), slopes, atol=1e-9)
    inner = np.array([0.5, -0.2, 0.0, 0.3, -0.4])
    assert grad(lambda x: signal.medfilt(x, 3)[2])(inner).tolist() == [0.0, 0.0, 1.0, 0.0, 0.0]


@pytest.mark.parametrize("n", [1, 2, 6])
def test_trend_of_a_few_numbers(n: int) -> None:
    agrees(lambda x: np.sum(signal.detrend(x) ** 2 + x * x), X[:n])


@pytest.mark.parametrize("mode", ["reflect", "mirror"])
@pytest.mark.parametrize("shape", [(4,), (3, 3), (2, 3, 3)], ids=len)
def test_steepness_that_is_zero(shape: tuple[int, ...], mode: str) -> None:
    """In the corners of a mirrored image each slope is 0, whatever the image."""
    image = np.random.default_rng(1).random(shape)
    agrees(lambda x: np.sum(x * ndimage.gaussian_gradient_magnitude(x, 1.0, mode=mode)), image)


@pytest.mark.parametrize("n", [2.5, 2, 0.7, np.float64(1.9)])
@pytest.mark.parametrize("name", ["jn", "yn", "in", "kn"])
def test_orders_with_a_fraction(name: str, n: Any) -> None:
    """SciPy leaves the fraction out."""
    f = getattr(special, f"spherical_{name}")
    agrees(lambda x: f(n, x) * x, 0.7)
    orders = np.array([0.5, 1.5, 2.0])
    agrees(lambda x: np.sum(f(orders, x)), 0.7)


def test_least_squares_with_many_solutions() -> None:
    a, b = np.random.default_rng(2).normal(size=(3, 5)), X[:3]
    f = lambda a, b: np.sum(optimize.lsq_linear(a, b).x ** 2)
    agrees(f, a.T, X[:5])
    with pytest.raises(SctError, match="linearly dependent"):
        grad(f)(a, b)
    agrees(lambda a, b: np.sum(optimize.lsq_linear(a, b, bounds=(-0.1, 0.2)).x ** 2), a.T, X[:5])


@pytest.mark.skipif(not HAS_LONG, reason="this machine has no longer numbers")
@pytest.mark.parametrize("f", [
    lambda x: np.sum(stats.logistic.cdf(x, 0.3)), lambda x: np.sum(stats.vonmises.cdf(x, 1.5, 0.1))])
def test_distributions_of_long_numbers(f: Callable[[Any], Any]) -> None:
    assert "astype(float)" in refuses(f, X.astype(np.longdouble), code="SCT501").hint


@pytest.mark.skipif(not HAS_LONG, reason="this machine has no longer numbers")
def test_solvers_of_long_numbers() -> None:
    f = lambda x: np.sum(optimize.least_squares(lambda v: v**3 + v - x, np.ones(3)).x)
    assert "astype(float)" in refuses(f, X[:3].astype(np.longdouble), code="SCT402").hint


@pytest.mark.parametrize("f", [special.gammaln, special.erf, special.digamma])
def test_half_precision(f: Callable[[Any], Any]) -> None:
    """SciPy computes with more; the gradient is of the precision of the argument."""
    x = np.array([0.5, 1.5, 2.5], np.float16)
    value, dx = value_and_grad(lambda x: np.sum(f(x)))(x)
    assert value == np.sum(f(x)) and type(value) is type(np.sum(f(x)))
    assert dx.dtype == np.float16


def test_a_real_matrix_among_complex_numbers() -> None:
    """SciPy's solution is none where the real Schur form of the matrix is not triangular."""
    a, b, q = np.array([[2.0, 1.0], [-1.0, 2.0]]), np.eye(2), np.ones((2, 2)) + 1j
    f = lambda a, q: np.sum(linalg.solve_sylvester(a, b, q)).real
    assert "astype(complex)" in refuses(f, a, q, code="SCT501").hint
    g = lambda a: np.sum(linalg.solve_sylvester(a.astype(complex), b.astype(complex), q)).real
    agrees(g, a)


@pytest.mark.parametrize("x", [1e-10, 5e-9, 1e-5, -0.02, 0.0999, 0.1001])
def test_derivatives_of_sinc_near_zero(x: float) -> None:
    """sinc(x) = 1 - z**2 / 3! + z**4 / 5! - ..., z = pi x"""
    z = math.pi * x
    first = math.pi * sum((-1) ** k * 2 * k * z ** (2 * k - 1) / math.factorial(2 * k + 1) for k in range(1, 9))
    second = math.pi**2 * sum(
        (-1) ** k * 2 * k * (2 * k - 1) * z ** (2 * k - 2) / math.factorial(2 * k + 1) for k in range(1, 9))
    sinc = lambda x: np.sinc(x)
    assert grad(sinc)(x) == pytest.approx(first, rel=1e-12)
    assert grad(grad(sinc))(x) == pytest.approx(second, rel=1e-12)
    vector = np.array([x, 0.7])
    assert grad(lambda v: np.sum(np.sinc(v)))(vector)[0] == pytest.approx(first, rel=1e-12)


def test_a_tangent_of_zero_stays_zero_where_the_slope_is_infinite() -> None:
    f = lambda d: np.sum(special.xlogy(d, d) + special.xlog1py(d, d - 1.0))
    d, t = np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 2.0])
    slope = 2.0 * (np.log(d[1:]) + 1.0) @ t[1:]
    assert jvp(f, (d,), (t,))[1] == pytest.approx(slope)


@pytest.mark.parametrize("theta", [-0.3, 0.4, 3.5, 4.0, -3.5, 7.0])
def test_spherical_harmonics_beyond_the_poles(theta: float) -> None:
    for n, m in ((1, 0), (2, 1), (3, -2)):
        agrees(lambda t: special.sph_harm_y(n, m, t, 0.3).real, theta)


def test_second_derivatives_of_integrals_of_bessel_functions_at_zero() -> None:
    for f in (lambda x: special.it2j0y0(x)[0], lambda x: special.it2i0k0(x)[0]):
        assert grad(grad(f))(0.0) == pytest.approx(0.25) and grad(grad(f))(1e-9) == pytest.approx(0.25)


def test_probabilities_of_which_the_last_is_computed_from_the_others() -> None:
    p = np.array([0.2, 0.5, 0.3])
    np.testing.assert_allclose(grad(lambda p: stats.multinomial.mean(3, p)[2])(p), [-3.0, -3.0, 0.0])
    np.testing.assert_allclose(grad(lambda p: stats.multinomial.cov(3, p)[0, 2])(p), [-0.3, 0.6, 0.0])
    np.testing.assert_allclose(grad(lambda p: stats.multinomial.pmf([1, 1, 1], 3, p))(p), [0.3, -0.24, 0.0], atol=1e-12)


@pytest.mark.parametrize("f", [
    lambda a: stats.ttest_1samp(a, 0.3, alternative="less").pvalue,
    lambda a: stats.ttest_rel(a, a[::-1] ** 2, alternative="greater")[1],
    lambda a: stats.ttest_ind(a, a**2, alternative="less").pvalue], ids=range(3))
def test_probabilities_on_one_side_are_numbers(f: Callable[..., Any]) -> None:
    agrees(f, np.array([0.3, 1.2, -0.4, 0.8, 0.1]))


def test_the_start_of_least_squares_is_refused() -> None:
    from scipy.sparse import linalg as sparse_linalg

    a, b = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 3.0]]), np.array([1.0, 2.0])
    for solver in (sparse_linalg.lsqr, sparse_linalg.lsmr):
        refuses(lambda a: solver(a, b, x0=np.ones(3))[0][0], a, code="SCT402")
