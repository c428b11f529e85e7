"""Residuals of regions: the backward pass reads values that a region of the forward pass binds.

    for i: t = f(i); ...        ->   ts = [t for each i]; for i reversed: ... read ts[i]

In:  a function, and backward code that is written as if every forward value were in scope. Out: the function with
taps, and the backward code that reads those. A tap is an out that makes a value of a region visible outside: one more
sequence that a loop yields, or one more result of a `cond`. It is itself bound in the region around, so a value in
nested regions takes one tap for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import cast

from sct.errors import SctError
from sct.ir.build import Builder
from sct.ir.check import always_raises
from sct.ir.core import (
    Eqn,
    Fn,
    Lit,
    Operand,
    Value,
    free_values,
    has_effect,
    is_float,
    rebuild,
    substitute,
    undef,
    walk,
)
from sct.ir.dims import Apply, Dim
from sct.ir.loop_view import LoopView
from sct.ir.types import INT, NONE, List, Optional, Seq, Tensor, Type, Undef
from sct.ir.uses import DefUse, operands_read
from sct.ops.arrays.creation import zeros_of
from sct.ops.arrays.indexing import index
from sct.ops.arrays.shape import dim
from sct.ops.program.call_ops import pack, unpack
from sct.ops.program.list_ops import known_length, repeat, zero
from sct.ops.scalar.comparison import is_none, unwrap
from sct.passes.analysis.loop_layout import moving_sizes
from sct.passes.autodiff.cotangents import conditional, cotangent_type, current, materialize, unwrap_known
from sct.passes.autodiff.cotangents import zero as zero_cotangent
from sct.passes.autodiff.derivative_lookup import derivatives_var

__all__ = ["ResidualTaps", "live_eqns", "pack_cotangents", "unpack_cotangents", "without_raises"]


def _is_fixed(size: Dim, moving: Set[str]) -> bool:
    """Do equal terms mean equal sizes?  The term does not say which branch or which iteration it belongs to."""
    return (not any(isinstance(atom, Apply) and atom.fn == "join" for atom, _ in size.terms)
            and moving.isdisjoint(size.symbols))


class ResidualTaps:
    """The taps that the backward pass of `fn` needs.

    _def_use           the def-use analysis of `fn`; its `home` has the taps as well
    _taps              for an equation and one of its regions: the tap of each value
    _first_of_type     for an array type: the value that replaces others where only their shape is read
    _last_of_type      the same for code that runs after the function
    _mirrors           for a loop or conditional: the attribute `mirrors` that it gets
    _calls             for a call: the call of a forward part that replaces it
    _new_lengths       for a list: its length, to be read where the list is bound
    _existing_lengths  for a list: its length, which `fn` itself reads there
    _elements          for a value read from an array: the equation that reads it
    _slices            for a value computed elementwise from a slice of the same type: that slice
    _dims              for a size: the array that it was read from
    """

    def __init__(self, fn: Fn) -> None:
        self._def_use = DefUse(fn)
        self._home, self._parent = self._def_use.home, self._def_use.parent
        self._taps: dict[tuple[Eqn, Fn], dict[Value, Value]] = {}
        self._first_of_type: dict[Type, Value] = {}
        self._last_of_type: dict[Type, Value] = {}
        self._mirrors: dict[Eqn, tuple[int, ...]] = {}
        self._calls: dict[Eqn, Eqn] = {}
        self._new_lengths: dict[Value, Value] = {}
        self._existing_lengths: dict[Value, Value] = {}
        moving = moving_sizes(fn)
        for v in (*fn.params, *(out for eqn in fn.eqns for out in eqn.outs)):
            if isinstance(v.type, Tensor) and v.type.is_array and all(_is_fixed(d, moving) for d in v.type.shape):
                self._first_of_type.setdefault(v.type, v)
                first = self._first_of_type[v.type]
                self._last_of_type[v.type] = first if first in fn.params else v
        self._elements: dict[Value, Eqn] = {}
        self._slices: dict[Value, Value] = {}
        self._dims: dict[Operand, Operand] = {}
        for eqn in walk(fn):
            if eqn.op is index:
                self._elements[eqn.out] = eqn
            elif eqn.op.partials is not None:
                self._slices.update((eqn.out, self._slices.get(a, a)) for a in eqn.args if isinstance(a, Value)
                                    and a.type == eqn.out.type and self._slices.get(a, a) in self._elements)
            elif eqn.op is dim:
                self._dims[eqn.out] = eqn.args[0]
                x = eqn.args[0]
                if isinstance(x, Value) and isinstance(x.type, List) and self._home.get(x) is self._parent[eqn]:
                    self._existing_lengths.setdefault(x, eqn.out)

    def element_read(self, v: Value, beside: Eqn) -> Eqn | None:
        """The equation that reads `v` from an array, if it is in the same region as the equation `beside`."""
        return self._elements.get(v) if self._home.get(v) is self._parent.get(beside) else None

    def reads_all(self, loop: LoopView) -> bool:
        """Does the loop provably read its `xs` to their ends?  Loops in adjoint code do."""
        if loop.exits or not loop.eqn.primal or not loop.xs:
            return not loop.exits
        start, stop, step = loop.bounds
        return start == Lit(0) and step == Lit(1) and all(self._dims.get(stop) is x for x in loop.xs)

    def mirrors_of(self, eqn: Eqn) -> tuple[int, ...]:
        """The attribute `mirrors` of the loop or conditional `eqn`, and of those that mirror it.

        A function that is differentiated outside of a program has no numbers for them.
        """
        if eqn not in self._mirrors:
            program = derivatives_var.get(None)
            self._mirrors[eqn] = eqn.attrs.get("mirrors") or (() if program is None else (program.new_mirror(),))
        return self._mirrors[eqn]

    def residuals_of(self, backward: Fn, region: Fn) -> list[Value]:
        """The values bound in `region` that `backward` reads."""
        return [v for v in free_values(backward) if self._home.get(v) is region]

    def mirrored_branch(self, eqn: Eqn, branch: Fn, block: Builder, results: Sequence[Operand]) -> Fn:
        """The backward branch in `block`, which reads the values of the forward `branch` from taps of `eqn`."""
        eqns = self.drop_shape_dependences(live_eqns(block.eqns, results))
        backward = Fn(branch.name, (), eqns, tuple(results))
        env: dict[Value, Operand] = {}
        with block.nested() as taps:
            for v in self.residuals_of(backward, branch):
                tap = self.branch_result(eqn, branch, v)
                env[v] = tap if tap.type == v.type else unwrap_known(tap) if is_float(v) else cast(
                    Value, unwrap(tap, to=v.type))
        backward = rebuild(backward, env)
        return backward.replace(eqns=(*taps.eqns, *backward.eqns))

    def mirrored_body(self, loop: LoopView, backward: Fn) -> tuple[Fn, list[Operand]]:
        """(the body `backward`, which reads the values of the forward body from tapes; those tapes)"""
        env: dict[Value, Operand] = {}
        params, tapes = [], []
        for v in self.residuals_of(backward, loop.body):
            if v is loop.index:
                env[v] = backward.params[0]
                continue
            env[v] = p = Value(v.type, v.hint, v.dim)
            params.append(p)
            tapes.append(self.tape_of(loop, v))
        return rebuild(backward.replace(params=(*backward.params, *params)), env), tapes

    def drop_shape_dependences(self, eqns: Iterable[Eqn]) -> tuple[Eqn, ...]:
        """The equations, without dependence on a taped value where only its shape is read.

        The shape is that of a value in scope, or of the slice from which the taped value was computed.
        """
        return self.replace_list_lengths(
            [self._from_slice(_reshaped(eqn, self._first_of_type, self._is_in_region)) for eqn in eqns])

    def _is_in_region(self, x: Value) -> bool:
        """Is the value bound in a region of the function, so that it has to be taped?"""
        return self._home.get(x, self._def_use.fn) is not self._def_use.fn

    def _from_slice(self, eqn: Eqn) -> Eqn:
        k = next(iter(eqn.op.shapes), None)
        x = self._slices.get(cast(Value, eqn.args[k])) if k is not None else None
        return eqn if x is None or k is None else eqn.replace(args=(*eqn.args[:k], x, *eqn.args[k + 1:]))

    def drop_trailing_shape_dependences(self, eqns: Iterable[Eqn]) -> tuple[Eqn, ...]:
        """The same for equations that run after the function: shapes are those of its params or its last values,
        since the buffers of others may have been overwritten."""
        return self.replace_list_lengths([_reshaped(eqn, self._last_of_type, lambda _: True) for eqn in eqns])

    def replace_list_lengths(self, eqns: Sequence[Eqn]) -> tuple[Eqn, ...]:
        """The equations, which read the length that a list had in place of the list, which may have grown since."""
        env: dict[Value, Operand] = {}
        new_eqns: list[Eqn] = []
        for eqn in eqns:
            if env:
                (eqn,) = rebuild(Fn("", (), (eqn,), ()), env).eqns
            x = eqn.args[0] if eqn.op in (dim, zeros_of) else None
            if not isinstance(x, Value) or not _of_numbers(x.type) or x not in self._def_use.definitions:
                new_eqns.append(eqn)
            elif eqn.op is dim:
                env[eqn.out] = self._length_of(x)
            else:
                elem = zero(Value(cast(List, x.type).elem))
                new_eqns.append(eqn.replace(op=repeat, args=(elem, self._length_of(x)), attrs={}))
        return tuple(new_eqns)

    def _length_of(self, x: Value) -> Operand:
        """The length of the list `x`, read where `x` is bound, or known from what is bound there."""
        length = known_length(x, self._def_use.defining_eqn)
        if length is not None:
            return Lit(length)
        if x in self._existing_lengths:
            return self._existing_lengths[x]
        if x not in self._new_lengths:
            self._new_lengths[x] = Value(INT)
            self._home[self._new_lengths[x]] = self._home[x]
        return self._new_lengths[x]

    def _length_equations(self, values: Iterable[Value]) -> list[Eqn]:
        lengths = self._new_lengths
        return [Eqn(dim, (v,), (lengths[v],), {"axis": 0}, primal=False) for v in values if v in lengths]

    def tape_of(self, loop: LoopView, value: Value) -> Operand:
        """The tape of `value`: the sequence of its values in all iterations."""
        if value in loop.elems:
            return loop.xs[loop.elems.index(value)]
        if value in loop.yields:
            return loop.ys[loop.yields.index(value)]
        return self._tap(loop.eqn, loop.body, value, Seq(value.type))

    def branch_result(self, eqn: Eqn, branch: Fn, value: Value) -> Value:
        """The out of the `cond` that is `value` if `branch` is taken."""
        for r, out in zip(branch.results, eqn.outs):
            if r is value and out.type == value.type:
                return out
        missing = isinstance(value.type, Undef) or isinstance(value.type, Optional) and is_float(value)
        certain = missing or any(map(always_raises, eqn.regions))
        return self._tap(eqn, branch, value, value.type if certain else Undef(value.type))

    def _tap(self, eqn: Eqn, region: Fn, value: Value, type: Type) -> Value:
        taps = self._taps.setdefault((eqn, region), {})
        if value not in taps:
            taps[value] = Value(type, value.hint)
            self._home[taps[value]] = self._parent[eqn]
        return taps[value]

    def record_of(self, eqn: Eqn, forward: str, record: Type) -> Value:
        """The record that the call `eqn` returns once it is a call of the forward part of its function."""
        split_call = self._calls.get(eqn)
        if split_call is not None:
            if split_call.attrs["callee"] != forward:
                raise SctError("SCT410", "this call is differentiated in two ways at once", loc=eqn.loc,
                               why="each would keep records of its own")
            return split_call.outs[-1]
        out = Value(record, "residuals")
        self._home[out] = self._parent[eqn]
        attrs = {**eqn.attrs, "callee": forward, "types": (*eqn.attrs["types"], record)}
        self._calls[eqn] = eqn.replace(attrs=attrs, outs=(*eqn.outs, out))
        return out

    def with_taps(self, eqns: Iterable[Eqn]) -> tuple[Eqn, ...]:
        """The equations with their taps as further outs."""
        return tuple(e for eqn in eqns for e in (self._eqn_with_taps(eqn), *self._length_equations(eqn.outs)))

    def _eqn_with_taps(self, eqn: Eqn) -> Eqn:
        if not eqn.regions:
            return self._calls.get(eqn, eqn)
        taps = [(region, value, out) for region in eqn.regions
                for value, out in self._taps.get((eqn, region), {}).items()]
        regions = []
        for region in eqn.regions:
            extra: Sequence[Operand] = [value if home is region else undef(value.type) for home, value, _ in taps]
            if eqn.op.name == "loop" and region is not eqn.regions[-1]:
                extra = ()
            inner = (*self._length_equations(region.params), *self.with_taps(region.eqns))
            regions.append(region.replace(eqns=inner, results=(*region.results, *extra)))
        attrs = {**eqn.attrs, "mirrors": self._mirrors[eqn]} if eqn in self._mirrors else eqn.attrs
        return eqn.replace(regions=tuple(regions), outs=(*eqn.outs, *(out for _, _, out in taps)), attrs=attrs)


def _reshaped(eqn: Eqn, like: Mapping[Type, Value], which: Callable[[Value], bool]) -> Eqn:
    """The equation with another shape operand of the same type, if `which` holds for its shape operand."""
    k = next(iter(eqn.op.shapes), None)
    x = eqn.args[k] if k is not None else None
    if k is None or not isinstance(x, Value) or not which(x) or x.type not in like:
        return eqn
    return eqn.replace(args=(*eqn.args[:k], like[x.type], *eqn.args[k + 1:]))


def _of_numbers(t: Type) -> bool:
    return isinstance(t, List) and isinstance(t.elem, Tensor) and t.elem.is_scalar


def live_eqns(eqns: Sequence[Eqn], results: Iterable[Operand]) -> list[Eqn]:
    """The equations that `results` depend on, and those with effects; nothing is taped for the others."""
    used: set[Operand] = set(results)
    live = []
    for eqn in reversed(eqns):
        if has_effect(eqn) or not used.isdisjoint(eqn.outs):
            live.append(eqn)
            used.update(eqn.args)
            for region in eqn.regions:
                used.update(operands_read(region))
    return live[::-1]


def without_raises(fn: Fn) -> Fn:
    """`fn`, which is evaluated again and has not raised, without the conditionals that decide whether it raises."""
    env: dict[Value, Operand] = {}
    eqns: list[Eqn] = []
    for eqn in fn.eqns:
        (eqn,) = rebuild(Fn("", (), (eqn,), ()), env).eqns
        eqn = eqn.replace(regions=tuple(map(without_raises, eqn.regions)))
        branches = [branch for branch in eqn.regions if eqn.op.name == "cond" and not always_raises(branch)]
        if len(branches) == 1 and all(r.type == out.type for r, out in zip(branches[0].results, eqn.outs)):
            eqns += branches[0].eqns
            env.update(zip(eqn.outs, branches[0].results))
        else:
            eqns.append(eqn)
    return fn.replace(eqns=tuple(eqns), results=substitute(fn.results, env))


def pack_cotangents(values: Sequence[Operand], cts: Sequence[Operand | None], of: str) -> Operand:
    """The cotangent of a record `of` of these values: the record of their cotangents."""
    fields = [materialize(ct, v) if is_float(v) else Lit(None) for v, ct in zip(values, cts)]
    return cast(Operand, pack(*fields, of="d" + of))


def unpack_cotangents(ct: Operand, values: Sequence[Operand]) -> Sequence[Operand]:
    """The cotangents of values that are the fields of a record with the cotangent `ct`."""
    types = tuple(cotangent_type(v.type) if is_float(v) else NONE for v in values)
    if not isinstance(ct.type, Optional):
        return cast("Sequence[Operand]", unpack(ct, types=types))
    with current().nested() as then:
        zeros = [zero_cotangent(v) if is_float(v) else Lit(None) for v in values]
    with current().nested() as orelse:
        fields = unpack(unwrap_known(ct), types=types)
    return conditional(cast(Operand, is_none(ct)), then.finish("then", [], zeros), orelse.finish("orelse", [], fields))
