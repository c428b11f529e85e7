"""Sums of lists whose length is known only at run time: item by item, and of their numbers, as `math` computes them.

    math.fsum(xs)      d/dx = 1
    math.hypot(*xs)    d/dx = x / math.hypot(*xs), and 0 where all of them are 0
"""

from __future__ import annotations

import math
from typing import Any

from sct.ir.core import Op, Operand
from sct.ir.types import FLOAT, List, Tensor, Type, TypeMismatch, in_words, join
from sct.ops.arrays.creation import zeros_of
from sct.ops.arrays.shape import dim
from sct.ops.program.list_ops import elem, lists, repeat, stacked, sum_list, sum_of, unstack, with_element
from sct.ops.reductions.reductions import sum_
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import mul, quotient

__all__ = ["add_lists", "fsum_list", "hypot_list", "shifted"]


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


# -- item by item, of cotangents -----------------------------------------------------------------


def type_shifted(xs: Operand, v: Operand) -> List:
    t, by = elem(xs), v.type
    if not isinstance(t, Tensor) or not isinstance(by, Tensor) or t.is_array != by.is_array:
        raise TypeMismatch(f"the sum of the items of a list of {in_words(t)} and {in_words(by)}")
    return List(join(t, sum_of(t, by)))


shifted = op("shifted", type=type_shifted, run=lambda xs, v: [x + v for x in xs], emit="[each + _1 for each in _0]",
             linear=lambda ct, xs, v: [ct, sum_list(ct) if v.type.is_scalar else sum_list(ct, zeros_of(v))],
             samples=with_element)


def type_add_lists(xs: Operand, ys: Operand) -> Type:
    return join(xs.type, ys.type)


def run_add_lists(xs: Any, ys: Any) -> Any:
    return [run_add_lists(x, y) if isinstance(x, list) else x + y for x, y in zip(xs, ys)]


def sums_text(t: Type, x: str, y: str) -> str:
    if not isinstance(t, List):
        return f"{x} + {y}"
    return f"[{sums_text(t.elem, 'v', 'w')} for v, w in zip({x}, {y})]"


add_lists = op("add_lists", type=type_add_lists, run=run_add_lists, linear=lambda ct, xs, ys: [ct, ct],
               emit=lambda xs, ys: sums_text(xs.type, "_0", "_1"),
               samples=lambda: [((x, x), {}) for (x,), _ in lists()])
