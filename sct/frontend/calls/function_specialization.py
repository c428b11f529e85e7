"""Functions of their own: what calls itself, and what is long and called again.

    def power(x, n):                     def power(x: float, n: int) -> float: ...
        ... x * power(x, n - 1)    ->        p: float = call(x, m, callee="power")

Such a function is evaluated once for arguments of one kind: in a heap of its own, its
params the numbers and arrays among the arguments.  What it writes into an array of the
caller is one more result, the new version of that array.  While a function that calls
itself is evaluated, its calls are taken to give what the last evaluation gave, at first
nothing; their arguments may widen its params.  It is evaluated until both settle.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Union

from sct.frontend.calls.captured_variables import Outer, captured
from sct.frontend.heap.store import Cells, Store
from sct.frontend.heap.subscripts import write_through
from sct.frontend.interpreter.interpreter import Dead, Doubt, Evaluator, Frame
from sct.frontend.source.parse import SourceFunction
from sct.frontend.values.abstract_values import (
    Abstract,
    Array,
    Bound,
    Cached,
    Closure,
    Container,
    Key,
    Perhaps,
    Poison,
    Ref,
    Slots,
    Static,
    Tup,
)
from sct.frontend.values.exact_keys import exact
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Builder, Fn, Lit, Operand, Value
from sct.ir.check import fits
from sct.ir.types import Dim, Optional, Seq, Tensor, Type, TypeMismatch, Undef, join, sym
from sct.ops import call

__all__ = ["call_outlined", "kind_of", "same_kind"]

TOO_MANY = 24
"""Kinds of arguments of one function."""


class Unsupported(Exception):
    """These arguments are not those of a function of its own."""


# -- arguments and results taken apart ------------------------------------------------------------


@dataclass(frozen=True)
class _Leaf:
    index: int


@dataclass(frozen=True)
class _Node:
    """A container; `which` numbers the lists and dicts, as two names may hold one; `exact` tells its keys apart."""

    kind: object
    which: int
    keys: tuple[Any, ...] = field(compare=False)
    items: tuple[_Shape, ...]
    exact: Hashable = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "exact", exact(self.keys))


_Shape = Union[_Leaf, _Node, Static, Poison]


@dataclass(frozen=True)
class _Code:
    """The code of a closure, and the call that it was made in, by its number."""

    node: Any
    function: Any
    frame: int


@dataclass
class _Parts:
    """The numbers and arrays in abstract values; an array that has two names is one part.

    around   the calls that closures were made in
    numbers  what of Python's numbers, where its value is known, is a part as well
    """

    ev: Evaluator
    around: Outer = field(default_factory=Outer)
    numbers: tuple[type, ...] = (int, float)
    values: list[Abstract] = field(default_factory=list)
    refs: dict[Ref, int] = field(default_factory=dict)
    containers: dict[int, int] = field(default_factory=dict)

    def shape(self, v: Abstract, pinned: bool = False) -> _Shape:
        if isinstance(v, Ref):
            if v not in self.refs:
                self.refs[v] = len(self.values)
                self.values.append(v)
            return _Leaf(self.refs[v])
        if isinstance(v, Value) or isinstance(v, Static) and type(v.peek) in self.numbers and not pinned:
            self.values.append(v)
            return _Leaf(len(self.values) - 1)
        if isinstance(v, Tup):
            return _Node(v.with_(()), 0, (), tuple(self.shape(x, pinned) for x in v.items))
        if isinstance(v, Perhaps):
            return _Node(Perhaps, 0, (), (self.shape(v.of),))
        if isinstance(v, Bound):
            names = tuple(name for name, _ in v.kwargs)
            return _Node((Bound, v.method), 0, names,
                         tuple(self.shape(x) for x in (v.fn, *v.args, *(x for _, x in v.kwargs))))
        if isinstance(v, Cached):
            return _Node(Cached, 0, (), (self.shape(v.fn),))
        if isinstance(v, Closure):
            return self.closure(v)
        if isinstance(v, Container):
            cell = self.ev.store.cells[v.addr]
            if v.addr in self.containers or not isinstance(cell, Slots) or cell.frozen or cell.rows is not None:
                raise Unsupported("a list or dict that has two names, or a list whose length is not known")
            which = self.containers[v.addr] = len(self.containers)
            return _Node(replace(v, addr=0), which, cell.keys, tuple(self.shape(x, pinned) for x in cell.items))
        if isinstance(v, (Static, Poison)):
            return v
        raise Unsupported(f"a {type(v).__name__.lower()}")

    def closure(self, v: Closure) -> _Shape:
        if v.frame not in self.around.frames:
            raise Unsupported("a function that it makes")
        code = _Code(v.node, self.ev.all_frames[v.frame].function, self.around.frames.index(v.frame))
        lacks = tuple(d is None for d in v.kw_defaults)
        given = (*v.defaults, *(d for d in v.kw_defaults if d is not None))
        return _Node(code, len(v.defaults), lacks, tuple(map(self.shape, given)))

    def made(self, shape: _Shape, leaves: Sequence[Abstract]) -> Abstract:
        """The value of this shape with other leaves, its containers new."""
        if isinstance(shape, _Leaf):
            return leaves[shape.index]
        if not isinstance(shape, _Node):
            return shape
        items = tuple(self.made(x, leaves) for x in shape.items)
        if isinstance(shape.kind, Tup):
            return shape.kind.with_(items)
        if shape.kind is Perhaps:
            (of,) = items
            assert isinstance(of, Tup)
            return Perhaps(of)
        if shape.kind is Cached:
            return Cached(items[0])
        if isinstance(shape.kind, tuple):
            split = len(items) - len(shape.keys)
            return Bound(items[0], items[1:split], tuple(zip(shape.keys, items[split:])), shape.kind[1])
        if isinstance(shape.kind, _Code):
            named = iter(items[shape.which:])
            return Closure(shape.kind.node, self.around.frames[shape.kind.frame], items[:shape.which],
                           tuple(None if lacks else next(named) for lacks in shape.keys))
        assert isinstance(shape.kind, Container)
        self.ev.store.cells[addr := self.ev.new_addr()] = Slots(items, shape.keys)
        return replace(shape.kind, addr=addr)  # type: ignore[return-value]


def _kind(t: Type) -> object:
    """What of a type makes an evaluation of its own."""
    if isinstance(t, Tensor):
        return ("array", t.dtype, t.rank) if t.is_array else (t.kind, t.dtype == "f32")
    return type(t), _kind(t.elem) if isinstance(t, (Optional, Undef, Seq)) else t


# -- functions --------------------------------------------------------------------------------------


@dataclass(eq=False)
class Function:
    """A function of the program.

    types    of its params
    dims     the sizes that its int params equal
    result   what it gives, as a shape of leaves; its leaves' types; None: it does not end
    given    of the leaves: the param whose very array one is
    tied     of the leaves: may one share memory with a param, or with another leaf?
    written  the params that it writes
    busy     it is being evaluated; recursive: it was called meanwhile
    flags    of what it gives, bools may be another one in each call
    settled  nothing was learnt in the last evaluation, which is the `round`-th
    widened  its params were found to be wider in that evaluation
    loose    the sizes of what it gives are not taken to be those of the evaluation before
    based    the functions, and their rounds, that were being evaluated when it was and that it
             called: what they give was not known for certain
    """

    name: str
    shapes: Mapping[Key, _Shape]
    types: list[Type]
    dims: list[Dim | None]
    result: _Shape | None = None
    results: list[Type] = field(default_factory=list)
    given: list[int | None] = field(default_factory=list)
    tied: list[bool] = field(default_factory=list)
    written: list[int] = field(default_factory=list)
    params: tuple[Value, ...] = ()
    fn: Fn | None = None
    site: Any = None
    busy: bool = False
    recursive: bool = False
    flags: bool = False
    settled: bool = False
    widened: bool = False
    loose: bool = False
    round: int = 0
    based: dict[Function, int] = field(default_factory=dict)

    @property
    def known(self) -> bool:
        """Does what it was based on still hold?"""
        return self.fn is not None and all(f.round == n for f, n in self.based.items())

    def takes(self, ev: Evaluator, types: Sequence[Type], dims: Sequence[Dim | None]) -> bool:
        return (all(map(fits, types, self.types)) and all(e is None or d == e for d, e in zip(dims, self.dims))
                and _sizes_fit(ev, types, self.types))

    def widen(self, types: Sequence[Type], dims: Sequence[Dim | None]) -> None:
        self.settled, self.widened = False, True
        self.types = _settled(self.types, types, self.name)
        self.dims = [e if e == d else None for d, e in zip(dims, self.dims)]


def _sizes_fit(ev: Evaluator, types: Sequence[Type], declared: Sequence[Type]) -> bool:
    """Are these sizes those that are declared, where they are not a function's own, and equal where these are?"""
    own: dict[Dim, Dim] = {}
    for t, p in zip(map(_bare, types), map(_bare, declared)):
        if not isinstance(t, Tensor) or not isinstance(p, Tensor):
            continue
        for d, e in zip(map(ev.resolve, t.shape), map(ev.resolve, p.shape)):
            if (e if e.symbols <= ev.sizes.keys() else own.setdefault(e, d)) != d:
                return False
    return True


