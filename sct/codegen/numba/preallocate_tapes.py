"""Lists of numbers -> preallocated arrays, which Numba compiles.

    tape = []                          tape = np.empty(n)
    for i in range(n):                 for i in range(n):
        tape.append(v)            ->       tape[i] = v
    for i in reversed(range(n)):       for i in reversed(range(n)):
        v = tape.pop()                     v = tape[i]

Where the index of the loop is not the position in the array, a counter is. The array for all iterations is allocated
where the list was created, if their number is known there; else it grows before the innermost counted loop, or in each
iteration of a `while` loop. A list of lists is one array of all their elements, and one of the positions where each
list begins or ends. Arrays of which no size is known there are in a list, which Numba compiles if one kernel holds all
of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sct.codegen.numba.loops.index_ranges import Ranges
from sct.codegen.numba.loops.loop_nests import INSIDE, Nest, loops, shape_of
from sct.codegen.numba.tape_arrays import ONE, ZERO, TapeArrays, TapeStorage, is_list, is_row, lists
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
    statements,
)
from sct.ir.core import Eqn, Lit, Operand, Value, is_undef
from sct.ir.types import BOOL, INT
from sct.ops import OPS

__all__ = ["preallocate_tapes"]


def preallocate_tapes(block: Block) -> Block:
    """The block with arrays instead of the lists in its kernels."""
    kernels = [s for s in statements(block) if isinstance(s, Kernel)]
    compiled = {v for k in kernels for s in statements(k.body) for v in lists(s)}
    preallocation = _Preallocation(block, compiled)
    for k in kernels:  # an iteration has room for one element
        k.is_in_range = k.is_in_range and all(
            len(preallocation.storages[v].pushes) <= 1 for s in statements(k.body) for v in lists(s)
            if v in preallocation.storages)
    return preallocation.block(block)


class _Preallocation(TapeArrays):
    """Rewrites the block; `in_kernel` is true inside kernels."""

    in_kernel = False

    def block(self, block: Block, loops: tuple[Loop, ...] = ()) -> Block:
        return [t for s in block for t in self.statement(s, loops)]

    def statement(self, s: Statement, loops: tuple[Loop, ...]) -> Iterator[Statement]:
        if isinstance(s, NewList) and s.tape in self.storages:
            yield from self.create(self.storages[s.tape])
        elif isinstance(s, Push) and s.tape in self.storages:
            yield from self.append_row(s, loops)
        elif isinstance(s, (Pop, ReadAt)) and self.in_kernel:
            yield from self.read(s, loops[-1] if loops else None)
        elif isinstance(s, Loop) and self.in_kernel:
            yield from self.before_loop.get(s, ())
            yield from self.loop(s, loops)
        else:
            self.in_kernel = self.in_kernel or isinstance(s, Kernel)
            for inner in s.blocks:
                inner[:] = self.block(inner, (*loops, s) if isinstance(s, Loop) else loops)
            self.in_kernel = self.in_kernel and not isinstance(s, Kernel)
            yield s

    def create(self, storage: TapeStorage) -> Iterator[Statement]:
        if storage.parent is None:
            yield from self.allocate(storage)
        elif isinstance(storage.begin, Value):
            assert storage.top is not None
            yield Assign([(storage.begin, storage.top)])

    def allocate(self, storage: TapeStorage) -> Iterator[Statement]:
        """Allocate the arrays of a list and of the lists in it."""
        yield from self.allocations[storage]
        for other in self.all_storages:
            if other.parent is storage:
                yield from self.allocate(other)

    def append_row(self, s: Push, loops: tuple[Loop, ...]) -> Iterator[Statement]:
        """tape.append((v, w))   ->   a[top] = v; b[top] = w; top += 1"""
        storage = self.storages[s.tape]
        place = storage.top if storage.top is not None else loops[-1].index
        assert place is not None
        for k, x in enumerate(s.items):
            column = storage.arrays[k]
            if column is not None and is_list(column.type):
                yield Push(column, (x,))
                continue
            if column is not None and is_row(x.type):
                yield from () if is_undef(x) else _write_row(column, x, place)
                continue
            if column is not None:
                yield _write(column, _defined(x, column), place)
                continue
            inner = self.inner_storage(x)
            if k in storage.begins:
                yield _write(storage.begins[k], ZERO if inner is None else inner.begin, place)
            if k in storage.ends:
                top = ZERO if inner is None or inner.top is None else inner.top
                yield _write(storage.ends[k], top, place)
        if storage.top is not None:
            yield Increment(storage.top)

    def loop(self, s: Loop, loops: tuple[Loop, ...]) -> Iterator[Statement]:
        before: Block = []
        if s.tape is not None:
            self.until_empty(s)
        head: Block = self.loop_head.get(s, [])
        for z in s.zipped:
            self.read_zipped(z, s, before, head)
        s.zipped = []
        for inner in s.blocks:
            inner[:] = self.block(inner, (*loops, s))
        s.body[:0] = head
        yield from before
        yield s

    def until_empty(self, s: Loop) -> None:
        """while tape   ->   while top > 0"""
        assert s.tape is not None
        more = Value(BOOL)
        eqn = Eqn(OPS["gt"], (self.end_of(s.tape), self.begin_of(s.tape)), (more,), primal=False)
        s.tape, s.head, s.test = None, [Evaluate(eqn, eqn)], more

    def end_of(self, tape: Value) -> Value:
        """The counter that is the end of a list while it is popped."""
        if tape in self.inner_bounds:
            end = self.inner_bounds[tape][1]
        else:
            end = self.storages[tape].top
        assert isinstance(end, Value)
        return end

    def read_zipped(self, z: Zip, s: Loop, before: Block, head: Block) -> None:
        """for i, v in zip(range(n), tape)   ->   for i in range(n): v = tape[i]"""
        storage = self.storages.get(z.tape)
        if storage is None:
            head += self.read_array(z, s, before)
        elif storage.top is None:
            assert s.index is not None
            head += self.read_columns(storage, z.values, s.index)
        elif z.backwards:
            place = Value(INT, "at")
            before.append(Assign([(place, self.end_of(z.tape))]))
            head += [Increment(place, -1), *self.read_columns(storage, z.values, place)]
        else:
            begin = self.begin_of(z.tape)
            if _counts_up(s) and s.index is not None:
                head += self.read_columns(storage, z.values, self.offset(begin, s.index, head))
                return
            place = Value(INT, "at")
            before.append(Assign([(place, begin)]))
            head += [*self.read_columns(storage, z.values, place), Increment(place)]

    def read_array(self, z: Zip, s: Loop, before: Block) -> Iterator[Statement]:
        """Read an element of an array in each iteration."""
        assert s.index is not None and len(z.values) == 1
        place: Operand = s.index
        if not (_counts_up(s) and not z.backwards or s.reverse and z.backwards and _from_zero(s)):
            counter = place = Value(INT, "at")
            first = Lit(-1) if z.backwards else ZERO
            before.append(Assign([(counter, first)]))
            yield _read(z.tape, z.values[0], place)
            yield Increment(counter, -1 if z.backwards else 1)
            return
        yield _read(z.tape, z.values[0], place)

    def offset(self, begin: Operand, index: Operand, out: Block) -> Operand:
        return index if begin == ZERO else self.let(OPS["add"], [begin, index], out)

    def read(self, s: Pop | ReadAt, loop: Loop | None) -> Iterator[Statement]:
        """v = tape.pop()   ->   top -= 1; v = a[top]"""
        storage = self.storages.get(s.tape)
        if storage is None:
            assert isinstance(s, ReadAt)
            yield _read(s.tape, s.values[0], s.index)
        elif isinstance(s, ReadAt):
            out: Block = []
            place = self.offset(self.begin_of(s.tape), s.index, out)
            yield from out
            yield from self.read_columns(storage, s.values, place)
        elif storage.top is None:
            assert loop is not None and loop.index is not None
            yield from self.read_columns(storage, s.values, loop.index)
        else:
            top = self.end_of(s.tape)
            yield Increment(top, -1)
            yield from self.read_columns(storage, s.values, top)

    def read_columns(self, storage: TapeStorage, values: Sequence[Value], place: Operand) -> Iterator[Statement]:
        for k, v in enumerate(values):
            column = storage.arrays[k]
            if column is not None:
                yield ReadAt(column, (v,), column, place) if is_list(column.type) else _read(column, v, place)
                continue
            begin, end = self.inner_bounds[v]
            if isinstance(begin, Value):
                yield _read(storage.begins[k], begin, place)
            if isinstance(end, Value):
                yield _read(storage.ends[k], end, place)


def _write(column: Value, x: Operand, place: Operand) -> Statement:
    eqn = Eqn(OPS["store"], (column, x, place), (column,), {"key": ("i",)}, primal=False, inplace=0)
    return Evaluate(eqn, eqn)


def _write_row(column: Value, x: Operand, place: Operand) -> Block:
    """The loops that copy an array into a row."""
    with Nest({}, {}, Ranges([]), None) as nest:
        sizes = [nest.size(x, k) for k in range(len(shape_of(x)))]

        def body(at: tuple[Value, ...]) -> None:
            key = {"key": ("i",) * (1 + len(at)), INSIDE: True}
            nest.append(Eqn(OPS["store"], (column, nest.read(x, at), place, *at), (column,), key, primal=False,
                            inplace=0))

        loops(nest, sizes, body)
    return nest.before


def _read(column: Value, v: Value, place: Operand) -> Statement:
    eqn = Eqn(OPS["index"], (column, place), (v,), {"key": ("i",)}, primal=False)
    return Evaluate(eqn, eqn)


def _defined(x: Operand, column: Value) -> Operand:
    """`x`, or any number if it is not bound, as nothing reads that."""
    if not is_undef(x):
        return x
    return {"f": Lit(0.0), "i": ZERO, "b": Lit(False)}[column.type.kind]  # type: ignore[union-attr]


def _from_zero(s: Loop) -> bool:
    return bool(s.bounds) and s.bounds[0] == ZERO and s.bounds[2] == ONE


def _counts_up(s: Loop) -> bool:
    return _from_zero(s) and not s.reverse
