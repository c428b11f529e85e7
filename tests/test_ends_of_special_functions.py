"""Functions of SciPy where the rule of the inner points has no value: the lowest degrees, ends of domains, numbers
near 0, infinite degrees of freedom."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from oracle import agrees, agrees_in_second_order, refuses, same_value
from scipy import signal, special, stats

from sct import check_grads, grad, hvp, jvp, value_and_grad

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

# -- polynomials of the lowest degrees ------------------------------------------------------------------------------

LINES: dict[str, tuple[Callable[..., float], int]] = {
    "jacobi": (lambda a, b: 0.5 * (a + b + 2.0), 2), "sh_jacobi": (lambda p, q: 1.0, 2),
    "gegenbauer": (lambda a: 2.0 * a, 1), "genlaguerre": (lambda a: -1.0, 1), "legendre": (lambda: 1.0, 0),
    "sh_legendre": (lambda: 2.0, 0), "chebyt": (lambda: 1.0, 0), "chebyu": (lambda: 2.0, 0), "chebyc": (lambda: 1.0, 0),
    "chebys": (lambda: 1.0, 0), "sh_chebyt": (lambda: 2.0, 0), "sh_chebyu": (lambda: 4.0, 0),
    "laguerre": (lambda: -1.0, 0), "hermite": (lambda: 2.0, 0), "hermitenorm": (lambda: 1.0, 0)}
"""The slope of the polynomial of degree 1 by its parameters, and how many there are."""

OF_INTS = ("hermite", "hermitenorm")


@pytest.mark.parametrize("name", LINES)
def test_polynomials_of_degree_zero_and_one(name: str) -> None:
    """Of ints and floats, real and complex arguments, and the parameters for which SciPy has no degree -1."""
    polynomial, (line, count) = getattr(special, f"eval_{name}"), LINES[name]
    f = lambda x, n, *parameters: polynomial(n, *parameters, x)
    of_complex = lambda x, n, *parameters: polynomial(n, *parameters, x + 0.3j).real
    for parameters in {(1.5, 0.7)[:count], (0.0, 0.0)[:count], (-0.5, -0.5)[:count]}:
        for n in (0, 1) if name in OF_INTS else (0, 1, 0.0, 1.0):
            if not math.isfinite(polynomial(n, *parameters, 0.3)):
                continue
            for g in (f,) if name in OF_INTS else (f, of_complex):
                value, slope = value_and_grad(g)(0.3, n, *parameters)
                assert same_value(value, g(0.3, n, *parameters))
                assert slope == pytest.approx(n * line(*parameters), abs=1e-15)
                assert grad(grad(g))(0.3, n, *parameters) == 0.0
                assert jvp(g, (0.3, n, *parameters), (1.0,))[1] == slope


@pytest.mark.parametrize("f", [
    lambda x: special.eval_jacobi(0, 0.5, -0.5, x), lambda x: special.eval_jacobi(0, -1.0, 0.0, x),
    lambda x: special.eval_gegenbauer(0.0, 0.7, x), lambda x: special.eval_chebyu(0.0, x),
    lambda x: special.eval_sh_jacobi(0, 1.5, 0.7, x), lambda x: special.eval_laguerre(0.0, x)], ids=range(6))
def test_degrees_that_are_known_are_not_tested_at_run_time(f: Callable[..., Any]) -> None:
    derivative = grad(f)
    assert derivative(0.3) == grad(derivative)(0.3) == 0.0
    assert "-1" not in derivative.source


def test_arrays_of_degrees_and_single_precision() -> None:
    n, x = np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.1, -0.3, 0.5, 0.7])
    for f in (lambda x, n: np.sum(special.eval_jacobi(n, -0.5, -0.5, x)),
              lambda x, n: np.sum(special.eval_chebyu(n, x)), lambda x, n: np.sum(special.eval_laguerre(n, x))):
        agrees(f, x, n)
        agrees_in_second_order(f, x, n)
        agrees(f, x, n.astype(int))
        for degree in (1.0, 3, np.float64(2.0)):
            single = grad(f)(x.astype(np.float32), degree)
            assert single.dtype == np.float32
            np.testing.assert_allclose(single, grad(f)(x, degree), rtol=1e-5)


@pytest.mark.parametrize("n", [-1, -2, -3, -4, -5])
@pytest.mark.parametrize("name", ["chebyt", "chebyu", "chebyc", "chebys", "sh_chebyt", "sh_chebyu"])
def test_chebyshev_polynomials_of_negative_ints(name: str, n: int) -> None:
    f = getattr(special, f"eval_{name}")
    for g in (lambda x: f(n, x), lambda x, k=n: f(k, x)):
        agrees(g, 0.3)
        agrees_in_second_order(g, 0.3)
    by_degree = lambda x, n: f(n, x)
    agrees(by_degree, 0.3, n)
    agrees_in_second_order(by_degree, 0.3, n)


@pytest.mark.parametrize("f", [
    lambda x, n: special.expn(n, x), lambda x, n: special.eval_hermite(n, x),
    lambda x, n: special.eval_hermitenorm(n, x), lambda x, n: special.spherical_jn(n, x),
    lambda x, n: special.spherical_yn(n, x)])
@pytest.mark.parametrize("n", [-1, -2])
def test_the_slope_is_nan_where_the_value_is(f: Callable[..., Any], n: int) -> None:
    assert math.isnan(f(0.7, n)) and math.isnan(grad(f)(0.7, n)) and math.isnan(grad(lambda x: f(x, n))(0.7))
    agrees(f, 0.7, 0)
    agrees(lambda x: f(x, 0), 0.7)
    agrees(f, 0.7, 3)


def test_the_order_of_an_exponential_integral_is_cut() -> None:
    f = lambda x, n: special.expn(n, x)
    agrees(f, 0.7, -0.5)
    assert math.isnan(grad(f)(0.7, -1.5))


# -- ends of domains ------------------------------------------------------------------------------------------------


def legendre(m: int, v: int) -> np.polynomial.Polynomial:
    """The function of an even order, which is a polynomial."""
    p = np.polynomial.Legendre.basis(v).convert(kind=np.polynomial.Polynomial).deriv(m)
    return p * np.polynomial.Polynomial([1.0, 0.0, -1.0]) ** (m // 2)


@pytest.mark.parametrize("v", [0, 1, 2, 3, 6])
@pytest.mark.parametrize("m", [0, 2, 4, -2, -4])
def test_legendre_functions_at_the_ends(m: int, v: int) -> None:
    """SciPy takes orders beyond the degree for 0."""
    if v < abs(m):
        return
    exact = legendre(abs(m), v) * (1.0 if m >= 0 else math.factorial(v + m) / math.factorial(v - m))
    for f in (lambda x, v, m: special.lpmv(m, v, x), lambda x, v, k=m: special.lpmv(k, v, x)):
        args = (float(v), m) if f.__code__.co_argcount == 3 and not f.__defaults__ else (float(v),)
        for x in (1.0, -1.0):
            value, slope = value_and_grad(f)(x, *args)
            assert same_value(value, f(x, *args))
            assert slope == pytest.approx(exact.deriv()(x), rel=1e-12, abs=1e-12)
            if abs(m) != 2 or len(args) == 1:
                assert grad(grad(f))(x, *args) == pytest.approx(exact.deriv(2)(x), rel=1e-10, abs=1e-10)
        agrees(f, 0.3, *args)
        agrees_in_second_order(f, 0.3, *args)


@pytest.mark.parametrize("x", [1.0, -1.0])
@pytest.mark.parametrize("v", [1.0, 2.0, 5.0])
def test_legendre_functions_of_order_one_at_the_ends(x: float, v: float) -> None:
    """Their slope is infinite there, of the sign that it has near."""
    for m in (1, -1):
        f = lambda x: special.lpmv(m, v, x)
        assert grad(f)(x) == math.copysign(math.inf, grad(f)(x * (1.0 - 1e-9)))


def test_legendre_functions_of_any_degree() -> None:
    f = lambda x, v: special.lpmv(0, v, x)
    assert grad(f)(1.0, 2.5) == pytest.approx(2.5 * 3.5 / 2.0)
    assert grad(f)(1.0, -3.5) == pytest.approx(2.5 * 3.5 / 2.0)
    x = np.array([-1.0, -0.4, 0.2, 1.0])
    total = lambda x: np.sum(special.lpmv(0, 3.0, x))
    np.testing.assert_allclose(grad(total)(x), legendre(0, 3).deriv()(x), atol=1e-14)
    np.testing.assert_allclose(hvp(total, (x,), (np.ones(4),)), legendre(0, 3).deriv(2)(x), atol=1e-12)
    by_order = lambda x, m: np.sum(special.lpmv(m, 3.0, x))
    for m in (0, 2.0, np.float64(-2.0)):
        single = grad(by_order)(x.astype(np.float32), m)
        assert single.dtype == np.float32
        np.testing.assert_allclose(single, grad(by_order)(x, m), rtol=1e-4)


@pytest.mark.parametrize("z", [0.3, 2.0, 30.0])
@pytest.mark.parametrize("k", [0, 1, 2])
def test_carlson_of_the_second_kind_with_two_zeros(k: int, z: float) -> None:
    """R_G(0, 0, z) is sqrt(z) / 2."""
    f = lambda z: special.elliprg(*[z if j == k else 0.0 for j in range(3)])
    value, slope = value_and_grad(f)(z)
    assert same_value(value, f(z))
    assert slope == pytest.approx(0.25 / math.sqrt(z), rel=1e-14)
    assert grad(grad(f))(z) == pytest.approx(-0.125 * z**-1.5, rel=1e-14)
    assert grad(lambda x: special.elliprg(x, 0.0, z))(0.0) == math.inf


def test_carlson_of_the_second_kind_with_one_zero() -> None:
    f = lambda x, y: special.elliprg(0.0, x, y)
    check_grads(f, (0.7, 1.9), order=2)
    assert grad(f)(0.7, 1.9) == pytest.approx(float(mp.diff(lambda x: mp.elliprg(0, x, 1.9), 0.7)), rel=1e-12)


# -- digits near 0 --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("z", [1e-20 + 1e-20j, 1e-12 - 3e-9j, -1e-9 + 1e-14j, 0.3 + 0.4j])
def test_logarithms_near_one(z: complex) -> None:
    exact = mp.log1p(mp.mpc(z))
    slope = grad(lambda x: special.xlog1py(x, z).real)(0.7)
    assert slope == pytest.approx(float(exact.real), rel=1e-14)
    assert grad(lambda x: special.xlog1py(x, z).imag)(0.7) == pytest.approx(float(exact.imag), rel=1e-14)
    of_array = lambda x: np.sum(special.xlog1py(x, np.array([z, 0.5 * z])).imag)
    assert grad(of_array)(0.7) == pytest.approx(float(exact.imag + mp.log1p(mp.mpc(0.5 * z)).imag), rel=1e-13)


def noncentral(nc: float, order: int) -> float:
    """A derivative by `nc` of the distribution function of 3.3 degrees of freedom at 1.3: a mean of differences over
    numbers of Poisson's distribution."""
    terms = [mp.gammainc(mp.mpf(3.3) / 2 + j, 0, mp.mpf(1.3) / 2, regularized=True) for j in range(80)]
    for _ in range(order):
        terms = [(b - a) / 2 for a, b in itertools.pairwise(terms)]
    half = mp.mpf(nc) / 2
    return float(sum(mp.exp(-half) * half**j / mp.factorial(j) * term for j, term in enumerate(terms)))