def _bare(t: Type) -> Type:
    return _bare(t.elem) if isinstance(t, (Optional, Undef, Seq)) else t


def _settled(old: Sequence[Type], new: Sequence[Type], name: str) -> list[Type]:
    """Types of both; a size that is not the same in both is a size of its own, one for all that are equal in both."""
    own: dict[tuple[Dim, Dim], Dim] = {}
    count = itertools.count()

    def size(d: Dim, e: Dim) -> Dim:
        mine = sym(f"_{zlib.crc32(name.encode())}_{next(count)}")
        return d if d == e else own.setdefault((d, e), mine)

    def settled(both: Type, a: Type, b: Type) -> Type:
        if isinstance(both, (Optional, Undef)):
            return type(both)(settled(both.elem, a, b))
        p, q = _bare(a), _bare(b)
        if not isinstance(both, Tensor) or not isinstance(p, Tensor) or not isinstance(q, Tensor):
            return both
        return Tensor(both.carrier, both.dtype, tuple(map(size, p.shape, q.shape)))

    return [settled(join(a, b), a, b) for a, b in zip(old, new)]


def _loose(t: Type, name: str) -> Type:
    """A type with sizes of its own."""
    if isinstance(t, (Optional, Undef)):
        return type(t)(_loose(t.elem, name))
    if not isinstance(t, Tensor):
        return t
    return Tensor(t.carrier, t.dtype, tuple(sym(f"_{zlib.crc32(name.encode())}_{k}") for k in range(t.rank)))


