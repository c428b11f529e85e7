"""Functions of SciPy that have the derivative of a program of NumPy: the value is SciPy's, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.signal
import scipy.stats
from oracle import agrees, refuses, same_value
from scipy.interpolate import RegularGridInterpolator, interpn
from scipy.optimize import curve_fit
from scipy.signal import butter, convolve2d, detrend, hilbert, lfilter, sosfilt
from scipy.stats import dirichlet, multivariate_normal

from sct import check_grads, grad, hessian, jacobian, value_and_grad

pytestmark = pytest.mark.filterwarnings("ignore:.*the result does not depend on")
X = np.array([0.3, 0.1, -0.4])
M = np.array([[1.0, 0.2, 0.3], [0.4, 2.0, 0.1], [0.1, 0.3, 1.5]])
ROWS = np.arange(12.0).reshape(4, 3) / 7.0
ALPHA = np.array([1.5, 2.5, 0.7])


def log_likelihood(x, mean, factor):
    """Of points, under a normal distribution, as it is fitted."""
    return -np.mean(multivariate_normal.logpdf(x, mean=mean, cov=factor @ factor.T + 0.1 * np.eye(3)))


def mixture(x, mean, factor):
    """Two components, frozen."""
    first = multivariate_normal(mean, factor @ factor.T)
    second = scipy.stats.multivariate_normal(cov=np.eye(3) * 2.0)
    return np.sum(np.log(0.3 * first.pdf(x) + 0.7 * second.pdf(x)))


def normal_at_a_point(x, mean, factor):
    cov = factor @ factor.T
    return multivariate_normal.logpdf(x[0], mean, cov) * multivariate_normal.pdf(x[:1], mean, cov)


def simplex(x, alpha):
    p = np.exp(x) / np.sum(np.exp(x))
    return dirichlet.logpdf(p, alpha) + dirichlet(alpha).pdf(p[:2])


def simplices(x, alpha):
    p = np.exp(x.T) / np.sum(np.exp(x.T), axis=0)
    return np.sum(np.cos(dirichlet.logpdf(p, alpha)))


XS, YS = np.array([0.0, 1.0, 2.5, 3.0]), np.array([2.0, 0.5, -1.0])
VALUES = np.cos(np.arange(12.0)).reshape(4, 3)
POINTS = np.array([[0.3, 0.1], [1.2, 1.7], [2.7, -0.3]])
TABLE = RegularGridInterpolator((XS, YS), VALUES, bounds_error=False, fill_value=None)
B, A = butter(3, 0.2)
SOS = butter(4, 0.2, output="sos")
SIGNAL = np.cos(np.arange(9.0)) * np.arange(9.0)


def lift(values, points):
    """A table of the program, read at rows of points and at pairs of coordinates."""
    table = RegularGridInterpolator((XS, YS), values)
    return np.sum(table(points) ** 2) + table((points[0, 0], 0.3)) * table([1.5, points[1, 1]])[0]


def moved_grid(xs, ys, values, points):
    return np.sum(np.cos(interpn((xs, ys), values, points))) + interpn([xs, ys], values, (xs[1] + 0.2, 0.3))[0]


def beyond(values, points):
    zero = RegularGridInterpolator((XS, YS), values, bounds_error=False, fill_value=0.5)
    return np.sum(zero(3.0 * points) ** 2) + np.sum(interpn((XS, YS), values, 3.0 * points, "linear", False, None) ** 2)


def constant_table(points):
    return np.sum(TABLE(2.0 * points) ** 2)


def in_three_dimensions(values, x):
    table = RegularGridInterpolator((XS, YS, np.array([0.0, 1.0])), np.stack((values, values ** 2), axis=2))
    line = RegularGridInterpolator((XS,), values[:, 0])
    return np.sum(table((x, x - 0.8, 0.3 * x)) ** 2) + np.sum(line(x) ** 3)


def filtered(x, rows):
    return np.sum(lfilter(B, A, x) ** 2) + np.sum(sosfilt(SOS, rows, axis=0) ** 3) + lfilter([0.2], [1.0, -0.5], x)[-1]


def envelope(x, rows):
    return np.sum(np.abs(hilbert(detrend(x))) ** 3) + np.sum(np.abs(hilbert(rows, axis=0)))


def phases(x, rows):
    angles = np.unwrap(np.angle(np.fft.fft(x + 1j * np.sin(x))))
    return np.sum(np.diff(angles) ** 2) + np.sum(np.unwrap(9.0 * rows, axis=0) ** 2)


def trends(x, rows):
    return np.sum(detrend(rows, axis=0, type="constant") ** 3) + np.sum(detrend(x) ** 3)


def blurred(image, kernel):
    return sum(np.sum(convolve2d(image, kernel, mode) ** 3) for mode in ("full", "same", "valid")) + np.sum(
        convolve2d(kernel, image, mode="valid") ** 2) + np.sum(convolve2d(image[:2, :1], kernel, mode="valid") ** 2)


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (log_likelihood, (ROWS, X, M)), (mixture, (ROWS, X, M)), (normal_at_a_point, (ROWS, X, M)),
    (simplex, (X, ALPHA)), (simplices, (ROWS, ALPHA)), (lift, (VALUES, POINTS)),
    (moved_grid, (XS, YS, VALUES, POINTS)), (beyond, (VALUES, POINTS)), (constant_table, (POINTS,)),
    (in_three_dimensions, (VALUES, POINTS[:, 0])), (filtered, (SIGNAL, ROWS)), (envelope, (SIGNAL, ROWS)),
    (phases, (SIGNAL, ROWS)), (trends, (SIGNAL, ROWS)), (blurred, (VALUES, VALUES[:2, :2]))]


@pytest.mark.parametrize("f, args", PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_program(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    value = value_and_grad(f)(*[x.copy() for x in args])[0]
    assert same_value(value, f(*args))
    check_grads(f, args, order=2)


def line(t, a, b):
    return a * t + b


def decay(t, a, k):
    return a * np.exp(-k * t)


TIMES = np.linspace(0.0, 3.0, 9)
DECAY = 2.0 * np.exp(-0.7 * TIMES) + 0.05 * np.cos(7.0 * TIMES)


def test_a_fit_of_a_line_is_the_solution_of_a_linear_system() -> None:
    def fit(t, y, sigma):
        p, cov = curve_fit(line, t, y, sigma=sigma)
        return np.sum(p * np.array([1.0, 2.0])) + np.sum(np.sqrt(np.diag(cov)))

    def formula(t, y, sigma):
        m = np.stack((t, np.ones(9)), axis=1) / sigma[:, None]
        cov = np.linalg.inv(m.T @ m)
        p = cov @ m.T @ (y / sigma)
        r = m @ p - y / sigma
        return np.sum(p * np.array([1.0, 2.0])) + np.sum(np.sqrt(np.diag(cov) * (r @ r) / 7.0))

    args = TIMES, DECAY, 0.1 + 0.1 * TIMES
    value, gradients = value_and_grad(fit, (0, 1, 2))(*args)
    assert same_value(value, fit(*args))
    for gradient, expected in zip(gradients, grad(formula, (0, 1, 2))(*args)):
        assert np.allclose(gradient, expected, rtol=1e-6, atol=1e-7)


def test_a_fit_has_the_derivative_of_its_solution() -> None:
    """Against Newton's method for the equation that the parameters of the fit solve."""
    def solved(y):
        p = curve_fit(decay, TIMES, y, p0=[1.0, 1.0])[0]
        for _ in range(20):
            p = p - np.linalg.solve(hessian(half_square)(p, y), grad(half_square)(p, y))
        return p

    def half_square(p, y):
        r = decay(TIMES, p[0], p[1]) - y
        return 0.5 * r @ r

    jac = jacobian(lambda y: curve_fit(decay, TIMES, y, p0=[1.0, 1.0], absolute_sigma=True)[0])(DECAY)
    for k, step in enumerate(np.eye(9) * 1e-5):
        assert np.allclose(jac[:, k], (solved(DECAY + step) - solved(DECAY - step)) / 2e-5, rtol=1e-5, atol=1e-7)