@pytest.mark.parametrize("nc", [0.0, 1e-12, 1e-8, 1e-4, 0.1, 0.76, 0.77, 3.0, 20.0])
def test_noncentral_chi_square_near_the_central_one(nc: float) -> None:
    f = lambda nc: special.chndtr(1.3, 3.3, nc)
    value, slope = value_and_grad(f)(nc)
    assert same_value(value, f(nc))
    assert slope == pytest.approx(noncentral(nc, 1), rel=1e-12)
    assert grad(grad(f))(nc) == pytest.approx(noncentral(nc, 2), rel=1e-10)


def test_noncentral_chi_square_by_all_arguments() -> None:
    check_grads(lambda x, nc: special.chndtr(x, 3.3, nc), (1.3, 0.2), order=2)
    check_grads(lambda x, nc: special.chndtr(x, 3.3, nc), (1.3, 2.4), order=2)
    check_grads(lambda p, nc: special.chndtrix(p, 3.3, nc), (0.2, 0.1), order=2)
    x = np.array([-1.0, 0.0, 0.4, 9.0])
    f = lambda x: np.sum(special.chndtr(x, 3.3, 0.7))
    np.testing.assert_allclose(grad(f)(x), [0.0, 0.0, *stats.ncx2.pdf(x[2:], 3.3, 0.7)], rtol=1e-12)


