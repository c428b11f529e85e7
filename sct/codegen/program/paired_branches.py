"""Arms that mirror each other: a branch of the forward pass and one of the backward pass on the same condition.

    forward   t = cond(c, then: exp(x), orelse: undef); yields t, c
    backward  takes t', c':  cond(c', then: ... t' ..., orelse: ...)

`t` is wanted only where it was made, so it is appended and popped inside the arms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sct.codegen.program.scopes import Parts, Scope
from sct.ir.core import UNDEF, Eqn, Fn, Lit, Operand, Value, is_effect, walk

if TYPE_CHECKING:
    from sct.codegen.program.tape_layout import Tapes

__all__ = ["Mirror"]

_DEEPEST = 4


class Mirror:
    def __init__(self, scope: Scope, tapes: Tapes) -> None:
        self.scope, self.tapes = scope, tapes

    def arms(self, pairs: Sequence[tuple[Parts, Parts]], x: Operand, elem: Value) -> tuple[Fn, Operand, Fn]:
        """The innermost mirrored regions of two loops for what is yielded as `x` and taken as `elem`.

        pairs  loops of the two passes that mirror each other, outer before inner
        """
        indices: dict[Value, Value] = {}
        for loop, reader in pairs:
            if loop.index is not None and reader.index is not None and len(loop.bounds) == len(reader.bounds) \
                    and all(self._same(p, q, indices, _DEEPEST) for p, q in zip(loop.bounds, reader.bounds)):
                indices[loop.index] = reader.index
        region, back = pairs[-1][0].body, pairs[-1][1].body
        while isinstance(x, Value):
            found = self._step(region, x, back, elem, indices)
            if found is None:
                break
            region, x, back = found
        return region, x, back

    def _step(self, region: Fn, x: Value, back: Fn, elem: Value,
              indices: Mapping[Value, Value]) -> tuple[Fn, Operand, Fn] | None:
        made = self.scope.binder.get(x)
        if made is None or made[1] is not None or made[0].op.name != "cond" or self.scope.parent[made[0]] is not region:
            return None
        eqn = made[0]
        k = eqn.outs.index(x)
        given = [n for n, arm in enumerate(eqn.regions) if not _is_undef(arm.results[k])]
        wanted = self._wanted(elem, back)
        if len(given) != 1 or wanted is None or wanted[1] != given[0]:
            return None
        arm = eqn.regions[given[0]]
        if not self._same(eqn.args[0], wanted[0].args[0], indices, _DEEPEST) or _may_exit(arm, arm.results[k]):
            return None
        return arm, arm.results[k], wanted[0].regions[wanted[1]]

    def _wanted(self, elem: Value, back: Fn) -> tuple[Eqn, int] | None:
        """The one arm of the one branch of `back` that reads `elem`."""
        found: set[tuple[Eqn, int]] = set()
        for user in self.scope.users[elem]:
            region = self.scope.parent[user] if isinstance(user, Eqn) else user
            arm = None
            while region is not back:
                eqn = self.scope.owner.get(region)
                if eqn is None:
                    return None
                arm = (eqn, eqn.regions.index(region))
                region = self.scope.parent[eqn]
            if arm is None or arm[0].op.name != "cond":
                return None
            found.add(arm)
        return found.pop() if len(found) == 1 else None

    def _same(self, x: Operand, y: Operand, indices: Mapping[Value, Value], depth: int) -> bool:
        """Is `y` in a trip of the backward pass what `x` was in the trip that it mirrors?"""
        y = self._taken(y)
        if x is y or isinstance(x, Lit) and x == y:
            return True
        if not depth or not isinstance(x, Value) or not isinstance(y, Value):
            return False
        if x in indices:
            return y is indices[x]
        a, b = self.scope.binder.get(x), self.scope.binder.get(y)
        if a is None or b is None or a[1] is not None or b[1] is not None:
            return False
        e, f = a[0], b[0]
        return (e.op is f.op and not e.regions and not is_effect(e) and e.op.cost != "never" and len(e.outs) == 1
                and dict(e.attrs) == dict(f.attrs) and len(e.args) == len(f.args)
                and all(self._same(p, q, indices, depth - 1) for p, q in zip(e.args, f.args)))

    def _taken(self, y: Operand) -> Operand:
        """`y` as a value of the forward pass, where it is taken from a list."""
        for _ in range(_DEEPEST * _DEEPEST):
            made = self.scope.binder.get(y) if isinstance(y, Value) else None
            if made is None or not isinstance(y, Value):
                break
            eqn, region = made
            if region is not None:
                taken = self.tapes.origin(y)
                if taken is y:
                    break
                y = taken
            elif eqn.op.name == "unwrap":
                y = eqn.args[0]
            elif eqn.op.name == "cond":
                given = [r for r in (arm.results[eqn.outs.index(y)] for arm in eqn.regions) if not _is_undef(r)]
                if len(given) != 1:
                    break
                y = given[0]
            else:
                break
        return y


def _is_undef(x: Operand) -> bool:
    return isinstance(x, Lit) and x.value is UNDEF


def _may_exit(arm: Fn, x: Operand) -> bool:
    """May control leave `arm` before `x` is made?"""
    for eqn in arm.eqns:
        if isinstance(x, Value) and x in eqn.outs:
            return False
        if eqn.op.name == "cond" or any(e.op.name == "raise_" for region in eqn.regions for e in walk(region)):
            return True
    return False
