"""Tapes: how the backward pass gets at values that a region of the forward pass binds.

A value of a loop body becomes one more `ys` of the loop, read by position; a value of
an arm one more result of the `cond`.  The tap is itself a value of the block around,
so what lies deeper takes as many taps as there are regions.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence, Set
from typing import cast

from sct.errors import SctError
from sct.ir.build import Builder
from sct.ir.check import raises
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, free_values, has_effect, rebuild, undef
from sct.ir.types import INT, Apply, Dim, List, Optional, Seq, Tensor, Type, Undef
from sct.ops.arrays.creation import zeros_of
from sct.ops.arrays.indexing import index
from sct.ops.arrays.shape import dim
from sct.ops.program.list_ops import repeat
from sct.passes.analysis.loop_layout import Loop, moving_sizes
from sct.passes.autodiff.cotangents import present

__all__ = ["Tape", "needed"]

def _is_fixed(size: Dim, moving: Set[str]) -> bool:
    """Do equal terms mean equal sizes?  What a branch decides is not in the term, nor which trip it is."""
    return (not any(isinstance(atom, Apply) and atom.fn == "join" for atom, _ in size.terms)
            and moving.isdisjoint(size.symbols))


class Tape:
    """The taps that the backward pass of `fn` needs."""

    def __init__(self, fn: Fn) -> None:
        self._home: dict[Value, Fn] = {}
        self._parent: dict[Eqn, Fn] = {}
        self._taps: dict[tuple[Eqn, Fn], dict[Value, Value]] = {}
        self._like: dict[Type, Value] = {}
        self._last: dict[Type, Value] = {}
        self._calls: dict[Eqn, Eqn] = {}
        self._counts: dict[Value, Value] = {}
        self._known_counts: dict[Value, Value] = {}
        self._params = set(fn.params)
        self._all: set[Value] = set()
        moving = moving_sizes(fn)
        for v in (*fn.params, *(out for eqn in fn.eqns for out in eqn.outs)):
            if isinstance(v.type, Tensor) and v.type.is_array and all(_is_fixed(d, moving) for d in v.type.shape):
                self._like.setdefault(v.type, v)
                self._last[v.type] = self._like[v.type] if self._like[v.type] in fn.params else v
        self._elements: dict[Value, Eqn] = {}
        self._slices: dict[Value, Value] = {}
        self._lengths: dict[Operand, Operand] = {}
        self._visit(fn, None)

    def _visit(self, fn: Fn, region: Fn | None) -> None:
        self._all.update(fn.params)
        if region is not None:
            self._home.update((v, region) for v in fn.params)
        for eqn in fn.eqns:
            self._all.update(eqn.outs)
            if region is not None:
                self._home.update((v, region) for v in eqn.outs)
                self._parent[eqn] = region
            if eqn.op is index:
                self._elements[eqn.out] = eqn
            elif eqn.op.partials is not None:
                self._slices.update((eqn.out, self._slices.get(a, a)) for a in eqn.args if isinstance(a, Value)
                                    and a.type == eqn.out.type and self._slices.get(a, a) in self._elements)
            elif eqn.op is dim:
                self._lengths[eqn.out] = eqn.args[0]
                x = eqn.args[0]
                if isinstance(x, Value) and isinstance(x.type, List) and self._home.get(x) is region:
                    self._known_counts.setdefault(x, eqn.out)
            for inner in eqn.regions:
                self._visit(inner, inner)

    def element(self, v: Value, beside: Eqn) -> Eqn | None:
        """The equation that reads `v` out of an array, if it is in the block of the equation `beside`."""
        return self._elements.get(v) if self._home.get(v) is self._parent.get(beside) else None

    def covers(self, loop: Loop) -> bool:
        """Does the loop surely read its `xs` to their ends?  One made by differentiation does."""
        if loop.exits or not loop.eqn.primal or not loop.xs:
            return not loop.exits
        start, stop, step = loop.bounds
        return start == Lit(0) and step == Lit(1) and all(self._lengths.get(stop) is x for x in loop.xs)

    def needs(self, backward: Fn, region: Fn) -> list[Value]:
        """What `backward` reads of the values that `region` binds."""
        return [v for v in free_values(backward) if self._home.get(v) is region]

    def arm(self, eqn: Eqn, arm: Fn, block: Builder, results: Sequence[Operand]) -> Fn:
        """The mirrored arm that `block` holds, the values of the arm itself read from taps of the `cond`."""
        mirrored = Fn(arm.name, (), self.relieve(needed(block.eqns, results)), tuple(results))
        env: dict[Value, Operand] = {}
        with block.nested() as head:
            for v in self.needs(mirrored, arm):
                tap = self.of_arm(eqn, arm, v)
                env[v] = tap if tap.type == v.type else present(tap)
        mirrored = rebuild(mirrored, env)
        return mirrored.with_(eqns=(*head.eqns, *mirrored.eqns))

    def body(self, loop: Loop, mirrored: Fn) -> tuple[Fn, list[Operand]]:
        """The mirrored body, the values of the body itself read from tapes; the tapes."""
        env: dict[Value, Operand] = {}
        params, tapes = [], []
        for v in self.needs(mirrored, loop.body):
            if v is loop.index:
                env[v] = mirrored.params[0]
                continue
            env[v] = p = Value(v.type, v.hint, v.dim)
            params.append(p)
            tapes.append(self.of_loop(loop, v))
        return rebuild(mirrored.with_(params=(*mirrored.params, *params)), env), tapes

    def relieve(self, eqns: Iterable[Eqn]) -> tuple[Eqn, ...]:
        """The equations, made to take shapes from a value in scope where that serves as well as a tape, or
        from a part of an array in place of what is computed from it."""
        return self.counted([self._sliced(_reshaped(eqn, self._like, self._home.keys())) for eqn in eqns])

    def _sliced(self, eqn: Eqn) -> Eqn:
        k = next(iter(eqn.op.shapes), None)
        x = self._slices.get(cast(Value, eqn.args[k])) if k is not None else None
        return eqn if x is None or k is None else eqn.with_(args=(*eqn.args[:k], x, *eqn.args[k + 1:]))

    def after(self, eqns: Iterable[Eqn]) -> tuple[Eqn, ...]:
        """The equations, which come after the function, made to take shapes from its params or its last
        values: others may have been overwritten."""
        return self.counted([_reshaped(eqn, self._last, eqn.args) for eqn in eqns])

    def counted(self, eqns: Sequence[Eqn]) -> tuple[Eqn, ...]:
        """The equations, made to read how long a list was, not the list, which may change."""
        env: dict[Value, Operand] = {}
        made: list[Eqn] = []
        for eqn in eqns:
            if env:
                (eqn,) = rebuild(Fn("", (), (eqn,), ()), env).eqns
            x = eqn.args[0] if eqn.op in (dim, zeros_of) else None
            if not isinstance(x, Value) or not _of_numbers(x.type) or x not in self._all or x in self._params:
                made.append(eqn)
            elif eqn.op is dim:
                env[eqn.out] = self._count(x)
            else:
                made.append(eqn.with_(op=repeat, args=(Lit(0.0), self._count(x)), attrs={}))
        return tuple(made)

    def _count(self, x: Value) -> Value:
        """The length of the list `x`, found where `x` is made."""
        if x in self._known_counts:
            return self._known_counts[x]
        if x not in self._counts:
            self._counts[x] = Value(INT)
            if x in self._home:
                self._home[self._counts[x]] = self._home[x]
        return self._counts[x]

    def _counting(self, values: Iterable[Value]) -> list[Eqn]:
        return [Eqn(dim, (v,), (self._counts[v],), {"axis": 0}, primal=False) for v in values if v in self._counts]

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
        certain = isinstance(value.type, (Undef, Optional)) or any(map(raises, eqn.regions))
        return self._tap(eqn, arm, value, value.type if certain else Undef(value.type))

    def _tap(self, eqn: Eqn, region: Fn, value: Value, type: Type) -> Value:
        taps = self._taps.setdefault((eqn, region), {})
        if value not in taps:
            taps[value] = Value(type, value.hint)
            if eqn in self._parent:
                self._home[taps[value]] = self._parent[eqn]
        return taps[value]

    def called(self, eqn: Eqn, forward: str, record: Type) -> Value:
        """The record of the call `eqn`, which becomes one of the forward part of its function."""
        known = self._calls.get(eqn)
        if known is not None:
            if known.attrs["callee"] != forward:
                raise SctError("SCT410", "this call is differentiated in two ways at once", loc=eqn.loc,
                               why="each would keep records of its own")
            return known.outs[-1]
        out = Value(record, "residuals")
        if eqn in self._parent:
            self._home[out] = self._parent[eqn]
        attrs = {**eqn.attrs, "callee": forward, "types": (*eqn.attrs["types"], record)}
        self._calls[eqn] = eqn.with_(attrs=attrs, outs=(*eqn.outs, out))
        return out

    def taped(self, eqns: Iterable[Eqn]) -> tuple[Eqn, ...]:
        """The equations with the taps as further outs."""
        return tuple(made for eqn in eqns for made in (self._eqn(eqn), *self._counting(eqn.outs)))

    def _eqn(self, eqn: Eqn) -> Eqn:
        if not eqn.regions:
            return self._calls.get(eqn, eqn)
        taps = [(region, value, out) for region in eqn.regions
                for value, out in self._taps.get((eqn, region), {}).items()]
        regions = []
        for region in eqn.regions:
            extra: Sequence[Operand] = [value if home is region else undef(value.type) for home, value, _ in taps]
            if eqn.op.name == "loop" and region is not eqn.regions[-1]:
                extra = ()
            inner = (*self._counting(region.params), *self.taped(region.eqns))
            regions.append(region.with_(eqns=inner, results=(*region.results, *extra)))
        return eqn.with_(regions=tuple(regions), outs=(*eqn.outs, *(out for _, _, out in taps)))


def _reshaped(eqn: Eqn, like: Mapping[Type, Value], which: Container[object]) -> Eqn:
    """The equation with the shape of another value of its type, if it reads the shape of one of `which`."""
    k = next(iter(eqn.op.shapes), None)
    x = eqn.args[k] if k is not None else None
    if k is None or not isinstance(x, Value) or x not in which or x.type not in like:
        return eqn
    return eqn.with_(args=(*eqn.args[:k], like[x.type], *eqn.args[k + 1:]))


def _of_numbers(t: Type) -> bool:
    return isinstance(t, List) and isinstance(t.elem, Tensor) and t.elem.is_scalar


def needed(eqns: Sequence[Eqn], results: Iterable[Operand]) -> list[Eqn]:
    """The equations that `results` depend on, so that nothing is taped in vain."""
    used: set[Operand] = set(results)
    kept = []
    for eqn in reversed(eqns):
        if has_effect(eqn) or not used.isdisjoint(eqn.outs):
            kept.append(eqn)
            used.update(eqn.args)
            for region in eqn.regions:
                used.update(_read(region))
    return kept[::-1]


def _read(fn: Fn) -> Iterable[Operand]:
    for eqn in fn.eqns:
        yield from eqn.args
        for region in eqn.regions:
            yield from _read(region)
    yield from fn.results
