"""An attribute that is None until a method computes it, in functions that call themselves and in loops."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sct import grad, hvp, value_and_grad
from tests.oracle import same_value


def _solve(a, b, c, d):
    n = len(d)
    c, d = c.copy(), d.copy()
    c[0] /= b[0]
    d[0] /= b[0]
    for i in range(1, n):
        m = b[i] - a[i] * c[i - 1]
        c[i] /= m
        d[i] = (d[i] - a[i] * d[i - 1]) / m
    for i in reversed(range(n - 1)):
        d[i] -= c[i] * d[i + 1]
    return d


class Spline:
    def __init__(self, knots, values):
        order = np.argsort(knots)
        self.t, self.y = np.asarray(knots)[order], np.asarray(values)[order]
        self._moments = None

    @property
    def moments(self):
        if self._moments is None:
            h = np.diff(self.t)
            a, b, c, d = (np.zeros(len(self.t)) for _ in range(4))
            b[1:-1] = 2 * (h[:-1] + h[1:])
            a[1:-1], c[1:-1] = h[:-1], h[1:]
            d[1:-1] = 6 * np.diff(np.diff(self.y) / h)
            b[0] = b[-1] = 1.0
            self._moments = _solve(a, b, c, d)
        return self._moments

    def __call__(self, u):
        lo, hi = self.t[0], self.t[-1]
        if not lo <= u <= hi:
            edge = min(max(u, lo), hi)
            base, eps = self(edge), 1e-3 if u < lo else -1e-3
            return base + (u - edge) * (self(edge + eps) - base) / eps
        i = min(bisect_right(self.t, u) - 1, len(self.t) - 2)
        h = self.t[i + 1] - self.t[i]
        p, q, m = (self.t[i + 1] - u) / h, (u - self.t[i]) / h, self.moments
        return p * self.y[i] + q * self.y[i + 1] + ((p**3 - p) * m[i] + (q**3 - q) * m[i + 1]) * h * h / 6


def of_queries(x, knots, queries):
    s = Spline(knots, x)
    return sum(s(q) ** 2 for q in queries) + np.sum(s.moments**2)


def of_two(x, knots, queries):
    s, coarse = Spline(knots, x), Spline(knots[::2], x[::2])
    return sum((s(q) - coarse(q)) ** 2 for q in queries)


@pytest.mark.parametrize("f", [of_queries, of_two])
def test_a_spline_that_computes_its_moments_once(f: Callable[..., Any]) -> None:
    rng = np.random.default_rng(0)
    for knots, queries in (([0.0, 0.7, 1.5, 2.0, 3.0], [-0.4, 0.2, 1.1, 2.6, 3.3]),
                           ([0.0, 2.7, 1.5, 2.0, 3.0, 0.5, 3.5], [0.2, 4.0, 2.6])):
        x, e = rng.normal(size=len(knots)), 1e-6
        value, slope = value_and_grad(f)(x, knots, queries)
        assert same_value(value, f(x, knots, queries))
        numeric = [(f(x + d, knots, queries) - f(x - d, knots, queries)) / (2 * e) for d in e * np.eye(len(x))]
        np.testing.assert_allclose(slope, numeric, rtol=1e-6, atol=1e-7)
        v = rng.normal(size=len(knots))
        central = (grad(f)(x + e * v, knots, queries) - grad(f)(x - e * v, knots, queries)) / (2 * e)
        np.testing.assert_allclose(hvp(f, (x, knots, queries), (v,)), central, rtol=1e-5, atol=1e-6)
