"""Ownership: which carries of loops and outs of conditionals have a buffer of their own.

    for ...: u = store(u, v, i)     ->     the loop owns u: it is copied once, before the loop

In:  the reads and bindings of a function. Out: pairs (equation, position of the out) whose buffer an update inside or
after the equation may overwrite.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sct.ir.check import always_raises
from sct.ir.core import Eqn, Fn, Operand, Value
from sct.ir.loop_view import LoopView, loop_view
from sct.ir.types import List, Tensor, holds_array
from sct.passes.analysis.alias import Access, Binding, MemoryUses, donations, is_alias, is_inner_list, writes_items

__all__ = ["Ownership", "carry_hint", "is_arithmetic", "is_variable", "overwritable", "updates"]


class Ownership:
    """The values that own their memory.

    owned           the pairs (equation, position of the out) that own a buffer; values that were followed are in it too
    lists_of_owned  the lists that own the arrays in them, since an update writes into these
    """

    def __init__(self, memory: MemoryUses) -> None:
        self.memory = memory
        self.owned: set[tuple[object, ...]] = set()
        self.lists_of_owned: set[Value] = set()
        self._variables = {r: out.hint for eqn, _ in memory.eqns if eqn.op.name == "cond" for branch in eqn.regions
                           for r, out in zip(branch.results, eqn.outs) if isinstance(r, Value)}

    def variable(self, v: Value) -> str | None:
        """The name of a value, or of the out of a conditional that it becomes."""
        return v.hint or self._variables.get(v)

    def own_items(self) -> None:
        """Require that lists own their arrays where an update writes into one: `xs[i][j] = v`."""
        todo: list[Operand] = [eqn.args[0] for eqn, _ in self.memory.eqns if writes_items(eqn)]
        while todo:
            v = todo.pop()
            if isinstance(v, Value) and v not in self.lists_of_owned and isinstance(v.type, List):
                self.lists_of_owned.add(v)
                todo += self._sources_of_list(v, self.memory.bindings[v])

    def _sources_of_list(self, v: Value, d: Binding) -> list[Operand]:
        """The lists whose arrays `v` takes over."""
        if d.eqn is None:
            return []
        if d.eqn.op.name == "loop":
            loop = loop_view(d.eqn)
            carried = (*loop.params, *loop.finals)
            k = carried.index(v) % len(loop.params) if v in carried else None
            return [] if k is None else [loop.inits[k], loop.results[k], loop.params[k]]
        if d.eqn.op.name == "cond" and d.region is None:
            return [branch.results[d.index] for branch in d.eqn.regions]
        if d.eqn.op.updates or is_inner_list(d.eqn):
            return [d.eqn.args[0]]
        return [d.eqn.args[d.eqn.op.alias_of]] if is_alias(d.eqn) else []

    def own_updated_values(self) -> None:
        """Require ownership of every value that an update may overwrite."""
        for _, access in updates(self.memory):
            self.require_ownership(access.value)
        self.own_mixed_results()
        for eqn, _ in self.memory.eqns:
            if eqn.op.name == "loop":
                self.own_accumulators(eqn)
            elif eqn.op.name == "cond":
                self.own_branch_updates(eqn)

    def require_ownership(self, v: Operand) -> None:
        """`v` will be overwritten: the carries and outs of conditionals from which it comes are owned.

        A value that may be missing is not owned, since a copy of it would need a test."""
        todo: list[Operand] = [v]
        while todo:
            v = todo.pop()
            if isinstance(v, Value) and ("value", v) not in self.owned:
                self.owned.add(("value", v))
                todo += self._origins(v, self.memory.bindings[v])

    def _origins(self, v: Value, d: Binding) -> list[Operand]:
        if d.eqn is None or not isinstance(v.type, (Tensor, List)):
            return []
        if d.eqn.op.name == "loop":
            loop = loop_view(d.eqn)
            k = (loop.params if d.region else loop.finals).index(v) if v in (*loop.params, *loop.finals) else None
            if k is None or d.region is None and not self._is_fresh_each_iteration(loop.results[k], loop.body):
                return []
            self.owned.add((d.eqn, k))
            return [loop.inits[k], loop.results[k]]
        if d.eqn.op.name == "cond" and d.region is None:
            self.owned.add((d.eqn, d.index))
            return [branch.results[d.index] for branch in d.eqn.regions]
        return [d.eqn.args[d.eqn.op.alias_of]] if is_alias(d.eqn) else []

    def _is_fresh_each_iteration(self, x: Operand, body: Fn) -> bool:
        """Does each iteration compute `x` anew, so that the next iteration may overwrite it?"""
        if not isinstance(x, Value):
            return True
        d = self.memory.bindings[x]
        if d.point.level < self.memory.ends[body].level or d.escapes:
            return False
        if d.region is not None:
            return x in loop_view(d.eqn).params if d.eqn is not None and d.eqn.op.name == "loop" else False
        return not (d.eqn is not None and is_alias(d.eqn) and d.eqn.op.name != "unwrap")

    def own_mixed_results(self) -> None:
        """Own outs of conditionals that are results of the function and, in one branch only, an argument of the caller:
        the argument is then copied in that branch alone."""
        for r in self.memory.fn.results:
            d = self.memory.bindings.get(r) if isinstance(r, Value) else None
            if d is not None and d.eqn is not None and d.eqn.op.name == "cond" and d.region is None:
                sources = [branch.results[d.index] for branch in d.eqn.regions if not always_raises(branch)]
                escapes = {self.memory.bindings[x].escapes for x in sources if isinstance(x, Value)}
                if isinstance(r.type, Tensor) and len(escapes) == 2:
                    self.owned.add((d.eqn, d.index))

    def own_accumulators(self, eqn: Eqn) -> None:
        """Own the carries that an addition updates: `dx = dx + g`."""
        loop = loop_view(eqn)
        for k, (p, x) in enumerate(zip(loop.params, loop.results)):
            if holds_array(p.type) and (eqn, k) not in self.owned and (
                    self._accumulates(x, p) or self._is_updated(p) and self._is_made_for_next_iteration(x, loop.body)
                    or self._accumulates(x, p, primal=True) and self._is_free(loop, k)):
                self.require_ownership(p)

    def _is_free(self, loop: LoopView, k: int) -> bool:
        """Is the carried array new memory that this loop alone reads, and that no tape holds?"""
        init = loop.inits[k]
        if not isinstance(init, Value):
            return False
        d = self.memory.bindings[init]
        if d.eqn is None or d.escapes or d.region is not None or d.eqn.regions or is_alias(d.eqn):
            return False
        at = self.memory.point(loop.eqn)
        return d.point.level == at.level and {loop.params[k], loop.results[k]}.isdisjoint(loop.yields) and all(
            s.owner is loop.eqn or s.point.position < at.position for s in self.memory.reads.get(init, ()))

    def own_branch_updates(self, eqn: Eqn) -> None:
        """Own the outs of a conditional that one branch updates and the other leaves as they are."""
        for k, out in enumerate(eqn.outs):
            if holds_array(out.type) and (eqn, k) not in self.owned and self._is_branch_update(eqn, k):
                self.require_ownership(out)

    def _is_branch_update(self, eqn: Eqn, k: int) -> bool:
        start, end = self.memory.point(eqn), self.memory.bindings[eqn.outs[k]].point
        results = [branch.results[k] for branch in eqn.regions if not always_raises(branch)]
        unchanged = [x for x in results if isinstance(x, Value)
                     and self.memory.bindings[x].point.position < start.position]
        if not unchanged or len(unchanged) == len(results) or any(x is not unchanged[0] for x in unchanged):
            return False
        x, d = unchanged[0], self.memory.bindings[unchanged[0]]
        is_read_later = any(s.point.position > end.position for s in self.memory.reads.get(x, ()))
        return not (d.escapes or is_read_later or d.point.level != start.level) and all(
            r is x or self._accumulates(r, x, primal=True) for r in results)

    def _is_updated(self, param: Value) -> bool:
        return any(isinstance(s.owner, Eqn) and s.index in self._possible_donations(s.owner).values()
                   for s in self.memory.reads.get(param, ()))

    def _is_made_for_next_iteration(self, x: Operand, body: Fn) -> bool:
        """Does the body compute `x` for the next iteration alone?"""
        return self._is_fresh_each_iteration(x, body) and isinstance(x, Value) and len(self.memory.reads[x]) == 1

    def _accumulates(self, x: Operand, param: Value, primal: bool = False) -> bool:
        """Is `x` computed from `param` by steps that may be done in place, with `primal` also those of the user?"""
        todo, seen = [x], set[Operand]()
        steps = 0
        while todo:
            x = todo.pop()
            if x is param or x in seen:
                continue
            seen.add(x)
            eqn = self.memory.bindings[x].eqn if isinstance(x, Value) else None
            if eqn is None or self.memory.bindings[x].region is not None:  # type: ignore[index]
                return False
            if x in (donated := self._possible_donations(eqn, primal)):
                steps += 1
                todo.append(eqn.args[donated[x]])
            elif eqn.op.name == "cond":
                todo += [branch.results[eqn.outs.index(x)] for branch in eqn.regions]
            elif eqn.op.name == "loop" and self._is_one_buffer(loop_view(eqn), x, primal):
                todo.append(loop_view(eqn).inits[eqn.outs.index(x)])
                steps += 1
            else:
                return False
        return steps > 0

    def _is_one_buffer(self, loop: LoopView, final: Operand, primal: bool) -> bool:
        """Is this the final value of a carry that stays in one buffer?"""
        if final not in loop.finals:
            return False
        k = loop.finals.index(final)
        return (loop.eqn, k) in self.owned or self._accumulates(loop.results[k], loop.params[k], primal)

    def _possible_donations(self, eqn: Eqn, primal: bool = False) -> Mapping[Operand, int]:
        """The outs that may overwrite the buffer of an operand, with the position of the operand."""
        if is_arithmetic(eqn) and (primal and is_variable(eqn) or not eqn.primal):
            k = next((k for k in overwritable(eqn) if eqn.args[k].type == eqn.out.type
                      and eqn.args[k].hint == self.variable(eqn.out)), None)
            return {} if k is None else {eqn.out: k}
        return donations(eqn)


def is_arithmetic(eqn: Eqn) -> bool:
    """Has the operation of arrays a form in place: `x += y`?"""
    return eqn.op.augmented is not None and holds_array(eqn.out.type)


def overwritable(eqn: Eqn) -> tuple[int, ...]:
    """The positions of the operands whose buffer an operation of arithmetic may take over.

    The user's own keep their places."""
    return (0, 1) if eqn.op.commutative and not eqn.primal else (0,)


def is_variable(eqn: Eqn) -> bool:
    """Does the user's own arithmetic give a variable its next value, of one axis: `x = x + y`, `x += y`?

    An array of more axes could have another memory layout than the result, which `np.sum` can tell."""
    x, out = eqn.args[0], eqn.out
    return isinstance(out.type, Tensor) and out.type.rank == 1 and isinstance(x, Value) and x.type == out.type \
        and out.hint is not None and x.hint == out.hint


def updates(memory: MemoryUses) -> Iterator[tuple[Eqn, Access]]:
    """The equations whose out overwrites the buffer of an operand, with the access to that operand."""
    for eqn, _ in memory.eqns:
        for k in donations(eqn).values():
            access = memory.access(eqn, k)
            if access is not None:
                yield eqn, access


def carry_hint(access: Access) -> str | None:
    """The name of the loop-carried variable that this operand initializes: the copy is named after it."""
    eqn = access.owner
    if not isinstance(eqn, Eqn) or eqn.op.name != "loop":
        return None
    k = access.index - 3 * eqn.attrs["counted"]
    return eqn.regions[-1].params[eqn.attrs["counted"] + k].hint if 0 <= k < eqn.attrs["carries"] else None
