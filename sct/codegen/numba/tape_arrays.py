"""The arrays that replace lists of numbers, and their sizes.

    tape = []; for i in range(n): tape.append(v)     ->   np.empty(n), filled at the index
    tape = []; for ...: for ...: tape.append(v)      ->   np.empty(n * m), filled at a counter
    tape = []; while ...: tape.append(v)             ->   np.empty(0), grown in each iteration
    tape = []; for i in ...: tape.append(u[:i])      ->   [], a list of arrays
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sct.codegen.program.statement_ir import (
    Assign,
    Block,
    Evaluate,
    ListRead,
    Loop,
    NewList,
    Pop,
    Push,
    ReadAt,
    Return,
    Statement,
    statements,
)
from sct.ir.core import Eqn, Lit, Op, Operand, Value, is_undef
from sct.ir.dims import Dim
from sct.ir.loop_view import is_counted, loop_view
from sct.ir.types import INT, STRONG, Seq, Tensor, Type, array, base_type
from sct.ops import OPS

__all__ = [
    "KERNEL_DTYPES", "LARGER", "MORE_ROWS", "ONE", "ZERO", "RowSizes", "TapeArrays", "TapeStorage", "array_dtype",
    "empty_op", "is_list", "is_row", "lists",
]

ZERO, ONE = Lit(0), Lit(1)

def _size_op(emit: str) -> Op:
    return Op(emit, lambda *_: INT, emit=emit, nondiff="a size")


KERNEL_DTYPES = {"f64": "float64", "f32": "float32", "i64": "int64", "b1": "bool_"}
LARGER = _size_op("reserve(_0, _1)")
MORE_ROWS = _size_op("reserve_rows(_0, _1)")
LENGTH = _size_op("len(range(_0, _1, _2))")
PRODUCT = {k: _size_op(" * ".join(f"_{j}" for j in range(k))) for k in range(1, 9)}
AT_LEAST_ZERO = _size_op("max(_0, 0)")


def is_list(t: Type) -> bool:
    """Is this the type of a sequence, which may be missing?"""
    return isinstance(base_type(t), Seq)


def array_dtype(t: Type) -> str | None:
    """The dtype of an array of numbers of type `t`; None if `t` is not the type of a number."""
    t = base_type(t)
    if not isinstance(t, Tensor) or t.is_array:
        return None
    name = "f64" if t.dtype == "single" else STRONG.get(t.dtype, t.dtype)
    return name if name in KERNEL_DTYPES else None


@functools.cache
def empty_op(rank: int, dtype: str) -> Op:
    """The op that allocates an array, given its sizes."""
    sizes = ", ".join(f"_{k}" for k in range(rank))
    shape = sizes if rank == 1 else f"({sizes})"
    text = f"numpy.empty({shape})" if dtype == "f64" else f"numpy.empty({shape}, numpy.{KERNEL_DTYPES[dtype]})"
    return Op("empty", lambda *_: INT, emit=text, nondiff="memory")


def is_row(t: Type) -> bool:
    """Is this the type of an array that may be a row of an array of one more axis?"""
    t = base_type(t)
    return isinstance(t, Tensor) and t.is_array and t.dtype in KERNEL_DTYPES and 0 < t.rank < 4


class RowSizes:
    """Where the sizes of arrays that are kept for the backward pass are known before the loops that keep them.

    arrays  list -> arrays that exist where it is allocated: parameters and what is created before all loops
    pushes  list -> its appends
    """

    def __init__(self, block: Block) -> None:
        self.arrays: dict[Value, tuple[Value, ...]] = {}
        self.pushes: dict[Value, list[Push]] = defaultdict(list)
        inner = statements(block)
        bound = {v for s in inner for v in s.bound}
        free = dict.fromkeys(x for s in inner for x in s.reads if isinstance(x, Value) and x not in bound)
        self._visit(block, [v for v in free if is_row(v.type)], False)

    def _visit(self, block: Block, arrays: list[Value], in_loop: bool) -> None:
        for s in block:
            if isinstance(s, NewList):
                self.arrays[s.tape] = tuple(arrays)
            elif isinstance(s, Push):
                self.pushes[s.tape].append(s)
            for inner in s.blocks:
                self._visit(inner, list(arrays), in_loop or isinstance(s, Loop))
            if not in_loop and isinstance(s, Evaluate) and s.eqn.op.name in ("copy", "zeros_of", "zeros_like"):
                arrays += [v for v in s.targets if is_row(v.type)]

    def of(self, tape: Value, column: int) -> list[Lit | tuple[Value, int, int]] | None:
        """The sizes of what is appended to a column: literals, or (array, axis, offset); None if they are not known."""
        types = {base_type(push.items[column].type) for push in self.pushes[tape] if not is_undef(push.items[column])}
        t = next(iter(types), None)
        if len(types) != 1 or t is None or not is_row(t) or not isinstance(t, Tensor) or tape not in self.arrays:
            return None
        sizes = [Lit(d.value) if d.value is not None else self._size(tape, d) for d in t.shape]
        return None if None in sizes else sizes  # type: ignore[return-value]

    def are_alike(self, tape: Value, column: int) -> bool:
        """Is what is appended to a column always an array, of one dtype and number of axes?"""
        items = [push.items[column] for push in self.pushes[tape]]
        types = {(t.dtype, t.rank) for x in items if isinstance(t := base_type(x.type), Tensor) and is_row(t)}
        return len(types) == 1 and not any(map(is_undef, items))

    def are_uneven(self, tape: Value) -> bool:
        """Does a column hold arrays whose sizes are not known before the loops?"""
        columns = range(len(self.pushes[tape][0].items)) if tape in self.pushes else ()
        return any(is_row(push.items[k].type) and self.of(tape, k) is None for k in columns
                   for push in self.pushes[tape])

    def _size(self, tape: Value, d: Dim) -> tuple[Value, int, int] | None:
        places = [(x, k, c) for x in self.arrays[tape] if isinstance(t := base_type(x.type), Tensor)
                  for k, e in enumerate(t.shape) if (c := (d - e).value) is not None and e.terms]
        return min(places, key=lambda place: abs(place[2]), default=None)


@dataclass(eq=False)
class TapeStorage:
    """The arrays that replace one list.

    loops    the loops around the statement that creates the list
    pushes   the appends, each with the loops around it
    readers  the reads, each with the loops around it
    parent   the list that it is appended to
    arrays   an array for each column, or a list of arrays whose sizes are not known before; None for a column of lists,
             of which `begins` and `ends` hold the positions
    begins   column -> the array of the positions where its lists begin, if something reads them forwards
    ends     column -> the array of the positions where its lists end, if something reads them backwards
    top      the counter of elements; None if the index of the one loop around the append is the position
    begin    the position where the list that is being filled begins
    """

    new_list: NewList
    loops: tuple[Loop, ...]
    pushes: list[tuple[Push, tuple[Loop, ...]]] = field(default_factory=list)
    readers: list[tuple[ListRead, tuple[Loop, ...]]] = field(default_factory=list)
    parent: TapeStorage | None = None
    arrays: list[Value | None] = field(default_factory=list)
    begins: dict[int, Value] = field(default_factory=dict)
    ends: dict[int, Value] = field(default_factory=dict)
    top: Value | None = None
    begin: Operand = ZERO

    @property
    def value(self) -> Value:
        return self.new_list.tape

    @property
    def columns(self) -> list[Value]:
        return [*(a for a in self.arrays if a is not None), *self.begins.values(), *self.ends.values()]

    def depth(self) -> int:
        """The number of lists that it is nested in."""
        return 0 if self.parent is None else 1 + self.parent.depth()

    @property
    def outermost(self) -> TapeStorage:
        """The outermost of the lists that it is nested in, or itself."""
        return self if self.parent is None else self.parent.outermost


def lists(s: Statement) -> list[Value]:
    """The lists that a statement appends to, reads or assigns."""
    if isinstance(s, (Evaluate, NewList, Return)):
        return []
    xs = (*s.operands, *s.bound, *(read.filled for read in s.list_reads))
    return [x for x in xs if isinstance(x, Value) and is_list(x.type)]


class TapeArrays:
    """The arrays of the lists of a block, and the statements that allocate them.

    storages      list -> the arrays that replace it, also for the values that are elements of another list
    inner_bounds  list that is an element of another -> the positions where it begins and ends
    before_loop   loop -> statements that come before it
    loop_head     loop -> statements at the beginning of each iteration
    allocations   the statements that allocate the arrays
    """

    def __init__(self, block: Block, compiled: set[Value]) -> None:
        self.program, self.compiled = block, compiled
        self.row_sizes = RowSizes(block)
        self.storages: dict[Value, TapeStorage] = {}
        self.inner_bounds: dict[Value, tuple[Operand | None, Operand | None]] = {}
        self.readers: dict[Value, list[tuple[ListRead, tuple[Loop, ...]]]] = defaultdict(list)
        self.before_loop: dict[Loop, list[Statement]] = defaultdict(list)
        self.loop_head: dict[Loop, list[Statement]] = defaultdict(list)
        self.allocations: dict[TapeStorage, list[Statement]] = defaultdict(list)
        self.definitions: dict[Value, Eqn] = {
            s.eqn.out: s.eqn for s in statements(block) if isinstance(s, Evaluate) and len(s.eqn.outs) == 1}
        self._collect(block, ())
        self.all_storages = list(self.storages.values())
        for storage in self.all_storages:
            self._add_columns(storage)
        for storage in sorted(self.all_storages, key=TapeStorage.depth):
            self._add_readers(storage)
        for storage in self.all_storages:
            self._allocate(storage)

    # -- lists and their columns --------------------------------------------------------

    def _collect(self, block: Block, loops: tuple[Loop, ...]) -> None:
        """Find the lists that kernels use, their appends, and the reads of all lists."""
        for s in block:
            if isinstance(s, NewList) and s.tape in self.compiled:
                self.storages[s.tape] = TapeStorage(s, loops)
        for s in block:
            if isinstance(s, Push) and s.tape in self.storages:
                self.storages[s.tape].pushes.append((s, loops))
            elif isinstance(s, (Pop, ReadAt)):
                self.readers[s.tape].append((s, loops))
            inside = (*loops, s) if isinstance(s, Loop) else loops
            for z in s.zipped if isinstance(s, Loop) else ():
                self.readers[z.tape].append((z, inside))
            for inner in s.blocks:
                self._collect(inner, inside)

    def _add_columns(self, storage: TapeStorage) -> None:
        """Decide on the columns, and set the parent of the lists that are appended."""
        operands = self._operands(storage)
        names = [x.hint for x in operands if x.hint]
        for x in operands:
            inner = self.inner_storage(x)
            if inner is None:
                t = base_type(x.type)
                dtype = t.dtype if isinstance(t, Tensor) and is_row(t) else array_dtype(t)
                assert dtype is not None
                hint = f"{x.hint}_tape" if x.hint and len(operands) > 1 and names.count(x.hint) == 1 else "tape"
                dims = t.shape if isinstance(t, Tensor) and t.is_array else ()
                uneven = dims and self.row_sizes.of(storage.value, len(storage.arrays)) is None
                storage.arrays.append(Value(Seq(t) if uneven else array(dtype, Dim(2), *dims), hint))
                continue
            inner.parent = storage
            storage.arrays.append(None)

    def _add_readers(self, storage: TapeStorage) -> None:
        """Add the reads of the list, and the positions of its elements that are lists; its parent's are there."""
        aliases = [v for v, s in self.storages.items() if s is storage]
        storage.readers = [reader for v in aliases for reader in self.readers[v]]
        for k, (x, column) in enumerate(zip(self._operands(storage), storage.arrays)):
            inner = self.inner_storage(x)
            if column is not None or inner is None:
                continue
            for reader, _ in storage.readers:
                element = reader.values[k]
                self.storages[element] = inner
                forwards, backwards = self._read_directions(element)
                if forwards:
                    storage.begins.setdefault(k, Value(array("i64", Dim(2)), "begins"))
                if backwards:
                    storage.ends.setdefault(k, Value(array("i64", Dim(2)), "ends"))
                begin = Value(INT, "begin") if forwards else None
                self.inner_bounds[element] = begin, Value(INT, "end") if backwards else None
            if k in storage.begins or self._read_directions(inner.value)[0]:
                inner.begin = Value(INT, "begin")

    def begin_of(self, tape: Value) -> Operand:
        """The position where a list begins."""
        begin = self.inner_bounds[tape][0] if tape in self.inner_bounds else self.storages[tape].begin
        assert begin is not None
        return begin

    def _operands(self, storage: TapeStorage) -> list[Operand]:
        """An operand that is appended to each column, if possible one that is bound."""
        columns = zip(*(push.items for push, _ in storage.pushes))
        return [next((x for x in column if not is_undef(x)), column[0]) for column in columns]

    def inner_storage(self, x: Operand) -> TapeStorage | None:
        """The storage of an operand that is a list."""
        return self.storages.get(x) if isinstance(x, Value) and is_list(x.type) else None

    def _read_directions(self, tape: Value) -> tuple[bool, bool]:
        """Is a list read from its beginning; is it read from its end?"""
        forwards = backwards = False
        for s in statements(self.program):
            if isinstance(s, ReadAt) and s.tape is tape:
                forwards = True
            elif isinstance(s, Pop) and s.tape is tape or isinstance(s, Loop) and s.tape is tape:
                backwards = True
                forwards = forwards or isinstance(s, Loop)
            elif isinstance(s, Loop):
                forwards = forwards or any(z.tape is tape and not z.backwards for z in s.zipped)
                backwards = backwards or any(z.tape is tape and z.backwards for z in s.zipped)
        return forwards, backwards

    # -- sizes --------------------------------------------------------------------------

    def _allocate(self, storage: TapeStorage) -> None:
        """Decide where the arrays are allocated, and whether there is a counter."""
        loops = storage.pushes[0][1][len(storage.outermost.loops):] if storage.pushes else ()
        out: list[Statement] = []
        size = self._size_by_index(storage, loops, out)
        if size is not None:
            self.allocations[storage] = [*out, *self._allocation(storage, size)]
            return
        storage.top = Value(INT, "top")
        size = self._total_iterations(loops, out)
        if size is None and loops:  # only once in the text, from which Numba infers the type of the array
            loop = loops[-1]
            (self.before_loop if is_counted(loop.bounds) else self.loop_head)[loop] += self._growth(storage, loop)
        out += self._allocation(storage, ZERO if size is None else size)
        self.allocations[storage] = [*out, Assign([(storage.top, ZERO)])]

    def _size_by_index(self, storage: TapeStorage, loops: Sequence[Loop], out: list[Statement]) -> Operand | None:
        """The size, if the position of an element is the index of the one loop around its append and its reads."""
        if storage.parent is not None or len(loops) != 1 or any(a is None or is_list(a.type) for a in storage.arrays):
            return None
        (loop,) = loops
        if loop.index is None or not loop.bounds or not any(push in loop.body for push, _ in storage.pushes):
            return None
        start, stop, step = loop.bounds
        if step == ONE:
            if not (isinstance(start, Lit) and start.value >= 0):
                return None
            size = stop
        elif step == Lit(-1) and stop in (Lit(-1), ZERO):
            size = start
        else:
            return None
        if not all(self._same_index(loop, reader, around) for reader, around in storage.readers):
            return None
        return self._positive(self._plus(size, 1, out) if step == Lit(-1) else size, out)

    def _same_index(self, loop: Loop, reader: ListRead, loops: Sequence[Loop]) -> bool:
        """Is the index of the loop around `reader` the position that it reads?"""
        if isinstance(reader, ReadAt):
            return loop.bounds[0] == ZERO and loop.bounds[2] == ONE and not loop.reverse
        other = loops[-1]
        if other.index is None or other.tape is not None or not other.bounds:
            return False
        (a, m, s), (b, n, t) = loop.bounds, other.bounds
        ends = m == n or loop.eqn is not None and n is loop_view(loop.eqn).iterations
        return a == b and s == t and ends and (not isinstance(reader, Pop) or loop.reverse != other.reverse)

    def _total_iterations(self, loops: Sequence[Loop], out: list[Statement]) -> Operand | None:
        """The product of the numbers of iterations of the loops, if it is known before them."""
        if not loops or not all(is_counted(loop.bounds) for loop in loops):
            return None
        assigned = {v for s in statements([loops[0]]) for v in s.targets}
        assigned |= {s.index for s in statements([loops[0]]) if isinstance(s, Loop) and s.index is not None}
        if any(self._without_offset(x) in assigned if k < 2 else x in assigned
               for loop in loops for k, x in enumerate(loop.bounds)):
            return None
        if any(self._needs_len_range(loop) and any(x in assigned for x in loop.bounds) for loop in loops):
            return None
        sizes = [self._iterations(loop, out) for loop in loops]
        if len(sizes) == 1:
            return sizes[0]
        return self.let(PRODUCT[len(sizes)], sizes, out)

    def _without_offset(self, x: Operand) -> Operand:
        """`y` if x is `y + c` or `y - c`."""
        eqn = self.definitions.get(x) if isinstance(x, Value) else None
        if eqn is not None and eqn.op.name in ("add", "sub") and isinstance(eqn.args[1], Lit) and x.type == INT:
            return eqn.args[0]
        return x

    def _needs_len_range(self, loop: Loop) -> bool:
        """Is the number of iterations written as `len(range(...))`, and not as a difference?"""
        start, stop, step = loop.bounds
        return not (step == ONE and isinstance(start, Lit) or step == Lit(-1) and isinstance(stop, Lit))

    def _iterations(self, loop: Loop, out: list[Statement]) -> Operand:
        """The number of iterations of a loop."""
        start, stop, step = loop.bounds
        if step == ONE and isinstance(start, Lit):
            return self._positive(self._plus(stop, -start.value, out), out)
        if step == Lit(-1) and isinstance(stop, Lit):
            return self._positive(self._plus(start, -stop.value, out), out)
        return self.let(LENGTH, [start, stop, step], out)

    def _plus(self, x: Operand, c: int, out: list[Statement]) -> Operand:
        """`x + c`, folded with an offset of `x`."""
        if isinstance(x, Lit):
            return Lit(x.value + c)
        eqn = self.definitions.get(x)
        if eqn is not None and eqn.op.name in ("add", "sub") and isinstance(eqn.args[1], Lit) \
                and isinstance(eqn.args[0], Value) and x.type == INT:
            offset = eqn.args[1].value
            x, c = eqn.args[0], c + (offset if eqn.op.name == "add" else -offset)
        if c == 0:
            return x
        return self.let(OPS["add" if c > 0 else "sub"], [x, Lit(abs(c))], out, None if x.dim is None else x.dim + c)

    def _positive(self, x: Operand, out: list[Statement]) -> Operand:
        if isinstance(x, Lit):
            return Lit(max(x.value, 0))
        is_positive = x.dim is not None and x.dim.least >= 0
        return x if is_positive else self.let(AT_LEAST_ZERO, [x], out)

    def let(self, op: Op, args: Sequence[Operand], out: list[Statement], dim: Dim | None = None,
            attrs: Mapping[str, object] | None = None) -> Value:
        """Append the definition of a size; returns its value."""
        value = Value(INT, None, dim)
        eqn = Eqn(op, tuple(args), (value,), attrs or {}, primal=False)
        out.append(Evaluate(eqn, eqn))
        return value

    def _allocation(self, storage: TapeStorage, size: Operand) -> Iterator[Statement]:
        """Allocate the columns, for `size` elements."""
        for v in storage.columns:
            if is_list(v.type):
                yield NewList(v)
                continue
            sizes: list[Operand] = [size]
            if rank_of(v) > 1:
                out: list[Statement] = []
                rows = self.row_sizes.of(storage.value, storage.arrays.index(v))
                assert rows is not None
                sizes += [row if isinstance(row, Lit) else self._row_size(*row, out) for row in rows]
                yield from out
            assert isinstance(v.type, Tensor)
            eqn = Eqn(empty_op(len(sizes), v.type.dtype), tuple(sizes), (v,), primal=False)
            yield Evaluate(eqn, eqn)

    def _row_size(self, x: Value, axis: int, offset: int, out: list[Statement]) -> Operand:
        return self._plus(self.let(OPS["dim"], [x], out, attrs={"axis": axis} if axis else {}), offset, out)

    def _growth(self, storage: TapeStorage, loop: Loop) -> list[Statement]:
        """Grow the columns for all iterations of `loop`, or for the next one if it is not counted."""
        assert storage.top is not None
        out: list[Statement] = []
        count: Operand = self._iterations(loop, out) if is_counted(loop.bounds) else ONE
        total = self.let(OPS["add"], [storage.top, count], out)
        for v in (v for v in storage.columns if not is_list(v.type)):
            eqn = Eqn(LARGER if rank_of(v) == 1 else MORE_ROWS, (v, total), (v,), primal=False)
            out.append(Evaluate(eqn, eqn))
        return out


def rank_of(v: Value) -> int:
    assert isinstance(v.type, Tensor)
    return v.type.rank