def kind_of(ev: Evaluator, bound: Mapping[Key, Abstract]) -> object | None:
    """What arguments have in common that may be those of one function; None where there is no such kind."""
    try:
        parts = _Parts(ev)
        shapes = tuple((key.name, parts.shape(v)) for key, v in bound.items())
        types = [ev.resolved(x.type) for x in map(_operand(ev), parts.values)]
    except Unsupported:
        return None
    names: dict[Dim, str] = {}
    return shapes, tuple(_named(ev, t, names) for t in types)


def _named(ev: Evaluator, t: Type, names: dict[Dim, str]) -> str:
    """The text of a type; sizes that are not those of arguments by numbers."""
    if isinstance(t, (Optional, Undef, Seq)):
        return f"{type(t).__name__} {_named(ev, t.elem, names)}"
    if not isinstance(t, Tensor):
        return str(t)
    sizes = [str(d) if d.symbols <= ev.sizes.keys() else names.setdefault(d, f"?{len(names)}") for d in t.shape]
    return f"{t.carrier} {t.dtype} {sizes}"


def _operand(ev: Evaluator) -> Callable[[Abstract], Operand]:
    return lambda v: ev.contents(v) if isinstance(v, Ref) else ev.lit(v)


def same_kind(ev: Evaluator, a: tuple[Frame, Mapping[str, Abstract]], b: tuple[Frame, Mapping[str, Abstract]]) -> bool:
    """Do two calls of one text, with their arguments, differ in numbers and arrays alone?"""
    both = [(captured(ev, frame, given.values()), given) for frame, given in (a, b)]
    (p, x), (q, y) = both
    if p.links != q.links:
        return False
    first, second = _Parts(ev, p), _Parts(ev, q)
    pairs = [(x[name], y[name]) for name in x]
    pairs += [(ev.store.vars[k], ev.store.vars[j]) for k, j in zip(p.keys, q.keys) if k != j]
    try:
        return all(first.shape(v) == second.shape(w) for v, w in pairs)
    except Unsupported:
        return False


