"""Tapes: how the backward pass gets at values that a region of the forward pass binds.

A value of a loop body becomes one more `ys` of the loop, read by position; a value of
an arm one more result of the `cond`.  The tap is itself a value of the block around,
so what lies deeper takes as many taps as there are regions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sct.ir.check import raises
from sct.ir.core import Eqn, Fn, Operand, Value, free_values, undef
from sct.ir.types import Seq, Type, Undef
from sct.passes.loops import Loop

__all__ = ["Tape"]


class Tape:
    """The taps that the backward pass of `fn` needs."""

    def __init__(self, fn: Fn) -> None:
        self._home: dict[Value, Fn] = {}
        self._parent: dict[Eqn, Fn] = {}
        self._taps: dict[tuple[Eqn, Fn], dict[Value, Value]] = {}
        self._visit(fn, None)

    def _visit(self, fn: Fn, region: Fn | None) -> None:
        if region is not None:
            self._home.update((v, region) for v in fn.params)
        for eqn in fn.eqns:
            if region is not None:
                self._home.update((v, region) for v in eqn.outs)
                self._parent[eqn] = region
            for inner in eqn.regions:
                self._visit(inner, inner)

    def needs(self, backward: Fn, region: Fn) -> list[Value]:
        """What `backward` reads of the values that `region` binds."""
        return [v for v in free_values(backward) if self._home.get(v) is region]

    def of_loop(self, loop: Loop, value: Value) -> Operand:
        """The sequence of what `value` is in each trip."""
        if value in loop.elems:
            return loop.xs[loop.elems.index(value)]
        if value in loop.yields:
            return loop.ys[loop.yields.index(value)]
        return self._tap(loop.eqn, loop.body, value, Seq(value.type))

    def of_arm(self, eqn: Eqn, arm: Fn, value: Value) -> Value:
        """The result of the `cond` that is `value` when `arm` is taken."""
        for r, out in zip(arm.results, eqn.outs):
            if r is value and out.type == value.type:
                return out
        certain = isinstance(value.type, Undef) or any(map(raises, eqn.regions))
        return self._tap(eqn, arm, value, value.type if certain else Undef(value.type))

    def _tap(self, eqn: Eqn, region: Fn, value: Value, type: Type) -> Value:
        taps = self._taps.setdefault((eqn, region), {})
        if value not in taps:
            taps[value] = Value(type, value.hint)
            if eqn in self._parent:
                self._home[taps[value]] = self._parent[eqn]
        return taps[value]

    def taped(self, eqns: Iterable[Eqn]) -> tuple[Eqn, ...]:
        """The equations with the taps as further outs."""
        return tuple(map(self._eqn, eqns))

    def _eqn(self, eqn: Eqn) -> Eqn:
        if not eqn.regions:
            return eqn
        taps = [(region, value, out) for region in eqn.regions
                for value, out in self._taps.get((eqn, region), {}).items()]
        regions = []
        for region in eqn.regions:
            extra: Sequence[Operand] = [value if home is region else undef(value.type) for home, value, _ in taps]
            if eqn.op.name == "loop" and region is not eqn.regions[-1]:
                extra = ()
            regions.append(region.with_(eqns=self.taped(region.eqns), results=(*region.results, *extra)))
        return eqn.with_(regions=tuple(regions), outs=(*eqn.outs, *(out for _, _, out in taps)))


