"""Two adjoint operations as one that is faster, where nothing else needs what is between.

    sum(x * y)                    ->  x @ y
    exp(y - logaddexp(x, y))      ->  1 / (1 + exp(x - y))
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from sct.ir.build import Builder
from sct.ir.core import Eqn, Operand, Value, builder_var
from sct.ir.types import Tensor
from sct.ops.linalg.products import matmul
from sct.ops.reductions.reductions import sum_
from sct.ops.scalar.arithmetic import add, div, sub
from sct.ops.scalar.elementary import exp, logaddexp
from sct.ops.scalar.selection import minimum
from sct.passes.rewriting.arithmetic_rules import made_by, of_block

__all__ = ["dotted", "logistic"]


@of_block()
def dotted(eqn: Eqn, args: Sequence[Operand], uses: Mapping[Value, int]) -> Operand | None:
    """The sum of the products of two vectors."""
    factors = made_by(args[0], "mul") if eqn.op is sum_ and not eqn.attrs.get("keepdims") else None
    if factors is None or _is_shared(args[0], uses):
        return None
    a, b = (f.type for f in factors)
    vectors = isinstance(a, Tensor) and a.is_array and a.rank == 1 and a.kind == "f" and a == b
    return cast(Operand, matmul(*factors)) if vectors else None


@of_block(when="finite")
def logistic(eqn: Eqn, args: Sequence[Operand], uses: Mapping[Value, int]) -> Operand | None:
    """The derivative of a `logaddexp` that is not computed itself.

    The bound keeps `exp` finite; what it changes is less than the smallest normal number."""
    parts = made_by(args[0], "sub") if eqn.op is exp else None
    made = cast(Builder, builder_var.get()).defs.get(cast(Value, parts[1])) if parts is not None else None
    if parts is None or made is None or made.op is not logaddexp or parts[0] not in made.args \
            or _is_shared(args[0], uses) or _is_shared(parts[1], uses):
        return None
    x, y = made.args if parts[0] == made.args[1] else made.args[::-1]
    t = eqn.out.type
    if not isinstance(t, Tensor) or t.dtype not in ("f64", "f32") or _is_python(x) and _is_python(y):
        return None
    bound = float(math.floor(np.log(np.finfo(t.dtype.replace("f", "float")).max)))
    return cast(Operand, div(1.0, add(1.0, exp(minimum(sub(x, y), bound)))))


def _is_shared(x: Operand, uses: Mapping[Value, int]) -> bool:
    return uses.get(cast(Value, x), 1) > 1


def _is_python(x: Operand) -> bool:
    return isinstance(x.type, Tensor) and x.type.carrier in ("py", "any")
