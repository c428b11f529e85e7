"""Removes updates of elements that nothing reads afterwards:

    for i in reversed(range(n)): t = dx[i]; dx[i] = 0; dx[:i] -= t * a[i, :i]     ->     the zero is not stored

The reverse of an assignment stores such zeros. Without them, a part of the array that is read before needs no copy. In
adjoint code; the element must not be read in the rest of the iteration, in later iterations of any of the loops around,
or after them. A carry that is left as it is becomes the value that it begins with.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

from sct.ir.affine import LinearTerm, range_over, term_of
from sct.ir.array_accesses import ArrayAccess, LoopAround, access, common_loops, never_meet
from sct.ir.core import Eqn, Fn, Operand, Value, rebuild, walk
from sct.ir.loop_view import loop_view
from sct.ir.uses import DefUse, Use
from sct.ops.arrays.indexing import add_at, index, store

__all__ = ["dead_stores"]

REACH = 100
"""How many versions of an array are followed at most, so that the pass takes linear time."""

ONLY_SHAPE = ("dim", "zeros_of", "ones_of")
"""Ops that read no element of their operand."""


def dead_stores(fn: Fn) -> Fn:
    """`fn` without such updates."""
    if not any(eqn.op in (store, add_at) and not eqn.primal for eqn in walk(fn)):
        return fn
    search = _DeadStores(fn)
    dead = {eqn.out: eqn.args[0] for eqn in walk(fn) if eqn.op in (store, add_at) and not eqn.primal
            and search.is_dead(eqn)}
    return _without_constant_carries(_without(fn, dead)) if dead else fn


def _without(fn: Fn, dead: dict[Value, Operand]) -> Fn:
    def origin(x: Operand) -> Operand:
        while x in dead:
            x = dead[x]  # type: ignore[index]
        return x

    def kept(region: Fn) -> Fn:
        return region.replace(eqns=tuple(
            e.replace(regions=tuple(map(kept, e.regions))) for e in region.eqns if not e.outs or e.outs[0] not in dead))

    return rebuild(kept(fn), {out: origin(out) for out in dead})


class _DeadStores:
    def __init__(self, fn: Fn) -> None:
        self.fn, self.def_use = fn, DefUse(fn)
        self.loop = functools.cache(loop_view)

    def is_dead(self, update: Eqn) -> bool:
        """Does nothing read what this writes?"""
        written = self.access(update, update.attrs["key"], update.args[2:])
        return all(read is not None and never_meet(written, read, min(level, common_loops(written, read)))
                   for read, level in self.reads(update.out, written))

    def reads(self, version: Value, written: ArrayAccess) -> Iterator[tuple[ArrayAccess | None, int]]:
        """The reads of this version of an array and of those that follow from it; None for more than an access.

        With each, the outermost of the loops around the write whose next iteration may come before the read, by its
        number; the number of these loops, if the read is in the same iteration of all."""
        work: list[tuple[Operand, int]] = [(version, len(written.loops))]
        seen = set(work)
        while work:
            version_, level = work.pop()
            for use in self.def_use.uses(version_):  # type: ignore[arg-type]
                read, following = self.use(use, level, written)
                if read is not None:
                    yield read[0], level
                new = [each for each in following if each not in seen]
                seen.update(new)
                work += new
                if len(seen) > REACH:
                    yield None, level
                    return

    def use(self, use: Use, level: int, written: ArrayAccess
            ) -> tuple[tuple[ArrayAccess | None] | None, list[tuple[Operand, int]]]:
        """The read that a use is, if it is one, and the versions that follow, with their levels."""
        user, k = use
        if isinstance(user, Fn):
            return self.result(user, k, level, written)
        if user.op is index and k == 0:
            return (self.access(user, user.attrs["key"], user.args[1:]),), []
        if user.op in (store, add_at) and k == 0:
            read = (self.access(user, user.attrs["key"], user.args[2:]),) if user.op is add_at else None
            return read, [(user.out, level)]
        if user.op.name in ONLY_SHAPE:
            return None, []
        if user.op.name == "loop":
            loop = self.loop(user)
            k -= len(loop.bounds)
            if 0 <= k < len(loop.params) and loop.test is None:
                return None, [(loop.params[k], level), (loop.finals[k], level)]
        return (None,), []

    def result(self, region: Fn, k: int, level: int, written: ArrayAccess
               ) -> tuple[tuple[ArrayAccess | None] | None, list[tuple[Operand, int]]]:
        """The versions that follow where a version is the result `k` of a region."""
        eqn = self.def_use.owner.get(region)
        if eqn is not None and eqn.op.name == "cond":
            return None, [(eqn.outs[k], level)]
        if eqn is None or eqn.op.name != "loop" or region is not eqn.regions[-1]:
            return (None,), []
        loop = self.loop(eqn)
        if not 1 <= k <= len(loop.params):
            return (None,), []
        around = next((n for n, each in enumerate(written.loops) if each.loop is eqn), level)
        return None, [(loop.finals[k - 1], level), (loop.params[k - 1], min(level, around))]

    # -- accesses -----------------------------------------------------------------------------

    def access(self, eqn: Eqn, key: Sequence[str], operands: Sequence[Operand]) -> ArrayAccess:
        loops: list[Eqn] = []
        region = self.def_use.parent[eqn]
        bodies = set()
        while region is not self.fn:
            owner = self.def_use.owner[region]
            if owner.op.name == "loop":
                loops.insert(0, owner)
                bodies.add(region)
            region = self.def_use.parent[owner]
        indices = {self.loop(loop).index for loop in loops}

        def term(x: Operand) -> LinearTerm | None:
            """`x` as a term of the indices, and of values that are the same in all iterations."""
            t = term_of(x, self.def_use.defining_op)
            constant = t is not None and all(v in indices or self.is_bound_outside_loops(v) for v in t.coefs)
            return t if constant else None

        return access(key, operands, [self.loop_around(loop, term) for loop in loops], term)

    def loop_around(self, eqn: Eqn, term: object) -> LoopAround:
        loop = self.loop(eqn)
        if loop.index is None:
            return LoopAround(eqn, None, None)
        return LoopAround(eqn, loop.index, range_over(loop.index, loop.bounds, loop.reverse, term))  # type: ignore[arg-type]

    def is_bound_outside_loops(self, v: Value) -> bool:
        region = self.def_use.home.get(v, self.fn)
        while region is not self.fn:
            owner = self.def_use.owner[region]
            if owner.op.name == "loop":
                return False
            region = self.def_use.parent[owner]
        return True


def _without_constant_carries(fn: Fn) -> Fn:
    """`fn` with the value at the start in place of each carry that the iterations leave as it is."""
    env: dict[Value, Operand] = {}

    def constant(region: Fn) -> Fn:
        eqns = []
        for eqn in region.eqns:
            eqn = eqn.replace(regions=tuple(map(constant, eqn.regions)))
            if eqn.op.name == "loop" and not eqn.primal and len(eqn.regions) == 1:
                loop = loop_view(eqn)
                for init, param, result, final in zip(loop.inits, loop.params, loop.results, loop.finals):
                    if _resolved(result, env) is param and init.type == param.type == final.type:
                        env[param] = env[final] = init
            eqns.append(eqn)
        return region.replace(eqns=tuple(eqns))

    new = constant(fn)
    if not env:
        return new
    return rebuild(new, {v: _resolved(v, env) for v in env})


def _resolved(x: Operand, env: dict[Value, Operand]) -> Operand:
    while isinstance(x, Value) and x in env:
        x = env[x]
    return x