@pytest.mark.parametrize("x", [0.0, 1e-9, 1e-5, 0.1, 0.4999, 0.5001, 2.0])
def test_integrals_of_struve_functions_near_zero(x: float) -> None:
    """The slope is -H_0(x) / x, with an even power series."""
    terms = [(-1) ** k * 2 / mp.pi / mp.fac2(2 * k + 1) ** 2 for k in range(20)]
    derivative = lambda order: float(-sum(
        c * math.perm(2 * k, order) * mp.mpf(x) ** (2 * k - order) for k, c in enumerate(terms) if 2 * k >= order))
    f = lambda x: special.it2struve0(x)
    value, slope = value_and_grad(f)(x)
    assert same_value(value, f(x))
    assert slope == pytest.approx(derivative(0), rel=1e-14)
    assert grad(grad(f))(x) == pytest.approx(derivative(1), rel=1e-12, abs=1e-300)
    assert grad(grad(grad(f)))(x) == pytest.approx(derivative(2), rel=1e-11)


# -- distributions --------------------------------------------------------------------------------------------------

SHAPE = np.array([[2.0, 0.3], [0.3, 1.0]])


def test_student_of_infinitely_many_degrees_of_freedom() -> None:
    """It is the normal distribution, whose derivative by the degrees of freedom is 0."""
    x, loc = np.array([0.3, 0.7]), np.array([-0.2, 0.1])
    f = lambda x, loc, df: np.sum(stats.multivariate_t.logpdf(x, loc, SHAPE, df))
    at_infinity = lambda x, loc: np.sum(stats.multivariate_t.logpdf(x, loc, SHAPE, np.inf))
    normal = lambda x, loc: stats.multivariate_normal.logpdf(x, loc, SHAPE)
    for k in (0, 1):
        np.testing.assert_allclose(grad(f, k)(x, loc, np.inf), grad(normal, k)(x, loc), rtol=1e-14)
        np.testing.assert_allclose(grad(at_infinity, k)(x, loc), grad(normal, k)(x, loc), rtol=1e-14)
    assert grad(f, 2)(x, loc, np.inf) == 0.0
    for df in (np.inf, 3.3):
        agrees(f, x, loc, df)
        agrees_in_second_order(f, x, loc, df)
        agrees(lambda s, df: np.sum(stats.multivariate_t.logpdf(x, loc, s @ s.T, df)), SHAPE, df)
    agrees(at_infinity, np.array([[0.3, 0.7], [1.1, -0.4]]), loc)


