"""Splines of SciPy: piecewise polynomials, which know their own derivatives.

    y = spline(x)    dx = dy * spline(x, 1)

A spline is linear in its data.  Its derivative by them is the spline of unit data:

    f = CubicSpline(t, data); y = f(x)    ddata = dy @ CubicSpline(t, np.eye(n))(x)
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from sct.ir.core import Operand
from sct.ir.types import Tensor, TypeMismatch
from sct.ops.arrays.creation import eye, zeros_of
from sct.ops.arrays.interpolation import at, pieces, put
from sct.ops.arrays.shape import dim
from sct.ops.linalg.einsum import contract
from sct.ops.linalg.products import matmul
from sct.ops.program.effects import OBJECT, run_inactive
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import add, div, mul, neg, sub
from sct.ops.scalar.selection import where
from sct.ops.type_rules import number

__all__ = ["interpolant", "integrated", "interpolated", "looked_up", "spline", "surface"]


def emit_spline(f: Operand, x: Operand, nu: int = 0) -> str:
    return f"_0(_1, {nu})" if nu else "_0(_1)"


def spline_vjp(ct: Operand, y: Operand, f: Operand, x: Operand, nu: int = 0) -> list[Any]:
    return [None, mul(ct, spline(f, x, nu=nu + 1))]


spline = op("spline", type=lambda f, x, nu=0: Tensor("array", "f64", number(x).shape), vjp=spline_vjp, inactive=(0,),
            run=lambda f, x, nu=0: run_inactive(f, x, text=emit_spline(f, x, nu)), emit=emit_spline,
            defaults={"nu": 0}, cost="dear", complex=False)
"""The derivative of order `nu` of the spline in the first operand, an object; at a number it is an array without axes.
"""

def emit_surface(f: Operand, x: Operand, y: Operand, nu: tuple[int, int] = (0, 0)) -> str:
    return f"_0((_1, _2), nu={nu})[()]" if any(nu) else "_0((_1, _2))[()]"


def surface_vjp(ct: Operand, z: Operand, f: Operand, x: Operand, y: Operand, nu: tuple[int, int] = (0, 0)
                ) -> list[Any]:
    i, j = nu
    return [None, mul(ct, surface(f, x, y, nu=(i + 1, j))), mul(ct, surface(f, x, y, nu=(i, j + 1)))]


surface = op("surface", type=lambda *_, **__: Tensor("np", "f64"), vjp=surface_vjp, inactive=(0,),
             run=lambda *xs, **attrs: run_inactive(*xs, text=emit_surface(*xs, **attrs)), emit=emit_surface,
             defaults={"nu": (0, 0)}, cost="dear", complex=False)
"""The derivative of the orders `nu` of the spline of two numbers in the first operand, an `NdBSpline`."""

interpolant = op("interpolant", type=lambda *_, **__: OBJECT, run=lambda *xs, text, **_: run_inactive(*xs, text=text),
                 emit=lambda *_, text, **__: text, raises="value", safe=lambda *_, text, of_unit=False: of_unit,
                 defaults={"of_unit": False}, cost="dear", nondiff="what is read of it is differentiated")
"""The object that interpolates data; `text` is the template of the call that makes it.  That of unit data does not
raise, as the one of the data itself has not."""


# -- what is read of an interpolant ------------------------------------------------------------------------------------
#
# The operands are the object, what it is read at, the data, and what else it is made of; `units` has for each of the
# data the template of an interpolant of this one alone, `_0`.

Units = Sequence[str]

FIXED = TypeMismatch("there is no derivative by where the data of an interpolant are given",
                     hint="differentiate by the values; or pass `sct.stop_gradient(...)` of the positions")


def of_unit_data(k: int, xs: Sequence[Operand], units: Units, tangent: Any = None) -> tuple[Any, list[Any]]:
    """The interpolant of a tangent of the data with number `k` alone, else of unit data; and its operands."""
    rest = xs[len(units):]
    one = eye(dim(xs[k], axis=0)) if tangent is None else tangent
    data = [one if j == k or tangent is None else zeros_of(one) for j in range(len(units))]
    return interpolant(one, *rest, text=units[k], of_unit=True), [*data, *rest]


def labels(x: Operand, y: Operand) -> tuple[list[str], list[str]]:
    """Labels of the axes of the points, and of those of the data but the first."""
    m, n = number(x).rank, number(y).rank
    return list("abcdefgh"[:m]), list("nopqrstu"[1:n])


def slope_of(f: Operand, x: Operand, xs: Sequence[Operand], units: Units, nu: int, slopes: str) -> Any:
    """The derivative of the next order by where the interpolant is read."""
    if slopes == "spline":
        f = interpolant(*xs, text=units[0], of_unit=True)
    return interpolated(f, x, *xs, units=units, nu=nu + 1)


def type_interpolated(f: Operand, x: Operand, y: Operand, *_: Operand, units: Units, nu: int = 0,
                      slopes: str = "own") -> Tensor:
    return Tensor("array", "f64", (*number(x).shape, *number(y).shape[1:]))


def interpolated_vjp(ct: Operand, z: Operand, f: Operand, x: Operand, *xs: Operand, units: Units, nu: int = 0,
                     slopes: str = "own") -> list[Any]:
    of_x, of_y = labels(x, xs[0])
    slope = None if slopes == "none" else slope_of(f, x, xs, units, nu, slopes)
    cts: list[Any] = [None, slope and contract([(ct, of_x + of_y), (slope, of_x + of_y)], of_x)]
    for k in range(len(units)):
        unit, data = of_unit_data(k, xs, units)
        weights = interpolated(unit, x, *data, units=units, nu=nu, slopes=slopes)
        cts.append(matmul(ct, weights) if len(of_x) == 1 and not of_y else
                    contract([(ct, of_x + of_y), (weights, [*of_x, "n"])], ["n", *of_y]))
    return cts + [FIXED] * (len(xs) - len(units))


def interpolated_jvp(tangents: Sequence[Any], z: Operand, f: Operand, x: Operand, *xs: Operand, units: Units,
                     nu: int = 0, slopes: str = "own") -> Any:
    _, dx, *moved = tangents
    if any(tangent is not None for tangent in moved[len(units):]):
        raise FIXED
    of_x, of_y = labels(x, xs[0])
    terms = []
    if dx is not None and slopes != "none":
        slope = slope_of(f, x, xs, units, nu, slopes)
        terms.append(contract([(dx, of_x), (slope, of_x + of_y)], of_x + of_y))
    for k, tangent in enumerate(moved[:len(units)]):
        if tangent is not None:
            along, data = of_unit_data(k, xs, units, tangent)
            terms.append(interpolated(along, x, *data, units=units, nu=nu, slopes=slopes))
    return functools.reduce(add, terms) if terms else None


interpolated = op("interpolated", type=type_interpolated, vjp=interpolated_vjp, jvp=interpolated_jvp, inactive=(0,),
                  run=lambda f, x, *_, nu=0, **__: run_inactive(f, x, text=emit_spline(f, x, nu)),
                  emit=lambda f, x, *_, nu=0, **__: emit_spline(f, x, nu),
                  defaults={"nu": 0, "slopes": "own"}, raises="value",
                  cost="dear", complex=False)
"""The derivative of order `nu` of the interpolant in the first operand, at the points in the second.

