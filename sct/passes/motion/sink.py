"""Sinks an equation into the only branch that reads it:  t = f(x); if c: use(t)  ->  if c: t = f(x); use(t)

In adjoint code only, since primal code may raise where it stands. An equation that reads a variable which is assigned
again before the conditional stays, so that the variable keeps its name. So does one that reads an array or a list
which is updated before the conditional: the update would need a copy, `dv = d.pop()` needs none.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from math import inf

from sct.ir.core import Eqn, Fn, Operand, Value, is_effect, walk
from sct.ir.loop_view import loop_view
from sct.ir.uses import DefUse
from sct.passes.analysis.alias import donations

__all__ = ["sink"]


def sink(fn: Fn) -> Fn:
    """`fn` with adjoint equations sunk into the branches that read them."""
    has_branches = any(eqn.op.name == "cond" for eqn in walk(fn))
    return _Sink(fn).region(fn, ()) if has_branches else fn


class _Sink:
    """
    readers  value -> the regions that read it, each as often as it does, where its equations stand now
    """

    def __init__(self, fn: Fn) -> None:
        self.def_use = def_use = DefUse(fn)
        self.readers: dict[Value, Counter[Fn]] = {
            v: Counter(user if isinstance(user, Fn) else def_use.parent[user] for user, _ in def_use.uses(v))
            for v in def_use.home}

    def region(self, fn: Fn, sunk: Iterable[Eqn]) -> Fn:
        """The region, which begins with the equations `sunk`, after sinking: the last equation first."""
        eqns = [*sunk, *fn.eqns]
        kept: list[Eqn] = []
        sunk_into: dict[Fn, list[Eqn]] = defaultdict(list)
        position = {eqn: k for k, eqn in enumerate(eqns)}
        assigned: dict[str | None, int] = {}
        updated: dict[Operand, int] = {}
        for eqn in reversed(eqns):
            branch = self.only_branch(eqn, fn) if _may_move(eqn) else None
            if branch is None or _first_change(eqn, assigned, updated) < position[self.def_use.owner[branch]]:
                kept.append(eqn)
                assigned.update((out.hint, position[eqn]) for out in eqn.outs)
                updated.update(dict.fromkeys(_updated(eqn), position[eqn]))
                continue
            sunk_into[branch].append(eqn)
            for a in eqn.args:
                if isinstance(a, Value):
                    self.readers[a][fn] -= 1
                    self.readers[a][branch] += 1
        return fn.replace(eqns=tuple(
            eqn.replace(regions=tuple(self.region(inner, sunk_into[inner][::-1]) for inner in eqn.regions))
            if eqn.regions else eqn for eqn in reversed(kept)))

    def only_branch(self, eqn: Eqn, home: Fn) -> Fn | None:
        """The branch of a conditional in `home`, the region of the equation, that contains all uses of its out."""
        branches = {self.branch_in(home, region) for region, n in self.readers[eqn.out].items() if n}
        return branches.pop() if len(branches) == 1 else None

    def branch_in(self, home: Fn, region: Fn) -> Fn | None:
        """The branch of a conditional in `home` that contains `region`, if no loop or closure stands between."""
        branch = None
        while region is not home:
            conditional = self.def_use.owner.get(region)
            if conditional is None or conditional.op.name != "cond":
                return None
            branch, region = region, self.def_use.parent[conditional]
        return branch


def _first_change(eqn: Eqn, assigned: Mapping[str | None, int], updated: Mapping[Operand, int]) -> float:
    """The first position at which a variable that the equation reads is assigned again, or what it holds updated."""
    values = [a for a in eqn.args if isinstance(a, Value)]
    return min((*(assigned.get(a.hint, inf) for a in values if a.hint is not None),
                *(updated.get(a, inf) for a in values)), default=inf)


def _updated(eqn: Eqn) -> Iterator[Operand]:
    """The arrays and lists that the equation updates, or a loop or conditional that it is."""
    yield from (eqn.args[k] for k in donations(eqn).values())
    for region in eqn.regions:
        inside = {x for e in region.eqns for x in _updated(e)}
        yield from inside
        if eqn.op.name == "loop" and inside:
            loop = loop_view(eqn)
            yield from (init for init, param in zip(loop.inits, loop.params) if param in inside)


def _may_move(eqn: Eqn) -> bool:
    return not (eqn.primal or eqn.regions or is_effect(eqn)) and len(eqn.outs) == 1
