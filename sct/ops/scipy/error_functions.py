"""Error functions, the normal distribution, and integrals of elementary functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from sct.ir.core import Lit, Op, Operand
from sct.ir.types import Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.registry import op
from sct.ops.scalar.complex_parts import imag as imaginary
from sct.ops.scalar.complex_parts import real
from sct.ops.scalar.special_functions import sinc
from sct.ops.scipy.formulas import (
    ORDER,
    Formula,
    absolute,
    as_numpy,
    cos,
    cosh,
    equal,
    erf,
    exp,
    is_complex,
    lifted,
    log,
    lower,
    parametrized,
    sin,
    sinh,
    slopes,
    special,
    special_pair,
    triples,
    where,
    whole,
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


def faddeeva_slope(w: Formula, z: Formula) -> Formula:
    """w' = 2i / sqrt(pi) - 2zw (DLMF 7.10.2), for large z by its asymptotic expansion (7.12.1), which holds in the
    upper half plane: w(z) = 2 exp(-z**2) - w(-z)."""
    far = absolute(z) > 50.0
    r = 1.0 / where(far, z * z, 1.0)
    series = r * (1.0 + r * (1.5 + r * (3.75 + r * 13.125))) * (-1j / ROOT_PI)
    below = lifted(imaginary)(z) < 0.0
    reflected = -4.0 * z * exp(where(below, -z * z, 0.0))
    return where(far, where(below, reflected - series, series), 2j / ROOT_PI - 2.0 * z * w)


def complex_dawsn_slope(y: Formula, z: Formula) -> Formula:
    """1 - 2zy, for large z by y = i sqrt(pi) / 2 * (exp(-z**2) - w(z))."""
    far = absolute(z) > 50.0
    large = where(far, z, 60.0)
    by_w = -0.5j * ROOT_PI * (2.0 * large * exp(-large * large) + faddeeva_slope(lifted(wofz)(large), large))
    return where(far, by_w, 1.0 - 2.0 * z * y)


wofz: Op = special("wofz", slopes(lambda w, z: [faddeeva_slope(w, z)]), lambda: complex_rows(samples.pairs),
                   of_complex=True)
erfcx = special("erfcx", slopes(lambda y, x: [erfcx_slope(y, x)]), samples.unary(-2.0, 3.0),
                of_complex=slopes(lambda y, z: [1j * faddeeva_slope(y, 1j * z)]))
special("erfi", slopes(lambda y, x: [2.0 / ROOT_PI * exp(x * x)]), samples.reals, of_complex=True)
special("erfinv", slopes(lambda y, x: [0.5 * ROOT_PI * exp(y * y)]), samples.unary(-0.8, 0.8))
special("erfcinv", slopes(lambda y, x: [-0.5 * ROOT_PI * exp(y * y)]), samples.unary(0.2, 1.8))
dawsn = special("dawsn", slopes(lambda y, x: [tail_slope(x, 1.0 - 2.0 * x * y, 0.5, 1.0)]), samples.reals,
                of_complex=slopes(lambda y, z: [complex_dawsn_slope(y, z)]))


def complex_rows(sampled: samples.Samples) -> list[samples.Sample]:
    """Complex numbers and arrays of the first and the second operand."""
    return [((args[0] + 1j * args[1],), attrs) for args, attrs in sampled()
            if getattr(args[0], "dtype", float) == getattr(args[1], "dtype", float)]


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


FAR = [math.prod(range(1, 2 * k + 2, 2)) / 2 ** k for k in range(7)]
"""The coefficients of w' for large z, by powers of 1 / z**2 (DLMF 7.12.1)."""


