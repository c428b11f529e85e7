"""The lower and the upper triangle of each matrix of an array."""

from __future__ import annotations

from typing import Any

import numpy as np

from sct.ir.core import Op, Operand
from sct.ir.types import Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.shape import rearranged
from sct.ops.registry import op
from sct.ops.type_rules import number

__all__ = ["tril", "triu"]


def type_triangle(m: Operand, k: int = 0) -> Tensor:
    shape = number(m).shape
    if not shape:
        raise TypeMismatch("a triangle of a number")
    return rearranged(m, shape if len(shape) > 1 else shape * 2)


def triangle_samples() -> list[samples.Sample]:
    shapes = ((3, 3), (2, 3), (3, 2), (2, 3, 3), (0, 2))
    cases = [((samples.arrays(s),), {"k": k}) for s in shapes for k in (0, -1, 1)]
    return [*cases, ((samples.arrays((3, 3), dtype="f4"),), {}), ((samples.strided((3, 3), -2.0, 2.0),), {"k": 1})]


def triangle(name: str) -> Op:
    """The rest is zero; linear, and its own transpose."""
    call = getattr(np, name)

    def transposed(ct: Operand, m: Operand, k: int = 0) -> list[Any]:
        if number(m).rank < 2:
            raise TypeMismatch(f"the derivative of {name} of a vector is not supported: give it a matrix")
        return [entry(ct, k=k)]

    entry = op(name, f"numpy.{name}", type=type_triangle, run=call, bind=lambda m, k=0: ([m], {"k": k}),
               defaults={"k": 0}, emit=lambda m, k=0: f"numpy.{name}(_0, _k)" if k else f"numpy.{name}(_0)",
               linear=transposed, samples=triangle_samples)
    return entry


tril, triu = triangle("tril"), triangle("triu")
