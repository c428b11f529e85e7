"""Piecewise linear interpolation.

Between points i and i + 1, y = fp[i] + slope * (x - xp[i]); outside y is constant.  At a point
the derivative is that of the piece on its right, at the last point that on its left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sct.ir.core import Lit, Op, Operand
from sct.ir.types import Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.creation import zeros_of
from sct.ops.arrays.indexing import add_at, index
from sct.ops.arrays.shape import dim
from sct.ops.arrays.take import searchsorted
from sct.ops.linalg.products import contracted
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import add, div, mul, neg, sub
from sct.ops.scalar.comparison import ge, gt, le, lt
from sct.ops.scalar.complex_parts import real
from sct.ops.scalar.selection import clip, logical_and, where
from sct.ops.type_rules import number, scalar_or_array

__all__ = ["interp", "pieces"]


def type_interp(x: Operand, xp: Operand, fp: Operand, left: Any = None, right: Any = None) -> Tensor:
    if number(xp).rank != 1 or number(fp).rank != 1:
        raise TypeMismatch("the points of interp are vectors")
    contracted(number(xp).shape[0], number(fp).shape[0])
    if "c" in (number(x).kind, number(xp).kind):
        raise TypeMismatch("the positions of interp are real numbers", hint="pass their real part: x.real")
    return scalar_or_array({"c128" if number(fp).kind == "c" else "f64"}, number(x).shape)


def at(x: Operand, i: Operand) -> Any:
    return index(x, i, key=(letter(i),))


def put(x: Operand, i: Operand, v: Operand) -> Any:
    return add_at(x, v, i, key=(letter(i),))


def letter(i: Operand) -> str:
    return "a" if number(i).is_array else "i"


@dataclass
class Pieces:
    """For each x: the point i on its left, the next one, the weight of that, the slope between them,
    and whether x is between the first point and the last."""

    i: Any
    j: Any
    weight: Any
    slope: Any
    inside: Any


def pieces(x: Operand, xp: Operand, fp: Operand) -> Pieces:
    i = clip(sub(searchsorted(xp, x, side="right"), 1), 0, sub(dim(xp, axis=0), 2))
    j = add(i, 1)
    left = at(xp, i)
    width = sub(at(xp, j), left)
    inside = logical_and(ge(x, at(xp, Lit(0))), le(x, at(xp, Lit(-1))))
    weight = clip(div(sub(x, left), width), 0.0, 1.0)
    return Pieces(i, j, weight, div(sub(at(fp, j), at(fp, i)), width), inside)


def without(g: Any, x: Operand, xp: Operand, left: Any, right: Any) -> Any:
    """g, and 0 where the value is that given for the left or the right."""
    if left is not None:
        g = where(lt(x, at(xp, Lit(0))), 0.0, g)
    return g if right is None else where(gt(x, at(xp, Lit(-1))), 0.0, g)


def interp_vjp(ct: Operand, y: Operand, x: Operand, xp: Operand, fp: Operand, left: Any = None,
               right: Any = None) -> list[Any]:
    p = pieces(x, xp, fp)
    moved = mul(ct, p.slope)
    dx = where(p.inside, real(moved) if number(moved).kind == "c" else moved, 0.0)
    near = sub(1.0, p.weight)
    g = without(ct, x, xp, left, right)
    dfp = put(put(zeros_of(fp), p.i, mul(g, near)), p.j, mul(g, p.weight))
    dxp = put(put(zeros_of(xp), p.i, neg(mul(dx, near))), p.j, neg(mul(dx, p.weight)))
    return [dx, dxp, dfp]


def bind_interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None) -> tuple[list[Any], dict[str, Any]]:
    return [x, xp, fp], {"left": left, "right": right}


def interpolations() -> list[samples.Sample]:
    xp, fp = np.array([-1.0, 0.0, 0.5, 2.0]), samples.arrays((4,))
    cases: list[samples.Sample] = []
    for x in (0.25, np.float64(1.5), np.array([-2.0, -0.5, 0.25, 1.9, 3.0]), np.array([[0.25, -0.5], [1.0, -0.25]])):
        cases += [((x, xp, fp), {}), ((x, xp, fp), {"left": 0.5}), ((x, xp, fp), {"left": 0.5, "right": -1.0})]
    return cases


interp: Op = op("interp", "numpy.interp", type=type_interp, run=np.interp, bind=bind_interp,
                vjp=interp_vjp, defaults={"left": None, "right": None}, raises="shape", samples=interpolations,
                complex=True)
