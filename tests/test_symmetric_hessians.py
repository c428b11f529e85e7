"""Hessians are symmetric and match differences of gradients, at parameters where a formula has a case of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special as special
import scipy.stats as stats

from sct import grad, hessian, jacrev

POINTS: list[tuple[Callable[..., Any], list[float]]] = [
    (lambda v: v[0] ** v[1], [1.5, 0.0]),
    (lambda v: np.sum(v[:2] ** v[2:]), [1.5, 0.5, 0.0, 1.0]),
    (lambda v: float(v[0]) ** float(v[1]), [1.5, 0.0]),
    (lambda v: special.xlogy(v[0], v[1]), [0.0, 0.5]),
    (lambda v: special.xlog1py(v[0], v[1]), [0.0, 0.5]),
    (lambda v: special.xlog1py(v[0], v[1]), [0.0, 0.0]),
    (lambda v: stats.gamma.logpdf(v[0], v[1]), [1.5, 1.0]),
    (lambda v: stats.gamma.pdf(v[0], v[1]), [1.5, 1.0]),
    (lambda v: stats.beta.logpdf(v[0], v[1], v[2]), [0.4, 1.0, 1.0]),
    (lambda v: stats.chi2.logpdf(v[0], v[1]), [1.5, 2.0]),
    (lambda v: stats.weibull_min.logpdf(v[0], v[1]), [1.5, 1.0]),
    (lambda v: stats.f.logpdf(v[0], v[1], v[2]), [1.5, 2.0, 3.0]),
    (lambda v: stats.powerlaw.logpdf(v[0], v[1]), [0.5, 1.0]),
    (lambda v: stats.invgamma.logpdf(v[0], v[1]), [1.5, 1.0]),
    (lambda v: np.logaddexp(v[0], v[1]), [1.0, 1.0]),
    (lambda v: np.prod(v), [0.0, 0.0, 3.0]),
    (lambda v: np.hypot(v[0], v[1]) ** 2, [0.0, 0.0]),
]


@pytest.mark.parametrize(("f", "point"), POINTS, ids=range(len(POINTS)))
def test_hessian(f: Callable[..., Any], point: list[float]) -> None:
    x, step = np.array(point), 1e-5
    differences = [(grad(f)(x + step * e) - grad(f)(x - step * e)) / (2.0 * step) for e in np.eye(len(x))]
    for second in (hessian(f)(x), jacrev(grad(f))(x)):
        np.testing.assert_allclose(second, second.T, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(second, differences, rtol=1e-5, atol=1e-6)