def call_outlined(ev: Evaluator, frame: Frame, bound: Mapping[Key, Abstract], body: Callable[[], Abstract],
                  around: Outer, site: Any = None) -> Abstract:
    """A call of the function of its own that the function of `frame` is for these arguments.

    body    evaluates it, where its params are bound
    around  what it reads of functions around it, which is bound as well
    site    of what is called again, what it is known by
    """
    source = frame.source
    pinned = ev.pinned.setdefault(frame.code, set())
    parts = _Parts(ev, around)
    try:
        shapes = {key: parts.shape(v, key.name in pinned) for key, v in bound.items()}
    except Unsupported as error:
        ev.refuse("SCT204", f"`{source.name}` calls itself, and is given {error}", hint="pass numbers and arrays")
    operands = list(map(_operand(ev), parts.values))
    types, dims = [x.type for x in operands], [x.dim for x in operands]
    frozen = [isinstance(v, Ref) and ev.store.cells[v.addr].frozen for v in parts.values]
    f = _found(ev, frame, shapes, around, types, dims, frozen)
    f.site = site
    if f.busy:
        f.recursive = True
        if not f.takes(ev, types, dims):
            f.widen(types, dims)
    if not f.busy and not f.known:
        f.fn, f.result, f.shapes, f.based = None, None, shapes, {}
        try:
            _evaluate(ev, f, source, parts, body)
        except NeedsStatic as need:
            name = _static_param(f, need.value, operands)
            if name is None:
                raise
            pinned.add(name)
            return call_outlined(ev, frame, bound, body, around, site)
    _note(ev, f)
    if f.result is None:
        if f.busy or any(g.busy for g in f.based):
            raise Dead
        ev.refuse("SCT204", f"`{source.name}` calls itself on every path: it does not end",
                  hint="return without a call of itself in some case")
    return _emit(ev, f, source, parts, operands)


def _note(ev: Evaluator, f: Function) -> None:
    """What is being evaluated, and calls `f`, is based on what `f` is based on."""
    unsure = {g: n for g, n in f.based.items() if g.busy}
    if f.busy:
        unsure[f] = f.round
    for g in unsure:
        for above in ev.evaluating[ev.evaluating.index(g) + 1:]:
            above.based[g] = unsure[g]


def _found(ev: Evaluator, frame: Frame, shapes: Mapping[Key, _Shape], around: Outer, types: Sequence[Type],
           dims: Sequence[Dim | None], frozen: Sequence[object]) -> Function:
    source = frame.source
    named = tuple((key.name, shape) for key, shape in shapes.items())
    key = frame.code, tuple(around.links), named, tuple(map(_kind, types)), tuple(frozen)
    known: list[Function] = ev.functions.setdefault(key, [])
    for f in known:
        if f.busy or f.takes(ev, types, dims):
            return f
    if sum(len(fs) for k, fs in ev.functions.items() if k[0] == frame.code) >= TOO_MANY:
        ev.refuse("SCT204", f"`{source.name}` calls itself with ever new kinds of arguments",
                  why="what decides types, a flag or an axis, is another one in each call",
                  hint="write it as a loop")
    f = Function(_free_name(ev, source.name), shapes, [_own(ev, t) for t in types],
                 [d if d is not None and d.symbols and d.symbols <= ev.sizes.keys() else None for d in dims])
    known.append(f)
    return f


def _own(ev: Evaluator, t: Type) -> Type:
    """A type whose sizes mean something in another function: those of arguments, or names of their own."""
    if isinstance(t, (Optional, Undef, Seq)):
        return type(t)(_own(ev, t.elem))
    if not isinstance(t, Tensor):
        return t
    return Tensor(t.carrier, t.dtype, tuple(
        d if d.symbols <= ev.sizes.keys() else sym(f"_{zlib.crc32(str(d).encode())}") for d in t.shape))


def _free_name(ev: Evaluator, name: str) -> str:
    base = name if name.isidentifier() else "function"
    taken = {f.name for fs in ev.functions.values() for f in fs}
    return next(made for k in itertools.count() if (made := f"{base}_{k}" if k else base) not in taken)


def _static_param(f: Function, v: Value, operands: Sequence[Operand]) -> str | None:
    """The name of the param that is `v`, if the call gives it a number that is known."""
    if v not in f.params:
        return None
    k = f.params.index(v)
    if not isinstance(operands[k], Lit):
        return None
    return next(key.name for key, shape in f.shapes.items() if k in _leaves(shape))


