"""What may share memory with what, and which values are read after a point.

Every read of a value is a `Slot`: an operand of an equation, or a result of a region,
with its place in the program: a position in reading order, the regions around it, and
how many of them are run more than once (its level).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Union

from sct.ir.check import always_raises
from sct.ir.core import Eqn, Fn, Operand, Value, free_values
from sct.ir.loop_view import LoopView, loop_view
from sct.ir.types import List, Optional, Residuals, Seq, Tensor, Type, Undef
from sct.ops.program.list_ops import HOLDS, UPDATES
from sct.ops.registry import aliases, is_readonly

__all__ = [
    "FOREVER", "OWN", "Definition", "Flow", "Place", "Program", "Slot", "depth", "flows", "holds_array", "holds_twice",
    "borrowed", "is_deep", "is_item", "is_shape", "may_overlap", "shares", "taken"]

FOREVER = 1 << 60
"""The position of a read that may happen at any time later: by a closure, or of a record."""

Path = tuple[tuple[Eqn, int], ...]


@dataclass(frozen=True)
class Place:
    position: int
    path: Path
    level: int

    def before(self, other: Place) -> bool:
        """May the program get from here to `other`, going forward?"""
        return self.position < other.position and not self.excludes(other)

    def excludes(self, other: Place) -> bool:
        """Are the two in different branches of one `cond`?"""
        for (eqn, branch), (eqn2, branch2) in zip(self.path, other.path):
            if eqn is not eqn2:
                return False
            if branch != branch2:
                return eqn.op.name == "cond"
        return False


@dataclass(frozen=True)
class Slot:
    """The operand `index` of an equation, or the result `index` of a region."""

    owner: Union[Eqn, Fn]
    index: int
    value: Value
    place: Place = field(compare=False)


@dataclass(frozen=True)
class Definition:
    """Where a value is bound: by an equation, or as a param of a region of it (`region` is that
    region; both are None for a param of the function).

    escapes   the caller may read it later, or it may not be written
    borrowed  it escapes into a record, which nobody writes
    readonly  it is a view that NumPy forbids to write, of what may be written
    """

    eqn: Eqn | None
    region: Fn | None
    index: int
    place: Place
    escapes: bool = False
    borrowed: bool = False
    readonly: bool = False


def holds_array(t: Type) -> bool:
    """Is this an array or a list, or a sequence of them, if it is there at all?"""
    while isinstance(t, (Seq, Undef, Optional)):
        if isinstance(t, List):
            return True
        t = t.elem
    return isinstance(t, Tensor) and t.is_array


class Program:
    """The reads, definitions and regions of `fn`, of values that hold arrays."""

    def __init__(self, fn: Fn) -> None:
        self.fn = fn
        self.definitions: dict[Value, Definition] = {}
        self.reads: dict[Value, list[Slot]] = {}
        self.eqns: list[tuple[Eqn, Place]] = []
        self._places: dict[Eqn, Place] = {}
        self.ends: dict[Fn, Place] = {}
        self._slots: dict[tuple[Eqn | Fn, int], Slot] = {}
        self._position = 0
        self._region(fn, None, (), 0)

    def slot(self, owner: Eqn | Fn, index: int) -> Slot | None:
        """The slot of an operand or result, if it holds an array that is not a literal."""
        return self._slots.get((owner, index))

    def place(self, eqn: Eqn) -> Place:
        """Where an equation reads its operands; its regions come after that."""
        return self._places[eqn]

    def now(self, slot: Slot) -> Slot:
        """The slot as it is after redirections."""
        return self._slots[slot.owner, slot.index]

    def redirect(self, slot: Slot, copy: Value) -> Slot:
        """Let the slot read `copy`, a copy of what it read made where that is bound; the slot as it is now."""
        self.definitions[copy] = replace(self.definitions[slot.value], eqn=None, region=None, escapes=False,
                                         borrowed=False, readonly=False)
        return self.reread(slot, copy)

    def reread(self, slot: Slot, value: Value) -> Slot:
        """Let the slot read `value`; the slot as it is now."""
        self.reads[slot.value].remove(slot)
        moved = replace(slot, value=value)
        self.reads.setdefault(value, []).append(moved)
        self._slots[slot.owner, slot.index] = moved
        return moved

    def _here(self, path: Path, level: int) -> Place:
        self._position += 1
        return Place(self._position, path, level)

    def _region(self, fn: Fn, of: Eqn | None, path: Path, level: int) -> None:
        place = self._here(path, level)
        escapes = of is None or of.op.name != "loop" or fn is not of.regions[-1]
        donated = [k for k, _ in fn.donated_params]
        for k, p in enumerate(fn.params):
            self.definitions[p] = Definition(of, fn, k, place, escapes and k not in donated)
        for eqn in fn.eqns:
            self._eqn(eqn, path, level)
        self.ends[fn] = self._here(path, level)
        self._read(fn, fn.results, self.ends[fn])

    def _eqn(self, eqn: Eqn, path: Path, level: int) -> None:
        place = self._here(path, level)
        self.eqns.append((eqn, place))
        self._places[eqn] = place
        self._read(eqn, eqn.args, replace(place, position=FOREVER) if eqn.op.name == "pack" else place)
        again = eqn.op.name != "cond"
        for k, region in enumerate(eqn.regions):
            self._region(region, eqn, (*path, (eqn, k)), level + again)
        if eqn.op.name == "closure":
            ever = Place(FOREVER, (), level)
            self._read(eqn, free_values(eqn.regions[0]), ever)
        place = self._here(path, level)
        kept = borrowed(eqn)
        for k, out in enumerate(eqn.outs):
            readonly = is_readonly(eqn)
            escapes = eqn.op.effect or readonly or out in kept
            self.definitions[out] = Definition(eqn, None, k, place, escapes, out in kept, readonly)

    def _read(self, owner: Eqn | Fn, operands: Sequence[Operand], place: Place) -> None:
        for k, x in enumerate(operands):
            if isinstance(x, Value) and holds_array(x.type):
                slot = Slot(owner, k, x, place)
                self.reads.setdefault(x, []).append(slot)
                self._slots[owner, k] = slot


def borrowed(eqn: Eqn) -> set[Value]:
    """The outs that records may hold: of an `unpack`, and of a forward part all that it does not make in the
    buffer of an operand."""
    if eqn.op.name == "unpack":
        return set(eqn.outs)
    if eqn.op.name != "call" or not any(isinstance(out.type, Residuals) for out in eqn.outs):
        return set()
    return set(eqn.outs) - {eqn.outs[j] for _, j in eqn.attrs.get("donates", ())}


def depth(t: Type) -> int:
    """How many lists there are around what is inmost."""
    n = 0
    while isinstance(t, (Seq, Undef, Optional)):
        n, t = n + isinstance(t, Seq), t.elem
    return n


def shares(eqn: Eqn, inner: bool = False) -> Iterator[tuple[Operand, int]]:
    """What the out of an equation without regions shares with an operand, and down from which depth: the
    memory of an array has depth 0, a list of arrays 1.

    inner  lists in lists are written: an update takes them over with the list that they are in
    """
    of = eqn.args[eqn.op.alias_of] if eqn.args else None
    out = depth(eqn.out.type)
    if of is not None and (eqn.op.name == "unwrap" or aliases(eqn) != "none"):
        yield of, out
    elif isinstance(eqn.out.type, List):
        if eqn.op.name == "index" and eqn.attrs["key"][0] == "i":
            yield eqn.args[0], out
        elif inner and eqn.op.name in UPDATES:
            yield eqn.args[0], 0
            yield from ((x, min(out - 1, depth(x.type))) for x in eqn.args[1:])
        elif eqn.op.name in UPDATES or eqn.op.name in HOLDS:
            yield from ((x, min(out - 1, depth(x.type))) for x in eqn.args)


@dataclass(frozen=True)
class Flow:
    """A value that takes over the memory of what the `sources` hold, or shares it: an out of a
    `cond`, or the param and the final value of a carry."""

    sources: tuple[tuple[Eqn | Fn, int], ...]
    targets: tuple[Value, ...]


def carry_flow(loop: LoopView, k: int) -> Flow:
    first = len(loop.bounds)
    sources: tuple[tuple[Eqn | Fn, int], ...] = ((loop.eqn, first + k), (loop.body, 1 + k))
    return Flow(sources, (loop.params[k], loop.finals[k]))


def flows(eqn: Eqn) -> Iterator[Flow]:
    """How arrays get from region to region at a `cond` or loop."""
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


def taken(eqn: Eqn) -> Mapping[Operand, int]:
    """The outs that take over the buffer of an operand, and which that is."""
    if eqn.op.name == "call":
        return {eqn.outs[j]: k for k, j in eqn.attrs.get("donates", ()) if holds_array(eqn.outs[j].type)}
    return {eqn.out: 0} if eqn.op.name in UPDATES and holds_array(eqn.out.type) else {}


def is_shape(slot: Slot) -> bool:
    """Is only the shape read here?"""
    return isinstance(slot.owner, Eqn) and slot.index in slot.owner.op.shapes and isinstance(slot.value.type, Tensor)


def may_overlap(slot: Slot) -> bool:
    """Does NumPy take care of operands that overlap what this writes?"""
    eqn = slot.owner
    if not isinstance(eqn, Eqn) or eqn.op.name not in UPDATES:
        return False
    if isinstance(eqn.out.type, List):
        return depth(eqn.out.type) == 1
    return not {"a", "m"} & set(eqn.attrs["key"])


def is_item(eqn: Eqn) -> bool:
    """Is this a list that is in a list?"""
    return eqn.op.name == "index" and isinstance(eqn.out.type, List) and eqn.attrs["key"][0] == "i"


def is_deep(eqn: Eqn) -> bool:
    """Does this write into a list that is in a list?"""
    return eqn.op.name in UPDATES and isinstance(eqn.out.type, List) and len(eqn.attrs.get("key", ())) > 1


def holds_twice(eqn: Eqn) -> bool:
    """May a list get to hold one list twice by this?"""
    if eqn.op.name == "list_of":
        return len(set(eqn.args)) < len(eqn.args)
    return eqn.op.name in ("repeat", "repeated", "joined", "extend") and depth(eqn.out.type) > 1


OWN = ("zeros_of", "add_lists", "add_at", "remove_at", "loop", "cond")
"""Ops that put arrays into a list which nothing else holds, or none."""
