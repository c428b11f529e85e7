"""Uniform lists: an item of a list that holds one value n times is that value.

    xs = [v] * n; for ...: d = xs[-1]; xs = remove_at(xs, -1)   ->   for ...: d = v

In:  any IR. Out: IR in which adjoint code reads the value itself; the lists are dead where nothing else reads them.
The cotangent of `sum(xs)` is such a list: a loop that appended to `xs` takes an item from it in each iteration.
"""

from __future__ import annotations

from collections.abc import Sequence

from sct.ir.check import fits
from sct.ir.core import Eqn, Fn, Operand, Value, bound_values, rebuild, substitute
from sct.ir.loop_view import LoopView, loop_view
from sct.ops.arrays.indexing import index
from sct.ops.program.control import cond, loop
from sct.ops.program.list_ops import remove_at, repeat
from sct.passes.analysis.type_inference import retype

__all__ = ["replace_uniform_items"]


def replace_uniform_items(fn: Fn) -> Fn:
    """`fn`, where the items of uniform lists are replaced by their value."""
    pass_ = _UniformLists()
    pass_.region(fn)
    return retype(rebuild(fn, pass_.replaced)) if pass_.replaced else fn


class _UniformLists:
    """
    item      for a list all of whose items are one value: that value
    replaced  for a read of such a list: the value
    """

    def __init__(self) -> None:
        self.item: dict[Operand, Operand] = {}
        self.replaced: dict[Value, Operand] = {}

    def region(self, fn: Fn) -> None:
        for eqn in fn.eqns:
            if eqn.op is loop:
                self.loop(loop_view(eqn))
            elif eqn.op is cond:
                self.cond(eqn)
            elif not eqn.primal:
                self.eqn(eqn)

    def eqn(self, eqn: Eqn) -> None:
        if eqn.op is repeat:
            self.item[eqn.out] = substitute(eqn.args[:1], self.replaced)[0]
        elif eqn.op is remove_at and eqn.args[0] in self.item:
            self.item[eqn.out] = self.item[eqn.args[0]]
        elif eqn.op is index and eqn.args[0] in self.item and eqn.attrs["key"] == ("i",):
            self.replace(eqn.out, self.item[eqn.args[0]])

    def replace(self, read: Value, value: Operand) -> None:
        if fits(value.type, read.type):
            self.replaced[read] = value

    def cond(self, eqn: Eqn) -> None:
        for region in eqn.regions:
            self.region(region)
        for out, *results in zip(eqn.outs, *(region.results for region in eqn.regions)):
            self.join(out, results, eqn.regions)

    def join(self, out: Value, lists: Sequence[Operand], regions: Sequence[Fn]) -> None:
        """`out` is uniform if all lists hold the same value, which is bound outside the regions."""
        items = {self.item.get(x) for x in lists}
        item = items.pop()
        if item is not None and not items and not any(item in {*bound_values(region)} for region in regions):
            self.item[out] = item

    def loop(self, view: LoopView) -> None:
        """Assume that each carry that starts uniform stays so; walk the body until no assumption fails."""
        before = dict(self.item), dict(self.replaced)
        uniform = [k for k, init in enumerate(view.inits) if init in self.item]
        while True:
            for k in uniform:
                self.item[view.params[k]] = self.item[view.inits[k]]
            if view.index is not None and not view.eqn.primal:
                for x, elem in zip(view.xs, view.elems):
                    if x in self.item:
                        self.replace(elem, self.item[x])
            self.region(view.body)
            kept = [k for k in uniform if self.item.get(view.results[k]) == self.item[view.inits[k]]]
            if kept == uniform:
                break
            uniform, (self.item, self.replaced) = kept, (dict(before[0]), dict(before[1]))
        for k in uniform:
            self.item[view.finals[k]] = self.item[view.inits[k]]
