"""The loops of one array statement: the element of its result at a position, and the loops over the positions.

    v = 2.0 * (x[1:] - x[:-1])   ->   v = np.empty(x.size - 1)
                                      for i in range(x.size - 1):
                                          v[i] = 2.0 * (x[i + 1] - x[i])

An equation is computed in the outermost loop that binds what it reads, once for each position. A value that is not
computed by itself (`virtual`) is an expression of the elements of its operands.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sct.codegen.numba.loops.index_ranges import Ranges
from sct.codegen.program.statement_ir import Assign, Block, Evaluate, If, Loop
from sct.ir.core import Constant, Eqn, Lit, Loc, Op, Operand, Value, builder_var
from sct.ir.dims import Dim
from sct.ir.real_ints import result_type
from sct.ir.types import INT, Opaque, Tensor, Undef
from sct.ops import ELEMENTWISE, OPS
from sct.ops.arrays.indexing import split

__all__ = ["INSIDE", "Nest", "Total", "View", "bound", "element_type", "is_array", "loops", "shape_of", "tensor"]

ZERO, ONE = Lit(0), Lit(1)
INSIDE = "inside"
"""The attr of a subscript that is proved to be in range."""

WITHIN = Op("within", lambda *_: INT, emit="within(_0, _1)", nondiff="an index", compiled=True)
START = Op("slice_start", lambda *_: INT, emit="slice_start(_0, _1)", nondiff="an index", compiled=True)
LAST = Op("slice_last", lambda *_: INT, emit="slice_last(_0, _1)", nondiff="an index", compiled=True)
SMALLER = Op("smaller", lambda *_: INT, emit="min(_0, _1)", nondiff="an index", compiled=True)
AT_LEAST_ZERO = Op("at_least_zero", lambda *_: INT, emit="max(_0, 0)", nondiff="a size", compiled=True)
NOT_EMPTY = Op("not_empty", lambda *_: INT, emit="not_empty(_0)", nondiff="a size", compiled=True)
SIZES_DIFFER = Op("sizes_differ", lambda *_: Opaque(), emit="ValueError", nondiff="an exception")
JOINED = object()
"""The source of a size that is the sum of those of the operands."""
INDEX_NAMES = ("i", "j", "k", "l")


def tensor(x: Operand) -> Tensor | None:
    """The type of a number or an array that is bound where it is read."""
    t = x.type
    while isinstance(t, Undef):
        t = t.elem
    return t if isinstance(t, Tensor) else None


def is_array(x: Operand) -> bool:
    t = tensor(x)
    return t is not None and t.is_array


def shape_of(x: Operand) -> tuple[Dim, ...]:
    t = tensor(x)
    assert t is not None
    return t.shape


def element_type(x: Operand) -> Tensor:
    """The type of the elements of an array."""
    t = tensor(x)
    assert t is not None
    return Tensor("np", t.dtype)


def bound(x: Operand) -> Operand:
    """The operand, or one like it whose type says that it is bound."""
    t = tensor(x)
    return x if t is None or t is x.type else Value(t, dim=x.dim)


@dataclass
class View:
    """The part of an array that a subscript reads.

    fixed   axis of the array -> the position, for an int of the subscript
    """

    fixed: dict[int, Operand] = field(default_factory=dict)


@dataclass
class _Scope:
    """The body of a loop, or what stands before the loops.

    block     the statements
    elements  (array, position) -> the element
    results   (op, operands, attrs) -> the result
    """

    block: Block = field(default_factory=list)
    elements: dict[Any, Operand] = field(default_factory=dict)
    results: dict[Any, Operand] = field(default_factory=dict)


class Nest:
    """Builds the loops of one statement; ops that are called inside `with nest:` are computed in them.

    virtual  array -> its equation, for arrays that are computed element by element where they are read
    views    the positions of views, by their values
    ranges   facts about ints
    loc      the user's statement that the loops differentiate
    written  the array that the statement writes, whose elements are read in the innermost loop
    renamed  the array that the statement overwrites, by its value behind it
    checked  pairs of sizes that are checked to be equal
    reads    the arrays that are read, with the positions
    """

    def __init__(self, virtual: Mapping[Value, Eqn], views: Mapping[Value, View], ranges: Ranges,
                 loc: Loc | None) -> None:
        self.virtual, self.views, self.ranges, self.loc = virtual, views, ranges, loc
        self.scopes = [_Scope()]
        self.depths: dict[Value, int] = {}
        self.written: Value | None = None
        self.renamed: dict[Value, Value] = {}
        self.checked: set[tuple[Operand, Operand]] = set()
        self.reads: list[tuple[Value, tuple[Operand, ...]]] = []

    def __enter__(self) -> Nest:
        self._token = builder_var.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        builder_var.reset(self._token)

    @property
    def before(self) -> Block:
        """The statements before the loops."""
        return self.scopes[0].block

    # -- equations ----------------------------------------------------------------------

    def emit(self, op: Op, args: Sequence[Operand | Constant], attrs: Mapping[str, Any] | None = None, *,
             spelling: str | None = None, result: Any = None) -> Any:
        """The result of `op`, computed in the outermost loop that binds the operands."""
        operands = tuple(x if isinstance(x, (Value, Lit)) else Lit(x) for x in args)
        attrs = dict(attrs or {})
        folded = _folded(op, operands)
        if folded is not None:
            return folded
        key = op, operands, tuple(sorted(attrs.items())), spelling
        depth = max((self.depths.get(x, 0) for x in operands if isinstance(x, Value)), default=0)
        if op.name == "index" and operands[0] is self.written:
            depth = len(self.scopes) - 1
        scope = self.scopes[depth]
        if key not in scope.results:
            t = result or result_type(op, list(map(bound, operands)), attrs, spelling)
            assert not isinstance(t, tuple)
            dim = op.dim(*map(bound, operands), **attrs) if op.dim is not None else None
            scope.results[key] = value = Value(t, dim=dim)
            self.depths[value] = depth
            if depth and op.name in ("add", "sub") and t == INT:
                self.ranges.definitions[value] = Eqn(op, operands, (value,))
            self.append(Eqn(op, operands, (value,), attrs, spelling=spelling, primal=False), depth)
        return scope.results[key]

    def append(self, eqn: Eqn, depth: int = -1) -> None:
        self.scopes[depth].block.append(Evaluate(eqn, eqn))

    # -- elements -----------------------------------------------------------------------

    def read(self, x: Operand, at: Sequence[Operand | int]) -> Operand:
        if not isinstance(x, Value) or not is_array(x):
            return x
        x = self.renamed.get(x, x)
        position = tuple(Lit(i) if isinstance(i, int) else i for i in at)
        key = x, position
        for scope in self.scopes:
            if key in scope.elements:
                return scope.elements[key]
        if x in self.virtual:
            element = self.element(self.virtual[x], position)
        else:
            self.reads.append(key)
            element = self.emit(OPS["index"], (x, *position), {"key": ("i",) * len(position), INSIDE: True},
                                result=element_type(x))
        self.scopes[-1].elements[key] = element
        return element

    def element(self, eqn: Eqn, at: Sequence[Operand]) -> Operand:
        """The element of the result of an equation at a position."""
        if eqn.op.name == "index":
            return self.read(eqn.args[0], self.position(eqn, at))
        if eqn.op.elements is not None:
            element: Operand = eqn.op.elements(self, at, *eqn.args, **eqn.attrs)
            return element
        if is_array(eqn.out) and any(is_array(x) and x.type != eqn.out.type for x in eqn.args):
            shape = shape_of(eqn.out)
            for x in eqn.args:
                if is_array(x) and any(d != e and d.value != 1 for d, e in zip(shape_of(x)[::-1], shape[::-1])):
                    self.check_sizes(x, shape, [self.size_of_result(eqn, k) for k in range(len(shape))])
        operands = [self.broadcast(x, at) for x in eqn.args]
        element = self.emit(eqn.op, operands, eqn.attrs, spelling=eqn.spelling, result=element_type(eqn.out))
        return element

    def broadcast(self, x: Operand, at: Sequence[Operand]) -> Operand:
        """The element of an operand that is broadcast to the positions."""
        if not is_array(x):
            return x
        shape = shape_of(x)
        return self.read(x, [ZERO if d.value == 1 else i for d, i in zip(shape, at[len(at) - len(shape):])])

    def position(self, eqn: Eqn, at: Sequence[Operand]) -> list[Operand]:
        """The position in the array of the element of a part of it at a position."""
        x, *operands = eqn.args
        items = iter(split(eqn.attrs["key"], operands))
        rest, out = list(at), []
        axis, rank = 0, len(shape_of(x))
        key = eqn.attrs["key"]
        in_arrays: list[Operand] | None = None
        for item in items:
            if item is None:
                rest.pop(0)
            elif item is Ellipsis:
                for _ in range(rank - sum(c[0] in "isa" for c in key)):
                    out.append(rest.pop(0))
                    axis += 1
            elif isinstance(item, slice):
                out.append(self.in_slice(x, axis, item, rest.pop(0)))
                axis += 1
            elif is_array(item):
                in_arrays = [rest.pop(0) for _ in shape_of(item)] if in_arrays is None else in_arrays
                out.append(self.emit(WITHIN, (self.read(item, in_arrays), self.size(x, axis))))
                axis += 1
            else:
                out.append(self.views[eqn.out].fixed[axis] if eqn.out in self.views else item)
                axis += 1
        return [*out, *rest]

    def in_slice(self, x: Operand, axis: int, item: slice, i: Operand) -> Operand:
        """The position of the element i of a slice."""
        step = 1 if item.step is None else item.step.value
        start = self.slice_start(x, axis, item.start, step)
        along = i if abs(step) == 1 else OPS["mul"](i, abs(step))
        op = OPS["add" if step > 0 else "sub"]
        result: Operand = op(along, start) if step > 0 else op(start, along)
        return result

    def slice_start(self, x: Operand, axis: int, start: Operand | None, step: int) -> Operand:
        """The position of the first element of a slice, if it has one."""
        size, d = self.size(x, axis), shape_of(x)[axis]
        if start is None:
            return ZERO if step > 0 else self.plus(size, -1)
        if isinstance(start, Lit) and start.value < 0 and d.least + start.value >= 0:
            return self.plus(size, start.value)
        if step > 0:
            return start if self.ranges.not_negative(start) else self.emit(START, (start, size))
        return start if self.ranges.inside(start, d) else self.emit(LAST, (start, size))

    def plus(self, x: Operand, c: int) -> Operand:
        result: Operand = OPS["add" if c > 0 else "sub"](x, abs(c)) if c else x
        return result

    # -- sizes --------------------------------------------------------------------------

    def size(self, x: Operand, axis: int) -> Operand:
        d = shape_of(x)[axis % len(shape_of(x))]
        if d.value is not None:
            return Lit(d.value)
        assert isinstance(x, Value)
        if x not in self.virtual:
            axis %= len(shape_of(x))
            size: Operand = self.emit(OPS["dim"], (self.renamed.get(x, x),), {"axis": axis} if axis else {})
            return size
        return self.size_of_result(self.virtual[x], axis)

    def size_of_result(self, eqn: Eqn, axis: int) -> Operand:
        """The size of the result of an equation along an axis."""
        d = shape_of(eqn.out)[axis]
        source = size_source(eqn, axis)
        assert source is not None
        if isinstance(source, Value) and not is_array(source) or isinstance(source, Lit):
            return source
        if source is JOINED:
            total, *rest = (self.size(x, axis) for x in eqn.args)
            return functools.reduce(OPS["add"], rest, total)
        if isinstance(source, tuple):
            x, k = source
            return self.plus(self.size(x, k), (d - shape_of(x)[k]).value or 0)
        assert isinstance(source, _Slice)
        return self.slice_length(source, d)

    def slice_length(self, source: _Slice, d: Dim) -> Operand:
        """The number of elements of a slice with the step 1."""
        n, of = self.size(source.x, source.axis), shape_of(source.x)[source.axis]
        start, stop = source.item.start, source.item.stop
        begin = self.slice_start(source.x, source.axis, start, 1)
        if stop is None:
            end: Operand = n
        elif self.ranges.not_negative(stop):
            end = stop if self.ranges.at_most(stop, of) else self.emit(SMALLER, (stop, n))
        else:
            end = self.emit(START, (stop, n))
            end = self.emit(SMALLER, (end, n))
        if begin == ZERO:
            return end
        length: Operand = self.emit(AT_LEAST_ZERO, (OPS["sub"](end, begin),))
        return length

    def check_sizes(self, x: Operand, shape: tuple[Dim, ...], sizes: Sequence[Operand], inner: int = 0) -> None:
        """Check before the loops that the sizes of a broadcast operand are these, where that is not proved.

        inner  the number of its last axes that are not broadcast
        """
        own = shape_of(x)[:len(shape_of(x)) - inner] if is_array(x) else ()
        for k, (d, e, size) in enumerate(zip(own[::-1], shape[::-1], sizes[::-1])):
            if d.value == 1 or d == e:
                continue
            other = self.size(x, len(own) - 1 - k)
            if other != size and (size, other) not in self.checked:
                self.checked.add((size, other))
                differ = self.emit(OPS["ne"], (size, other))
                error = Eqn(SIZES_DIFFER, (), (Value(Opaque()),), {"callee": "ValueError"})
                raised = Eqn(OPS["raise_"], error.outs, ())
                self.before.append(If(differ, [Evaluate(error, error), Evaluate(raised, raised)], []))

    # -- loops --------------------------------------------------------------------------

    @contextmanager
    def loop(self, size: Operand, name: str | None = None) -> Iterator[Value]:
        """A loop, whose index this gives; statements are added to its body inside the `with` statement."""
        index = Value(INT, name or INDEX_NAMES[min(len(self.scopes) - 1, 3)])
        self.scopes.append(_Scope())
        self.depths[index] = len(self.scopes) - 1
        s = Loop([], index=index, bounds=(ZERO, size, ONE), derives=self.loc if len(self.scopes) == 2 else None)
        self.ranges.loops[index] = s
        yield index
        s.body = self.scopes.pop().block
        self.scopes[-1].block.append(s)

    def total(self, op: Op, start: Operand | None, sizes: Sequence[Operand], term: Callable[..., Any]) -> Operand:
        if start is None:
            sizes = [self.emit(NOT_EMPTY, (n,)) for n in sizes]
            start = term(*[ZERO] * len(sizes))
        total = Value(self.total_type(op, start, term, sizes))
        self.depths[total] = len(self.scopes) - 1
        self.scopes[-1].block.append(Assign([(total, start)]))
        self.accumulate(op, total, list(sizes), term, ())
        return total

    def total_type(self, op: Op, start: Operand, term: Callable[..., Any], sizes: Sequence[Operand]) -> Tensor:
        t = start.type
        assert isinstance(t, Tensor)
        return Tensor("np", {"float": "f64", "int": "i64", "bool": "b1"}.get(t.dtype, t.dtype))

    def accumulate(self, op: Op, total: Value, sizes: list[Operand], term: Callable[..., Any],
                   at: tuple[Value, ...]) -> None:
        if sizes:
            with self.loop(sizes[0]) as index:
                self.accumulate(op, total, sizes[1:], term, (*at, index))
            return
        self.append(Eqn(op, (total, term(*at)), (total,), primal=False))


class Total:
    """Takes down the sum that an element of a result is, for an `Elements` that does not compute it.

    sizes  the sizes of the axes that are summed over
    term   position along these -> the term
    """

    def __init__(self, nest: Nest, eqn: Eqn, at: Sequence[Operand]) -> None:
        self.nest = nest
        assert eqn.op.elements is not None
        eqn.op.elements(self, at, *eqn.args, **eqn.attrs)

    def read(self, x: Operand, at: Sequence[Operand | int]) -> Operand:
        return self.nest.read(x, at)

    def size(self, x: Operand, axis: int) -> Operand:
        return self.nest.size(x, axis)

    def total(self, op: Op, start: Operand | None, sizes: Sequence[Operand], term: Callable[..., Any]) -> Operand:
        self.sizes, self.term = list(sizes), term
        return ZERO


def loops(nest: Nest, sizes: Sequence[Operand], body: Callable[[tuple[Value, ...]], None],
          at: tuple[Value, ...] = ()) -> None:
    """Loops over all positions below the sizes, the last innermost, with the statements that `body` adds."""
    if len(at) == len(sizes):
        body(at)
        return
    with nest.loop(sizes[len(at)]) as index:
        loops(nest, sizes, body, (*at, index))


# -- where the size of a result is found ----------------------------------------------------


@dataclass(frozen=True)
class _Slice:
    """An axis of a slice."""

    x: Operand
    axis: int
    item: slice


def size_source(eqn: Eqn, axis: int) -> Any:
    """What the size of a result along an axis follows from: a literal, an int, an axis of an operand or of each, or a
    slice."""
    d = shape_of(eqn.out)[axis]
    if d.value is not None:
        return Lit(d.value)
    for x in eqn.args:
        for k, e in enumerate(shape_of(x)) if is_array(x) else ():
            if e == d:
                return x, k
    if eqn.op.name == "concatenate":
        return JOINED
    if eqn.op in ELEMENTWISE:  # sizes that are not proved to agree are checked
        for x in eqn.args:
            k = axis - len(shape_of(eqn.out)) + len(shape_of(x)) if is_array(x) else -1
            if k >= 0 and shape_of(x)[k].value != 1:
                return x, k
    if eqn.op.name != "index":
        ints = [x for x in eqn.args if isinstance(x, Value) and not is_array(x) and x.dim == d]
        return ints[0] if ints else None
    for k, e in enumerate(shape_of(eqn.args[0])):
        if (e - d).value is not None:
            return eqn.args[0], k
    return _slice_of(eqn, axis)


def _slice_of(eqn: Eqn, axis: int) -> _Slice | None:
    """The slice along an axis of the result, if its step is 1."""
    at = of = 0
    key, x = eqn.attrs["key"], eqn.args[0]
    for k, item in zip(key, split(key, eqn.args[1:])):
        if k == "e":
            return None
        if k[0] == "s" and at == axis:
            return _Slice(x, of, item) if item.step in (None, ONE) else None
        at += k[0] in "sn"
        of += k[0] in "si"
    return None


def _folded(op: Op, args: tuple[Operand, ...]) -> Operand | None:
    """The result of arithmetic of positions, where it is known."""
    if op.name not in ("add", "sub", "mul") or not all(x.type == INT for x in args):
        return None
    x, y = args
    if isinstance(x, Lit) and isinstance(y, Lit):
        return Lit({"add": x.value + y.value, "sub": x.value - y.value, "mul": x.value * y.value}[op.name])
    if y == ZERO and op.name != "mul":
        return x
    if x == ZERO and op.name == "add":
        return y
    return None