def voigt_slopes(v: Formula, x: Formula, sigma: Formula, gamma: Formula) -> list[Formula]:
    """v is the real part of w(z) / (sigma * sqrt(2 pi)), z = (x + i gamma) / (sigma * sqrt(2)).

    For large z by the asymptotic expansion of w', of which the first term is that of Cauchy's distribution; the
    derivative by sigma is sigma times the second one by x.
    """
    x, sigma, gamma = as_numpy(x), as_numpy(sigma), as_numpy(gamma)
    near = x * x + gamma * gamma < 800.0 * (sigma * sigma)
    s = where(near, sigma, 1.0)
    scale = 1.0 / (math.sqrt(2.0) * s)
    p, q = where(near, x, 0.0) * scale, where(near, gamma, 1.0) * scale
    imag = lifted(w_imag)(p, q) / (ROOT_TWO_PI * s)
    dp = -2.0 * (p * v - q * imag)
    dq = 2.0 * (p * imag + q * v) - math.sqrt(2.0) / (math.pi * s)
    inverse = 1.0 / where(near, 1.0, x + 1j * gamma)
    square = inverse * inverse
    r = 2.0 * (sigma * sigma) * square
    slope, curvature = r * FAR[-1], r * (len(FAR) * FAR[-1])
    for k in range(len(FAR) - 2, 0, -1):
        slope, curvature = r * (slope + FAR[k]), r * (curvature + (k + 1) * FAR[k])
    slope = square * (slope + 1.0) * (-1j / math.pi)
    curvature = square * inverse * (curvature + 1.0) * (2j / math.pi)
    return [where(near, dp * scale, lifted(real)(slope)),
            where(near, -(v + p * dp + q * dq) / s, sigma * lifted(real)(curvature)),
            where(near, dq * scale, -lifted(imaginary)(slope))]


special("voigt_profile", slopes(voigt_slopes), triples((-2.0, 2.0), (0.5, 1.5), (0.3, 1.2)))

# -- the normal distribution -----------------------------------------------------------------------------------


def normal_density(x: Formula) -> Formula:
    return exp(-0.5 * x * x) * (1.0 / ROOT_TWO_PI)


ndtr = special("ndtr", slopes(lambda y, x: [normal_density(x)]), samples.reals, of_complex=True)
special("log_ndtr", slopes(lambda y, x: [math.sqrt(2.0 / math.pi) / lifted(erfcx)(-math.sqrt(0.5) * x)]),
        samples.unary(-3.0, 2.0), of_complex=True)
special("ndtri", slopes(lambda y, x: [ROOT_TWO_PI * exp(0.5 * y * y)]), UNIT)
special("ndtri_exp", slopes(lambda y, x: [math.sqrt(0.5 * math.pi) * lifted(erfcx)(-math.sqrt(0.5) * y)]),
        samples.unary(-3.0, -0.2))
special("owens_t", slopes(lambda y, h, a: [
    -0.5 * normal_density(h) * erf(math.sqrt(0.5) * a * h),
    exp(-0.5 * h * h * (1.0 + a * a)) / (2.0 * math.pi * (1.0 + a * a))]), samples.pairs)

# -- integrals of elementary functions -------------------------------------------------------------------------


def over_itself(f: Callable[[Formula], Formula], x: Formula) -> Formula:
    """f(x) / x, which is 1 at 0."""
    zero = equal(x, 0.0)
    return where(zero, 1.0, f(x) / where(zero, 1.0, x))


ODD = samples.unary(-2.0, 2.0)
special_pair("fresnel", 2, lambda ys, x: [[sin(0.5 * math.pi * x * x)], [cos(0.5 * math.pi * x * x)]], ODD,
             of_complex=True)
special_pair("sici", 2, lambda ys, x: [[
    over_itself(sin, x) if is_complex(x.operand) else lifted(sinc)(x * (1.0 / math.pi))], [cos(x) / x]],
             samples.positives, of_complex=True)
special_pair("shichi", 2, lambda ys, x: [[over_itself(sinh, x)], [cosh(x) / x]], samples.positives, of_complex=True)
special("exp1", slopes(lambda y, x: [-exp(-x) / x]), samples.positives, of_complex=True)
special("expi", slopes(lambda y, x: [exp(x) / x]), samples.positives, of_complex=True)
special("spence", slopes(lambda y, x: [-lifted(hyp2f1)(1.0, 1.0, 2.0, 1.0 - x)]), samples.unary(0.3, 1.6),
        of_complex=slopes(lambda y, z: [complex_spence_slope(z)]))


def complex_spence_slope(z: Formula) -> Formula:
    """log(z) / (1 - z), near 1 by its series."""
    near = absolute(z - 1.0) < 0.5
    far = where(near, 2.0, z)
    return where(near, -lifted(hyp2f1)(1.0, 1.0, 2.0, 1.0 - where(near, z, 1.0)), log(far) / (1.0 - far))


def expn_slope(n: Formula, x: Formula) -> Formula:
    """-E_{n - 1}(x), where E_{-1} is elementary."""
    n = whole(n)
    return where(equal(n, 0), -exp(-x) * (1.0 + x) / (x * x), -lifted(expn)(lower(n), x))


expn: Op = special("expn", slopes(lambda y, n, x: [ORDER, expn_slope(n, x)]),
                   parametrized([0, 1, 3, (Lit(2.7),)], samples.positives))