def _leaves(shape: _Shape) -> Iterable[int]:
    if isinstance(shape, _Leaf):
        yield shape.index
    elif isinstance(shape, _Node):
        for item in shape.items:
            yield from _leaves(item)


# -- evaluating ----------------------------------------------------------------------------------------


def _evaluate(ev: Evaluator, f: Function, source: SourceFunction, parts: _Parts, body: Callable[[], Abstract]) -> None:
    f.busy = True
    ev.evaluating.append(f)
    try:
        for _ in range(40):
            f.settled, f.widened, f.based = True, False, {}
            f.round += 1
            try:
                fn = _walk(ev, f, source, parts, body)
            except Doubt as doubt:
                if doubt.function is not f:
                    raise
                f.loose, f.result = True, None
                continue
            if f.widened:
                f.result = None  # it was learnt of narrower params
            elif f.settled or not f.recursive:
                f.fn = fn
                return
    finally:
        f.busy = False
        ev.evaluating.pop()
    ev.refuse("SCT204", f"the types of `{source.name}`, which calls itself, do not settle", hint="write it as a loop")


def _walk(ev: Evaluator, f: Function, source: SourceFunction, parts: _Parts, body: Callable[[], Abstract]) -> Fn:
    """One evaluation: what the function gives for params of the types that are known by now."""
    params = f.params = tuple(Value(t, _hint(f, k), d) for k, (t, d) in enumerate(zip(f.types, f.dims)))
    outer = ev.frames, ev.store, ev.boundary, ev.b, ev.open
    builder = Builder()
    ev.frames, ev.store, ev.boundary, ev.b, ev.open = [], Store(Cells({}, ev.captured)), 0, builder, []
    try:
        leaves: list[Abstract] = []
        for p, v in zip(params, parts.values):
            leaves.append(p)
            if isinstance(v, Ref):
                ev.store.cells[addr := ev.new_addr()] = Array(p, merged=True)
                leaves[-1] = Ref(addr, object=None)
        for key, shape in f.shapes.items():
            ev.store.vars[key] = parts.made(shape, leaves)
        containers = {addr: cell for addr, cell in ev.store.cells.items() if isinstance(cell, Slots)}
        with ev.block(builder):
            try:
                result: Abstract | None = body()
            except Dead:
                result = None
            if result is not None and any(ev.store.cells.get(addr) != cell for addr, cell in containers.items()):
                ev.refuse("SCT204", f"`{source.name}` is a function of its own, and writes into a list or dict that "
                          "it is given",
                          hint="return what is new; or write it as a loop that fills an array")
            return _finish(ev, f, source, parts.around, builder, leaves, result)
    finally:
        ev.frames, ev.store, ev.boundary, ev.b, ev.open = outer


def _hint(f: Function, k: int) -> str | None:
    return next((key.name for key, shape in f.shapes.items() if shape == _Leaf(k)), None)


def _finish(ev: Evaluator, f: Function, source: SourceFunction, around: Outer, builder: Builder,
            leaves: Sequence[Abstract], result: Abstract | None) -> Fn:
    outs: list[Operand] = []
    shape, given, tied = None, [], []
    if result is not None:
        parts = _Parts(ev, around, (bool, int, float) if f.flags else (int, float))
        try:
            shape = parts.shape(result)
        except Unsupported as error:
            ev.refuse("SCT204", f"`{source.name}` returns {error}", hint="return numbers and arrays")
        outs = list(map(_operand(ev), parts.values))
        given = [leaves.index(v) if v in leaves and isinstance(v, Ref) else None for v in parts.values]
        tied = [k is None and _is_tied(ev, v, [*leaves, *parts.values]) for v, k in zip(parts.values, given)]
        if any(tied) and f.site is not None:
            ev.refuse("SCT204", f"`{source.name}` returns a view", hint="return a copy")
    written = [k for k, v in enumerate(leaves) if isinstance(v, Ref) and result is not None
               and ev.store.cells[v.addr].value is not f.params[k]]  # type: ignore[union-attr]
    for k in written:
        leaf = leaves[k]
        assert isinstance(leaf, Ref)
        outs.append(ev.contents(leaf))
    types = [x.type for x in outs]
    _learn(ev, f, source, shape, types, (given, tied, written))
    donated_params = tuple((k, len(outs) - len(written) + j) for j, k in enumerate(written))
    return Fn(f.name, f.params, tuple(builder.eqns), tuple(outs), donated_params=donated_params)


