"""The decisions of `storage`, and the function that they make.

    inplace = {store: 0}, copies = {(store, 0): u_1}   ->   u_1 = copy(u); u1 = store(u_1, v, i, inplace=0)

In:  a function and decisions about its equations and values. Out: the function with these copies and marks.
"""

from __future__ import annotations

from typing import Union

from sct.ir.core import Eqn, Fn, Operand, Value, free_values, rebuild
from sct.ir.types import List
from sct.ops.arrays.creation import copy
from sct.ops.arrays.indexing import written
from sct.ops.program.list_ops import copy_list

__all__ = ["Decisions", "Owner", "carried_out"]

Owner = Union[Eqn, Fn]


class Decisions:
    """The decisions.

    inplace    for an equation: the position of the operand whose buffer its out overwrites
    swapped    equations whose two operands change places first
    snapshots  for a value: its copy, made where the value is bound
    redirects  for an access: the snapshot, or the updated array, that it reads instead
    copies     for an access: the copy that it reads, made right before it
    deep       copies of lists that copy the arrays in the list as well
    elided_stores  stores of views into their bases that go, since the views were written in place
    """

    def __init__(self) -> None:
        self.inplace: dict[Eqn, int] = {}
        self.swapped: set[Eqn] = set()
        self.snapshots: dict[Value, Value] = {}
        self.redirects: dict[tuple[Owner, int], Value] = {}
        self.copies: dict[tuple[Owner, int], Value] = {}
        self.deep: set[Value] = set()
        self.elided_stores: set[Eqn] = set()


def carried_out(plan: Decisions, fn: Fn) -> Fn:
    """`fn` as the plan says."""
    return _Rebuild(plan).fn(fn)


class _Rebuild:
    """Rebuilds a function as the plan says."""

    def __init__(self, plan: Decisions) -> None:
        self.plan = plan

    def fn(self, fn: Fn) -> Fn:
        eqns: list[Eqn] = []
        for p in fn.params:
            eqns += self.snapshot(p)
        for eqn in fn.eqns:
            eqns += self.eqn(eqn)
        results, copies = self.read(fn, fn.results)
        return fn.replace(eqns=(*eqns, *copies), results=results)

    def eqn(self, eqn: Eqn) -> list[Eqn]:
        args, copies = self.read(eqn, eqn.args)
        regions = tuple(map(self.fn, eqn.regions))
        if eqn.op.name == "closure":
            (region,) = eqn.regions
            free = free_values(region)
            captured, copies = self.read(eqn, tuple(free))
            regions = (rebuild(regions[0], {v: x for v, x in zip(free, captured) if x is not v}),)
        if eqn in self.plan.swapped:
            args = (args[1], args[0])
        op = written if eqn in self.plan.elided_stores else eqn.op
        eqns = [*copies, eqn.replace(op=op, args=args, regions=regions, inplace=self.plan.inplace.get(eqn))]
        for out in eqn.outs:
            eqns += self.snapshot(out)
        return eqns

    def snapshot(self, v: Value) -> list[Eqn]:
        copied = self.plan.snapshots.get(v)
        return [] if copied is None else [_copy(v, copied), *self.snapshot(copied)]

    def read(self, owner: Owner, operands: tuple[Operand, ...]) -> tuple[tuple[Operand, ...], list[Eqn]]:
        """The operands that `owner` reads under the plan, and the copies to be made before it."""
        planned, copies = [], []
        for k, x in enumerate(operands):
            x = self.plan.redirects.get((owner, k), x)
            copied = self.plan.copies.get((owner, k))
            if copied is not None and isinstance(x, Value):
                copies.append(_copy(x, copied, copied in self.plan.deep))
            planned.append(copied or x)
        return tuple(planned), copies


def _copy(x: Value, out: Value, deep: bool = False) -> Eqn:
    if isinstance(x.type, List):
        return Eqn(copy_list, (x,), (out,), {"deep": deep}, primal=False)
    return Eqn(copy, (x,), (out,), primal=False)
