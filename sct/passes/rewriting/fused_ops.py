"""Fuses two adjoint operations into a faster one, where nothing else reads the intermediate value.

    sum(x * y)                    ->  x @ y
    exp(y - logaddexp(x, y))      ->  1 / (1 + exp(x - y))
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from sct.ir.core import Eqn, Operand, Value
from sct.ir.types import Tensor
from sct.ops.linalg.products import matmul
from sct.ops.reductions.reductions import sum_
from sct.ops.scalar.arithmetic import add, div, sub
from sct.ops.scalar.elementary import exp, logaddexp
from sct.ops.scalar.selection import minimum
from sct.passes.rewriting.arithmetic_rules import block_rule, defining_eqn, operands_of

__all__ = ["dot_product", "logistic"]


@block_rule()
def dot_product(eqn: Eqn, args: Sequence[Operand], uses: Mapping[Value, int]) -> Operand | None:
    """sum(x * y) -> x @ y for vectors."""
    factors = operands_of(args[0], "mul") if eqn.op is sum_ and not eqn.attrs.get("keepdims") else None
    if factors is None or _is_shared(args[0], uses):
        return None
    a, b = (f.type for f in factors)
    vectors = isinstance(a, Tensor) and a.is_array and a.rank == 1 and a.kind == "f" and a == b
    return cast(Operand, matmul(*factors)) if vectors else None


@block_rule(when="finite")
def logistic(eqn: Eqn, args: Sequence[Operand], uses: Mapping[Value, int]) -> Operand | None:
    """exp(y - logaddexp(x, y)) -> 1 / (1 + exp(x - y)), so that the derivative does not need the `logaddexp`.

    The bound keeps `exp` finite; it changes the result by less than the smallest normal number."""
    parts = operands_of(args[0], "sub") if eqn.op is exp else None
    inner = defining_eqn(parts[1]) if parts is not None else None
    if parts is None or inner is None or inner.op is not logaddexp or parts[0] not in inner.args \
            or _is_shared(args[0], uses) or _is_shared(parts[1], uses):
        return None
    x, y = inner.args if parts[0] == inner.args[1] else inner.args[::-1]
    t = eqn.out.type
    if not isinstance(t, Tensor) or t.dtype not in ("f64", "f32") or _is_python(x) and _is_python(y):
        return None
    bound = float(math.floor(np.log(np.finfo(t.dtype.replace("f", "float")).max)))
    return cast(Operand, div(1.0, add(1.0, exp(minimum(sub(x, y), bound)))))


def _is_shared(x: Operand, uses: Mapping[Value, int]) -> bool:
    return uses.get(cast(Value, x), 1) > 1


def _is_python(x: Operand) -> bool:
    return isinstance(x.type, Tensor) and x.type.carrier in ("py", "any")
