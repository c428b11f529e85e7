"""Inverse trigonometric and hyperbolic functions of complex numbers in each quadrant, and on both sides of the cuts."""

from __future__ import annotations

import cmath
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sct import grad, jvp

NAMES = (("arcsin", "asin"), ("arccos", "acos"), ("arcsinh", "asinh"), ("arccosh", "acosh"))
PATHS: dict[str, tuple[Callable[[Any], Any], tuple[float, ...]]] = {
    "through the quadrants": (lambda x: x * (1 + 1j), (-1.3, 0.8)),
    "across the imaginary axis": (lambda x: x + 0.7j, (-0.9, -2.1, 1.4)),
    "below the real axis": (lambda x: x - 0.7j, (-0.9, 2.1)),
    "above the cut of the reals": (lambda x: x + 0j, (-2.3, -0.5, 0.5, 2.3)),
    "below the cut of the reals": (lambda x: complex(x, -0.0), (-2.3, -0.5, 0.5, 2.3)),
    "right of the cut of the imaginary": (lambda x: complex(0.0, x), (-2.3, -0.5, 0.5, 2.3)),
    "left of the cut of the imaginary": (lambda x: complex(-0.0, x), (-2.3, -0.5, 0.5, 2.3)),
}


def agrees(f: Callable[[float], float], x: float) -> None:
    h = 1e-5
    slope = (f(x + h) - f(x - h)) / (2.0 * h)
    assert grad(f)(x) == pytest.approx(slope, rel=1e-8, abs=1e-9)
    assert jvp(f, (x,), (1.0,))[1] == pytest.approx(slope, rel=1e-8, abs=1e-9)
    second = (grad(f)(x + h) - grad(f)(x - h)) / (2.0 * h)
    assert grad(grad(f))(x) == pytest.approx(second, rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", NAMES, ids=lambda pair: pair[0])
def test_real_and_imaginary_parts(name: tuple[str, str], path: str) -> None:
    of_numpy, of_cmath = getattr(np, name[0]), getattr(cmath, name[1])
    along, points = PATHS[path]
    for x in points:
        agrees(lambda x: of_numpy(along(x)).real, x)
        agrees(lambda x: of_cmath(along(x)).imag, x)


@pytest.mark.parametrize("x", [-2.3, -0.4, 0.4, 2.3])
def test_of_real_numbers(x: float) -> None:
    """`cmath` and `np.emath` take real numbers beyond the domain of the real functions."""
    agrees(lambda x: cmath.asin(x).imag + cmath.asin(x).real, x)
    agrees(lambda x: cmath.acos(x).imag + cmath.acos(x).real, x)
    agrees(lambda x: cmath.acosh(x).imag + cmath.acosh(x).real, x)
    agrees(lambda x: np.imag(np.emath.arcsin(x)) + np.real(np.emath.arccos(x)), x)
