"""Lists of numbers -> arrays that are large enough.

    tape = []                          tape = np.empty(n)
    for i in range(n):                 for i in range(n):
        tape.append(v)            ->       tape[i] = v
    for i in reversed(range(n)):       for i in reversed(range(n)):
        v = tape.pop()                     v = tape[i]

Where the index of the loop is not the place in the array, a counter is.  Room for all
trips is made where the list was, if their number is known there; else before the
innermost counted loop, and at the head of a trip of a `while` loop alone.  A list of lists is
one array of all their elements and one of where each list begins, or ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sct.codegen.numba.tape_sizes import ONE, ZERO, TapeArrays, TapeStorage, is_known, lists
from sct.codegen.program.statement_ir import (
    Assign,
    Block,
    Evaluate,
    Increment,
    Kernel,
    Loop,
    NewList,
    Pop,
    Push,
    ReadAt,
    Statement,
    Zip,
    blocks,
    statements,
)
from sct.ir.core import Eqn, Lit, Operand, Value
from sct.ir.types import BOOL, INT
from sct.ops import OPS

__all__ = ["preallocate_tapes"]


def preallocate_tapes(block: Block) -> Block:
    """The block with arrays for the lists that its kernels fill."""
    compiled = {v for k in statements(block) if isinstance(k, Kernel) for s in statements(k.body) for v in lists(s)}
    return _Reserve(block, compiled).block(block)


class _Reserve(TapeArrays):
    inside = False
    """In a kernel?"""

    def block(self, block: Block, loops: tuple[Loop, ...] = ()) -> Block:
        return [t for s in block for t in self.statement(s, loops)]

    def statement(self, s: Statement, loops: tuple[Loop, ...]) -> Iterator[Statement]:
        if isinstance(s, NewList) and s.tape in self.stores:
            yield from self.new(self.stores[s.tape])
        elif isinstance(s, Push) and s.tape in self.stores:
            yield from self.push(s, loops)
        elif isinstance(s, (Pop, ReadAt)) and self.inside:
            yield from self.read(s, loops[-1] if loops else None)
        elif isinstance(s, Loop) and self.inside:
            yield from self.before.get(s, ())
            yield from self.loop(s, loops)
        else:
            self.inside = self.inside or isinstance(s, Kernel)
            for inner in blocks(s):
                inner[:] = self.block(inner, (*loops, s) if isinstance(s, Loop) else loops)
            self.inside = self.inside and not isinstance(s, Kernel)
            yield s

    def new(self, store: TapeStorage) -> Iterator[Statement]:
        if store.parent is None:
            yield from self.opened(store)
        elif isinstance(store.begin, Value):
            assert store.top is not None
            yield Assign([(store.begin, store.top)])

    def opened(self, store: TapeStorage) -> Iterator[Statement]:
        """What makes the arrays of a list, and of the lists in it."""
        yield from self.room[store]
        for other in self.made:
            if other.parent is store:
                yield from self.opened(other)

    def push(self, s: Push, loops: tuple[Loop, ...]) -> Iterator[Statement]:
        store = self.stores[s.tape]
        place = store.top if store.top is not None else loops[-1].index
        assert place is not None
        for k, x in enumerate(s.operands):
            column = store.arrays[k]
            if column is not None:
                yield _write(column, _defined(x, column), place)
                continue
            inner = self.inner(x)
            if k in store.begins:
                yield _write(store.begins[k], ZERO if inner is None else inner.begin, place)
            if k in store.ends:
                top = ZERO if inner is None or inner.top is None else inner.top
                yield _write(store.ends[k], top, place)
        if store.top is not None:
            yield Increment(store.top)

    def loop(self, s: Loop, loops: tuple[Loop, ...]) -> Iterator[Statement]:
        ahead: Block = []
        if s.tape is not None:
            self.until_empty(s)
        first: Block = self.first.get(s, [])
        for z in s.zipped:
            self.in_step(z, s, ahead, first)
        s.zipped = []
        for inner in blocks(s):
            inner[:] = self.block(inner, (*loops, s))
        s.body[:0] = first
        yield from ahead
        yield s

    def until_empty(self, s: Loop) -> None:
        """while tape   ->   while top > 0"""
        assert s.tape is not None
        more = Value(BOOL)
        eqn = Eqn(OPS["gt"], (self.end(s.tape), self.start(s.tape)), (more,), primal=False)
        s.tape, s.test = None, ([Evaluate(eqn, eqn)], more)

    def end(self, tape: Value) -> Value:
        """The counter that is the end of a list while it is emptied."""
        if tape in self.kept:
            end = self.kept[tape][1]
        else:
            end = self.stores[tape].top
        assert isinstance(end, Value)
        return end

    def in_step(self, z: Zip, s: Loop, ahead: Block, first: Block) -> None:
        """for i, v in zip(range(n), tape)   ->   for i in range(n): v = tape[i]"""
        store = self.stores.get(z.tape)
        if store is None:
            first += self.of_array(z, s, ahead)
        elif store.top is None:
            assert s.index is not None
            first += self.taken(store, z.values, s.index)
        elif z.backwards:
            place = Value(INT, "at")
            ahead.append(Assign([(place, self.end(z.tape))]))
            first += [Increment(place, -1), *self.taken(store, z.values, place)]
        else:
            begin = self.start(z.tape)
            if _counts_up(s) and s.index is not None:
                first += self.taken(store, z.values, self.offset(begin, s.index, first))
                return
            place = Value(INT, "at")
            ahead.append(Assign([(place, begin)]))
            first += [*self.taken(store, z.values, place), Increment(place)]

    def of_array(self, z: Zip, s: Loop, ahead: Block) -> Iterator[Statement]:
        """The elements of an array, one a trip."""
        assert s.index is not None and len(z.values) == 1
        place: Operand = s.index
        if not (_counts_up(s) and not z.backwards or s.reverse and z.backwards and _from_zero(s)):
            counter = place = Value(INT, "at")
            first = Lit(-1) if z.backwards else ZERO
            ahead.append(Assign([(counter, first)]))
            yield _read(z.tape, z.values[0], place)
            yield Increment(counter, -1 if z.backwards else 1)
            return
        yield _read(z.tape, z.values[0], place)

    def offset(self, begin: Operand, index: Operand, made: Block) -> Operand:
        return index if begin == ZERO else self.let(OPS["add"], [begin, index], made)

    def read(self, s: Pop | ReadAt, loop: Loop | None) -> Iterator[Statement]:
        store = self.stores.get(s.tape)
        if store is None:
            assert isinstance(s, ReadAt)
            yield _read(s.tape, s.values[0], s.index)
        elif isinstance(s, ReadAt):
            made: Block = []
            place = self.offset(self.start(s.tape), s.index, made)
            yield from made
            yield from self.taken(store, s.values, place)
        elif store.top is None:
            assert loop is not None and loop.index is not None
            yield from self.taken(store, s.values, loop.index)
        else:
            top = self.end(s.tape)
            yield Increment(top, -1)
            yield from self.taken(store, s.values, top)

    def taken(self, store: TapeStorage, values: Sequence[Value], place: Operand) -> Iterator[Statement]:
        for k, v in enumerate(values):
            column = store.arrays[k]
            if column is not None:
                yield _read(column, v, place)
                continue
            begin, end = self.kept[v]
            if isinstance(begin, Value):
                yield _read(store.begins[k], begin, place)
            if isinstance(end, Value):
                yield _read(store.ends[k], end, place)


def _write(column: Value, x: Operand, place: Operand) -> Statement:
    eqn = Eqn(OPS["store"], (column, x, place), (column,), {"key": ("i",)}, primal=False, inplace=0)
    return Evaluate(eqn, eqn)


def _read(column: Value, v: Value, place: Operand) -> Statement:
    eqn = Eqn(OPS["index"], (column, place), (v,), {"key": ("i",)}, primal=False)
    return Evaluate(eqn, eqn)


def _defined(x: Operand, column: Value) -> Operand:
    """A number for one that is not there: nothing reads it."""
    if is_known(x):
        return x
    return {"f": Lit(0.0), "i": ZERO, "b": Lit(False)}[column.type.kind]  # type: ignore[union-attr]


def _from_zero(s: Loop) -> bool:
    return bool(s.bounds) and s.bounds[0] == ZERO and s.bounds[2] == ONE


def _counts_up(s: Loop) -> bool:
    return _from_zero(s) and not s.reverse