def test_the_gradient_is_that_of_the_formula() -> None:
    def f(x, mean, cov):
        return multivariate_normal.logpdf(x, mean, cov)

    cov = M @ M.T
    dx, dmean = grad(f, (0, 1))(X, X[::-1], cov)
    assert np.allclose(dx, -np.linalg.solve(cov, X - X[::-1])) and np.allclose(dmean, -dx)


@pytest.mark.parametrize("f", [
    lambda x: multivariate_normal.logpdf(x[0]),
    lambda x: multivariate_normal.logpdf(x[:1], x[1], x[2] ** 2, True),
    lambda x: np.sum(multivariate_normal.pdf(x, [0.5], np.ones((1, 1)), allow_singular=True)),
    lambda x: multivariate_normal(x[0], x[2] ** 2).pdf(1.5),
    lambda x: multivariate_normal.logpdf(x, X[::-1], M @ M.T * x[0] ** 2, allow_singular=True),
    lambda x: multivariate_normal.logpdf(X[::-1], x, x[0]) * multivariate_normal.pdf(x, X[::-1]),
    lambda x: multivariate_normal(x, [x[0] * 2.0, x[1], 1.5]).logpdf(X[::-1]),
])
def test_densities_of_one_number_and_of_what_might_be_singular(f: Callable[..., Any]) -> None:
    agrees(f, X)


