"""Sums and norms of the numbers of a list whose length is known only at run time, as `math` computes them.

    math.fsum(xs)      d/dx = 1
    math.hypot(*xs)    d/dx = x / math.hypot(*xs), and 0 where all of them are 0
"""

from __future__ import annotations

import math
from typing import Any

from sct.ir.core import Op, Operand
from sct.ir.types import FLOAT, Tensor, TypeMismatch, in_words
from sct.ops.arrays.shape import dim
from sct.ops.program.list_ops import elem, repeat, stacked, unstack
from sct.ops.reductions.reductions import sum_
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import mul, quotient

__all__ = ["fsum_list", "hypot_list"]


def float_of_list(xs: Operand) -> Tensor:
    t = elem(xs)
    if not isinstance(t, Tensor) or t.is_array or t.kind == "c":
        raise TypeMismatch(f"a function of `math` takes real numbers, not {in_words(t)}")
    return FLOAT


fsum_list: Op = op("fsum_list", type=float_of_list, run=math.fsum, emit="math.fsum(_0)", raises="value",
                   linear=lambda ct, xs: [repeat(ct, dim(xs))],
                   samples=lambda: [(([1.5, -0.5, 2.0],), {}), (([0.25],), {})])


def slopes(y: Any, xs: Operand) -> Any:
    return quotient(stacked(xs), y, edge=0.0)


hypot_list: Op = op("hypot_list", type=float_of_list, run=lambda xs: math.hypot(*xs), emit="math.hypot(*_0)",
                    vjp=lambda ct, y, xs: [unstack(mul(ct, slopes(y, xs)))],
                    jvp=lambda tangents, y, xs: sum_(mul(stacked(tangents[0]), slopes(y, xs))),
                    samples=lambda: [(([1.5, -0.5, 2.0],), {}), (([0.25],), {})])
