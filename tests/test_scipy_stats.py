"""Distributions of scipy.stats in programs: likelihoods, outside of supports, keywords, and what is refused.

The samples of the ops (`test_ops.py`) compare every method of every distribution with differences, to second order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats
from oracle import agrees, refuses, same_value
from scipy import stats
from scipy.stats import norm

from sct import check_grads, grad, value_and_grad

X = np.array([0.3, 0.7, 2.0, 1.1])
K = np.array([0, 3, 1, 2])


def likelihood(theta: np.ndarray) -> Any:
    mu, log_sigma, a = theta
    return -np.sum(norm.logpdf(X, mu, np.exp(log_sigma))) - np.sum(stats.gamma.logpdf(X, a, scale=np.exp(log_sigma)))


def counts(theta: np.ndarray) -> Any:
    rate = np.exp(theta[0] + theta[1] * X)
    return np.sum(stats.poisson.logpmf(K, rate)) + np.sum(stats.binom.logpmf(K, 5, 1.0 / (1.0 + rate)))


def censored(theta: np.ndarray) -> Any:
    """Some observations are only known to be larger."""
    c, scale, _ = theta
    return np.sum(stats.weibull_min.logpdf(X[:2], c, 0.0, scale)) + np.sum(
        scipy.stats.weibull_min.logsf(X[2:], c, scale=scale))


def robust(theta: np.ndarray) -> Any:
    return -np.sum(stats.t.logpdf(X, df=theta[2], loc=theta[0], scale=theta[1])) - stats.beta.logpdf(
        0.3, theta[1], b=theta[2])


def posterior(theta: np.ndarray) -> Any:
    return norm.ppf(0.3, theta[0], theta[1]) * norm.logcdf(theta[2]) + stats.expon.sf(theta[1], scale=theta[2])


@pytest.mark.parametrize("f", [likelihood, counts, censored, robust, posterior], ids=lambda f: f.__name__)
def test_program(f: Callable[[Any], Any]) -> None:
    theta = np.array([0.6, 0.8, 1.7])
    agrees(f, theta)
    check_grads(f, (theta,), order=2)
    slope = value_and_grad(f)
    for t in (theta, theta[::-1].copy(), 2.0 * theta):
        assert same_value(slope(t)[0], f(t))


def test_likelihood_in_closed_form() -> None:
    f = lambda mu, sigma: np.sum(norm.logpdf(X, mu, sigma))
    dmu, dsigma = grad(f, (0, 1))(0.4, 1.3)
    np.testing.assert_allclose(dmu, np.sum(X - 0.4) / 1.3**2)
    np.testing.assert_allclose(dsigma, np.sum((X - 0.4) ** 2) / 1.3**3 - 4 / 1.3)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("f", [
    lambda x: np.sum(stats.gamma.pdf(x, 2.5)), lambda x: np.sum(stats.beta.pdf(x, 2.5, 3.0)),
    lambda x: np.sum(stats.uniform.pdf(x)), lambda x: np.sum(stats.expon.cdf(x)),
    lambda x: np.sum(stats.lognorm.cdf(x, 0.8)),
    lambda x: np.sum(stats.pareto.sf(x, 2.5)), lambda x: np.sum(stats.weibull_min.pdf(x, 3.0, 0.1, 1.5))])
def test_outside_of_the_support(f: Callable[[Any], Any]) -> None:
    x = np.array([-3.0, -0.5, 0.4, 5.0])
    agrees(f, x)
    assert np.all(grad(f)(np.array([-3.0, -0.5])) == 0.0)
    g = grad(lambda s: f(np.array([-1.0, 0.4]) * s))(1.0)
    assert np.isfinite(g)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_far_in_the_tails() -> None:
    np.testing.assert_allclose(grad(norm.logcdf)(-30.0), 30.0332594, rtol=1e-6)
    np.testing.assert_allclose(grad(norm.logsf)(30.0), -30.0332594, rtol=1e-6)
    assert np.all(grad(lambda x: np.sum(stats.gamma.logpdf(x, 2.0)))(np.array([-1.0, -2.0])) == 0.0)


def ordered_probit(theta: np.ndarray) -> Any:
    """Likelihood of the categories K between cuts, of which the first and the last are infinite."""
    cuts = np.concatenate([[-np.inf], theta[:3], [np.inf]])
    return np.sum(np.log(norm.cdf(cuts[K + 1], X, theta[3]) - norm.cdf(cuts[K], X, theta[3])))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_infinite_arguments() -> None:
    theta = np.array([-0.4, 0.5, 1.2, 0.8])
    agrees(ordered_probit, theta)
    check_grads(ordered_probit, (theta,), order=2)
    for family in (norm, stats.logistic, stats.cauchy):
        for method in (family.cdf, family.sf, family.pdf):
            f = lambda m, s: np.sum(method(np.array([-np.inf, 0.3, np.inf]), m, s))
            g = lambda m, s: np.sum(method(np.array([0.3]), m, s))
            assert grad(f, (0, 1))(0.1, 1.3) == grad(g, (0, 1))(0.1, 1.3)


def test_the_same_derivative_again_with_other_types() -> None:
    f = lambda x, mu, s: np.sum(norm.logpdf(x, mu, s))
    g = value_and_grad(f, (0, 1, 2))
    for args in ((0.3, 0.1, 1.2), (X, 0.1, 1.2), (X, X[::-1].copy(), np.ones(4)),
                 (np.ones((2, 4)), X, np.float64(0.7))):
        value, slopes = g(*args)
        assert same_value(value, f(*args))
        assert [np.shape(s) for s in slopes] == [np.shape(a) for a in args]
        np.testing.assert_allclose(slopes[0], -(np.asarray(args[0]) - args[1]) / np.asarray(args[2]) ** 2)
        np.testing.assert_allclose(np.sum(slopes[1]), -np.sum(slopes[0]))
    single = grad(lambda x: np.sum(norm.logpdf(x)))(X.astype("f4"))
    assert single.dtype == np.float32


def test_refused() -> None:
    refuses(lambda a: stats.gamma.cdf(0.3, a), 1.5, code="SCT402")
    refuses(lambda a: stats.t.ppf(0.3, a), 1.5, code="SCT402")
    refuses(lambda n: stats.binom.logpmf(2, n, 0.3), 5.0, code="SCT402")
    assert "no function that gives" in refuses(lambda x: stats.nct.pdf(x, 3.0, 0.3), 0.5, code="SCT402").why
    refuses(lambda x: stats.exponweib.mean(x, 1.5), 0.5, code="SCT402")
    refuses(lambda k: stats.poisson.cdf(k, 1.3), 2.0, code="SCT402")
    refuses(lambda n: stats.betabinom.logpmf(2, n, 1.2, 0.7), 5.0, code="SCT402")


# -- by SciPy's own formulas -------------------------------------------------------------------------------------------


def extremes(theta: np.ndarray) -> Any:
    """Peaks over a threshold, block maxima, and what is beyond a support."""
    c, scale, mu = theta
    maxima = stats.genextreme.pdf(3.0 * X, 0.3 * c, mu, scale)
    return np.sum(stats.genpareto.logpdf(X, c, scale=scale)) + np.sum(maxima) \
        + stats.genpareto.cdf(0.3, c) + stats.gumbel_r.isf(0.2, c, mu)


def truncated(theta: np.ndarray) -> Any:
    a, b, sigma = -theta
    return np.sum(stats.truncnorm.logpdf(X, a, np.inf, 0.3, -sigma)) + stats.truncnorm.cdf(0.2, a, -b) \
        + np.sum(stats.truncexpon.sf(X.reshape(2, 2), theta[:2] + 1.0))


def skewed(theta: np.ndarray) -> Any:
    return np.sum(stats.skewnorm.logpdf(X, theta[0])) + np.sum(stats.triang.pdf(0.3 * X, 0.3 * theta[1])) \
        + stats.crystalball.logpdf(-X, theta[1], 1.0 + theta[2]).sum() + stats.betabinom.logpmf(K, 5, *theta[:2]).sum()


def moments(theta: np.ndarray) -> Any:
    a, scale, loc = theta
    low, high = stats.gumbel_r.interval(0.9, loc, scale)
    return stats.gamma.mean(a, scale=scale) * stats.beta.var(a, scale) + stats.norm.entropy(loc, scale) + low * high \
        + stats.weibull_min.std(1.0 + a, loc, scale) + stats.lognorm(a).median() + stats.poisson(mu=a).var() \
        + np.sum(stats.norm.mean(X * a, scale)) + stats.poisson.cdf(K, scale).sum() + stats.geom.sf(K, 0.5 * a).sum()


def test_a_formula_that_is_an_integral() -> None:
    """Twice: the second derivative is that of an integral of a derivative."""
    agrees(lambda a: stats.tukeylambda.entropy(a), 0.5)
    check_grads(lambda a: stats.tukeylambda.entropy(a, scale=2.0) ** 2, (0.7,), order=2)


PRIOR, COUNTS = stats.gamma(2.0, scale=1.5), stats.poisson(3.0)


def of_outside(theta: np.ndarray) -> Any:
    """Distributions that are made elsewhere, and of numbers alone."""
    return np.sum(PRIOR.logpdf(theta)) + stats.norm(0.0, 2.0).cdf(theta[0]) * COUNTS.pmf(2) + PRIOR.ppf(0.3 * theta[1])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("f", [extremes, truncated, skewed, moments, of_outside], ids=lambda f: f.__name__)
def test_by_formulas(f: Callable[[Any], Any]) -> None:
    theta = np.array([0.6, 0.8, 1.7])
    agrees(f, theta)
    check_grads(f, (theta,), order=2 if f is truncated else 1)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_where_another_formula_does_not_depend_on_the_parameter() -> None:
    """The limits: d/dc log1p(c x) / c is -x**2 / 2 at 0; SciPy's formula of a small skew has none."""
    f = lambda x, c: np.sum(stats.genpareto.logpdf(x, c)) + np.sum(stats.genextreme.logcdf(x, c))
    x = np.array([-1.0, 0.5, 2.0])
    dx, dc = grad(f, (0, 1))(x, 0.0)
    np.testing.assert_allclose(dx, [0.0, -1.0, -1.0] + np.exp(-x))
    np.testing.assert_allclose(dc, np.sum(x[1:] ** 2 / 2 - x[1:]) + np.sum(x**2 * np.exp(-x)) / 2)
    check_grads(lambda c: f(0.3 * X + 1.0, c), (1e-3,), order=2)
    by_x, by_skew = grad(stats.pearson3.logpdf, (0, 1))(0.3, 0.0)
    assert by_x == pytest.approx(-0.3, rel=1e-15) and np.isnan(by_skew)
    g = grad(lambda x: stats.burr12.pdf(x, 2.0, 3.0))
    assert g(-0.5) == 0.0 and g(0.5) != 0.0


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_at_the_ends_of_a_support() -> None:
    """From inside; a density that is 0 has the slope 0 there, and the logarithm of 0 an infinite one, or none."""
    at_zero = lambda f: grad(f)(0.0)
    assert at_zero(lambda x: stats.gamma.pdf(x, 1.0)) == at_zero(lambda x: stats.weibull_min.logpdf(x, 1.0)) == -1.0
    assert at_zero(lambda x: stats.beta.logpdf(x, 1.0, 3.0)) == -2.0 and at_zero(stats.expon.logpdf) == -1.0
    assert at_zero(lambda x: stats.gamma.logpdf(x, 2.0)) == np.inf and at_zero(stats.rayleigh.pdf) == 0.0
    assert np.isnan(at_zero(stats.gibrat.logpdf)) and at_zero(lambda x: stats.lomax.cdf(x, 1.2)) == 1.2
    assert at_zero(lambda q: stats.genpareto.ppf(q, 0.3)) == 1.0 and at_zero(stats.gumbel_r.logcdf) == 1.0
    np.testing.assert_allclose(grad(stats.truncnorm.ppf, 1)(0.0, -1.0, 2.0), 1.0)
    np.testing.assert_allclose(grad(lambda q: stats.truncexpon.ppf(q, 2.0))(1.0), np.expm1(2.0))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_invalid_parameters() -> None:
    for f in (norm.logpdf, stats.expon.logsf, norm.ppf, stats.moyal.logpdf, stats.truncexpon(2.0).cdf):
        of = f if f.__name__ != "cdf" else lambda x, loc, scale: stats.truncexpon.cdf(x, 2.0, loc, scale)
        assert np.all(np.isnan(grad(lambda x, m, s: of(x, m, s), (0, 1, 2))(0.4, 0.1, -1.0)))
    slopes = grad(lambda c, s: np.sum(stats.trapezoid.logpdf(np.array([0.1, 0.5]), c, 0.7, scale=s)), (0, 1))
    assert np.all(np.isfinite(slopes(0.3, 1.0))) and np.all(np.isnan(slopes(0.9, 1.0)))
    assert np.isnan(grad(lambda p: stats.geom.logpmf(2, p))(1.5))
