"""Dead code elimination:  a = f(x); b = g(x); return b  ->  b = g(x); return b

A value is live if a result, an effect or a live value depends on it. Liveness follows the carries of a loop round the
back edge, so that a carry which only computes itself is dead. The pass removes dead equations, dead outs of `cond`, and
dead carries, xs and ys of loops. Each value and equation is visited once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from sct.ir.affine import LinearTerm, Range, is_in_bounds, loop_range, term_of
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, is_effect
from sct.ir.loop_view import loop_view
from sct.ir.types import List, Optional, Tensor, Undef
from sct.ir.uses import DefUse
from sct.ops.arrays.indexing import index, is_there
from sct.ops.arrays.shape import dim
from sct.ops.program.effects import guarded, python
from sct.ops.registry import may_raise

__all__ = ["dce"]

T = TypeVar("T")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def dce(fn: Fn, *, keep_raises: bool = False) -> Fn:
    """`fn` without dead code.

    keep_raises  keep the user's arithmetic that may raise, by value (`1 / x`) or by shape (`x.reshape(-1, k)`), except
                 reads of elements that are proved to exist
    """
    return _Dce(fn, keep_raises).run()


class _Dce:
    def __init__(self, fn: Fn, keep_raises: bool) -> None:
        self.fn, self.keep_raises = fn, keep_raises
        self.def_use = DefUse(fn)
        self.live: set[Value] = set()
        self.kept_eqns: set[Eqn] = set()
        self.work: list[Value] = []
        self.may_be_roots: list[tuple[Eqn, tuple[Range, ...]]] = []
        self.lengths: list[Eqn] = []
        """The common lengths of several lists: each can be read from any list that is live."""

    def run(self) -> Fn:
        self.mark(self.fn.results)
        self.find_roots(self.fn, (), (), self.keep_raises)
        self.trace_all()
        for eqn, ranges in self.may_be_roots:
            if eqn not in self.kept_eqns and self.may_raise(eqn, ranges):
                self.need(eqn)
                self.trace_all()
        for eqn in self.lengths:
            if self.live.isdisjoint(eqn.args):
                self.mark(eqn.args[:1])
                self.trace_all()
        return self.region(self.fn)

    def find_roots(self, fn: Fn, ranges: tuple[Range, ...], branches: tuple[tuple[Operand, bool], ...],
                   keep_raises: bool) -> None:
        """Keep the equations that are live in any case, and collect those that are if they may raise.

        ranges    of the indices of the loops around the region, inner loops first
        branches  the predicates of the conditionals around it, and whether they hold
        """
        popped = {(*eqn.args, eqn.loc) for eqn in fn.eqns if eqn.op.name == "remove_at"}
        for eqn in fn.eqns:
            if eqn.op.name == "cond":
                for region, taken in zip(eqn.regions, (True, False)):
                    self.find_roots(region, ranges, (*branches, (eqn.args[0], taken)), keep_raises)
            elif eqn.regions:
                index_range = loop_range(loop_view(eqn), self.def_use.defining_op) if eqn.op.name == "loop" else None
                inner = ranges if index_range is None else (index_range, *ranges)
                again = eqn.op.name == "loop" and not eqn.primal  # what it evaluates again has not raised before
                for region in eqn.regions:
                    self.find_roots(region, inner, branches, keep_raises and not again)
            if makes_exception(eqn):
                continue
            if is_effect(eqn) or eqn.op is guarded \
                    or eqn.primal and eqn.op.name == "unwrap" and self.reads_unbound(eqn, branches):
                self.need(eqn)
            elif keep_raises and eqn.primal and not eqn.regions \
                    and not (eqn.op is index and (*eqn.args, eqn.loc) in popped):  # removing the item raises as well
                self.may_be_roots.append((eqn, ranges))

    def may_raise(self, eqn: Eqn, ranges: Sequence[Range]) -> bool:
        if any(map(self.may_be_none, eqn.args)):
            return True
        if eqn.op is not index or not isinstance(eqn.args[0].type, Tensor):
            return (may_raise(eqn) or eqn.op.raises == "shape") and not _is_inner_list(eqn) \
                and not self.is_in_list(eqn, ranges)
        return not is_there(eqn.args[0].type.shape, eqn.attrs["key"], eqn.args[1:],
                            lambda i, d: is_in_bounds(term_of(i, self.def_use.defining_op), d, ranges))

    def may_be_none(self, x: Operand) -> bool:
        """Does the user use a value here that may be None as a number or an array?"""
        eqn = self.def_use.defining_eqn(x) if isinstance(x, Value) else None
        return eqn is not None and eqn.op.name == "unwrap" and eqn.primal and isinstance(eqn.args[0].type, Optional)

    def is_in_list(self, eqn: Eqn, ranges: Sequence[Range]) -> bool:
        """Does this read the item of a list at the index of a loop over the positions of the list?"""
        if eqn.op is not index or eqn.attrs["key"] != ("i",):
            return False
        over = next((r for r in ranges if r.index is eqn.args[1]), None)
        if over is None or over.low != LinearTerm(0) or over.high is None or over.high.const != -1:
            return False
        lengths = [self.def_use.defining_eqn(v) for v, coef in over.high.coefs.items() if coef == 1]
        return len(lengths) == len(over.high.coefs) == 1 and lengths[0] is not None \
            and lengths[0].op is dim and eqn.args[0] in lengths[0].args

    def reads_unbound(self, eqn: Eqn, branches: Iterable[tuple[Operand, bool]]) -> bool:
        """May the user read a variable here that no path has assigned?"""
        x = eqn.args[0]
        return isinstance(x, Value) and isinstance(x.type, Undef) and \
            not any(self.is_bound(x, predicate, taken) for predicate, taken in branches)

    def is_bound(self, x: Value, predicate: Operand, taken: bool) -> bool:
        """Is the variable assigned where the predicate is `taken`: by a branch, or by a loop that has run then?"""
        eqn, region, k = self.def_use.definition(x) or (None, None, 0)
        if eqn is not None and region is None and eqn.op.name == "cond":
            return eqn.args[0] is predicate and not isinstance(eqn.regions[not taken].results[k].type, Undef)
        if eqn is None or eqn.op.name != "loop" or x not in (loop := loop_view(eqn)).finals:
            return False
        before = self.evaluated(predicate, dict(zip(loop.finals, loop.inits)))
        return before == Lit(not taken) and not isinstance(loop.results[k].type, Undef)

    def evaluated(self, x: Operand, env: Mapping[Value, Operand]) -> Operand | None:
        """The operand in `env` that `x` is, or the result of a comparison of literals there; None if unknown."""
        if not isinstance(x, Value) or x in env:
            return env[x] if isinstance(x, Value) else x
        eqn = self.def_use.defining_eqn(x)
        if eqn is None or eqn.op.name not in COMPARISONS or eqn.op.run is None:
            return None
        args = [self.evaluated(a, env) for a in eqn.args]
        values = [a.value for a in args if isinstance(a, Lit)]
        return Lit(eqn.op.run(*values)) if len(values) == len(args) else None

    # liveness

    def mark(self, operands: Iterable[Operand]) -> None:
        for a in operands:
            if isinstance(a, Value) and a not in self.live:
                self.live.add(a)
                self.work.append(a)

    def trace_all(self) -> None:
        while self.work:
            self.trace(self.work.pop())

    def trace(self, value: Value) -> None:
        definition = self.def_use.definition(value)
        if definition is None:
            return
        eqn, region, k = definition
        if region is None:
            self.need(eqn)
            self.out(eqn, k)
        else:
            self.param(eqn, region, k)

    def need(self, eqn: Eqn) -> None:
        """Keep the equation, the equations around it, and all that decides whether they run."""
        at: Eqn | None = eqn
        while at is not None and at not in self.kept_eqns:
            self.kept_eqns.add(at)
            name = at.op.name
            if name == "loop":
                self.mark(at.args[:3 * at.attrs["counted"]])
                self.mark(at.regions[-1].results[:1])
                for test in at.regions[:-1]:
                    self.mark(test.results)
            elif at.op is dim and len(at.args) > 1:
                self.lengths.append(at)
            else:
                self.mark(at.args)
            if name not in ("loop", "cond"):
                for region in at.regions:
                    self.mark(region.results)
            at = self.def_use.owner.get(self.def_use.parent[at])

    def out(self, eqn: Eqn, k: int) -> None:
        """Mark the values that the live out `k` of `eqn` comes from, inside its regions."""
        if eqn.op.name == "cond":
            self.mark(region.results[k] for region in eqn.regions)
        elif eqn.op.name == "loop":
            n, body = eqn.attrs["carries"], eqn.regions[-1]
            if k < n:
                self.carry(eqn, k)
            elif k > n:
                self.mark([body.results[k]])

    def param(self, eqn: Eqn, region: Fn, k: int) -> None:
        """Mark the values that the live param `k` of a region comes from."""
        if eqn.op.name != "loop":
            return
        counted, n = eqn.attrs["counted"], eqn.attrs["carries"]
        k -= counted and region is eqn.regions[-1]
        if 0 <= k < n:
            self.carry(eqn, k)
        elif k >= n:
            self.mark([eqn.args[3 * counted + k]])

    def carry(self, eqn: Eqn, k: int) -> None:
        """Mark all values of a live carry."""
        self.mark([eqn.outs[k], eqn.args[3 * eqn.attrs["counted"] + k], eqn.regions[-1].results[1 + k]])

    # rebuilding

    def region(self, fn: Fn) -> Fn:
        return fn.replace(eqns=tuple(self.eqn(e) for e in fn.eqns if e in self.kept_eqns))

    def eqn(self, eqn: Eqn) -> Eqn:
        if eqn.op is dim and len(eqn.args) > 1:
            return eqn.replace(args=tuple(x for x in eqn.args if x in self.live))
        if not eqn.regions:
            return eqn
        regions = tuple(map(self.region, eqn.regions))
        if eqn.op.name == "cond":
            kept = [v in self.live for v in eqn.outs]
            if all(kept):
                return eqn.replace(regions=regions)
            regions = tuple(r.replace(results=_pick(r.results, kept)) for r in regions)
            return eqn.replace(outs=_pick(eqn.outs, kept), regions=regions)
        return self.loop(eqn, regions) if eqn.op.name == "loop" else eqn.replace(regions=regions)

    def loop(self, eqn: Eqn, regions: tuple[Fn, ...]) -> Eqn:
        counted, n = eqn.attrs["counted"], eqn.attrs["carries"]
        first, body = 3 if counted else 0, regions[-1]
        carries = [v in self.live for v in eqn.outs[:n]]
        xs = [p in self.live for p in body.params[counted + n:]]
        ys = [v in self.live for v in eqn.outs[n + 1:]]
        if all((*carries, *xs, *ys)):
            return eqn.replace(regions=regions)
        body = body.replace(params=_pick(body.params, [True] * counted + carries + xs),
                            results=_pick(body.results, [True, *carries, *ys]))
        tests = tuple(t.replace(params=_pick(t.params, carries)) for t in regions[:-1])
        return eqn.replace(args=_pick(eqn.args, [True] * first + carries + xs),
                           outs=_pick(eqn.outs, [*carries, True, *ys]),
                           attrs={**eqn.attrs, "carries": sum(carries)}, regions=(*tests, body))


_EXCEPTIONS = frozenset((
    "ArithmeticError", "AssertionError", "AttributeError", "Exception", "IndexError", "KeyError", "LookupError",
    "NotImplementedError", "OverflowError", "RuntimeError", "TypeError", "ValueError", "ZeroDivisionError"))


def makes_exception(eqn: Eqn) -> bool:
    """Does this make an exception of literals, which has no effect?  A handler that does not read it needs none."""
    return eqn.op is python and eqn.attrs["callee"] in _EXCEPTIONS and not eqn.attrs.get("keywords") \
        and all(isinstance(x, Lit) for x in eqn.args)


def _is_inner_list(eqn: Eqn) -> bool:
    """Does this read a list out of a list?  Reads of the inner list read the outer one as well, and raise there."""
    return eqn.op.name == "index" and isinstance(eqn.out.type, List)


def _pick(items: Sequence[T], kept: Sequence[bool]) -> tuple[T, ...]:
    return tuple(x for x, keep in zip(items, kept) if keep)
