"""The store of one path: what names are bound to, and the cells of the heap.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NoReturn, Union

from sct.errors import SctError
from sct.frontend.values.abstract_values import (
    CAPTURED,
    Abstract,
    Array,
    Cell,
    Choice,
    Container,
    Frozen,
    Key,
    ListRef,
    OptionalTuple,
    Origin,
    Path,
    Poison,
    Ref,
    RunTimeTuple,
    Slots,
    Tup,
    parts,
)
from sct.frontend.values.exact_keys import same_keys
from sct.frontend.values.guards import NeedsFirst
from sct.frontend.values.schemas import Schema
from sct.ir import Builder, Lit, Operand, Value
from sct.ir.types import Type

if TYPE_CHECKING:
    from sct.frontend.state.state import State

__all__ = [
    "ONE_PATH", "UNSET", "Branch", "Captured", "Cells", "Item", "Store", "Told", "check_keys", "holds_itself",
    "is_plain_tuple", "is_such_tuple", "is_written", "least_length", "of_one_class", "reached", "refuse_unset", "tells",
    "type_of",
]

UNSET = Poison("the object does not have it on this path")
"""The attribute that an object does not have on this path, and has on another one."""

ONE_PATH = "it is an attribute that one path alone sets"
"""Why the value of an attribute that is no number or array cannot be used."""

Told = tuple[bool, frozenset[Union[str, None]]]
"""What a path knows about the code of a choice: whether it is among these, or none of them."""


class Captured(dict[int, Cell]):
    """The cells of free variables and defaults, which all paths share.

    paths  the path by which each is read, by address
    """

    def __init__(self) -> None:
        super().__init__()
        self.paths: dict[int, Path] = {}

    def put(self, cell: Cell) -> int:
        """The address of a new cell."""
        addr = CAPTURED - len(self)
        self[addr] = cell
        return addr


class Cells(dict[int, Cell]):
    """The heap of one path.

    Look-ups also find captured cells; iteration covers only the cells of the path.  A path may give a captured list
    columns, which leaves the list the same; captured cells are not changed otherwise.
    """

    def __init__(self, cells: Mapping[int, Cell], captured: Captured) -> None:
        super().__init__(cells)
        self.captured = captured

    def __missing__(self, addr: int) -> Cell:
        return self.captured[addr]

    def __contains__(self, addr: object) -> bool:
        return super().__contains__(addr) or addr in self.captured

    def __setitem__(self, addr: int, cell: Cell) -> None:
        assert addr > CAPTURED or isinstance(cell, Slots) and cell.schema is not None, "a write to what is captured"
        super().__setitem__(addr, cell)

    def get(self, addr: int, default: Any = None) -> Any:
        cell = super().get(addr)
        return cell if cell is not None else self.captured.get(addr, default)

    def copy(self) -> Cells:
        return Cells(self, self.captured)


@dataclass(frozen=True)
class Item:
    """Where an object or an array is: in the item `at` of the list at `of`, whose columns hold it by `schema`.

    No list: the object has left the list that owned it.  `counted`: a loop counts `at`, from 0 or further on.
    """

    of: int | None = None
    at: Operand | None = None
    schema: Schema | None = None
    counted: bool = field(default=False, compare=False)

    @property
    def is_front(self) -> bool:
        """Does `at` certainly count from the front?"""
        at = self.at
        return at is not None and (isinstance(at.value, int) and at.value >= 0 if isinstance(at, Lit) else
                                   self.counted or at.dim is not None and at.dim.least >= 0)


@dataclass
class Store:
    """Bindings of names, cells of the heap; `dead` where the path has raised.

    items   the objects that are items of lists, by address
    owners  lists of columns that hold each of their objects once, and alone, with the columns that they then had
    bound  flags of names that some path does not bind: True on paths that bind the name, unassigned on others.  They
           serve values that are no operands (lists, tuples, functions), which cannot be unassigned themselves
    told   what the path knows about choices, by their codes
    alone  those of the owners that hold each of their arrays alone: no other list does, and names of it are known
    aliases  of an array that paths disagree on: all that may share its buffer (`may_alias`)
    """

    cells: Cells
    vars: dict[Key, Abstract] = field(default_factory=dict)
    dead: bool = False
    bound: dict[Key, Value] = field(default_factory=dict)
    items: dict[int, Item] = field(default_factory=dict)
    owners: dict[int, tuple[Operand, ...]] = field(default_factory=dict)
    told: dict[Value, Told] = field(default_factory=dict)
    alone: set[int] = field(default_factory=set)
    aliases: dict[int, frozenset[int]] = field(default_factory=dict)

    def copy(self) -> Store:
        return Store(self.cells.copy(), dict(self.vars), self.dead, dict(self.bound), dict(self.items),
                     dict(self.owners), dict(self.told), set(self.alone), dict(self.aliases))

    def columns(self, addr: int) -> tuple[Operand, ...] | None:
        """The columns that the list at this address has now."""
        cell = self.cells.get(addr)
        if not isinstance(cell, Slots) or cell.schema is None or cell.parent is not None:
            return None
        arrays = [self.cells.get(x.addr) for x in cell.items if isinstance(x, Ref) and not x.path]
        values = tuple(x.value for x in arrays if isinstance(x, Array))
        return values if len(values) == len(cell.items) else None

    def owns(self, addr: int) -> bool:
        """Does the list at this address hold each of its objects once, and alone?"""
        return addr in self.owners and self.columns(addr) == self.owners[addr]

    def writes_since(self, before: Store) -> bool:
        """Has a cell that was there before another content now?  To forbid writes to it is no write."""
        pairs = ((cell, self.cells.get(addr)) for addr, cell in before.cells.items())
        return any(now is not cell and (now is None or replace(now, frozen=cell.frozen) != cell) for cell, now in pairs)

    def refers_to(self, addr: int) -> bool:
        """Is there a name, or a slot of a container, that leads to what is at this address?"""
        def leads(v: Abstract) -> bool:
            return isinstance(v, (Ref, Container)) and v.addr == addr or any(map(leads, parts(v)))

        slots = [cell for cell in self.cells.values() if isinstance(cell, Slots)]
        return any(map(leads, self.vars.values())) or any(
            cell.parent == addr or any(map(leads, cell.items)) for cell in slots)

    def freeze(self, addr: int, why: Frozen = Frozen.AMBIGUOUS) -> None:
        """Forbids writes to a cell.  A cell that is to be read again stays so."""
        self._lose_aliases(addr)
        cell = self.cells[addr]
        if cell.frozen != Frozen.STALE:
            self.cells[addr] = replace(cell, frozen=why)

    def hold(self, addr: int) -> None:
        """Notes that a list holds what is at this address, if that is there and may be written."""
        self._lose_aliases(addr)
        cell = self.cells.get(addr)
        if cell is not None and not cell.frozen and addr > CAPTURED:
            self.cells[addr] = replace(cell, frozen=Frozen.HELD)

    def _lose_aliases(self, addr: int) -> None:
        """Not all aliases of an array are known any more, nor those of what may be this array."""
        for alias in self.aliases.get(addr, ()):
            self.aliases.pop(alias, None)

    def holds_alone(self, addr: int | None) -> bool:
        """Does the list at this address hold each of its objects once, and their arrays alone?"""
        return addr in self.alone and addr is not None and self.owns(addr)

    def put_in(self, of: int, v: Abstract) -> None:
        """Notes which lists do not hold their arrays alone, since the list at `of` gets those in `v`, which others
        know."""
        self.alone.discard(of)
        if isinstance(v, Ref):
            self.held_twice(v)
        elif isinstance(v, Tup):
            for x in v.items:
                self.put_in(of, x)
        elif isinstance(v, Container):
            self.alone.discard(v.addr)
            cell = self.slots(v)
            for x in cell.items if cell.schema is None else ():
                self.put_in(of, x)

    def held_twice(self, v: Ref) -> None:
        """A list gets an array: what held it alone, does so no more.  Lists never hold an array of the caller alone."""
        buffer, item = self.array(v), self.items.get(v.addr)
        if buffer.merged or buffer.frozen and buffer.origin == Origin.FRESH and item is None:
            self.alone.clear()
        elif item is not None and item.of is not None:
            self.alone.discard(item.of)

    def own(self, addr: int) -> None:
        """Notes that it does, and with the columns that it has now."""
        columns = self.columns(addr)
        if columns is not None:
            self.owners[addr] = columns

    def bind(self, key: Key, v: Abstract) -> None:
        """The name is bound on this path."""
        self.vars[key] = v
        self.bound.pop(key, None)

    def unbind(self, key: Key) -> None:
        """The name is bound on no path."""
        self.vars.pop(key, None)
        self.bound.pop(key, None)

    def rename(self, names: Mapping[Value, Value]) -> None:
        """Puts the values that are given for others in their place."""
        def value(x: Operand) -> Operand:
            return names.get(x, x) if isinstance(x, Value) else x

        self.vars = {k: _renamed(v, names) for k, v in self.vars.items()}
        self.bound = {k: names.get(flag, flag) for k, flag in self.bound.items()}
        for addr, cell in self.cells.items():
            if isinstance(cell, Array):
                self.cells[addr] = replace(cell, value=value(cell.value))
            else:
                self.cells[addr] = replace(cell, items=tuple(_renamed(x, names) for x in cell.items))
        for addr in self.owners:
            self.own(addr)
        self.items = {addr: replace(item, at=None if item.at is None else value(item.at))
                      for addr, item in self.items.items()}

    def array(self, v: Ref) -> Array:
        """The buffer of an array on this path."""
        cell = self.cells[v.addr]
        assert isinstance(cell, Array)
        return cell

    def slots(self, v: Container) -> Slots:
        """The slots of a container on this path."""
        cell = self.cells[v.addr]
        assert isinstance(cell, Slots)
        return cell

    def is_bound(self, key: Key) -> Operand | None:
        """True if the name is bound; a flag that is unassigned on paths without it; None if it is not bound."""
        return self.bound.get(key, Lit(True)) if key in self.vars else None


def _renamed(v: Any, names: Mapping[Value, Value]) -> Any:
    """The value with other values in the place of some."""
    if isinstance(v, Value):
        return names.get(v, v)
    if isinstance(v, Ref):
        return replace(v, path=tuple(replace(step, args=tuple(_renamed(x, names) for x in step.args))
                                     for step in v.path))
    if isinstance(v, Tup):
        return v.with_(_renamed(x, names) for x in v.items)
    if isinstance(v, Choice):
        return replace(v, code=names.get(v.code, v.code), members=tuple(_renamed(m, names) for m in v.members))
    if isinstance(v, OptionalTuple):
        return OptionalTuple(v.of.with_(_renamed(x, names) for x in v.of.items))
    return v


@dataclass
class Branch:
    """One path: the store at its end and the equations on the way."""

    store: Store
    builder: Builder
    extra: Abstract | None = None

    def defines(self) -> set[Value]:
        return {v for e in self.builder.eqns for v in e.outs}


def reached(values: Iterable[Abstract], stores: Sequence[Mapping[int, Cell]]) -> set[int]:
    """The addresses of the arrays and containers to which these values lead, in one of the stores."""
    addresses: set[int] = set()
    todo = [*values]
    while todo:
        v = todo.pop()
        todo += parts(v)
        if isinstance(v, Ref):
            addresses.add(v.addr)
        if isinstance(v, Container) and v.addr not in addresses:
            addresses.add(v.addr)
            cells = [cells[v.addr] for cells in stores if v.addr in cells]
            todo += [x for cell in cells if isinstance(cell, Slots) for x in cell.items]
            todo += [ListRef(cell.parent) for cell in cells if isinstance(cell, Slots) and cell.parent is not None]
    return addresses


def holds_itself(cells: Mapping[int, Cell]) -> bool:
    """Is there a list, a dict or an object that leads back to itself?"""
    return any(addr in reached(cell.items, [cells]) for addr, cell in cells.items() if isinstance(cell, Slots))


def tells(v: Abstract | None) -> bool:
    """Does reading this value raise, or is it refused, on a path that has not bound it?"""
    return isinstance(v, (Value, Ref, Poison))


def is_written(before: Cell, now: Cell | None) -> bool:
    """Has the cell changed?"""
    if isinstance(before, Array) and isinstance(now, Array):
        return now.value is not before.value
    if isinstance(before, Slots) and isinstance(now, Slots) and not same_keys(before.keys, now.keys):
        return True
    return now is None or replace(now, frozen=before.frozen) != before


def type_of(v: Abstract) -> Type:
    return v.type if isinstance(v, Value) else Lit(v.value).type  # type: ignore[union-attr]


def is_such_tuple(v: Abstract, like: Tup) -> bool:
    """Is this a tuple of the class and the length of `like`?"""
    return isinstance(v, Tup) and v.cls is like.cls and v.fields == like.fields and len(v.items) == len(like.items)


def is_plain_tuple(v: Abstract | None) -> bool:
    """Is this a tuple of no class of the user's?"""
    return isinstance(v, RunTimeTuple) or isinstance(v, Tup) and v.cls is tuple and not v.fields


