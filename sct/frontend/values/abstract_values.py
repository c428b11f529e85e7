"""What a name may be bound to during abstract evaluation, and the cells of the heap.

An abstract value is one of

- `Static`: a Python object known now;
- an IR `Value`: a number, optional or opaque object known only at run time;
- `Ref`: an array, as an address and a path of view steps;
- `Tup`, `ListRef`, `DictRef`, `ObjRef`: a container whose structure is known;
- `Closure`, `Bound`, `Method`, `DerivedCallable`, `Iteration`: things to call or loop over;
- `Poison`: something that paths disagree on; reading it is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from sct.ir import Op, Operand, Value

if TYPE_CHECKING:
    import gast

__all__ = [
    "CAPTURED", "DELETED", "NAMESPACE", "PLAIN", "SLICE", "Abstract", "Array", "Bound", "Cached", "Closure",
    "Container", "DefaultRef", "DerivedCallable", "DictRef", "FreeLeaf", "Iteration", "Key", "Layout", "Like",
    "ListRef", "Method", "ObjRef", "Parent", "Perhaps", "Poison", "Position", "Record", "Ref", "Shape", "Slots",
    "Static", "Step", "Together", "Tup", "is_number", "parts",
]

Path = tuple[Any, ...]
"""(function or None for the one differentiated, ("global", name), ("attr", name), ...)."""


CAPTURED = -(1 << 32)
"""Heap addresses up to here are of what is captured: others are given anew at each walk of a loop."""


@dataclass(frozen=True, eq=False)
class Static:
    """A Python object known at compile time.

    path  how a call finds it again from the function, where it was found there
    """

    value: Any
    path: Path | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Static) or type(self.value) is not type(other.value):
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

    Its class is guarded, and each attribute where it is read, so that other objects serve as
    well; who asks for the object itself makes it a guard that it is this one.
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

    object  which Python object it is, of those that see this: 0 the one that was made with the
            buffer, None one that depends on the path.  It is asked by `is` alone.
    """

    addr: int
    path: tuple[Step, ...] = ()
    object: int | None = field(default=0, compare=False, repr=False)


@dataclass(frozen=True)
class Tup:
    """A tuple; `fields` are the names of its items, if it is a named one, `cls` the user's class of it."""

    items: tuple[Abstract, ...]
    fields: tuple[str, ...] = ()
    cls: type = tuple

    def with_(self, items: Iterable[Abstract]) -> Tup:
        return Tup(tuple(items), self.fields, self.cls)


NAMESPACE = "it is the `__dict__` of an object"
"""Why a dict is not written: it is made of the attributes of an object, which does not see the write."""

SLICE = ("", "start", "stop", "step")
"""The attributes of a slice whose bounds are known only at run time; its first item says what it is."""


@dataclass(frozen=True)
class Perhaps:
    """None, or a tuple of numbers and arrays: its items are all None, or none of them is."""

    of: Tup


@dataclass(frozen=True)
class Container:
    """An object whose structure is known; its slots are on the heap."""

    addr: int


@dataclass(frozen=True)
class ListRef(Container):
    """A list; its slots, or the columns of one whose length is not known, are on the heap."""


@dataclass(frozen=True)
class DictRef(Container):
    """A dict whose keys are known."""


@dataclass(frozen=True)
class DefaultRef(DictRef):
    """A `collections.defaultdict`."""

    factory: Abstract


@dataclass(frozen=True)
class ObjRef(Container):
    """An instance of a user's class: a slot is an attribute."""

    cls: type


@dataclass(frozen=True, eq=False)
class Closure:
    """A `def` or `lambda` met during evaluation, with the frame that it reads."""

    node: gast.AST
    frame: int
    defaults: tuple[Abstract, ...] = ()
    kw_defaults: tuple[Abstract | None, ...] = ()

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Closure) and self.node is other.node and self.frame == other.frame
                and self.defaults == other.defaults and self.kw_defaults == other.kw_defaults)

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
    """`functools.lru_cache(fn)`."""

    fn: Abstract


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
    """A pullback, a derivative or a transform with options, inside a differentiated function."""

    call: Any


@dataclass(frozen=True)
class Iteration:
    """What is run over: a `range`, or a view of a dict ("keys", "values", "items"), anew each time; or an iterator,
    which is run through once: `zip`, `map`, ..., or "iter" of a container.

    state  of an iterator: the address of its slots, the first of which is a `Position`
    """

    kind: str
    parts: tuple[Abstract, ...]
    state: int | None = None


