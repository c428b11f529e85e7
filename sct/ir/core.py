"""The IR: immutable equations in A-normal form, with regions, and the schema of an op.

    Fn    ::= params, eqns, results          results are operands
    program = Fn with functions              the callees of its `call` equations
    Eqn   ::= outs = op(args, **attrs, *regions)
    arg   ::= Value | Lit
    region::= Fn                              may read values of the Fns around it

Invariants: every `Value` is bound once, as a param or as an out, and two values are the same if they are the
same object.  Nodes are frozen: a pass makes new ones.

    s = a * b          ->      Eqn(mul, (a, b), (s,), spelling="operator.mul")
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal, Protocol, TypeVar, Union

from sct.errors import Loc
from sct.ir.dims import Dim
from sct.ir.types import Residuals, Tensor, Type, Undef, leaf_type, py

__all__ = [
    "UNDEF", "Elements", "Eqn", "Fn", "Lit", "Loc", "Op", "Operand", "Value", "bound_values", "boundary_index",
    "builder_var", "call_names", "free_values", "has_effect", "is_effect", "is_float", "is_number", "rebuild",
    "regions", "substitute", "undef", "walk", "with_own_values",
]

_ids = itertools.count()


class Value:
    """A value of the IR.  `hint` is the user's name for it, if any; `dim` is the
    size term that an integer value is known to equal."""

    __slots__ = ("dim", "hint", "id", "type")

    def __init__(self, type: Type, hint: str | None = None, dim: Dim | None = None) -> None:
        self.type, self.hint, self.dim = type, hint, dim
        self.id = next(_ids)

    def __repr__(self) -> str:
        return f"{self.hint or 'v'}#{self.id}: {self.type}"


class _UndefType:
    def __repr__(self) -> str:
        return "undef"


UNDEF = _UndefType()


@dataclass(frozen=True, eq=False)
class Lit:
    """A literal: bool, int, float, str, None, or `UNDEF` of a given type.

    Two literals are equal if their type and bits are (`-0.0 != 0.0`, `1 != 1.0`).
    """

    value: Any
    as_type: Type | None = None
    hint: ClassVar[None] = None

    @cached_property
    def type(self) -> Type:
        return self.as_type if self.as_type is not None else py(self.value)

    @property
    def dim(self) -> Dim | None:
        return Dim(self.value) if isinstance(self.value, int) and not isinstance(self.value, bool) else None

    @cached_property
    def _key(self) -> tuple[object, ...]:
        return (type(self.value), repr(self.value), self.as_type)

    def __eq__(self, other: object) -> bool:
        return self is other or isinstance(other, Lit) and self._key == other._key

    @cached_property
    def _hash(self) -> int:
        return hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return repr(self.value)


def undef(type: Type) -> Lit:
    """The literal that stands for a variable of this type where a path does not assign it."""
    return Lit(UNDEF, type if isinstance(type, Undef) else Undef(type))


Operand = Union[Value, Lit]


def is_undef(x: Operand) -> bool:
    """Is this the literal of a value that is not assigned?"""
    return isinstance(x, Lit) and x.value is UNDEF


Constant = Union[float, complex, None]
"""What an operand may be given as in place of a literal."""

Aliasing = Literal["none", "view", "maybe", "same"]
RaisesFor = Literal["never", "shape", "value"]
Cost = Literal["free", "read", "cheap", "dear", "never"]
Layout = Literal["C", "K", "operands", "unknown"]
Folding = Literal["exact", "adjoint", "never"]


@dataclass(frozen=True, eq=False)
class Op:
    """An op: how it is spelled, typed, run, differentiated and printed.

    name      its name in IR text, and of the Python object
    type      type(*operands, **attrs) -> Type, or a tuple of Types
    run       run(*numpy_values, **attrs): the reference implementation
    calls     spellings: "numpy.sin", "math.sin", "operator.add", "builtins.abs",
              ".sum" (a method of arrays and NumPy scalars)
    bind      a Python function with the parameter names of the spelling; it returns (operands, attrs).
              None: positional operands, no attrs.
    defaults  attrs that are not printed where they have this value
    emit      how it prints: a Python expression in which `_0`, `_1` are operands, `_args` all of them in a row,
              `_axis` the attr `axis`; modules by their full names (`numpy.where(...)`).  Where it depends on the
              types: a function emit(*operands, **attrs) that returns such an expression.
              None: a call of the spelling, attrs as keywords
    partials  partials(y, *xs, **attrs) -> [dy/dx] for elementwise ops; the tangent follows, unless there is a `jvp`
    linear    linear(ct, *xs, **attrs) -> [cotangents]; the tangent is the op itself
              (of these and of cotangents, a TypeMismatch says why there is none by an operand)
    linear_in the operands in which it is linear: "all" that may have a derivative, together; "each" of these alone;
              those at some positions, together.  An op with the rule `linear` is linear in all.
              Ask `sct.ops.linear_operands(eqn)`
    vjp, jvp  vjp(ct, y, *xs, **attrs) -> [cotangents] (None: no contribution),
              jvp(tangents, y, *xs, **attrs) -> tangent (a tangent may be None: zero); without
              `jvp`, the transpose of `vjp`, which is linear in ct, gives the tangent.
              Of several outs: vjp([cts], [ys], ...) where a ct may be None, and
              jvp(tangents, [ys], ...) -> [tangents], with a TypeMismatch in the place of
              an out that has no derivative
    named     the class of the named tuple that the call gives, if it has several outs
    asks      asks(*operands, **attrs) -> {attr: (value, assumed)}: attrs that depend on the
              arguments (is the matrix wide?).  The frontend adds a guard for each; `assumed` is
              its value when the function is compiled ahead of time.  A third item tells the attr
              from the dtype of the result in a run, where the guard cannot be asked
    nondiff   the reason why there is no derivative
    inactive  positions of operands that have no derivative (indices, conditions)
    shapes    positions of operands whose shape and dtype are read, but not the elements
    alias     "none", "view", "maybe" (a view or a copy) or "same" (may be the very object), each of operand
              `alias_of`; or a function alias(*operands, **attrs) of them.  Ask `sct.ops.aliases(eqn)`
    readonly  the result may not be written (NumPy forbids it); or a function
              readonly(*operands, **attrs).  Ask `sct.ops.is_readonly(eqn)`
    writes    positions of operands that a call writes (in the user's program)
    raises    "never", "shape" or "value": what may make it raise
    safe      safe(*operands, **attrs): is it proved that it does not raise for these?  Ask `sct.ops.may_raise(eqn)`
    effect    never dropped, duplicated or reordered
    cost      of computing it again: "free", "read" (of an element or a part), "cheap" (arithmetic),
              "dear", or "never" (not allowed)
    folds     where a call on literals is replaced by its value: "exact" (everywhere: the value is
              rounded alike on every machine), "adjoint" (in adjoint code alone) or "never"
    commutative  does the order of its two operands not matter, bit for bit?
    augmented the operator of its augmented assignment: "+="
    allocates the result is new memory, which may be written: two equal calls are not one
    fill      the number that all elements of the result equal, if it is known
    updates   the result is the first operand after a write
    holds     the result holds the operands, or the items of lists among them
    key_at    the position of the first operand of the attr `key`
    layout    of the result: "C" (contiguous in C order), "K" (as the operands lie), "operands"
              (contiguous in C order if the operands are) or "unknown"
    square    the first operand must be a square matrix, or a stack of these
    compiled  Numba compiles it of numbers, to the same result
    elements  elements(e, at, *operands, **attrs) -> the element of the result at the position `at`, made by ops of
              elements of the operands, which `e` gives (an `Elements`). Elementwise ops need none: the element is
              the op itself of the elements at the same position
    complex   are its rule and its result right for complex operands?  None: if its rule is `linear`.  A partial
              of a real function of x + iy is df/dx - i df/dy
    maps      the position of the operand each element of which gives one of the result, if the op is elementwise in
              that operand alone
    dim       dim(*operands, **attrs) -> Dim | None: the size that an int result equals
    spelled   the type depends on the spelling: `type` takes it as `spelling=`
    samples   zero-argument callable: an iterable of (args, attrs) of NumPy values
    """

    name: str
    type: Callable[..., Type | tuple[Type, ...]]
    run: Callable[..., Any] | None = None
    calls: tuple[str, ...] = ()
    bind: Callable[..., tuple[Sequence[Any], dict[str, Any]]] | None = None
    defaults: Mapping[str, Any] = field(default_factory=dict)
    emit: str | Callable[..., str] | None = None
    partials: Callable[..., list[Any]] | None = None
    linear: Callable[..., list[Any]] | None = None
    linear_in: Literal["all", "each"] | tuple[int, ...] = ()
    vjp: Callable[..., list[Any]] | None = None
    jvp: Callable[..., Any] | None = None
    nondiff: str | None = None
    named: Any = None
    asks: Callable[..., dict[str, Any]] | None = None
    inactive: tuple[int, ...] = ()
    shapes: tuple[int, ...] = ()
    alias: Aliasing | Callable[..., Aliasing] = "none"
    alias_of: int = 0
    readonly: bool | Callable[..., bool] = False
    writes: tuple[int, ...] = ()
    raises: RaisesFor = "never"
    safe: Callable[..., bool] | None = None
    effect: bool = False
    cost: Cost = "dear"
    folds: Folding = "never"
    commutative: bool = False
    augmented: str | None = None
    allocates: bool = False
    fill: float | None = None
    updates: bool = False
    holds: bool = False
    key_at: int | None = None
    layout: Layout = "unknown"
    square: bool = False
    compiled: bool = False
    elements: Callable[..., Any] | None = None
    complex: bool | None = None
    maps: int | None = None
    dim: Callable[..., Dim | None] | None = None
    spelled: bool = False
    samples: Callable[[], Any] | None = None

    def __post_init__(self) -> None:
        rules = [self.partials, self.linear, self.vjp, self.nondiff]
        if sum(rule is not None for rule in rules) != 1 or self.jvp is not None and self.vjp is self.partials is None:
            raise TypeError(f"op {self.name}: exactly one of partials, linear, vjp, nondiff; jvp with partials or vjp")

    def __call__(self, *args: Operand | Constant, **attrs: Any) -> Any:
        """Add an equation of this op to the function being built; its out, or outs."""
        return builder_var.get().emit(self, args, attrs)

    def explicit(self, attrs: Mapping[str, Any]) -> dict[str, Any]:
        """The attrs that are not the defaults."""
        return {k: v for k, v in attrs.items()
                if not (k in self.defaults and type(self.defaults[k]) is type(v) and bool(self.defaults[k] == v))}

    def __repr__(self) -> str:
        return self.name


N = TypeVar("N", bound="IRNode")


class IRNode:
    """An equation or a function."""

    def replace(self: N, **changes: Any) -> N:
        """The node with other fields; the node itself if they are the same."""
        fields = self.__dict__
        for name, new in changes.items():
            old = fields[name]
            if old is not new and (type(new) is not tuple or old != new):
                return _changed(self, changes)
        return self


@dataclass(frozen=True, eq=False)
class Eqn(IRNode):
    """`outs = op(args, **attrs)`; `regions` for control flow.

    spelling  the user's spelling of the op ("math.sin"), kept by the primal
    primal    the user's own arithmetic, to be reproduced bit for bit; False in
              adjoint code
    inplace   the position of the operand whose buffer the out takes over; set by
              the pass `storage` alone
    merged_locs  the places of equal equations that were merged into this one
    """

    op: Op
    args: tuple[Operand, ...]
    outs: tuple[Value, ...]
    attrs: Mapping[str, Any] = field(default_factory=dict)
    regions: tuple[Fn, ...] = ()
    spelling: str | None = None
    primal: bool = True
    loc: Loc | None = None
    merged_locs: tuple[Loc, ...] = ()
    inplace: int | None = None

    @property
    def out(self) -> Value:
        (value,) = self.outs
        return value

    def __repr__(self) -> str:
        return f"{', '.join(map(repr, self.outs))} = {self.op.name}{self.args}"


@dataclass(frozen=True, eq=False)
class Fn(IRNode):
    """A function, or a region of an equation.

    functions       of a whole program: the functions that its `call` equations name, here and in one another
    donated_params  of a function of a program: pairs (param, result), the result may be computed in the param's buffer
    """

    name: str
    params: tuple[Value, ...]
    eqns: tuple[Eqn, ...]
    results: tuple[Operand, ...]
    functions: tuple[Fn, ...] = ()
    donated_params: tuple[tuple[int, int], ...] = ()

    def __repr__(self) -> str:
        return f"Fn {self.name}: {len(self.eqns)} eqns"


def _changed(node: N, changes: Mapping[str, Any]) -> N:
    """A copy with these changes: `dataclasses.replace` without the time that it takes."""
    copy = object.__new__(type(node))
    copy.__dict__.update(node.__dict__)
    copy.__dict__.update(changes)
    return copy


class EmitsEqns(Protocol):
    """The part of a builder that `Op.__call__` uses."""

    def emit(self, op: Op, args: Sequence[Operand | Constant], attrs: Mapping[str, Any]) -> Any: ...


class Elements(Protocol):
    """The elements of arrays, as rules `elements` ask for them. Positions are ints, one for each axis."""

    def read(self, x: Operand, at: Sequence[Operand | int]) -> Operand:
        """The element of `x` at a position; `x` itself if it is a number."""
        ...

    def size(self, x: Operand, axis: int) -> Operand:
        """The size of `x` along an axis."""
        ...

    def total(self, op: Op, start: Operand | None, sizes: Sequence[Operand], term: Callable[..., Any]) -> Operand:
        """start op term(k, l) op term(...) ... over all k, l, ... below the sizes; without a start, of at least one."""
        ...


builder_var: ContextVar[EmitsEqns] = ContextVar("sct_builder")


def boundary_index(fn: Fn) -> int | None:
    """The position of the equation `boundary` between the two parts of a function; None if it has one part."""
    return next((k for k, eqn in enumerate(fn.eqns) if eqn.op.name == "boundary"), None)


def call_names(fn: Fn) -> tuple[str, ...]:
    """The names by which equations call a function of a program: its own, or those of its two parts."""
    at = boundary_index(fn)
    of = None if at is None else fn.eqns[at].attrs["of"]
    return (fn.name,) if of is None else (f"{of}_forward", f"{of}_backward")


# -- walking and rewriting ------------------------------------------------------------


def walk(fn: Fn) -> Iterator[Eqn]:
    """Every equation of `fn` and of the regions in it, in order."""
    stack = [iter(fn.eqns)]
    while stack:
        for eqn in stack[-1]:
            yield eqn
            if eqn.regions:
                stack += [iter(region.eqns) for region in reversed(eqn.regions)]
                break
        else:
            stack.pop()


def regions(fn: Fn) -> Iterator[Fn]:
    """`fn` and all regions in it, outer before inner."""
    yield fn
    for eqn in fn.eqns:
        for region in eqn.regions:
            yield from regions(region)


def is_effect(eqn: Eqn) -> bool:
    """Does the equation itself have an effect: its op has one, or it calls a function that has one?"""
    return eqn.op.effect or bool(eqn.attrs.get("effect"))


def has_effect(eqn: Eqn) -> bool:
    """Does the equation, or an equation in its regions, have an effect?"""
    return is_effect(eqn) or any(has_effect(inner) for region in eqn.regions for inner in region.eqns)


def free_values(fn: Fn) -> list[Value]:
    """The values that `fn` reads and does not bind, in the order of their first use."""
    bound: set[Value] = set()
    free: dict[Value, None] = {}

    def visit(f: Fn) -> None:
        bound.update(f.params)
        for eqn in f.eqns:
            read(eqn.args)
            for region in eqn.regions:
                visit(region)
            bound.update(eqn.outs)
        read(f.results)

    def read(args: Sequence[Operand]) -> None:
        for a in args:
            if isinstance(a, Value) and a not in bound:
                free[a] = None

    visit(fn)
    return list(free)


def substitute(args: Sequence[Operand], env: Mapping[Value, Operand]) -> tuple[Operand, ...]:
    return tuple([env.get(a, a) if type(a) is Value else a for a in args])


def rebuild(fn: Fn, env: Mapping[Value, Operand] | None = None, *, fresh: bool = False) -> Fn:
    """`fn` with its free values replaced by `env`; with `fresh`, all values that it
    binds are new (a copy that may stand beside the original)."""
    names: dict[Value, Operand] = dict(env or {})

    def new(values: Sequence[Value]) -> tuple[Value, ...]:
        if not fresh:
            return tuple(values)
        copies = tuple(Value(v.type, v.hint, v.dim) for v in values)
        names.update(zip(values, copies))
        return copies

    def visit(f: Fn) -> Fn:
        params = new(f.params)
        eqns = []
        for e in f.eqns:
            args = substitute(e.args, names)
            regions = tuple(map(visit, e.regions))
            changes = {"args": args, "regions": regions, "outs": new(e.outs)}
            eqns.append(_changed(e, changes) if fresh else e.replace(**changes))
        return f.replace(params=params, eqns=tuple(eqns), results=substitute(f.results, names))

    return visit(fn)


def with_own_values(fn: Fn, hints: Mapping[Value, str | None] | None = None) -> Fn:
    """A copy of `fn` that binds new values, with `hints` in the place of theirs.

    The new values have the ids of the old ones, because names of sizes are made of ids.
    """
    names: dict[Value, Operand] = {}
    hints = hints or {}

    def own(values: Sequence[Value]) -> tuple[Value, ...]:
        copies = []
        for v in values:
            names[v] = new = Value(v.type, hints.get(v, v.hint), v.dim)
            new.id = v.id
            copies.append(new)
        return tuple(copies)

    def visit(f: Fn) -> Fn:
        params = own(f.params)
        eqns = [e.replace(args=substitute(e.args, names), regions=tuple(map(visit, e.regions)), outs=own(e.outs))
                for e in f.eqns]
        return f.replace(params=params, eqns=tuple(eqns), results=substitute(f.results, names))

    return visit(fn)


def bound_values(fn: Fn) -> Iterator[Value]:
    """The values that `fn`, its regions and its functions bind."""
    yield from fn.params
    for eqn in fn.eqns:
        for region in eqn.regions:
            yield from bound_values(region)
        yield from eqn.outs
    for function in fn.functions:
        yield from bound_values(function)


def is_complex(fn: Fn) -> bool:
    """Does `fn` compute with complex numbers?"""
    types = (leaf_type(v.type) for v in bound_values(fn))
    return any(isinstance(t, Tensor) and t.kind == "c" for t in types)


def is_number(x: Operand) -> bool:
    """Is this a number, not an array?"""
    return isinstance(x.type, Tensor) and x.type.is_scalar


def is_float(x: Operand | Type) -> bool:
    """Can a derivative pass through `x`?  It can if `x` holds floating-point or complex numbers, perhaps in lists."""
    t = leaf_type(x.type if isinstance(x, (Value, Lit)) else x)
    return isinstance(t, Residuals) or isinstance(t, Tensor) and t.kind in "fc"
