"""How much room lists of numbers take, and which arrays they become.

    tape = []; for i in range(n): tape.append(v)     ->   np.empty(n), filled at the index
    tape = []; for ...: for ...: tape.append(v)      ->   np.empty(n * m), filled at a counter
    tape = []; while ...: tape.append(v)             ->   np.empty(0), reserved at each trip
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from sct.codegen.program.scopes import loop_view
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
    Statement,
    blocks,
    statements,
    targets,
)
from sct.ir.core import UNDEF, Eqn, Lit, Op, Operand, Value
from sct.ir.types import INT, Dim, Optional, Seq, Tensor, Type, Undef, array
from sct.ops import OPS

__all__ = [
    "DTYPES", "HELPERS", "LARGER", "ONE", "ZERO", "TapeArrays", "TapeStorage", "element", "is_known", "is_list",
    "lists",
]

ZERO, ONE = Lit(0), Lit(1)

HELPERS = {"reserve": '''\
def reserve(tape, size):
    """`tape`, with room for `size` elements."""
    if size <= tape.size:
        return tape
    larger = np.empty(max(size, 2 * tape.size), tape.dtype)
    larger[:tape.size] = tape
    return larger
'''}
"""Functions that the ops below call."""


def _op(emit: str) -> Op:
    return Op(emit, lambda *_: INT, emit=emit, nondiff="a size")


DTYPES = {"f64": "float64", "f32": "float32", "i64": "int64", "b1": "bool_"}
EMPTY = {k: _op("numpy.empty(_0)" if k == "f64" else f"numpy.empty(_0, numpy.{v})") for k, v in DTYPES.items()}
LARGER = _op("reserve(_0, _1)")
LENGTH = _op("len(range(_0, _1, _2))")
PRODUCT = {k: _op(" * ".join(f"_{j}" for j in range(k))) for k in range(1, 9)}
AT_LEAST_ZERO = _op("max(_0, 0)")


def is_list(t: Type) -> bool:
    """Is this a sequence, where it is there?"""
    while isinstance(t, (Undef, Optional)):
        t = t.elem
    return isinstance(t, Seq)


def element(t: Type) -> str | None:
    """The dtype of an array of such numbers; None if they are none."""
    while isinstance(t, (Undef, Optional)):
        t = t.elem
    if not isinstance(t, Tensor) or t.is_array:
        return None
    name = {"float": "f64", "real": "f64", "single": "f64", "int": "i64", "bool": "b1"}.get(t.dtype, t.dtype)
    return name if name in DTYPES else None


@dataclass(eq=False)
class TapeStorage:
    """What one list becomes.

    loops    those around the place where it is made, and around each append
    arrays   its columns; None: of lists, of which `begins`, `ends` are kept where they are read
    top      how many elements there are; None: the index of the one loop tells
    begin    where the list that is being filled begins
    parent   the list that it is appended to
    """

    made: NewList
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
        return self.made.tape

    @property
    def columns(self) -> list[Value]:
        return [*(a for a in self.arrays if a is not None), *self.begins.values(), *self.ends.values()]

    def depth(self) -> int:
        """How many lists it is in."""
        return 0 if self.parent is None else 1 + self.parent.depth()

    @property
    def home(self) -> TapeStorage:
        """The outermost of the lists that it is a part of."""
        return self if self.parent is None else self.parent.home


def lists(s: Statement) -> list[Value]:
    """The lists that a statement fills, empties or hands on, under all their names."""
    found: list[Operand]
    if isinstance(s, Push):
        found = [s.tape, *s.operands]
    elif isinstance(s, (Pop, ReadAt)):
        found = [s.tape, s.filled, *s.values]
    elif isinstance(s, Loop):
        found = [v for z in s.zipped for v in (z.tape, z.filled, *z.values)]
        found += [s.tape] if s.tape is not None else []
    elif isinstance(s, Assign):
        found = [x for pair in s.pairs for x in pair]
    else:
        return []
    return [v for v in found if isinstance(v, Value) and is_list(v.type)]


class TapeArrays:
    """The arrays of the lists of a program, and the statements that make them.

    stores  what each list becomes, under all the names that it has
    kept    where a list that is an element of another begins and ends
    before  what comes before a loop, and `first` at the head of each of its trips
    room    what makes the arrays
    """

    def __init__(self, block: Block, compiled: set[Value]) -> None:
        self.whole, self.compiled = block, compiled
        self.stores: dict[Value, TapeStorage] = {}
        self.kept: dict[Value, tuple[Operand | None, Operand | None]] = {}
        self.readers: dict[Value, list[tuple[ListRead, tuple[Loop, ...]]]] = defaultdict(list)
        self.before: dict[Loop, list[Statement]] = defaultdict(list)
        self.first: dict[Loop, list[Statement]] = defaultdict(list)
        self.room: dict[TapeStorage, list[Statement]] = defaultdict(list)
        self.maker: dict[Value, Eqn] = {
            s.eqn.out: s.eqn for s in statements(block) if isinstance(s, Evaluate) and len(s.eqn.outs) == 1}
        self._find(block, ())
        self.made = list(self.stores.values())
        for store in self.made:
            self._shape(store)
        for store in sorted(self.made, key=TapeStorage.depth):
            self._handles(store)
        for store in self.made:
            self._size(store)

    # -- what there is ------------------------------------------------------------------

    def _find(self, block: Block, loops: tuple[Loop, ...]) -> None:
        for s in block:
            if isinstance(s, NewList) and s.tape in self.compiled:
                self.stores[s.tape] = TapeStorage(s, loops)
        for s in block:
            if isinstance(s, Push) and s.tape in self.stores:
                self.stores[s.tape].pushes.append((s, loops))
            elif isinstance(s, (Pop, ReadAt)):
                self.readers[s.tape].append((s, loops))
            inside = (*loops, s) if isinstance(s, Loop) else loops
            for z in s.zipped if isinstance(s, Loop) else ():
                self.readers[z.tape].append((z, inside))
            for inner in blocks(s):
                self._find(inner, inside)

    def _shape(self, store: TapeStorage) -> None:
        """Its columns, and what is kept of the lists in it."""
        operands = self._operands(store)
        names = [x.hint for x in operands if x.hint]
        for x in operands:
            inner = self.inner(x)
            if inner is None:
                dtype = element(x.type)
                assert dtype is not None
                hint = f"{x.hint}_tape" if x.hint and len(operands) > 1 and names.count(x.hint) == 1 else "tape"
                store.arrays.append(Value(array(dtype, Dim(2)), hint))
                continue
            inner.parent = store
            store.arrays.append(None)

    def _handles(self, store: TapeStorage) -> None:
        """How it is read, and the lists in it that are read; those it is in come first."""
        names = [v for v, s in self.stores.items() if s is store]
        store.readers = [reader for v in names for reader in self.readers[v]]
        for k, (x, column) in enumerate(zip(self._operands(store), store.arrays)):
            inner = self.inner(x)
            if column is not None or inner is None:
                continue
            for reader, _ in store.readers:
                handle = reader.values[k]
                self.stores[handle] = inner
                ahead, back = self._ways(handle)
                if ahead:
                    store.begins.setdefault(k, Value(array("i64", Dim(2)), "begins"))
                if back:
                    store.ends.setdefault(k, Value(array("i64", Dim(2)), "ends"))
                self.kept[handle] = (Value(INT, "begin") if ahead else None, Value(INT, "end") if back else None)
            if k in store.begins or self._ways(inner.value)[0]:
                inner.begin = Value(INT, "begin")

    def start(self, tape: Value) -> Operand:
        """Where a list begins."""
        begin = self.kept[tape][0] if tape in self.kept else self.stores[tape].begin
        assert begin is not None
        return begin

    def _operands(self, store: TapeStorage) -> list[Operand]:
        """What is appended, where that is known."""
        return [max(column, key=is_known) for column in zip(*(push.operands for push, _ in store.pushes))]

    def inner(self, x: Operand) -> TapeStorage | None:
        """The list that is appended to a list."""
        return self.stores.get(x) if isinstance(x, Value) and is_list(x.type) else None

    def _ways(self, handle: Value) -> tuple[bool, bool]:
        """Is a list read from its beginning, from its end?"""
        ahead = back = False
        for s in statements(self.whole):
            if isinstance(s, ReadAt) and s.tape is handle:
                ahead = True
            elif isinstance(s, Pop) and s.tape is handle or isinstance(s, Loop) and s.tape is handle:
                back = True
                ahead = ahead or isinstance(s, Loop)
            elif isinstance(s, Loop):
                ahead = ahead or any(z.tape is handle and not z.backwards for z in s.zipped)
                back = back or any(z.tape is handle and z.backwards for z in s.zipped)
        return ahead, back

    # -- how large ----------------------------------------------------------------------

    def _size(self, store: TapeStorage) -> None:
        """Decide where room is made, and whether there is a counter."""
        home = store.home
        inside = store.pushes[0][1][len(home.loops):] if store.pushes else ()
        index = self._index_size(store, inside)
        if index is not None:
            self.room[store] = self._made(store, index)
            return
        store.top = Value(INT, "top")
        room: list[Statement] = []
        size = self._product(inside, room)
        if size is None:
            room = self._made(store, [], ZERO)
            loop = inside[-1] if inside else None
            if loop is not None:  # once in the text: Numba infers the type of the array from there
                (self.before if loop.bounds else self.first)[loop] += self._grown(store, loop)
        else:
            room += self._made(store, [], size)
        self.room[store] = [*room, Assign([(store.top, ZERO)])]

    def _index_size(self, store: TapeStorage, inside: Sequence[Loop]) -> list[Statement] | None:
        """What makes the size where the place of an element is the index of the one loop around it."""
        if store.parent is not None or len(inside) != 1 or any(a is None for a in store.arrays):
            return None
        (loop,) = inside
        if loop.index is None or not loop.bounds or not any(push in loop.body for push, _ in store.pushes):
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
        if not all(self._same_index(loop, reader, loops) for reader, loops in store.readers):
            return None
        made: list[Statement] = []
        if step == Lit(-1):
            size = self._plus(size, 1, made)
        made.append(Assign([(Value(INT), self._positive(size, made))]))
        return made

    def _same_index(self, loop: Loop, reader: ListRead, loops: Sequence[Loop]) -> bool:
        """Is the index of the loop around `reader` the place that it reads?"""
        if isinstance(reader, ReadAt):
            return loop.bounds[0] == ZERO and loop.bounds[2] == ONE and not loop.reverse
        other = loops[-1]
        if other.index is None or other.tape is not None or not other.bounds:
            return False
        (a, m, s), (b, n, t) = loop.bounds, other.bounds
        ends = m == n or loop.eqn is not None and n is loop_view(loop.eqn).iterations
        return a == b and s == t and ends and (not isinstance(reader, Pop) or loop.reverse != other.reverse)

    def _product(self, inside: Sequence[Loop], room: list[Statement]) -> Operand | None:
        """The trips of all these loops together, where that is known before them."""
        if not inside or not all(loop.bounds for loop in inside):
            return None
        assigned = {v for s in statements([inside[0]]) for v in targets(s)}
        assigned |= {s.index for s in statements([inside[0]]) if isinstance(s, Loop) and s.index is not None}
        if any(self._base(x) in assigned if k < 2 else x in assigned
               for loop in inside for k, x in enumerate(loop.bounds)):
            return None
        if any(self._is_odd(loop) and any(x in assigned for x in loop.bounds) for loop in inside):
            return None
        sizes = [self._length(loop, room) for loop in inside]
        if len(sizes) == 1:
            return sizes[0]
        return self.let(PRODUCT[len(sizes)], sizes, room)

    def _base(self, x: Operand) -> Operand:
        """`y` where x is y + 1 or the like."""
        made = self.maker.get(x) if isinstance(x, Value) else None
        if made is not None and made.op.name in ("add", "sub") and isinstance(made.args[1], Lit) and x.type == INT:
            return made.args[0]
        return x

    def _is_odd(self, loop: Loop) -> bool:
        start, stop, step = loop.bounds
        return not (step == ONE and isinstance(start, Lit) or step == Lit(-1) and isinstance(stop, Lit))

    def _length(self, loop: Loop, room: list[Statement]) -> Operand:
        """The number of trips, at least 0."""
        start, stop, step = loop.bounds
        if step == ONE and isinstance(start, Lit):
            return self._positive(self._plus(stop, -start.value, room), room)
        if step == Lit(-1) and isinstance(stop, Lit):
            return self._positive(self._plus(start, -stop.value, room), room)
        return self.let(LENGTH, [start, stop, step], room)

    def _plus(self, x: Operand, c: int, room: list[Statement]) -> Operand:
        """x + c"""
        if isinstance(x, Lit):
            return Lit(x.value + c)
        made = self.maker.get(x)
        if made is not None and made.op.name in ("add", "sub") and isinstance(made.args[1], Lit) \
                and isinstance(made.args[0], Value) and x.type == INT:
            by = made.args[1].value
            x, c = made.args[0], c + (by if made.op.name == "add" else -by)
        if c == 0:
            return x
        return self.let(OPS["add" if c > 0 else "sub"], [x, Lit(abs(c))], room, None if x.dim is None else x.dim + c)

    def _positive(self, x: Operand, room: list[Statement]) -> Operand:
        if isinstance(x, Lit):
            return Lit(max(x.value, 0))
        known = x.dim is not None and x.dim.least >= 0
        return x if known else self.let(AT_LEAST_ZERO, [x], room)

    def let(self, op: Op, args: Sequence[Operand], room: list[Statement], dim: Dim | None = None) -> Value:
        out = Value(INT, None, dim)
        eqn = Eqn(op, tuple(args), (out,), primal=False)
        room.append(Evaluate(eqn, eqn))
        return out

    def _made(self, store: TapeStorage, before: list[Statement], size: Operand | None = None) -> list[Statement]:
        """The columns, of a size that `before` ends with."""
        if size is None:
            last = before.pop()
            assert isinstance(last, Assign)
            size = last.pairs[0][1]
        made = list(before)
        for v in store.columns:
            eqn = Eqn(EMPTY[_dtype(v)], (size,), (v,), primal=False)
            made.append(Evaluate(eqn, eqn))
        return made

    def _grown(self, store: TapeStorage, loop: Loop) -> list[Statement]:
        """Room for the trips of `loop`, or for the next if it is not counted."""
        assert store.top is not None
        made: list[Statement] = []
        need: Operand = self._length(loop, made) if loop.bounds else ONE
        total = self.let(OPS["add"], [store.top, need], made)
        for v in store.columns:
            eqn = Eqn(LARGER, (v, total), (v,), primal=False)
            made.append(Evaluate(eqn, eqn))
        return made


def is_known(x: Operand) -> bool:
    return not (isinstance(x, Lit) and x.value is UNDEF)


def _dtype(v: Value) -> str:
    assert isinstance(v.type, Tensor)
    return v.type.dtype
