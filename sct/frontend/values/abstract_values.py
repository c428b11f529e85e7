"""Abstract values, to which names are bound during evaluation, and the cells of the heap.

An abstract value is one of
- `Static`: a Python object known now;
- an IR `Value`: a number, optional or opaque object known only at run time;
- `Ref`: an array, as an address and a path of view steps;
- `Tup`, `ListRef`, `DictRef`, `ObjRef`: a container whose structure is known;
- `Closure`, `Bound`, `Method`, `DerivedCallable`, `Iteration`: things to call or loop over;
- `Poison`: a value on which paths disagree; reading it is refused.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from sct.ir import Op, Operand, Value

if TYPE_CHECKING:
    import gast

    from sct.frontend.values.schemas import Schema

__all__ = [
    "CAPTURED", "DELETED", "PLAIN", "SLICE", "Abstract", "Array", "Bound", "Cached", "Choice", "Closure", "Container",
    "DefaultRef", "DerivedCallable", "DictRef", "FreeLeaf", "Frozen", "Iteration", "Key", "Layout", "Level", "Like",
    "ListRef", "MapRef", "Method", "ObjRef", "OptionalTuple", "Origin", "Parent", "Poison", "Position", "Ref",
    "RunTimeTuple", "Slots", "StarredItems", "Static", "Step", "Suspended", "Together", "Tup", "is_literal", "parts"]

Path = tuple[Any, ...]
"""(function or None for the one differentiated, ("global", name), ("attr", name), ...)."""
CAPTURED = -(1 << 32)
"""Addresses up to this one belong to captured cells, and stay the same in every round of a loop."""


@dataclass(frozen=True, eq=False)
class Static:
    """A Python object known at compile time.

    path  how a call finds it again from the function, where it was found there
    """

    value: Any
    path: Path | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Static) or type(self.peek) is not type(other.peek):
            return False
        if isinstance(self.value, (bool, int, float, complex, str, bytes)):
            return repr(self.value) == repr(other.value)
        return self.value is other.value

    def __hash__(self) -> int:
        return hash(type(self.value))

    @property
    def peek(self) -> Any:
        """The object, for one who looks at its class and its attributes alone."""
        return self.value


class Instance(Static):
    """An object of a user's class that the function finds outside.

    Its class is guarded, and each attribute where it is read, so that the specialization serves other objects too.
    Reading `value` adds the guard that it is this very object.
    """

    def __init__(self, obj: Any, path: Path, pin: Callable[[], None]) -> None:
        for name, x in (("obj", obj), ("path", path), ("pin", pin)):
            object.__setattr__(self, name, x)

    @property
    def peek(self) -> Any:
        return self.obj  # type: ignore[attr-defined]

    @property
    def value(self) -> Any:
        self.pin()  # type: ignore[attr-defined]
        return self.obj  # type: ignore[attr-defined]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Instance) and self.path == other.path or super().__eq__(other)

    def __hash__(self) -> int:
        return hash(self.path)


@dataclass(frozen=True, eq=False)
class Step:
    """A view step: `op(base, *args, **attrs)`; `name` is the user's for the view, which may be `readonly`."""

    op: Op
    args: tuple[Operand, ...]
    attrs: Mapping[str, Any]
    spelling: str | None = None
    name: str | None = None
    readonly: bool = False

    def _key(self) -> tuple[object, ...]:
        return self.op, self.args, tuple(sorted(self.attrs.items(), key=str)), self.readonly

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Step) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self.op, self.args))


@dataclass(frozen=True)
class Ref:
    """An array: the buffer at `addr`, seen through `path`.

    object  the number of the Python object among those that see this buffer: 0 the array created with it, None one
            that depends on the path.  Only `is` reads it.
    """

    addr: int
    path: tuple[Step, ...] = ()
    object: int | None = field(default=0, compare=False, repr=False)


@dataclass(frozen=True)
class Tup:
    """A tuple; `fields` are the names of its items, of a named one, `cls` the user's class, `place` its display."""

    items: tuple[Abstract, ...]
    fields: tuple[str, ...] = ()
    cls: type = tuple
    place: Any = field(default=None, compare=False, repr=False)

    def with_(self, items: Iterable[Abstract]) -> Tup:
        return Tup(tuple(items), self.fields, self.cls, self.place)

SLICE = ("", "start", "stop", "step")
"""The fields of a slice whose bounds are known only at run time; the empty first name identifies it."""


@dataclass(frozen=True)
class OptionalTuple:
    """None, or a tuple of numbers and arrays: all of its items are None, or none is."""

    of: Tup


@dataclass(frozen=True)
class Choice:
    """One of several objects, that depends on the path: `code` is None or a text, and says which of the `members`.

    codes  what the code is for each member, of one of several kinds of values; None: it follows from the member
    """

    code: Value
    members: tuple[Abstract, ...]
    codes: tuple[str | None, ...] | None = None