def least_length(v: Abstract | None) -> int:
    """The number of items that a tuple has at least."""
    return v.least if isinstance(v, RunTimeTuple) else len(v.items) if isinstance(v, Tup) else 0


def of_one_class(a: Container, b: Container) -> bool:
    """Are these containers of one class, defaultdicts with one factory?"""
    return replace(a, addr=b.addr) == b


def refuse_unset(ev: State, name: str) -> NoReturn:
    """Refuses to say whether an object has this attribute."""
    _refuse_on_one_path(ev, f"this object has the attribute `{name}`", f"set `{name}` before, where the object is made")


def check_keys(ev: State, cell: Slots) -> None:
    """Refuses a dict, or the `__dict__` of an object, whose keys or their order are known only at run time."""
    if (cell.unset or not cell.ordered) and cell.site is not None:
        ev.functions.plan.refused.add((cell.site, "values"))
    if cell.unset:
        key = next(key for key in cell.keys if key in cell.unset)
        _refuse_on_one_path(ev, f"this dict has the key {key!r}", f"set `[{key!r}]` before, where the dict is made")
    if not cell.ordered:
        ev.refuse("SCT503", "the order of the keys of this dict is known only at run time",
                  why="paths set them in different orders", hint="set all of them before, where it is made")


def _refuse_on_one_path(ev: State, what: str, hint: str) -> NoReturn:
    try:
        ev.refuse("SCT503", f"whether {what} is known only at run time", why="it is set on one path only", hint=hint)
    except SctError as error:
        if ev.loops.heads:
            raise NeedsFirst(error) from None
        raise