slopes  what gives the next derivative: the "own" object, or a "spline" of the same data; "none" of constant pieces
"""


def integral_vjp(ct: Operand, z: Operand, f: Operand, a: Operand, b: Operand, *xs: Operand, units: Units) -> list[Any]:
    of_y = labels(a, xs[0])[1]
    at = [interpolated(f, x, *xs, units=units) for x in (a, b)]
    cts: list[Any] = [None, *(contract([(ct, of_y), (y, of_y)], []) for y in at)]
    cts[1] = neg(cts[1])
    for k in range(len(units)):
        unit, data = of_unit_data(k, xs, units)
        cts.append(contract([(ct, of_y), (integrated(unit, a, b, *data, units=units), ["n"])], ["n", *of_y]))
    return cts + [FIXED] * (len(xs) - len(units))


integrated = op("integrated", type=lambda f, a, b, y, *_, **__: Tensor("array", "f64", number(y).shape[1:]),
                vjp=integral_vjp, inactive=(0,), run=lambda f, a, b, *_, **__: f.integrate(a, b), raises="value",
                emit=lambda *_, **__: "_0.integrate(_1, _2)", cost="dear", complex=False)
"""The integral of the interpolant in the first operand, from the second to the third."""


# -- linear interpolation in a table -----------------------------------------------------------------------------------


def looked_up_vjp(ct: Operand, z: Operand, f: Operand, x: Operand, y: Operand, t: Operand, beyond: str) -> list[Any]:
    """As of `numpy.interp`; outside of the table the values are `beyond`: "refused", "constant" or "linear"."""
    p = pieces(x, t, y)
    weight = p.weight
    if beyond == "linear":
        weight = div(sub(x, at(t, p.i)), sub(at(t, p.j), at(t, p.i)))
    elif beyond == "constant":
        ct = where(p.inside, ct, 0.0)
    dy = put(put(zeros_of(y), p.i, mul(ct, sub(1.0, weight))), p.j, mul(ct, weight))
    dx = mul(ct, p.slope)
    dt = put(put(zeros_of(t), p.i, neg(mul(dx, sub(1.0, weight)))), p.j, neg(mul(dx, weight)))
    return [None, dx, dy, dt]


looked_up = op("looked_up", type=lambda f, x, y, t, beyond: Tensor("array", "f64", number(x).shape), vjp=looked_up_vjp,
               inactive=(0,), run=lambda f, x, *_, **__: f(x), emit=lambda *_, **__: "_0(_1)", raises="value",
               cost="dear", complex=False)
"""The object in the first operand interpolates between rising positions: the operands are it, where it is read, the
values and the positions."""