@dataclass(frozen=True)
class Container:
    """An object whose structure is known; its slots are on the heap."""

    addr: int


@dataclass(frozen=True)
class ListRef(Container):
    """A list; its slots, or the columns of one whose length is not known, are on the heap."""


@dataclass(frozen=True)
class RunTimeTuple:
    """A tuple whose length, at least `least`, is known only at run time: the items of a list that is never written."""

    of: ListRef
    least: int = field(default=0, compare=False)


@dataclass(frozen=True)
class StarredItems(RunTimeTuple):
    """The last arguments of a call: the items of this tuple, all of which `*args` of the function takes."""


@dataclass(frozen=True)
class DictRef(Container):
    """A dict whose keys are known."""


@dataclass(frozen=True)
class DefaultRef(DictRef):
    """A `collections.defaultdict`, or an `OrderedDict`: that has no factory."""

    factory: Abstract | None


@dataclass(frozen=True)
class MapRef(Container):
    """A dict whose keys are known only at run time; `factory` is that of a `collections.defaultdict`; an `OrderedDict`
    is `ordered`.

    Its slots: a dict of Python that holds the place of each key, the keys at these places, or None where nothing
    iterates over them, and the values at these places.
    """

    factory: Abstract | None = None
    ordered: bool = False


@dataclass(frozen=True)
class ObjRef(Container):
    """An instance of a user's class: a slot is an attribute."""

    cls: type


@dataclass(frozen=True, eq=False)
class Closure:
    """A `def` or `lambda` met during evaluation, with the frame that it reads, and attributes that are constants."""

    node: gast.AST
    frame: int
    defaults: tuple[Abstract, ...] = ()
    kw_defaults: tuple[Abstract | None, ...] = ()
    attributes: tuple[tuple[str, Any], ...] = ()

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Closure) and self.node is other.node and self.frame == other.frame
                and self.defaults == other.defaults and self.kw_defaults == other.kw_defaults
                and self.attributes == other.attributes)

    def __hash__(self) -> int:
        return hash((id(self.node), self.frame))


@dataclass(frozen=True)
class Bound:
    """`functools.partial(fn, *args, **kwargs)`; a bound `method` is one of its object."""

    fn: Abstract
    args: tuple[Abstract, ...]
    kwargs: tuple[tuple[str, Abstract], ...] = ()
    method: bool = False


@dataclass(frozen=True, eq=False)
class Cached:
    """`functools.lru_cache(fn)`; `memo`: what its calls have returned, where the derivative has the cache too."""

    fn: Abstract
    memo: MapRef | None = None


@dataclass(frozen=True)
class Parent:
    """`super()`: the attributes of `owner` that classes after `cls` have."""

    cls: type
    owner: Abstract


@dataclass(frozen=True)
class Method:
    """`owner.name`, to be called."""

    owner: Abstract
    name: str


@dataclass(frozen=True, eq=False)
class DerivedCallable:
    """A pullback, a derivative or a transform with options; `of`: the function whose parameters it has, if known."""

    call: Any
    of: Any = None


@dataclass(frozen=True)
class Iteration:
    """A `range`, a view of a dict ("keys", "values", "items"), or an iterator: `zip`, `map`, "iter" of a container.

    state    of an iterator: the address of its slots, the first of which is a `Position`; `site`: where it is made
    counted  what the list that it runs over held then, if its position is a number of the program
    """

    kind: str
    parts: tuple[Abstract, ...]
    state: int | None = None
    site: Any = field(default=None, compare=False)
    counted: tuple[Value, ...] | None = None


@dataclass(frozen=True)
class Position:
    """The number of items taken from an iterator; None if it is exhausted.  Not a number of the program: paths that
    leave an iterator at different positions disagree on it."""

    at: int | None


@dataclass(frozen=True)
class Level:
    """A block of a suspended generator: its statements; the first `at` have run.

    loop  the loop whose body it is; `items`: the iterator of a `for`
    """

    stmts: tuple[gast.AST, ...]
    at: int
    loop: gast.AST | None = None
    items: Iteration | None = None


@dataclass(frozen=True)
class Suspended:
    """Where the body of a generator goes on when the next item is asked for; the innermost block is the last."""

    levels: tuple[Level, ...]


@dataclass(frozen=True)
class Poison:
    """A value on which paths disagree, or that sct does not compute; `reason` says how."""

    reason: str
    hint: str = "give it the same type on every path"


DELETED = Poison("it is deleted")
"""A number or an array that `del` has taken its name: its variable does not become unassigned."""


Abstract = Union[
    Static, Value, Ref, Tup, OptionalTuple, RunTimeTuple, Choice, ListRef, DictRef, MapRef, ObjRef, Bound, Cached,
    Parent, Closure, Method, DerivedCallable, Iteration, Position, Suspended, Poison]


