"""The roles of a loop's operands, and the definition and uses of every value of a function.

    loop(start, stop, step, *inits, *xs), body(index, *params, *elems) -> (go, *results, *yields)
    outs = (*finals, iterations, *ys)
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Union

from sct.ir.core import Eqn, Fn, Operand, Value

__all__ = ["LoopView", "Scope", "loop_view"]


@dataclass(frozen=True)
class LoopView:
    """A loop equation by the roles of its operands, params, results and outs; `test` is None if it is not tested."""

    eqn: Eqn
    test: Fn | None
    body: Fn
    bounds: tuple[Operand, ...]
    inits: tuple[Operand, ...]
    xs: tuple[Operand, ...]
    index: Value | None
    params: tuple[Value, ...]
    elems: tuple[Value, ...]
    go: Operand
    results: tuple[Operand, ...]
    yields: tuple[Operand, ...]
    finals: tuple[Value, ...]
    iterations: Value
    ys: tuple[Value, ...]
    reverse: bool


def loop_view(eqn: Eqn) -> LoopView:
    counted, n, body = bool(eqn.attrs.get("counted")), int(eqn.attrs["carries"]), eqn.regions[-1]
    args, params = eqn.args[3 * counted:], body.params[counted:]
    go, *results = body.results
    return LoopView(
        eqn, eqn.regions[0] if eqn.attrs.get("tested") else None, body, eqn.args[:3 * counted], args[:n], args[n:],
        body.params[0] if counted else None, params[:n], params[n:], go, tuple(results[:n]), tuple(results[n:]),
        eqn.outs[:n], eqn.outs[n], eqn.outs[n + 1:], bool(eqn.attrs.get("reverse")))


User = Union[Eqn, Fn]


class Scope:
    """The structure of `fn`, and the definition and the uses of its values.

    binder  value -> (the equation that binds it, None), or (the equation of a region, the region) for a region's param
    home    value -> the region in which it is bound
    parent  equation -> the region in which it stands
    owner   region -> its equation
    users   value -> the equations that read it and the regions that return it, once for each use
    """

    def __init__(self, fn: Fn) -> None:
        self.fn = fn
        self.binder: dict[Value, tuple[Eqn, Fn | None]] = {}
        self.home: dict[Value, Fn] = {}
        self.parent: dict[Eqn, Fn] = {}
        self.owner: dict[Fn, Eqn] = {}
        self.users: dict[Value, list[User]] = defaultdict(list)
        self._visit(fn)

    def _visit(self, fn: Fn) -> None:
        self.home.update(dict.fromkeys(fn.params, fn))
        for eqn in fn.eqns:
            self.parent[eqn] = fn
            self._use(eqn.args, eqn)
            for region in eqn.regions:
                self.owner[region] = eqn
                self.binder.update((p, (eqn, region)) for p in region.params)
                self._visit(region)
            self.binder.update((v, (eqn, None)) for v in eqn.outs)
            self.home.update(dict.fromkeys(eqn.outs, fn))
        self._use(fn.results, fn)

    def _use(self, args: tuple[Operand, ...], user: User) -> None:
        for a in args:
            if isinstance(a, Value):
                self.users[a].append(user)

    def runs_once_from(self, fn: Fn, outer: Fn) -> bool:
        """Is `fn` the region `outer`, or nested in it through branches of conditionals only?"""
        while fn is not outer:
            eqn = self.owner.get(fn)
            if eqn is None or eqn.op.name != "cond":
                return False
            fn = self.parent[eqn]
        return True
