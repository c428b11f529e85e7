"""Reads that can be done again from the final array of a loop.

    for i in range(1, n): x[i] = x[i - 1] * a[i]        x[i - 1] is never overwritten later

An array that a loop carries is a thread of versions, each made from the one before by a
write.  An element read of a version is what the last version has there if no write
that comes later in the thread can touch it; that is proved axis by axis, from the
ranges of the loops (so that `x[i - 1]` at `i = 0`, which is the last element, is seen).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sct.ir.affine import Range, Term, least, range_over, term_of
from sct.ir.core import Lit, Operand, Value
from sct.ir.types import Dim, Tensor
from sct.passes.rematerialization.paired_regions import Program
from sct.passes.rewriting.mutable_ir import Block, Node, ancestors, within

__all__ = ["Final", "Finals"]

WRITES = ("store", "add_at")


@dataclass(frozen=True)
class Final:
    """array[key]"""

    array: Value
    key: tuple[str, ...]
    operands: tuple[Operand, ...]


@dataclass
class _Thread:
    """versions: in the order in which the body runs; writes: the version that each makes"""

    loop: Node
    carry: int
    versions: dict[Value, int] = field(default_factory=dict)
    writes: dict[Node, int] = field(default_factory=dict)


class _Broken(Exception):
    """The versions are not one thread."""


class Finals:
    def __init__(self, program: Program) -> None:
        self.program = program
        self._threads: dict[tuple[Node, int], _Thread | None] = {}
        self._stores: dict[Value, list[Node]] | None = None
        self._found: dict[tuple[Value, Block], Final | None] = {}

    def of(self, value: Value, reader: Block) -> Final | None:
        """What `value` is, in a block that runs after the loop that carries the array."""
        if (value, reader) not in self._found:
            self._found[value, reader] = self._find(value, reader)
        return self._found[value, reader]

    def _find(self, value: Value, reader: Block) -> Final | None:
        node, _ = self.program.maker.get(value, (None, 0))
        if node is not None and node.name == "index":
            read = _Access(node.home, node.attrs["key"], tuple(node.args[1:]))
            if (final := self._read(node.args[0], read, reader)) is not None:
                return final
        for store in self.stores_of(value):
            read = _Access(store.home, store.attrs["key"], tuple(store.args[2:]))
            element = _element_type(store) == value.type and set(read.key) == {"i"}
            if element and (final := self._read(store.outs[0], read, reader)) is not None:
                return final
        return None

    def _read(self, array: Operand, read: _Access, reader: Block) -> Final | None:
        thread = self.thread(array, reader)
        if thread is None or not isinstance(array, Value) or array not in thread.versions:
            return None
        between = self._loops(read.block, thread.loop)[len(self._loops(self.program.home[array], thread.loop)):]
        if any(within(w.home, loop.body) for loop in between for w in thread.writes):
            return None
        survives = all(self._apart(thread, read, write, number > thread.versions[array])
                       for write, number in thread.writes.items())
        return Final(thread.loop.outs[thread.carry], read.key, read.operands) if survives else None

    def stores_of(self, value: Value) -> Sequence[Node]:
        """The writes of `value` into an array, in its own block."""
        if self._stores is None:
            self._stores = {}
            for node, _ in self.program.maker.values():
                if node.name == "store" and isinstance(node.args[1], Value):
                    self._stores.setdefault(node.args[1], []).append(node)
        return [s for s in self._stores.get(value, ()) if s.home is self.program.home[value]]

    # -- threads ------------------------------------------------------------------------

    def thread(self, array: Operand, reader: Block) -> _Thread | None:
        """The thread of the outermost loop that carries `array` along and has ended before `reader` runs."""
        found = None
        while (at := self.carry(array)) is not None and not within(reader, at[0].body):
            if at not in self._threads:
                self._threads[at] = self._follow(*at)
            thread = self._threads[at]
            if thread is None:
                break
            found = thread
            array = at[0].inits[at[1]]
        return found

    def carry(self, array: Operand) -> tuple[Node, int] | None:
        """The loop, and its carry, whose buffer `array` is a version of."""
        while isinstance(array, Value):
            node, k = self.program.maker.get(array, (None, 0))
            if node is None:
                loop = self.program.home[array].owner
                if loop is None or loop.name != "loop" or array not in loop.params:
                    return None
                return loop, loop.params.index(array)
            if node.name in WRITES:
                array = node.args[0]
            elif node.name == "loop" and k < node.carries:
                array = node.inits[k]
            elif node.name == "cond":
                array = next((r for arm in node.blocks if isinstance(r := arm.results[k], Value)), Lit(None))
            else:
                return None
        return None

    def _follow(self, loop: Node, k: int) -> _Thread | None:
        thread = _Thread(loop, k)
        try:
            self._loop(thread, loop, k)
        except _Broken:
            return None
        return thread

    def _loop(self, thread: _Thread, loop: Node, k: int) -> None:
        end = self._block(thread, loop.body, loop.params[k])
        if loop.body.results[1 + k] is not end:
            raise _Broken

    def _block(self, thread: _Thread, block: Block, version: Value) -> Value:
        """Follow the thread from `version` through the block; its version at the end."""
        thread.versions.setdefault(version, len(thread.versions))
        for node in block.nodes:
            mine = [a for a in node.args if isinstance(a, Value) and a in thread.versions]
            if node.name in WRITES and node.args[0] in mine:
                version = self._next(thread, version, node.args[0], node.outs[0])
                thread.writes[node] = thread.versions[version]
            elif node.name == "loop" and any(a in node.inits for a in mine):
                version = self._inner(thread, version, node)
            elif node.name == "cond":
                version = self._arms(thread, version, node)
            elif node.name == "closure":
                raise _Broken
        return version

    def _next(self, thread: _Thread, version: Value, read: Operand, made: Value) -> Value:
        if read is not version:
            raise _Broken
        thread.versions[made] = len(thread.versions)
        return made

    def _inner(self, thread: _Thread, version: Value, node: Node) -> Value:
        carried = [k for k, init in enumerate(node.inits) if isinstance(init, Value) and init in thread.versions]
        if len(carried) != 1 or node.inits[carried[0]] is not version:
            raise _Broken
        self._loop(thread, node, carried[0])
        return self._next(thread, version, version, node.outs[carried[0]])

    def _arms(self, thread: _Thread, version: Value, node: Node) -> Value:
        ends = [self._block(thread, arm, version) for arm in node.blocks]
        outs = [k for k in range(len(node.outs)) if any(arm.results[k] in thread.versions for arm in node.blocks)]
        if not outs:
            if any(end is not version for end in ends):
                raise _Broken
            return version
        if len(outs) > 1 or any(arm.results[outs[0]] is not end for arm, end in zip(node.blocks, ends)):
            raise _Broken
        return self._next(thread, version, version, node.outs[outs[0]])

    # -- what later writes touch ----------------------------------------------------------

    def _apart(self, thread: _Thread, read: _Access, write: Node, after: bool) -> bool:
        """Can no later run of `write` touch what `read` reads?  `after`: it also comes later in a trip."""
        other = _Access(write.home, write.attrs["key"], tuple(write.args[2:]))
        mine, its = self._loops(read.block, thread.loop), self._loops(write.home, thread.loop)
        common = 0
        while common < min(len(mine), len(its)) and mine[common] is its[common]:
            common += 1
        levels = range(common + 1 if after else common)
        return all(self._disjoint(read, other, mine, its, common, level) for level in levels)

    def _loops(self, block: Block, top: Node) -> list[Node]:
        """The loops around `block`, from `top` inwards."""
        found = [b.owner for b in ancestors(block) if b.owner is not None and b.owner.name == "loop"]
        return found[:found.index(top) + 1][::-1] if top in found else []

    def _disjoint(self, read: _Access, write: _Access, mine: Sequence[Node], its: Sequence[Node], common: int,
                  level: int) -> bool:
        """Do they touch different elements where the first `level` loops are in the same trip, and
        the next, if that is common to both, is in a later one for the write?"""
        ranges: list[Range] = []
        env: dict[Value, Term] = {}
        for n, loop in enumerate(its):
            r = self._range(loop, its[0])
            if r is None:
                if loop.index is not None and n >= level:
                    return False
                continue
            if n < level:
                ranges.append(r)
                continue
            again = Value(r.index.type)
            low, high = (None if t is None else t.with_(env) for t in (r.low, r.high))
            if n == level < common:
                trips = Value(r.index.type)
                env[r.index] = Term(0, {r.index: 1, trips: r.step})
                ranges += [r, Range(trips, Term(1), None, 1)]
            else:
                env[r.index] = Term(0, {again: 1})
                ranges.append(Range(again, low, high, r.step))
        ranges += [r for loop in mine[min(level + 1, common):] if (r := self._range(loop, its[0])) is not None]
        pairs = zip(self._items(read, its[0]), self._items(write, its[0]))
        return any(self._axis_apart(a, b, env, ranges[::-1]) for a, b in pairs)

    def _range(self, loop: Node, top: Node) -> Range | None:
        if loop.index is None:
            return None
        return range_over(loop.index, loop.bounds, loop.attrs["reverse"], lambda x: self._term(x, loop.home, top))

    def _axis_apart(self, read: _Item, write: _Item, env: dict[Value, Term], ranges: Sequence[Range]) -> bool:
        """Is one wholly before the other on an axis, neither counting from its end?"""
        low, high = (None if t is None else t.with_(env) for t in (write.low, write.high))
        its = _Item(low, high, write.from_start)
        return read.from_start and write.from_start and (_before(read, its, ranges) or _before(its, read, ranges))

    def _items(self, access: _Access, top: Node) -> list[_Item]:
        """What the access touches of each axis, as far as that is known."""
        loops = self._loops(access.block, top)
        ranges = [r for loop in reversed(loops) if (r := self._range(loop, top)) is not None]
        items, rest = [], iter(access.operands)

        def term(present: bool) -> Term | None:
            return self._term(next(rest), access.block, top) if present else None

        for k in access.key:
            if k == "i":
                low = term(True)
                high = None if low is None else low + 1
            elif k[0] == "s":
                low, high, _ = (term(c == "1") for c in k[1:])
                low = Term(0) if k[1] == "0" else low
            else:
                break
            ends = (low,) if k == "i" or k[2] == "0" else (low, high)
            positive = all(least(t, ranges, _size) >= 0 for t in ends)
            items.append(_Item(low, high, positive and (k == "i" or k[3] == "0")))
        return items

    def _made(self, x: Value) -> tuple[str, Sequence[Operand]] | None:
        node, _ = self.program.maker.get(x, (None, 0))
        return None if node is None else (node.name, node.args)

    def _term(self, x: Operand, block: Block, top: Node) -> Term | None:
        """`x` as a term of indices, and of values that do not change in the loops from `top` inwards."""
        t = term_of(x, self._made)
        loops = self._loops(block, top)
        indices = {loop.index for loop in loops}
        if t is None or any(v not in indices and within(self.program.home[v], top.body) for v in t.coefs):
            return None
        return t


@dataclass(frozen=True)
class _Access:
    block: Block
    key: tuple[str, ...]
    operands: tuple[Operand, ...]


@dataclass(frozen=True)
class _Item:
    """low <= element < high; None: not known.  `from_start`: neither counts from the end of the axis."""

    low: Term | None
    high: Term | None
    from_start: bool


def _before(a: _Item, b: _Item, ranges: Sequence[Range]) -> bool:
    return a.high is not None and b.low is not None and least(b.low - a.high, ranges, _size) >= 0


def _size(v: Value) -> Dim | None:
    return v.dim


def _element_type(store: Node) -> Tensor | None:
    t = store.args[0].type
    return Tensor("np", t.dtype) if isinstance(t, Tensor) else None
