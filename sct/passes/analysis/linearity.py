"""Linearity: which values of a function are linear in its params.

    t -> dot(t, x)         linear
    t -> dot(t, t), t + x  not

A value is *linear* if it is 0 where the params are, and additive in them: the literal 0 is linear, other constants are
not. What is not known to be linear counts as not linear.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from sct.ir.core import Eqn, Fn, Operand, Value, free_values, is_float, is_undef, regions, walk
from sct.ir.loop_view import loop_view
from sct.ops.arrays.creation import empty, empty_like
from sct.ops.program.control import cond, loop
from sct.ops.program.solutions import rule_of, ruled
from sct.ops.registry import linear_operands

__all__ = ["Linearity", "dependents", "depends", "read_for_elements"]


class Linearity:
    """How the values of a function depend on its params: linearly, or not.

    dependent  those that the params reach
    linear     those that are linear in the params
    """

    def __init__(self, params: Iterable[Value]) -> None:
        self.dependent: set[Operand] = {*params}
        self.linear: set[Operand] = {*params}

    def is_linear(self, x: Operand) -> bool:
        """Is this linear?  What no path assigns, and None, take no part in a sum."""
        return x in self.linear if isinstance(x, Value) else is_undef(x) or x.value in (0, None)

    def nonlinear(self, eqns: Sequence[Eqn]) -> Iterator[Eqn]:
        """The equations whose outs depend on the params and are not linear; the outs of all equations are entered."""
        for eqn in eqns:
            if eqn.op is cond:
                yield from self._nonlinear_in_branches(eqn)
            elif eqn.op is loop:
                yield from self._nonlinear_in_loop(eqn)
            else:
                linear = self._is_linear_ruled(eqn) if eqn.op is ruled else self._is_linear_op(eqn)
                if self._reads_dependent(eqn):
                    if not linear or not all(map(is_float, eqn.outs)):
                        yield eqn
                    self.dependent.update(eqn.outs)
                if linear:
                    self.linear.update(eqn.outs)

    def _reads_dependent(self, eqn: Eqn) -> bool:
        first = eqn.attrs["values"] if eqn.op is ruled else 0
        read = [x for k, x in enumerate(eqn.args) if k >= first and k not in eqn.op.shapes]
        inner = () if eqn.op is ruled else [v for region in eqn.regions for v in free_values(region)]
        return not self.dependent.isdisjoint((*read, *inner))

    def _is_linear_op(self, eqn: Eqn) -> bool:
        """Is an op linear in operands that are linear, while all others are constant?"""
        if eqn.op.fill == 0 or eqn.op in (empty, empty_like):
            return True
        return any(all(self.is_linear(x) if k in positions else k in eqn.op.shapes or x not in self.dependent
                       for k, x in enumerate(eqn.args)) for positions in linear_operands(eqn))

    def _is_linear_ruled(self, eqn: Eqn) -> bool:
        """Is this a call of a function with a rule whose derivatives by these operands do not depend on them?"""
        n, vjp = eqn.attrs["values"], rule_of(eqn, "vjp")
        read = [k for k, x in enumerate(eqn.args) if k >= n and x in self.dependent]
        if vjp is None or not read or not all(self.is_linear(eqn.args[k]) for k in read):
            return False
        reached = dependents(vjp.eqns, [*vjp.params[n:2 * n], *(vjp.params[n + k] for k in read)])
        return all(vjp.results[k - n] not in reached for k in read)

    def _nonlinear_in_branches(self, eqn: Eqn) -> Iterator[Eqn]:
        for branch in eqn.regions:
            yield from self.nonlinear(branch.eqns)
        branches = list(zip(*(branch.results for branch in eqn.regions)))
        linear = [all(map(self.is_linear, results)) for results in branches]
        reached = [eqn.args[0] in self.dependent or not self.dependent.isdisjoint(results) for results in branches]
        if eqn.args[0] in self.dependent or any(r and not l for r, l in zip(reached, linear)):
            yield eqn
        self.dependent.update(out for out, r in zip(eqn.outs, reached) if r)
        self.linear.update(out for out, l in zip(eqn.outs, linear) if l)

    def _nonlinear_in_loop(self, eqn: Eqn) -> Iterator[Eqn]:
        """Carries are linear until an iteration shows that one is not, and constant until it shows that one is not."""
        view = loop_view(eqn)
        carries = list(zip(view.params, view.inits, view.results, view.finals))
        before = {*self.dependent}, {*self.linear}
        reached = {p for p, init, _, _ in carries if init in self.dependent}
        linear = {p for p, init, _, _ in carries if self.is_linear(init)}
        while True:
            self.dependent, self.linear = ({*values} for values in before)
            self.dependent |= reached | {e for e, x in zip(view.elems, view.xs) if x in self.dependent}
            self.linear |= linear | {e for e, x in zip(view.elems, view.xs) if self.is_linear(x)}
            inner = list(self.nonlinear(view.body.eqns))
            after = (reached | {p for p, _, r, _ in carries if r in self.dependent},
                     {p for p, _, r, _ in carries if p in linear and self.is_linear(r)})
            if after == (reached, linear):
                break
            reached, linear = after
        yield from inner
        outs = [(final, p in reached, p in linear) for p, _, _, final in carries]
        outs += [(y, r in self.dependent, self.is_linear(r)) for y, r in zip(view.ys, view.yields)]
        deciding = {view.go, *view.bounds} | (read_for_elements(view.test) if view.test is not None else set())
        tested = {p for p, carry in zip(view.test.params, view.params) if carry in reached} if view.test else set()
        if not deciding.isdisjoint(self.dependent | tested) or any(r and not l for _, r, l in outs):
            yield eqn
        self.dependent.update(out for out, r, _ in outs if r)
        self.linear.update(out for out, _, l in outs if l)


def dependents(eqns: Sequence[Eqn], values: Iterable[Value]) -> set[Operand]:
    """`values`, and what is computed from them."""
    reached: set[Operand] = {*values}
    for eqn in eqns:
        if depends(eqn, reached):
            reached.update(eqn.outs)
    return reached


def depends(eqn: Eqn, values: Collection[Operand]) -> bool:
    """Does the equation, or a region of it, read one of the values?"""
    return any(x in values for x in (*eqn.args, *(v for region in eqn.regions for v in free_values(region))))


def read_for_elements(fn: Fn) -> set[Operand]:
    """The operands whose elements `fn` reads, and not only their shape."""
    read = {x for eqn in walk(fn) for k, x in enumerate(eqn.args) if k not in eqn.op.shapes}
    return read.union(*(region.results for region in regions(fn)))
