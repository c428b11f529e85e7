"""Aliases: which values may share memory, where they are bound, and where they are read.

In:  a function, not changed. Out: `MemoryUses`, its bindings and accesses of values that hold arrays; `shared_memory`,
`flows` and `donations`, what single equations share, hand on and overwrite. `passes/memory` decides with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Union

from sct.ir.check import always_raises
from sct.ir.core import Eqn, Fn, Operand, Value, free_values
from sct.ir.loop_view import LoopView, loop_view
from sct.ir.types import Function, List, Residuals, Tensor, holds_array, leaf_type, list_depth
from sct.ops.arrays.indexing import add_at, index, replaces_item
from sct.ops.arrays.overlap import ViewStep, is_in_step
from sct.ops.arrays.shape import transpose
from sct.ops.program.effects import part
from sct.ops.registry import aliases, is_readonly
from sct.ops.type_rules import rank

__all__ = [
    "FOREVER", "FRESH_LISTS", "Access", "Binding", "Flow", "MemoryUses", "ProgramPoint", "becomes_item", "borrowed",
    "donations", "flows", "is_alias", "is_inner_list", "may_repeat_items", "may_share_items", "reads_shape_only",
    "shared_memory", "tolerates_overlap", "updates_outer_list", "writes_inner_list", "writes_items",
]

FOREVER = 1 << 60
"""The position of a read that may happen at any later time: by a closure, or through a record."""

Path = tuple[tuple[Eqn, int], ...]


@dataclass(frozen=True)
class ProgramPoint:
    """A point of a function.

    position  in reading order
    path      the regions around it: pairs of an equation and the position of its region
    level     how many of these regions may run more than once
    """

    position: int
    path: Path
    level: int

    def before(self, other: ProgramPoint) -> bool:
        """Can execution get from here to `other` without going round a loop?"""
        return self.position < other.position and not self.excludes(other)

    def excludes(self, other: ProgramPoint) -> bool:
        """Are the two points in different branches of one `cond`?"""
        for (eqn, branch), (eqn2, branch2) in zip(self.path, other.path):
            if eqn is not eqn2:
                return False
            if branch != branch2:
                return eqn.op.name == "cond"
        return False


@dataclass(frozen=True)
class Access:
    """A read of a value: the operand `index` of an equation, or the result `index` of a region."""

    owner: Union[Eqn, Fn]
    index: int
    value: Value
    point: ProgramPoint = field(compare=False)


@dataclass(frozen=True)
class Binding:
    """Where a value is bound: as the out `index` of `eqn`, or as the param `index` of `region`, a region of `eqn`.

    Of a param of the function, `eqn` is None.

    escapes   the caller may read the buffer later, or it must not be written
    borrowed  it escapes into a record, which nobody writes
    readonly  it is a view that NumPy forbids to write, although its base may be written
    """

    eqn: Eqn | None
    region: Fn | None
    index: int
    point: ProgramPoint
    escapes: bool = False
    borrowed: bool = False
    readonly: bool = False


class MemoryUses:
    """Where a function binds and reads the values that hold arrays.

    bindings  for a value
    reads     for a value: its accesses
    eqns      all equations, with the points at which they read their operands
    ends      for a region: the point at which it reads its results
    """

    def __init__(self, fn: Fn) -> None:
        self.fn = fn
        self.bindings: dict[Value, Binding] = {}
        self.reads: dict[Value, list[Access]] = {}
        self.eqns: list[tuple[Eqn, ProgramPoint]] = []
        self._points: dict[Eqn, ProgramPoint] = {}
        self.ends: dict[Fn, ProgramPoint] = {}
        self._accesses: dict[tuple[Eqn | Fn, int], Access] = {}
        self._position = 0
        self._region(fn, None, (), 0)

    def access(self, owner: Eqn | Fn, index: int) -> Access | None:
        """The access of an operand or result, if that is a value that holds an array."""
        return self._accesses.get((owner, index))

    def point(self, eqn: Eqn) -> ProgramPoint:
        """The point at which an equation reads its operands, before its regions run."""
        return self._points[eqn]

    def current(self, access: Access) -> Access:
        """The access after redirections."""
        return self._accesses[access.owner, access.index]

    def read_copy(self, access: Access, copy: Value) -> Access:
        """Let the access read `copy`, a copy of its value that is made where the value is bound; the new access."""
        self.bindings[copy] = replace(self.bindings[access.value], eqn=None, region=None, escapes=False,
                                      borrowed=False, readonly=False)
        return self.retarget(access, copy)

    def retarget(self, access: Access, value: Value) -> Access:
        """Let the access read `value`; the new access."""
        self.reads[access.value].remove(access)
        retargeted = replace(access, value=value)
        self.reads.setdefault(value, []).append(retargeted)
        self._accesses[access.owner, access.index] = retargeted
        return retargeted

    def base(self, v: Value) -> Value:
        """The array that `v` is a view of, or `v` itself."""
        eqn = self.bindings[v].eqn
        of = eqn.args[eqn.op.alias_of] if eqn is not None and is_alias(eqn) else v
        return self.base(of) if isinstance(of, Value) and of is not v else v

    def _next_point(self, path: Path, level: int) -> ProgramPoint:
        self._position += 1
        return ProgramPoint(self._position, path, level)

    def _region(self, fn: Fn, owner: Eqn | None, path: Path, level: int) -> None:
        point = self._next_point(path, level)
        escapes = owner is None or owner.op.name != "loop" or fn is not owner.regions[-1]
        donated = [k for k, _ in fn.donated_params]
        for k, p in enumerate(fn.params):
            self.bindings[p] = Binding(owner, fn, k, point, escapes and k not in donated)
        for eqn in fn.eqns:
            self._eqn(eqn, path, level)
        self.ends[fn] = self._next_point(path, level)
        self._read(fn, fn.results, self.ends[fn])

    def _eqn(self, eqn: Eqn, path: Path, level: int) -> None:
        point = self._next_point(path, level)
        self.eqns.append((eqn, point))
        self._points[eqn] = point
        self._read(eqn, eqn.args, replace(point, position=FOREVER) if eqn.op.name == "pack" else point)
        runs_repeatedly = eqn.op.name != "cond"
        for k, region in enumerate(eqn.regions):
            self._region(region, eqn, (*path, (eqn, k)), level + runs_repeatedly)
        if eqn.op.name == "closure" and eqn.attrs.get("escapes", True):
            self._read(eqn, free_values(eqn.regions[0]), ProgramPoint(FOREVER, (), level))
        for called in self._functions_called(eqn):
            self._read(called, free_values(called.regions[0]), point)
        point = self._next_point(path, level)
        in_records = borrowed(eqn)
        for k, out in enumerate(eqn.outs):
            readonly = is_readonly(eqn)
            escapes = eqn.op.effect or eqn.op is part or readonly or out in in_records
            self.bindings[out] = Binding(eqn, None, k, point, escapes, out in in_records, readonly)

    def _functions_called(self, eqn: Eqn) -> list[Eqn]:
        """The functions among the operands that do not escape: the equation calls them."""
        bindings = [self.bindings[x] for x in eqn.args if isinstance(x, Value) and isinstance(x.type, Function)]
        return [b.eqn for b in bindings if b.eqn is not None and not b.eqn.attrs.get("escapes", True)]

    def _read(self, owner: Eqn | Fn, operands: Sequence[Operand], point: ProgramPoint) -> None:
        for k, x in enumerate(operands):
            if isinstance(x, Value) and holds_array(x.type):
                access = Access(owner, k, x, point)
                self.reads.setdefault(x, []).append(access)
                self._accesses[owner, k] = access


def borrowed(eqn: Eqn) -> set[Value]:
    """The outs that records may hold: those of an `unpack`, and those of a call of a forward part, except the outs
    that take over the buffer of an operand."""
    if eqn.op.name == "unpack":
        return set(eqn.outs)
    if eqn.op.name != "call" or not any(isinstance(out.type, Residuals) for out in eqn.outs):
        return set()
    return set(eqn.outs) - {eqn.outs[j] for _, j in eqn.attrs.get("donates", ())}


def shared_memory(eqn: Eqn, inner: bool) -> Iterator[tuple[Operand, int]]:
    """The operands with which the out of an equation without regions shares buffers, with the depth from which on it
    shares them: the buffer of an array has depth 0, a list of arrays depth 1.

    inner  nested lists are mutated: updating an inner list also overwrites the outer one
    """
    of = eqn.args[eqn.op.alias_of] if eqn.args else None
    out = list_depth(eqn.out.type)
    if of is not None and is_alias(eqn):
        yield of, out
    elif isinstance(eqn.out.type, List):
        if eqn.op.name == "index" and eqn.attrs["key"][0] == "i":
            yield eqn.args[0], out
        elif eqn.op.name == "copy_list":
            if not eqn.attrs.get("deep", False):
                yield eqn.args[0], 0
        elif inner and eqn.op.updates:
            yield eqn.args[0], 0
            yield from ((x, min(out - 1, list_depth(x.type))) for x in eqn.args[1:])
        elif eqn.op.updates or eqn.op.holds:
            yield from ((x, min(out - 1, list_depth(x.type))) for x in eqn.args)


@dataclass(frozen=True)
class Flow:
    """How arrays flow between regions: each of the `targets` takes over or shares the buffers of the `sources`.

    The target is an out of a `cond`; or the param and the final value of a carry."""

    sources: tuple[tuple[Eqn | Fn, int], ...]
    targets: tuple[Value, ...]


def carry_flow(loop: LoopView, k: int) -> Flow:
    """The flow of the carry `k`."""
    first = len(loop.bounds)
    sources: tuple[tuple[Eqn | Fn, int], ...] = ((loop.eqn, first + k), (loop.body, 1 + k))
    return Flow(sources, (loop.params[k], loop.finals[k]))


def flows(eqn: Eqn) -> Iterator[Flow]:
    """The flows between the regions of a `cond` or loop."""
    if eqn.op.name == "cond":
        branches = [branch for branch in eqn.regions if not always_raises(branch)]
        for k, out in enumerate(eqn.outs):
            if holds_array(out.type):
                yield Flow(tuple((branch, k) for branch in branches), (out,))
    elif eqn.op.name == "loop":
        loop = loop_view(eqn)
        for k, p in enumerate(loop.params):
            if holds_array(p.type):
                yield carry_flow(loop, k)


# -- what an equation does with the memory of an operand --------------------------------------


def donations(eqn: Eqn) -> Mapping[Operand, int]:
    """The outs that take over the buffer of an operand, with the position of the operand."""
    if eqn.op.name == "call":
        return {eqn.outs[j]: k for k, j in eqn.attrs.get("donates", ()) if holds_array(eqn.outs[j].type)}
    return {eqn.out: 0} if eqn.op.updates and holds_array(eqn.out.type) else {}


def reads_shape_only(access: Access) -> bool:
    """Does the access read the shape of an array, and not its elements?"""
    eqn = access.owner
    return isinstance(eqn, Eqn) and access.index in eqn.op.shapes and isinstance(access.value.type, Tensor)


def tolerates_overlap(access: Access, memory: MemoryUses) -> bool:
    """Does NumPy handle operands that overlap the array which this updates?"""
    eqn = access.owner
    if not isinstance(eqn, Eqn) or not eqn.op.updates:
        return False
    if isinstance(eqn.out.type, List):
        return list_depth(eqn.out.type) == 1
    key = eqn.attrs["key"]
    if {"a", "m"} & set(key):
        return False
    if eqn.op is add_at:
        return True

    def definition(x: Value) -> Eqn | None:
        return memory.bindings[x].eqn if x in memory.bindings else None

    def view(x: Operand) -> tuple[Operand, list[ViewStep]]:
        by = definition(x) if isinstance(x, Value) else None
        if by is None or by.op not in (index, transpose) or not is_alias(by):
            return x, []
        base, path = view(by.args[0])
        return base, [*path, (by.op, by.args[1:], by.attrs)]

    (base, written), (of, read) = view(eqn.args[0]), view(eqn.args[1])
    steps = [(by.op, by.args[1:], by.attrs) if by is not None and is_alias(by) else None
             for by in (definition(x) if isinstance(x, Value) else None for x in (base, of))]
    if of.type != base.type or steps[0] != steps[1]:
        (base, written), read = (eqn.args[0], []), [(eqn.op, (), {})]  # the value is another view
    written.append((index, eqn.args[2:], {"key": key}))
    return is_in_step(rank(base), written, rank(eqn.args[0]), read, definition)


def is_alias(eqn: Eqn) -> bool:
    """May the out share memory with an operand?"""
    return eqn.op.name == "unwrap" or aliases(eqn) != "none"


def becomes_item(access: Access) -> bool:
    """Does the equation put what it reads here into a list?"""
    eqn = access.owner
    return isinstance(eqn, Eqn) and (eqn.op.name == "list_of" or eqn.op.updates and access.index > 0)


def is_inner_list(eqn: Eqn) -> bool:
    """Does the equation read a list out of a list?"""
    return eqn.op.name == "index" and isinstance(eqn.out.type, List) and eqn.attrs["key"][0] == "i"


def writes_inner_list(eqn: Eqn) -> bool:
    """Does the equation write into a list inside a list?"""
    return eqn.op.updates and isinstance(eqn.out.type, List) and len(eqn.attrs.get("key", ())) > 1


def updates_outer_list(access: Access) -> bool:
    """Does the equation change which lists are in a list, and none of these?"""
    eqn = access.owner
    return isinstance(eqn, Eqn) and eqn.op.updates and access.index == 0 and not writes_inner_list(eqn)


def writes_items(eqn: Eqn) -> bool:
    """Does the equation write into an array that a list holds?  `xs[i][j] = v` does, and so does `xs[i] += 1.0`."""
    if eqn.op.name not in ("store", "add_at") or not isinstance(eqn.out.type, List):
        return False
    leaf, key = leaf_type(eqn.out.type), eqn.attrs["key"]
    beyond = len(key) - list_depth(eqn.out.type)
    return isinstance(leaf, Tensor) and leaf.is_array and (
        beyond > 0 or beyond == 0 and eqn.op.name == "add_at" and not replaces_item(eqn.args[0], eqn.args[1], key))


def may_repeat_items(eqn: Eqn) -> bool:
    """May the out hold the same list or array twice?"""
    if eqn.op.name == "list_of":
        held = [x for x in eqn.args if holds_array(x.type)]
        return len(set(held)) < len(held)
    return eqn.op.name in ("repeat", "repeated", "joined", "extend", "splice") and list_depth(eqn.out.type) > 1


def may_share_items(eqn: Eqn) -> bool:
    """May a list among the outs hold an array twice, or an array that another value holds?"""
    return any(isinstance(out.type, List) for out in eqn.outs) and not (
        eqn.op.updates or eqn.op.name in ("list_of", *FRESH_LISTS) or eqn.attrs.get("deep", False))


FRESH_LISTS = ("zeros_of", "add_lists", "add_at", "remove_at", "loop", "cond")
"""Ops that give a list whose arrays no other value holds."""
