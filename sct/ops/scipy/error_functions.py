"""Error functions, the normal distribution, and integrals of elementary functions."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any

import numpy as np

from sct.ir.core import Op, Operand
from sct.ir.types import Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.registry import op
from sct.ops.scalar.special_functions import sinc
from sct.ops.scipy.formulas import (
    ORDER,
    Formula,
    as_numpy,
    cos,
    cosh,
    equal,
    erf,
    exp,
    lifted,
    lower,
    parametrized,
    sin,
    sinh,
    slopes,
    special,
    special_pair,
    triples,
    where,
)
from sct.ops.scipy.hypergeometric import hyp2f1
from sct.ops.type_rules import is_python, ufunc_result

__all__ = ["dawsn", "erfcx", "ndtr"]

ROOT_PI = math.sqrt(math.pi)
ROOT_TWO_PI = math.sqrt(2.0 * math.pi)
UNIT = samples.unary(0.1, 0.9)

# -- error functions -------------------------------------------------------------------------------------------


def tail_slope(x: Formula, near: Formula, scale: float, sign: float) -> Formula:
    """`near`, a difference of numbers that are almost equal for large x: there the first terms of its expansion."""
    far = (x * x) > 2500.0
    r = 1.0 / where(far, x * x, 1.0)
    series = 1.0 + sign * r * (1.5 + sign * r * (3.75 + sign * 13.125 * r))
    return where(far, -scale * r * series, near)


def erfcx_slope(y: Formula, x: Formula) -> Formula:
    near = 2.0 * x * y - 2.0 / ROOT_PI
    return where(x < 0.0, near, tail_slope(x, near, 1.0 / ROOT_PI, -1.0))


erfcx = special("erfcx", slopes(lambda y, x: [erfcx_slope(y, x)]), samples.unary(-2.0, 3.0))
special("erfi", slopes(lambda y, x: [2.0 / ROOT_PI * exp(x * x)]), samples.reals)
special("erfinv", slopes(lambda y, x: [0.5 * ROOT_PI * exp(y * y)]), samples.unary(-0.8, 0.8))
special("erfcinv", slopes(lambda y, x: [-0.5 * ROOT_PI * exp(y * y)]), samples.unary(0.2, 1.8))
dawsn = special("dawsn", slopes(lambda y, x: [tail_slope(x, 1.0 - 2.0 * x * y, 0.5, 1.0)]), samples.reals)


def wofz_part(part: str) -> Op:
    """The real or the imaginary part of w(x + iy); its derivatives follow from w' = 2i / sqrt(pi) - 2zw."""

    def run(x: Any, y: Any) -> Any:
        return getattr(import_module("scipy.special").wofz(x + np.multiply(1j, y)), part)

    def partials(w: Formula, x: Formula, y: Formula) -> list[Formula]:
        real, imag = (lifted(w_real)(x, y), w) if part == "imag" else (w, lifted(w_imag)(x, y))
        a, b = -2.0 * (x * real - y * imag), 2.0 / ROOT_PI - 2.0 * (x * imag + y * real)  # w' is a + ib
        return [a, -b] if part == "real" else [b, a]

    def numpy_samples() -> list[samples.Sample]:
        return [((x, y), attrs) for (x, y), attrs in samples.binary((-2.0, 2.0), (0.3, 2.0))()
                if float not in (type(x), type(y))]

    return op(f"wofz_{part}", type=type_wofz, run=run, partials=slopes(partials), samples=numpy_samples,
              emit=f"scipy.special.wofz(_0 + numpy.multiply(1j, _1)).{part}")


def type_wofz(x: Operand, y: Operand) -> Tensor:
    """Of numbers of NumPy: Python's complex numbers would decide the precision otherwise."""
    if is_python(x) or is_python(y):
        raise TypeMismatch("numbers of NumPy are needed")
    return ufunc_result(np.hypot, (x, y), "scipy.special.wofz")


w_real, w_imag = wofz_part("real"), wofz_part("imag")


def voigt_slopes(v: Formula, x: Formula, sigma: Formula, gamma: Formula) -> list[Formula]:
    """v is the real part of w(z) / (sigma * sqrt(2 pi)), z = (x + i gamma) / (sigma * sqrt(2))."""
    scale = 1.0 / (math.sqrt(2.0) * sigma)
    p, q = as_numpy(x * scale), as_numpy(gamma * scale)
    imag = lifted(w_imag)(p, q) / (ROOT_TWO_PI * sigma)
    dp = -2.0 * (p * v - q * imag)
    dq = 2.0 * (p * imag + q * v) - math.sqrt(2.0) / (math.pi * sigma)
    return [dp * scale, -(v + p * dp + q * dq) / sigma, dq * scale]


special("voigt_profile", slopes(voigt_slopes), triples((-2.0, 2.0), (0.5, 1.5), (0.3, 1.2)))

# -- the normal distribution -----------------------------------------------------------------------------------


def normal_density(x: Formula) -> Formula:
    return exp(-0.5 * x * x) * (1.0 / ROOT_TWO_PI)


ndtr = special("ndtr", slopes(lambda y, x: [normal_density(x)]), samples.reals)
special("log_ndtr", slopes(lambda y, x: [math.sqrt(2.0 / math.pi) / lifted(erfcx)(-math.sqrt(0.5) * x)]),
        samples.unary(-3.0, 2.0))
special("ndtri", slopes(lambda y, x: [ROOT_TWO_PI * exp(0.5 * y * y)]), UNIT)
special("ndtri_exp", slopes(lambda y, x: [math.sqrt(0.5 * math.pi) * lifted(erfcx)(-math.sqrt(0.5) * y)]),
        samples.unary(-3.0, -0.2))
special("owens_t", slopes(lambda y, h, a: [
    -0.5 * normal_density(h) * erf(math.sqrt(0.5) * a * h),
    exp(-0.5 * h * h * (1.0 + a * a)) / (2.0 * math.pi * (1.0 + a * a))]), samples.pairs)

# -- integrals of elementary functions -------------------------------------------------------------------------

ODD = samples.unary(-2.0, 2.0)
special_pair("fresnel", 2, lambda ys, x: [[sin(0.5 * math.pi * x * x)], [cos(0.5 * math.pi * x * x)]], ODD)
special_pair("sici", 2, lambda ys, x: [[lifted(sinc)(x * (1.0 / math.pi))], [cos(x) / x]], samples.positives)
special_pair("shichi", 2, lambda ys, x: [
    [where(equal(x, 0.0), 1.0, sinh(x) / where(equal(x, 0.0), 1.0, x))], [cosh(x) / x]], samples.positives)
special("exp1", slopes(lambda y, x: [-exp(-x) / x]), samples.positives)
special("expi", slopes(lambda y, x: [exp(x) / x]), samples.positives)
special("spence", slopes(lambda y, x: [-lifted(hyp2f1)(1.0, 1.0, 2.0, 1.0 - x)]), samples.unary(0.3, 1.6))


def expn_slope(n: Formula, x: Formula) -> Formula:
    """-E_{n - 1}(x), where E_{-1} is elementary."""
    return where(equal(n, 0), -exp(-x) * (1.0 + x) / (x * x), -lifted(expn)(lower(n), x))


expn: Op = special("expn", slopes(lambda y, n, x: [ORDER, expn_slope(n, x)]),
                   parametrized([0, 1, 3], samples.positives))