@pytest.mark.parametrize("dtypes", [("f4", "f4"), ("f4", "f8"), ("f8", "f4"), ("f8", "i8"), ("f4", "i2")])
def test_dirichlet_computes_with_the_dtypes_that_it_gets(dtypes: tuple[str, str]) -> None:
    p, alpha = np.array([0.25, 0.5, 0.25]).astype(dtypes[0]), np.array([2, 3, 1]).astype(dtypes[1])
    exact = grad(lambda p: dirichlet.logpdf(p, alpha.astype(float)))(p.astype(float))
    for f in (lambda p: dirichlet.logpdf(p, alpha), lambda p: np.log(dirichlet(alpha).pdf(p))):
        value, slope = value_and_grad(f)(p)
        assert same_value(value, f(p)) and slope.dtype == p.dtype
        assert np.allclose(slope, exact, rtol=1e-5 if "f4" in dtypes else 1e-13)
    agrees(lambda p: dirichlet.pdf(p[:2], alpha), p.astype(float))
    x = np.array([1.3, 0.4, 0.7, 1.1, 2.0, 0.6], dtype="f4")
    for f in (lambda x: dirichlet.logpdf(x[:3] / np.sum(x[:3]), x[3:]),
              lambda x: dirichlet.pdf(x[:2] / np.sum(x[:3]), x[3:])):
        assert same_value(value_and_grad(f)(x)[0], f(x))
        assert np.allclose(grad(f)(x), grad(f)(x.astype(float)), rtol=1e-4)
    assert "astype" in refuses(lambda p: dirichlet.pdf(p, alpha), p.astype("f2"), code="SCT402").hint


def test_a_singular_density_has_no_derivative() -> None:
    def f(x):
        return multivariate_normal.logpdf(x, np.zeros(3), np.diag(np.array([1.0, 1.0, 1e-14])) * x[0] ** 2,
                                          allow_singular=True)

    value, gradient = value_and_grad(f)(X * [1.0, 1.0, 0.0])
    assert same_value(value, f(X * [1.0, 1.0, 0.0])) and np.isnan(gradient).any()


@pytest.mark.parametrize("f, reason", [
    (lambda x: multivariate_normal.logpdf(x, X, np.ones((1, 3, 3)) * x[0]), "covariance"),
    (lambda x: np.sum(RegularGridInterpolator((XS, YS), x[0] * VALUES, method="slinear")(POINTS, nu=(1, 0))), "`nu`"),
    (lambda x: np.sum(np.unwrap(x, period=x[0])), "`period`"),
    (lambda x: curve_fit(line, SIGNAL, x[0] * SIGNAL, bounds=(0.0, 1.0))[0][0], "`bounds`"),
])
def test_refused(f: Callable[..., Any], reason: str) -> None:
    assert reason in str(refuses(f, X, code="SCT402"))


def test_what_is_not_differentiated_is_not_read() -> None:
    assert "of an object of `multivariate_normal`" in str(
        refuses(lambda x: multivariate_normal(x, np.eye(3)).cdf(x), X, code="SCT502"))


@pytest.mark.parametrize("dtype", (np.float32, np.longdouble))
def test_tables_of_other_precisions_are_refused(dtype: Any) -> None:
    values, grid = np.arange(12.0).reshape(3, 4) ** 2, (np.arange(3.0), np.arange(4.0))
    f = lambda x, values: RegularGridInterpolator(grid, x * values)((1.2, 0.5 * x)) * 1.0
    assert "convert with astype(float)" in str(refuses(f, 1.3, values.astype(dtype), code="SCT402"))
    agrees(lambda x: f(x, values), 1.3)
