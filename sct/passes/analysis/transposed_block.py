"""The equations of a block that is transposed: which of them contribute to which cotangents, and where they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import cast

from sct.ir.core import Eqn, Fn, Lit, Operand, Value
from sct.ir.types import Tensor
from sct.ops.arrays.indexing import index
from sct.passes.analysis.activity import Activity, differentiable

__all__ = ["TransposedBlock", "read_by"]


class TransposedBlock:
    """The equations of one block that is being transposed.

    bound_at  for a value: the position of the equation that binds it
    readers   for a value: the positions of the equations that contribute to its cotangent
    position  the positions of the equations
    """

    def __init__(self, eqns: Sequence[Eqn], active: Activity) -> None:
        self.eqns, self.active = eqns, active
        self.bound_at: dict[Value, int] = {}
        self.readers: dict[Value, list[int]] = {}
        self.position: dict[Eqn, int] = {}
        if any(eqn.op.name == "cond" for eqn in eqns):
            self.bound_at.update((out, k) for k, eqn in enumerate(eqns) for out in eqn.outs)
            self.position.update((eqn, k) for k, eqn in enumerate(eqns))
            for k, eqn in enumerate(eqns):
                for v in read_by(eqn, active):
                    self.readers.setdefault(v, []).append(k)

    def exclusive_to(self, cond: Eqn, branch: Fn, branches: Sequence[Fn], cts: Mapping[Value, Operand]) -> list[Eqn]:
        """The equations before `cond` on which the result depends only through `branch`.

        They are transposed in that branch. If the other branch is taken, they have no cotangent rather than the
        cotangent 0.0, so that an infinite slope does no harm:  r = sqrt(s); if r > 0: y = x / r
        """
        if len(branches) < 2:
            return []
        end = self.position[cond]
        others = {v for other in branches if other is not branch for v in self.active.reads[other]}
        todo = [-self.bound_at[v] for v in self.active.reads[branch] if v in self.bound_at]
        heapify(todo)
        moved: set[int] = set()
        while todo:
            k = -heappop(todo)
            eqn = self.eqns[k]
            outs = [out for out in eqn.outs if out in self.active]
            if k in moved or eqn.op is index and eqn.args[0] not in cts:
                continue
            if not any(out in cts or out in others or any(j < end and j not in moved for j in self.readers.get(out, ()))
                       for out in outs):
                moved.add(k)
                for v in read_by(eqn, self.active):
                    if v in self.bound_at:
                        heappush(todo, -self.bound_at[v])
        chosen = set(moved)
        for k in sorted(moved):
            # A linear equation of a zero after the conditional is cheaper than an array of zeros in the other branch.
            if _maps_zero_to_zero(self.eqns[k]) and any(
                    isinstance(v.type, Tensor) and v.type.is_array and v not in cts and v not in others
                    and self.bound_at.get(v) not in chosen for v in read_by(self.eqns[k], self.active)):
                chosen.remove(k)
        return [self.eqns[k] for k in sorted(chosen)]


def _maps_zero_to_zero(eqn: Eqn) -> bool:
    """Does a zero cotangent contribute zero wherever the operands are finite?"""
    power = eqn.args[1] if eqn.op.name == "pow" else None
    return eqn.op.linear is not None or isinstance(power, Lit) and type(power.value) is int and power.value > 0


def read_by(eqn: Eqn, active: Activity) -> list[Value]:
    """The active values to whose cotangents the transpose of `eqn` contributes."""
    if not any(out in active for out in eqn.outs):
        return []
    operands = [x for k, x in enumerate(eqn.args) if x in active and (eqn.regions or differentiable(eqn, k))]
    inside = [v for region in eqn.regions for v in active.reads.get(region, ())]
    return list(dict.fromkeys([*cast(list[Value], operands), *inside]))
