"""Invariant lengths: the length of a list of which a loop only replaces items is that before the loop:

    for ...: n = len(xs); xs[i] = v      ->     n = len(xs); for ...: xs[i] = v

In:  any IR. Out: IR that computes the same. So the backward pass needs no tape of such lengths.
"""

from __future__ import annotations

from sct.ir.core import Eqn, Fn, Operand
from sct.ir.loop_view import loop_view
from sct.ir.types import List
from sct.ops.arrays.indexing import add_at, store
from sct.ops.arrays.shape import dim
from sct.ops.program.control import cond, loop

__all__ = ["read_lengths_outside"]


def read_lengths_outside(fn: Fn) -> Fn:
    """`fn`, where lengths are read of the first list that has them."""
    lengths = _InvariantLengths()
    lengths.note(fn)
    return lengths.at_first(lengths.moved_out(fn)) if lengths.before else fn


class _InvariantLengths:
    """
    before  for a list: another one of the same length, which is there earlier
    moved   the lists of which lengths are read before a loop
    """

    def __init__(self) -> None:
        self.before: dict[Operand, Operand] = {}
        self.moved: set[tuple[Operand, ...]] = set()

    def first(self, x: Operand) -> Operand:
        while x in self.before:
            x = self.before[x]
        return x

    def note(self, fn: Fn) -> None:
        """Note the lists of `fn` that have the length of another one."""
        for eqn in fn.eqns:
            for region in eqn.regions:
                self.note(region)
            if eqn.op is loop:
                view = loop_view(eqn)
                for param, init, result, final in zip(view.params, view.inits, view.results, view.finals):
                    if isinstance(param.type, List) and self.first(result) is param:
                        self.before.update({param: init, final: init})
            elif eqn.op is cond:
                for out, then, orelse in zip(eqn.outs, *(region.results for region in eqn.regions)):
                    if isinstance(out.type, List) and self.first(then) is self.first(orelse):
                        self.before[out] = self.first(then)
            elif eqn.op in (store, add_at) and isinstance(eqn.out.type, List) and set(eqn.attrs["key"]) == {"i"}:
                self.before[eqn.out] = eqn.args[0]

    def of_first(self, eqn: Eqn) -> Eqn:
        """The length `eqn`, of the first lists that have it."""
        return eqn.replace(args=tuple(dict.fromkeys(map(self.first, eqn.args))))

    def moved_out(self, fn: Fn) -> Fn:
        """`fn` with lengths of lists from outside read before the loop."""
        eqns: list[Eqn] = []
        for eqn in fn.eqns:
            eqn = eqn.replace(regions=tuple(map(self.moved_out, eqn.regions)))
            if eqn.op is loop:
                body = eqn.regions[-1]
                bound = {*body.params, *(out for e in body.eqns for out in e.outs)}
                lengths = {e: first for e in body.eqns if e.op is dim and isinstance(e.args[0].type, List)
                           and bound.isdisjoint((first := self.of_first(e)).args)}
                self.moved.update(first.args for first in lengths.values())
                body = body.replace(eqns=tuple(e for e in body.eqns if e not in lengths))
                eqns += lengths.values()
                eqn = eqn.replace(regions=(*eqn.regions[:-1], body))
            eqns.append(eqn)
        return fn.replace(eqns=tuple(eqns))

    def at_first(self, fn: Fn) -> Fn:
        """`fn`, where other lengths that are read before a loop as well are the same."""
        return fn.replace(eqns=tuple(
            first if eqn.op is dim and (first := self.of_first(eqn)).args in self.moved
            else eqn.replace(regions=tuple(map(self.at_first, eqn.regions))) for eqn in fn.eqns))
