"""Calls of library functions whose arguments do not fit: the derivative raises what Python raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.integrate
import scipy.interpolate
import scipy.optimize
import scipy.signal
import scipy.spatial.distance
import scipy.stats

from sct import grad


@pytest.mark.parametrize("f", [
    lambda x: scipy.stats.wishart.mean(x), lambda x: scipy.stats.dirichlet.mean(), lambda x: scipy.stats.norm.pdf(),
    lambda x: scipy.stats.norm.pdf(x, 1.0, 2.0, 3.0), lambda x: scipy.stats.norm.pdf(x, width=2.0),
    lambda x: scipy.spatial.distance.minkowski(x), lambda x: scipy.signal.lfilter(x),
    lambda x: scipy.optimize.brentq(x), lambda x: scipy.optimize.minimize(lambda y: y),
    lambda x: scipy.optimize.curve_fit(lambda t, a: a * t), lambda x: scipy.optimize.root(lambda y: y, x, other=1),
    lambda x: scipy.integrate.quad(lambda y: y, x), lambda x: scipy.interpolate.CubicSpline(x),
    lambda x: scipy.interpolate.RegularGridInterpolator()])
def test_the_exception_is_that_of_python(f: Callable[[Any], Any]) -> None:
    x = np.array([0.3, 1.2])
    with pytest.raises(TypeError) as plain:
        f(x)
    with pytest.raises(TypeError) as raised:
        grad(f)(x)
    assert str(raised.value) == str(plain.value)