def test_the_density_that_scipy_may_not_compute() -> None:
    """SciPy may raise for the density of infinitely many degrees of freedom; so does the derivative with the value."""
    x = np.array([0.3, 0.7])
    agrees(lambda x, df: np.sum(stats.multivariate_t.pdf(x, None, SHAPE, df)), x, np.inf)
    agrees(lambda x, df: np.sum(stats.multivariate_t.pdf(x, None, SHAPE, df)), x, 3.3)


@pytest.mark.parametrize("name", ["logpdf", "pdf", "cdf", "logcdf"])
def test_student_of_one_number(name: str) -> None:
    f = lambda x, df: getattr(stats.t, name)(x, df)
    assert grad(f)(0.3, np.inf) == pytest.approx(grad(getattr(stats.norm, name))(0.3), rel=1e-14)
    agrees(f, 0.3, np.inf)
    agrees_in_second_order(f, 0.3, np.inf)
    agrees(f, 0.3, 4.4)
    if "pdf" in name:
        assert grad(f, 1)(0.3, np.inf) == 0.0
        check_grads(f, (0.3, 4.4), order=2)


def test_entropy_of_infinitely_many_degrees_of_freedom() -> None:
    f = lambda s, df: stats.multivariate_t.entropy(np.zeros(2), s @ s.T, df)
    agrees(f, SHAPE, np.inf)
    agrees(f, SHAPE, 3.3)
    assert grad(f, 1)(SHAPE, np.inf) == 0.0


