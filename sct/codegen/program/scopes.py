"""The definition, the home and the uses of every value of a function."""

from __future__ import annotations

from collections import defaultdict
from typing import Union

from sct.ir.core import Eqn, Fn, Operand, Value

__all__ = ["Scope"]


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