@dataclass(frozen=True)
class Position:
    """How many items an iterator has given; None: it is used up.  No number of the program: paths that leave an
    iterator at different places disagree on it."""

    at: int | None


@dataclass(frozen=True)
class Poison:
    """Paths disagree on what this is; `reason` says how."""

    reason: str


DELETED = Poison("it is deleted")
"""A number or an array that `del` has taken its name: the variable that holds it does not become unassigned."""


Abstract = Union[
    Static, Value, Ref, Tup, Perhaps, ListRef, DictRef, ObjRef, Bound, Cached, Parent, Closure, Method, DerivedCallable,
    Iteration, Position, Poison]


def parts(v: Abstract | None) -> tuple[Abstract, ...]:
    """What an abstract value holds by itself; what a container holds is on the heap."""
    if isinstance(v, Closure):
        return *v.defaults, *(x for x in v.kw_defaults if x is not None)
    if isinstance(v, Tup):
        return v.items
    if isinstance(v, Perhaps):
        return v.of.items
    if isinstance(v, Bound):
        return v.fn, *v.args, *(x for _, x in v.kwargs)
    if isinstance(v, (Method, Parent)):
        return (v.owner,)
    if isinstance(v, Cached):
        return (v.fn,)
    if isinstance(v, Iteration):
        return v.parts if v.state is None else (*v.parts, DictRef(v.state))
    return ()


@dataclass(frozen=True)
class Like:
    """The memory layout of what NumPy computes from `argument` alone: its order of axes, without gaps.

    flipped  from its transpose
    """

    argument: Value
    flipped: bool = False

    def of(self, x: Any) -> Any:
        """An array of this layout, where the argument is `x`."""
        return np.empty_like(x.T if self.flipped else x)


@dataclass(frozen=True)
class Together:
    """The memory layout of what is made of arrays of these: C order if all lie so, else it is not known."""

    parts: tuple[Layout, ...]


Layout = Union[bool, Value, Like, Together]


@dataclass(frozen=True)
class Array:
    """A cell: the current version of a buffer.

    origin   "fresh", "argument" (writes act on a private copy) or "captured"
             (a global or closure array: writes are refused)
    frozen   why it may not be written any more, if it may not
    layout   True: contiguous in C order; an argument: as it lies; Like: as a new array
             made of it does; False: not known
    readonly whether NumPy forbids to write it, on one path or another: an argument is
             asked for its flag
    merged   it may be the buffer of another cell, as paths were joined
    starts   in the first iteration of a loop it is the number that it starts as: it may be added to, and that is all
    """

    value: Operand
    origin: str = "fresh"
    frozen: str = ""
    layout: Layout = False
    readonly: frozenset[bool | Value] = frozenset({False})
    merged: bool = False
    starts: bool = False


@dataclass(frozen=True)
class Slots:
    """A cell: the slots of a list, dict or object; `keys` are the dict's keys, the object's attributes.

    rows  of a list whose length is not known: how an item is made of the elements of `items`,
          which are then columns, each an array cell that holds a list of the IR
    parent  of a list that is an item of another: the address of that one, into whose column
          its own column is a view
    """

    items: tuple[Abstract, ...]
    keys: tuple[Any, ...] = ()
    origin: str = "fresh"
    frozen: str = ""
    rows: Shape | None = None
    parent: int | None = None


@dataclass(frozen=True)
class Record:
    """An object of a user's class: a shape for each attribute."""

    cls: type
    keys: tuple[str, ...]
    parts: tuple[Shape, ...]


Shape = Union[int, tuple[Any, ...], Record]
"""A leaf, by its number, or a tuple of shapes."""


Cell = Union[Array, Slots]


PLAIN = frozenset((bool, int, float, str, type(None)))
"""The classes of what a literal may be; classes made of them (an `IntEnum`) have operators and a text of their own."""


def is_number(v: object) -> bool:
    """A static Python number, string or None: what a literal may be."""
    return isinstance(v, Static) and type(v.peek) in PLAIN


@dataclass(frozen=True)
class FreeLeaf:
    """A number or array that the function reads from outside: a keyword-only parameter."""

    name: str
    path: Path
    param: Value
    key: Any


@dataclass(frozen=True)
class Key:
    """A slot of the store: `name` of `frame`; "<exit>" and "<return>" are slots too."""

    frame: int
    name: str = field(compare=True)