def test_the_normal_inverse_gamma_distribution_outside_of_its_support() -> None:
    """The density and its slopes are 0 there, those of its logarithm nan; they are nan of invalid parameters."""
    by_all, good = tuple(range(6)), (0.1, 1.2, 1.3, 1.4)
    density = lambda x, s2, mu, lmbda, a, b: stats.normal_inverse_gamma.pdf(x, s2, mu, lmbda, a, b)
    logarithm = lambda x, s2, mu, lmbda, a, b: stats.normal_inverse_gamma.logpdf(x, s2, mu, lmbda, a, b)
    for s2 in (0.0, -1.0, np.float64(0.0)):
        value, slopes = value_and_grad(density, by_all)(0.3, s2, *good)
        assert value == 0.0 and not any(slopes)
        assert np.all(np.isnan(grad(logarithm, by_all)(0.3, s2, *good)))
    for k in (1, 2, 3):
        bad = tuple(-v if j == k else v for j, v in enumerate(good))
        for f in (density, logarithm):
            assert np.all(np.isnan(grad(f, by_all)(0.3, 0.7, *bad)))
    for f in (density, logarithm):
        check_grads(f, (0.3, 0.7, *good), order=2)
    s2 = np.array([0.0, 0.4, -0.3, 1.1])
    total = lambda s2: np.sum(stats.normal_inverse_gamma.pdf(0.3, s2))
    slopes = [grad(lambda v: stats.normal_inverse_gamma.pdf(0.3, v))(v) if v > 0.0 else 0.0 for v in s2]
    np.testing.assert_allclose(grad(total)(s2), slopes, rtol=1e-14)


# -- systems at a single time ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("f", [
    lambda a, t: np.sum(signal.lsim((a, a[:, :1], a[:1], a[:1, :1]), np.cos(t), t)[1]),
    lambda a, t: np.sum(signal.impulse((a, a[:, :1], a[:1], a[:1, :1]), T=t)[1]),
    lambda a, t: np.sum(signal.step((a[0], a[1] + 2.0), T=t)[1])], ids=["lsim", "impulse", "step"])
def test_systems_at_a_single_time(f: Callable[..., Any]) -> None:
    """SciPy leaves out the axis of the times."""
    a = np.array([[-0.7, 0.2], [0.3, -1.1]])
    assert "a single time" in str(refuses(f, a, np.array([0.0]), code="SCT402"))
    agrees(f, a, np.array([0.0, 0.5, 1.0]))
    derivative = grad(f)
    derivative(a, np.array([0.0, 0.5, 1.0]))
    with pytest.raises(Exception, match="a single time"):
        derivative(a, np.array([0.0]))
