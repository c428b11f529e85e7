"""Splines of SciPy as constants: piecewise polynomials, which know their own derivatives.

    y = spline(x)    dx = dy * spline(x, 1)
"""

from __future__ import annotations

from typing import Any

from sct.ir.core import Operand
from sct.ir.types import Tensor
from sct.ops.program.effects import run_inactive
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import mul
from sct.ops.type_rules import number

__all__ = ["spline"]


def emit_spline(f: Operand, x: Operand, nu: int = 0) -> str:
    return f"_0(_1, {nu})" if nu else "_0(_1)"


def spline_vjp(ct: Operand, y: Operand, f: Operand, x: Operand, nu: int = 0) -> list[Any]:
    return [None, mul(ct, spline(f, x, nu=nu + 1))]


spline = op("spline", type=lambda f, x, nu=0: Tensor("array", "f64", number(x).shape), vjp=spline_vjp, inactive=(0,),
            run=lambda f, x, nu=0: run_inactive(f, x, text=emit_spline(f, x, nu)), emit=emit_spline,
            defaults={"nu": 0}, cost="dear", complex=False)
"""The derivative of order `nu` of the spline in the first operand, an object; at a number it is an array without axes.
"""