def _is_tied(ev: Evaluator, v: Abstract, others: Sequence[Abstract]) -> bool:
    """May a write into this result be seen under another name, or the other way round?"""
    return isinstance(v, Ref) and (bool(ev.store.cells[v.addr].frozen) or any(
        isinstance(x, Ref) and x.addr == v.addr and x != v for x in others))


def _learn(ev: Evaluator, f: Function, source: SourceFunction, shape: _Shape | None, types: list[Type],
           names: tuple[list[int | None], list[bool], list[int]]) -> None:
    """Enter what the function gives; `settled` is False where that is news."""
    if f.loose:
        types = [_loose(t, f"{f.name} result {k}") for k, t in enumerate(types)]
    if f.result is None or shape is None:
        f.settled &= shape is None
        f.result, f.results = shape, [ev.resolved(t) for t in types]
        f.given, f.tied, f.written = names
        return
    if shape != f.result:
        if f.flags:
            ev.refuse("SCT204", f"`{source.name}`, which calls itself, returns one thing here and another there",
                      hint="return as many numbers and arrays on every path")
        f.flags, f.settled, f.result = True, False, None
        return
    if names != (f.given, f.tied, f.written):
        f.settled = False
        f.results = types
        f.given, f.tied, f.written = names
        return
    try:
        wider = _settled(f.results, [ev.resolved(t) for t in types], f"{f.name} result")
    except TypeMismatch as error:
        ev.refuse("SCT204", f"`{source.name}`, which calls itself, returns one type here and another there",
                  why=str(error))
    f.settled &= wider == f.results
    f.results = wider


# -- calling -------------------------------------------------------------------------------------------


def _emit(ev: Evaluator, f: Function, source: SourceFunction, parts: _Parts, operands: list[Operand]) -> Abstract:
    assert f.result is not None
    n = len(f.results) - len(f.written)
    operands = [ev.read(v) if isinstance(v, Ref) else x for v, x in zip(parts.values, operands)]
    if f.written:
        _unshared(ev, f, source, parts)
    types = tuple(_seen_from(ev, f, t, operands) for t in f.results)
    donates = tuple((k, n + j) for j, k in enumerate(f.written))
    outs = ev.b.emit(call, operands, {"callee": f.name, "types": types, "donates": donates}, loc=ev.loc)
    for k, out in zip(f.written, outs[n:]):
        ref = parts.values[k]
        assert isinstance(ref, Ref)
        write_through(ev, ref, out)
    leaves = [ev.wrap(out) if k is None else parts.values[k] for out, k in zip(outs, f.given)]
    if any(f.tied):
        ev.freeze(*(v.addr for v in [*parts.values, *(x for x, tied in zip(leaves, f.tied) if tied)]
                    if isinstance(v, Ref)))
    return parts.made(f.result, leaves)


def _unshared(ev: Evaluator, f: Function, source: SourceFunction, parts: _Parts) -> None:
    refs = [(k, v) for k, v in enumerate(parts.values) if isinstance(v, Ref)]
    for k in f.written:
        for j, v in refs:
            if j != k and v.addr == parts.values[k].addr:  # type: ignore[union-attr]
                ev.refuse("SCT305", f"two arguments of `{source.name}` share memory, and it writes into one",
                          hint="pass a copy")


def _seen_from(ev: Evaluator, f: Function, t: Type, operands: Sequence[Operand]) -> Type:
    """A type of a result with the sizes that the caller knows."""
    known: dict[str, Dim | None] = {}
    for p, x in zip(f.params, operands):
        if isinstance(p.type, Tensor) and isinstance(x.type, Tensor):
            known.update((str(d), e) for d, e in zip(p.type.shape, x.type.shape) if len(d.symbols) == 1)
        known[f"__v{p.id}"] = x.dim

    def size(d: Dim) -> Dim:
        total = Dim(d.const)
        for atom, coef in d.terms:
            there = atom in ev.sizes and Dim(0, ((atom, 1),)) or known.get(atom) if isinstance(atom, str) else None
            if there is None:
                return sym(f"_count{Value(t).id}")
            total = total + there * coef
        return total

    if isinstance(t, (Optional, Undef, Seq)):
        return type(t)(_seen_from(ev, f, t.elem, operands))
    return Tensor(t.carrier, t.dtype, tuple(map(size, t.shape))) if isinstance(t, Tensor) else t
