"""Functions that warn, as `np.polyfit` may, in equations that SciPy solves."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from oracle import agrees_in_every_mode, refuses
from scipy import optimize

from sct import grad

T = np.linspace(0.0, 1.0, 5)
X = np.array([0.7, 1.3])


def root(x):
    return optimize.brentq(lambda s: np.polyfit(T, x[0] * T * s, 1)[0] - x[1], 0.1, 5.0)


def minimum(x):
    best = optimize.minimize_scalar(lambda s: (np.polyfit(T, x[0] * T * s, 1)[0] - x[1]) ** 2, bounds=(0.1, 5.0),
                                    method="bounded", options={"xatol": 1e-11})
    return best.x * x[1]


def warned(x):
    def residual(s):
        warnings.warn("a step", stacklevel=1)
        return x[0] * s**3 - x[1]

    return optimize.brentq(residual, 0.1, 5.0)


def printed(x):
    def residual(s):
        print(s)
        return x[0] * s**3 - x[1]

    return optimize.brentq(residual, 0.1, 5.0)


def test_a_root_and_a_minimum_of_what_polyfit_computes():
    agrees_in_every_mode(root, [(X,)])
    np.testing.assert_allclose(grad(minimum)(X), [-(X[1] / X[0]) ** 2, 2 * X[1] / X[0]], rtol=1e-6)


def test_the_warnings_are_shown():
    with pytest.warns(UserWarning, match="a step"):
        dx = grad(warned)(X)
    s = np.cbrt(X[1] / X[0])
    np.testing.assert_allclose(dx, [-s / (3 * X[0]), s / (3 * X[1])])


def test_what_is_printed_is_refused():
    refuses(printed, X, code="SCT412")
