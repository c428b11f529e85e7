"""Distributions of `scipy.stats` with differentiated parameters, in programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses, same_value
from scipy import stats
from scipy.stats import norm

from sct import check_grads, grad, jvp, value_and_grad

P, X = np.array([0.5, 0.8, 0.3]), np.array([0.2, 0.7, 1.4])


def mixture(p):
    a, b = norm(p[0], np.exp(p[1])), stats.expon(scale=np.exp(p[2]))
    return -np.sum(np.log(0.4 * a.pdf(X) + 0.6 * b.pdf(X)))


def quantiles(p):
    d = norm(loc=p[0], scale=p[1])
    return np.sum(d.cdf(X) - d.sf(X) + d.ppf(0.3) + d.isf(0.2) + d.logcdf(x=X) + d.logsf(X))


def shapes(p):
    d = stats.gamma(1.7, scale=p[1])
    return np.sum(d.cdf(X) * stats.t(3.0, p[0], scale=p[1]).pdf(X)) + stats.poisson(4.0 * p[0]).logpmf(2)


def overwritten(p):
    """The distribution holds the array of its locations."""
    at = p[:2].copy()
    d = norm(at, 1.0)
    at[0] = 2.0 * p[2]
    return np.sum(d.logpdf(0.3))


def chosen(p):
    total = 0.0
    for i in range(12):
        d = norm(p[0], p[1] + 0.1 * i) if p[0] > 0.17 * i else norm(p[1], 2.0)
        total = total + (d.logpdf(X[i % 3]) if isinstance(d, stats.distributions.rv_frozen) else 0.0)
    return total


@pytest.mark.parametrize("f", [mixture, quantiles, shapes, overwritten, chosen], ids=lambda f: f.__name__)
def test_program(f: Callable[..., Any]) -> None:
    agrees(f, P)
    check_grads(f, (P,), order=2)
    derivative = value_and_grad(f)
    for p in (P, 0.9 * P):
        value, slope = derivative(p)
        assert same_value(value, f(p))
        np.testing.assert_allclose(jvp(f, (p,), (P,))[1], slope @ P, rtol=1e-9)


def test_the_formula() -> None:
    slope = grad(lambda p: np.sum(norm(p[0], p[1]).logpdf(X)))(P)
    z = (X - P[0]) / P[1]
    np.testing.assert_allclose(slope, [np.sum(z) / P[1], np.sum(z * z - 1.0) / P[1], 0.0])


@pytest.mark.parametrize(("f", "code"), [
    (lambda p: norm(p[0], p[1]).moment(2), "SCT203"), (lambda p: norm(p[0]).args[0], "SCT203"),
    (lambda p: norm(p[0], p[1]).rvs(), "SCT203"), (lambda p: stats.poisson(p[0]).pdf(2.0), "SCT203"),
    (lambda p: norm(p[0], 1.0), "SCT404")])
def test_refused(f: Callable[..., Any], code: str) -> None:
    refuses(f, P, code=code)
