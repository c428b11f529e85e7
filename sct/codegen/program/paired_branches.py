"""Pairs branches of the forward pass with branches of the backward pass that run under the same predicate.

    forward   t = cond(c, then: exp(x), orelse: undef); yields t, c
    backward  takes t', c':  cond(c', then: ... t' ..., orelse: ...)

Only the paired branch reads `t`, so `t` is appended and popped inside the two branches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sct.ir.core import Eqn, Fn, Lit, Operand, Value, is_effect, is_undef, walk
from sct.ir.loop_view import LoopView
from sct.ir.uses import DefUse

__all__ = ["PairedBranches"]

_MAX_DEPTH = 4


class PairedBranches:
    """Finds paired branches; `origin` maps an element that is read from a list to the value that was appended."""

    def __init__(self, def_use: DefUse, origin: Callable[[Operand], Operand]) -> None:
        self.def_use, self.origin = def_use, origin

    def innermost_regions(self, pairs: Sequence[tuple[LoopView, LoopView]], x: Operand,
                          elem: Value) -> tuple[Fn, Operand, Fn]:
        """The innermost paired regions for the operand yielded as `x` and read as `elem`.

        Returns the region in which it is appended, the operand there, and the region in which it is read.

        pairs  nested loops of the forward pass and those of the backward pass that run over the same iterations,
               outer before inner
        """
        indices: dict[Value, Value] = {}
        for loop, reader in pairs:
            if loop.index is not None and reader.index is not None and len(loop.bounds) == len(reader.bounds) \
                    and all(self._is_equal(p, q, indices, _MAX_DEPTH) for p, q in zip(loop.bounds, reader.bounds)):
                indices[loop.index] = reader.index
        region, back = pairs[-1][0].body, pairs[-1][1].body
        while isinstance(x, Value):
            pair = self._enter_branch(region, x, back, elem, indices)
            if pair is None:
                break
            region, x, back = pair
        return region, x, back

    def _enter_branch(self, region: Fn, x: Value, back: Fn, elem: Value,
                      indices: Mapping[Value, Value]) -> tuple[Fn, Operand, Fn] | None:
        """The paired branches in `region` and `back`, and the operand `x` in the former; None if there are none."""
        eqn = self.def_use.defining_eqn(x)
        if eqn is None or eqn.op.name != "cond" or self.def_use.parent[eqn] is not region:
            return None
        k = eqn.outs.index(x)
        defining = [n for n, branch in enumerate(eqn.regions) if not is_undef(branch.results[k])]
        reading = self._reading_branch(elem, back)
        if len(defining) != 1 or reading is None or reading[1] != defining[0]:
            return None
        (cond, n), branch = reading, eqn.regions[defining[0]]
        if not self._is_equal(eqn.args[0], cond.args[0], indices, _MAX_DEPTH) or _may_exit(branch, branch.results[k]):
            return None
        return branch, branch.results[k], cond.regions[n]

    def _reading_branch(self, elem: Value, back: Fn) -> tuple[Eqn, int] | None:
        """The conditional in `back` and the index of its branch, if no other code reads `elem`."""
        branches: set[tuple[Eqn, int]] = set()
        for user, _ in self.def_use.uses(elem):
            region = self.def_use.parent[user] if isinstance(user, Eqn) else user
            branch = None
            while region is not back:
                eqn = self.def_use.owner.get(region)
                if eqn is None:
                    return None
                branch = (eqn, eqn.regions.index(region))
                region = self.def_use.parent[eqn]
            if branch is None or branch[0].op.name != "cond":
                return None
            branches.add(branch)
        return branches.pop() if len(branches) == 1 else None

    def _is_equal(self, x: Operand, y: Operand, indices: Mapping[Value, Value], depth: int) -> bool:
        """Is `y` in an iteration of the backward pass equal to `x` in the paired iteration of the forward pass?"""
        y = self._forward_value(y)
        if x is y or isinstance(x, Lit) and x == y:
            return True
        if not depth or not isinstance(x, Value) or not isinstance(y, Value):
            return False
        if x in indices:
            return y is indices[x]
        e, f = self.def_use.defining_eqn(x), self.def_use.defining_eqn(y)
        if e is None or f is None:
            return False
        return (e.op is f.op and not e.regions and not is_effect(e) and e.op.cost != "never" and len(e.outs) == 1
                and dict(e.attrs) == dict(f.attrs) and len(e.args) == len(f.args)
                and all(self._is_equal(p, q, indices, depth - 1) for p, q in zip(e.args, f.args)))

    def _forward_value(self, y: Operand) -> Operand:
        """`y` as a value of the forward pass, if it is read from a list."""
        for _ in range(_MAX_DEPTH * _MAX_DEPTH):
            definition = self.def_use.definition(y)
            if definition is None or not isinstance(y, Value):
                break
            eqn, region, _ = definition
            if region is not None:
                origin = self.origin(y)
                if origin is y:
                    break
                y = origin
            elif eqn.op.name == "unwrap":
                y = eqn.args[0]
            elif eqn.op.name == "cond":
                results = [r for r in (branch.results[eqn.outs.index(y)] for branch in eqn.regions) if not is_undef(r)]
                if len(results) != 1:
                    break
                y = results[0]
            else:
                break
        return y


def _may_exit(region: Fn, x: Operand) -> bool:
    """May control leave the region before `x` is computed?"""
    for eqn in region.eqns:
        if isinstance(x, Value) and x in eqn.outs:
            return False
        if eqn.op.name == "cond" or any(e.op.name == "raise_" for inner in eqn.regions for e in walk(inner)):
            return True
    return False