def parts(v: Abstract | None) -> tuple[Abstract, ...]:
    """The abstract values inside an abstract value; items of containers are on the heap."""
    if isinstance(v, Closure):
        return *v.defaults, *(x for x in v.kw_defaults if x is not None)
    if isinstance(v, Tup):
        return v.items
    if isinstance(v, OptionalTuple):
        return v.of.items
    if isinstance(v, Bound):
        return v.fn, *v.args, *(x for _, x in v.kwargs)
    if isinstance(v, (Method, Parent, RunTimeTuple)):
        return (v.of if isinstance(v, RunTimeTuple) else v.owner,)
    if isinstance(v, Choice):
        return v.members
    if isinstance(v, Cached):
        return (v.fn,) if v.memo is None else (v.fn, v.memo)
    if isinstance(v, Iteration):
        return v.parts if v.state is None else (*v.parts, DictRef(v.state))
    if isinstance(v, Suspended):
        return tuple(level.items for level in v.levels if level.items is not None)
    return ()


@dataclass(frozen=True)
class Like:
    """The memory layout of an array that NumPy computes from `argument` alone: its order of axes, without gaps.

    flipped  computed from its transpose
    """

    argument: Value
    flipped: bool = False

    def of(self, x: Any) -> Any:
        """An array of this layout, where the argument is `x`."""
        return np.empty_like(x.T if self.flipped else x)


@dataclass(frozen=True)
class Together:
    """The memory layout of an array made from arrays of these layouts: C order if all are, otherwise unknown."""

    parts: tuple[Layout, ...]


Layout = Union[bool, Value, Like, Together]


class Origin(enum.Enum):
    """Where a cell comes from, ordered by how much writes to it are restricted."""

    FRESH = "created by the function"
    ARGUMENT = "an argument: writes act on a private copy"
    CAPTURED = "a free variable: writes are refused"
    PYTHON = "an object of Python: it is copied where it is read, since a later call may write to it"


class Frozen(enum.Enum):
    """Whether a cell may be written, and if not, why."""

    NO = ""
    AMBIGUOUS = "which names share this array depends on the path through the program, or on its order in memory"
    HELD = "it was put into a list or a dict, or taken out of one"
    STALE = "it was in a list, and what is in that list was written since"
    RULED = "a solver or a function with a rule has returned it, and it may be memory of something else"
    CACHED = "it is in a cache, and other calls return the same object"
    ROW = "it is one of many dicts, which keep their keys"

    def __bool__(self) -> bool:
        return self is not Frozen.NO


@dataclass(frozen=True)
class Array:
    """A cell: the current version of a buffer.

    origin   where the buffer comes from
    frozen   whether it may be written, and if not, why
    layout   True: contiguous in C order; an argument: the layout of that array; Like: that of a new array computed
             from it; False: not known
    readonly whether NumPy forbids writes to it, on any path: an argument stands for its flag
    merged   it may share the buffer of another cell, since paths were joined
    starts   it is a number in the first iteration of a loop: it may be used in elementwise ops with such arrays only
    """

    value: Operand
    origin: Origin = Origin.FRESH
    frozen: Frozen = Frozen.NO
    layout: Layout = False
    readonly: frozenset[bool | Value] = frozenset({False})
    merged: bool = False
    starts: bool = False


@dataclass(frozen=True)
class Slots:
    """A cell: the slots of a list, dict or object; `keys` are the dict's keys, the object's attributes.

    schema  of a list of unknown length: how an item is built from those of `items`, columns that hold lists of the IR
    parent  of a list that is an item of another list: its address; its column is a view into the other's column
    site   the place of the expression that makes this dict; of a list of what a dict holds now: that dict
    unset   of an object or a dict: what it has not got on some path; None of lists, and where no path was joined
    ordered of an object or a dict: has it got them in the order of `keys` on every path?
    """

    items: tuple[Abstract, ...]
    keys: tuple[Any, ...] = ()
    origin: Origin = Origin.FRESH
    frozen: Frozen = Frozen.NO
    schema: Schema | None = None
    parent: int | None = None
    site: Any = field(default=None, compare=False)
    unset: frozenset[str] | None = None
    ordered: bool = True


Cell = Union[Array, Slots]


PLAIN = frozenset((bool, int, float, complex, str, type(None)))
"""The classes of literals; subclasses of them, such as an `IntEnum`, have operators and a text of their own."""


def is_literal(v: object) -> bool:
    """Is this a known number, string or None, which can be a literal?"""
    return isinstance(v, Static) and type(v.peek) in PLAIN


@dataclass(frozen=True)
class FreeLeaf:
    """A number or array that the function reads from outside: a keyword-only parameter."""

    name: str
    path: Path
    param: Value
    key: Any

    @property
    def is_column(self) -> bool:
        """Is it a column of a list of records?"""
        step = self.path[-1]
        return isinstance(step, tuple) and step[0] == "column"


@dataclass(frozen=True)
class Key:
    """A slot of the store: `name` of `frame`; "<exit>" and "<return>" are slots too."""

    frame: int
    name: str = field(compare=True)
