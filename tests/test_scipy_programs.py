"""Functions of SciPy that have the derivative of a program of NumPy: the value is SciPy's, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats
from oracle import refuses, same_value
from scipy.stats import dirichlet, multivariate_normal

from sct import check_grads, grad, value_and_grad

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


PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (log_likelihood, (ROWS, X, M)), (mixture, (ROWS, X, M)), (normal_at_a_point, (ROWS, X, M)),
    (simplex, (X, ALPHA)), (simplices, (ROWS, ALPHA))]


@pytest.mark.parametrize("f, args", PROGRAMS, ids=[f.__name__ for f, _ in PROGRAMS])
def test_program(f: Callable[..., Any], args: tuple[Any, ...]) -> None:
    value = value_and_grad(f)(*[x.copy() for x in args])[0]
    assert same_value(value, f(*args))
    check_grads(f, args, order=2)


def test_the_gradient_is_that_of_the_formula() -> None:
    def f(x, mean, cov):
        return multivariate_normal.logpdf(x, mean, cov)

    cov = M @ M.T
    dx, dmean = grad(f, (0, 1))(X, X[::-1], cov)
    assert np.allclose(dx, -np.linalg.solve(cov, X - X[::-1])) and np.allclose(dmean, -dx)


@pytest.mark.parametrize("f, reason", [
    (lambda x: multivariate_normal.logpdf(x, X, np.eye(3), allow_singular=True), "`allow_singular`"),
    (lambda x: multivariate_normal.logpdf(x[0]), "covariance"),
    (lambda x: multivariate_normal.logpdf(x, X, np.ones(3)), "covariance"),
    (lambda x: multivariate_normal.logpdf(x[:1], x[:1], np.ones((1, 1))), "one number"),
])
def test_refused(f: Callable[..., Any], reason: str) -> None:
    assert reason in str(refuses(f, X, code="SCT402"))


def test_what_is_not_differentiated_is_not_read() -> None:
    assert "of an object of `multivariate_normal`" in str(
        refuses(lambda x: multivariate_normal(x, np.eye(3)).cdf(x), X, code="SCT502"))
