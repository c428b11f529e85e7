"""Iterators: each item is computed when it is taken, and only once.

    g = map(f, xs)         nothing is called
    a = next(g)            f(xs[0])
    b, c = g               f(xs[1]), f(xs[2]): now `g` is exhausted, for all its names

An iterator is an `Iteration` with a state on the heap: its `Position`, and whatever else its kind needs.  So names,
containers and functions share it.  If two paths leave it at different positions, it can no longer be used.
An iterator of iterators (`zip`, `map`, ...) takes its items from these.
"""

from __future__ import annotations

import array
import collections
import contextlib
import enum
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from sct.errors import SctError
from sct.frontend.arguments.lift import contents_of_mapping, lift
from sct.frontend.evaluator import list_items
from sct.frontend.evaluator.exceptions import raise_at_run_time
from sct.frontend.heap import dynamic_lists, run_time_dicts, run_time_keys
from sct.frontend.heap.array_keys import check_not_none, present_list, present_object, present_tuple
from sct.frontend.heap.sample_calls import check_operands
from sct.frontend.heap.subscripts import characters, size_along, slice_view
from sct.frontend.iteration.object_iterators import is_own_iterator, items_of_object, own_iterator
from sct.frontend.iteration.positional_iteration import items_by_position
from sct.frontend.iteration.python_iterables import array_items, refuse_iteration
from sct.frontend.objects.container_objects import contents_of
from sct.frontend.objects.objects import special_method
from sct.frontend.objects.operators_of_classes import undefined
from sct.frontend.values.abstract_values import (
    Abstract,
    Choice,
    Container,
    DictRef,
    Iteration,
    ListRef,
    MapRef,
    ObjRef,
    OptionalTuple,
    Poison,
    Position,
    Ref,
    RunTimeTuple,
    Slots,
    Static,
    Tup,
    is_literal,
)
from sct.frontend.values.guards import NeedsStatic
from sct.frontend.values.size_terms import range_size
from sct.ir import Lit, Operand, Value
from sct.ir.dims import Dim
from sct.ir.loop_view import WITHOUT_END
from sct.ir.types import INT, Tensor
from sct.ops import add, lt

if TYPE_CHECKING:
    from sct.frontend.evaluator.evaluator import Evaluator

__all__ = [
    "ENDLESS", "ENDLESS_LOOP", "VIEWS", "advance", "check_iterable", "check_versions", "drained", "ends", "exhaust",
    "is_iterator", "iterable", "iterator", "keep", "kept", "most", "move", "new_iterator", "owner_of", "pairs", "place",
    "position", "rows", "start", "taken", "takes", "use_up", "view_items",
]

VIEWS = ("keys", "values", "items")
ENDLESS = ("count", "cycle", "repeat")
ENDLESS_LOOP = 20_000
"""A loop of so many known iterations is one that does not end."""

_NOTHING = Static(None)
_END = Static(WITHOUT_END.value)
"""Where a counted iterator is exhausted."""

Taker = Callable[["Evaluator", Iteration, int], "Abstract | None"]
_TAKERS: dict[str, Taker] = {}

_ITERABLE = (tuple, list, range, str, dict, set, frozenset, collections.deque, array.array, enum.EnumMeta)
"""Classes of known objects whose items are known too."""


def takes(kind: str) -> Callable[[Taker], Taker]:
    """Registers the function that takes the next item, at a position, from iterators of this kind; None at the end."""
    def register(taker: Taker) -> Taker:
        _TAKERS[kind] = taker
        return taker

    return register


# -- state -----------------------------------------------------------------------------------------


def new_iterator(ev: Evaluator, kind: str, parts: tuple[Abstract, ...], state: Abstract = _NOTHING) -> Iteration:
    """A new iterator; `state`: what it keeps besides its position."""
    addr = ev.new_addr()
    counted = ev.loc in ev.functions.plan.counted and _may_be_counted(ev, kind, parts, state)
    columns = _versions(ev, of) if counted and parts and isinstance(of := parts[0], ListRef) else ()
    ev.store.cells[addr] = Slots((Static(0) if counted else Position(0), state), ("at", "kept"))
    return Iteration(kind, parts, addr, ev.loc, columns if counted else None)


def _may_be_counted(ev: Evaluator, kind: str, parts: tuple[Abstract, ...], state: Abstract) -> bool:
    """May the position of such an iterator be a number of the program?"""
    if kind in ("iter", "reversed"):
        (of,) = parts
        if isinstance(of, ListRef) and not dynamic_lists.is_dynamic(ev, of):
            with contextlib.suppress(SctError):
                dynamic_lists.grow(ev, of)
            return dynamic_lists.is_dynamic(ev, of)
        is_range = isinstance(of, Iteration) and of.kind == "range"
        return isinstance(of, (Ref, ListRef)) or is_range and is_literal((*of.parts, Static(1))[:3][-1])  # type: ignore
    if kind == "count":
        first, step = parts
        return ev.type_of(first) == INT and isinstance(step, Static) and type(step.value) is int
    inner = [p for p in parts if is_iterator(p)]
    if kind not in ("enumerate", "map", "zip") or state != _NOTHING or not inner:
        return False  # what `zip` has taken when another part ends is lost: its parts must be its own
    return all(p.counted is not None and (len(inner) == 1 or p.site == ev.loc) for p in inner)  # type: ignore[union-attr]


def is_iterator(v: object) -> bool:
    return isinstance(v, Iteration) and v.state is not None


def _slots(ev: Evaluator, it: Iteration) -> Slots:
    assert it.state is not None
    cell = ev.store.cells[it.state]
    assert isinstance(cell, Slots)
    return cell


def place(ev: Evaluator, it: Iteration) -> int | None:
    """The number of items taken from the iterator; None if it is exhausted."""
    at = _slots(ev, it).items[0]
    if isinstance(at, Static):
        return None if at == _END else int(at.value)
    if not isinstance(at, Position):
        _not_known(ev, it)
    return at.at


def position(ev: Evaluator, it: Iteration) -> Operand:
    """The number of items that a counted iterator has given, or what is as good as the end."""
    at = _slots(ev, it).items[0]
    if isinstance(at, Poison):
        _not_known(ev, it)
    return ev.operand(at)


def advance(ev: Evaluator, it: Iteration) -> None:
    """A counted iterator has given an item."""
    assert it.state is not None
    after = ev.wrap(ev.emit(add, position(ev, it), 1, spelling="operator.add"))
    cell = _slots(ev, it)
    ev.store.cells[it.state] = replace(cell, items=(after, cell.items[1]))


def _not_known(ev: Evaluator, it: Iteration) -> NoReturn:
    """Refuses an iterator whose position depends on the path; the loop may be unrolled instead."""
    ev.functions.plan.lost.add(it.site)
    error = SctError("SCT503", "an iterator is used again after a loop or a branch over it",
                     why="its position depends on the path",
                     hint="make the iterator of a list, `it = iter(list(...))`, or count: `xs[i]`", loc=ev.loc)
    raise NeedsStatic(Value(INT), error)


def kept(ev: Evaluator, it: Iteration) -> Abstract:
    """The state of the iterator besides its position."""
    v = _slots(ev, it).items[1]
    if isinstance(v, Poison):
        _not_known(ev, it)
    return v


def keep(ev: Evaluator, it: Iteration, state: Abstract) -> None:
    """Sets the state of the iterator besides its position."""
    assert it.state is not None
    cell = _slots(ev, it)
    ev.store.cells[it.state] = replace(cell, items=(cell.items[0], state))


def move(ev: Evaluator, it: Iteration, at: Position | Poison) -> None:
    """Sets the position of the iterator."""
    assert it.state is not None
    here: Abstract = at if it.counted is None or isinstance(at, Poison) else \
        _END if at.at is None else Static(at.at)
    ev.store.cells[it.state] = replace(_slots(ev, it), items=(here, _slots(ev, it).items[1]))


def use_up(ev: Evaluator, it: Iteration) -> Abstract | None:
    """Marks the iterator as exhausted; returns None, as `taken` does at the end."""
    move(ev, it, Position(None))
    return None


def start(ev: Evaluator, v: Abstract) -> None:
    """Marks the positions of the iterators in `v` as unknown, at the start of a loop of the program over it."""
    if isinstance(v, Iteration):
        if v.state is not None:
            move(ev, v, Poison("its position depends on the iteration"))
        for part in v.parts:
            start(ev, part)


def exhaust(ev: Evaluator, v: Abstract) -> None:
    """Marks `v` as exhausted, and its only part if it has one, after a loop over it."""
    if isinstance(v, Iteration) and v.state is not None:
        use_up(ev, v)
        inner = [p for p in v.parts if is_iterator(p)]
        if len(inner) == 1:
            exhaust(ev, inner[0])


# -- making and taking --------------------------------------------------------------------------------


def iterable(ev: Evaluator, v: Abstract) -> Abstract:
    """The result of `__iter__` of an object that defines it; other values as they are."""
    v = v.of if isinstance(v, RunTimeTuple) else characters(ev, contents_of(ev, present_list(ev, v), "__iter__"))
    if isinstance(v, Iteration) and v.kind == "checkpointed":
        ev.refuse("SCT503", "`checkpointed` is not what a `for` statement runs over",
                  why="it says how the loop is differentiated", hint="write `for i in sct.checkpointed(range(n)):`")
    if isinstance(v, Choice) and all(isinstance(m, (Tup, ListRef, DictRef)) for m in v.members):
        return ev.call(Static(list), [v])  # neither may be written: it is not known which one it is
    v = present_object(ev, v, lambda none: iter(none))  # type: ignore[call-overload]
    own = own_iterator(ev, v) or items_by_position(ev, v)
    v = contents_of_mapping(ev, v) or v
    if isinstance(of := owner_of(v), MapRef):
        return run_time_dicts.as_list(ev, of, v.kind if isinstance(v, Iteration) else "keys")
    if own is None:
        run_time_keys.note_search(ev, of)
        return v
    return items_of_object(ev, own) if is_own_iterator(ev, own) else iterable(ev, own)


def owner_of(v: Abstract) -> Abstract:
    """The dict of a view; other values as they are."""
    return v.parts[0] if isinstance(v, Iteration) and v.kind in VIEWS else v


def check_versions(ev: Evaluator, it: Iteration) -> None:
    """Refuses an iterator of a dict whose keys are known only at run time, if the dict was written since."""
    of, before = it.parts[0], None if it.counted is not None else kept(ev, it)
    columns = before.items if isinstance(before, Tup) else it.counted
    if isinstance(of, ListRef) and columns is not None and _versions(ev, of) != columns:
        ev.refuse("SCT306", "a list or a dict is written before a loop runs over an iterator of it",
                  hint="make the iterator where the loop begins")


def _versions(ev: Evaluator, v: ListRef) -> tuple[Value, ...]:
    """The current columns of a list."""
    return tuple(c for c in dynamic_lists.columns(ev, v) if isinstance(c, Value))


def check_iterable(ev: Evaluator, v: Abstract, run: Callable[[Any], Any] = iter) -> None:
    """Raises as Python does if `run` iterates over a value that is not iterable."""
    if isinstance(v, ObjRef) and special_method(ev, v, "__getitem__") is None:
        undefined(ev, run, v)
    check_operands(ev, run, v)


def iterator(ev: Evaluator, v: Abstract) -> Iteration:
    """`iter(v)`"""
    of_run_time = isinstance(owner_of(v), MapRef)
    v = iterable(ev, v)
    if of_run_time and isinstance(v, ListRef):
        if isinstance(ev.slots(v).site, MapRef):
            ev.refuse("SCT503", "an iterator of a dict from which keys are deleted is not supported",
                      hint="iterate over a copy: `list(d)`")
        return new_iterator(ev, "iter", (v,), Tup(_versions(ev, v)))
    if isinstance(v, Iteration) and v.state is not None:
        return v
    v = v if isinstance(v, Static) and is_literal(v) else ev.text(v)
    check_not_none(ev, v, iter)
    v = present_tuple(ev, v, iter) if isinstance(v, OptionalTuple) else v
    if isinstance(v, DictRef) or isinstance(v, Iteration) and v.kind in VIEWS:
        return new_iterator(ev, "iter", (v,), Static(_dict_of(ev, v).keys))
    if isinstance(v, Static) and isinstance(v.value, _ITERABLE):
        v = Tup(tuple(lift(ev, x) for x in v.value))
    if isinstance(v, (Tup, ListRef, Iteration, Ref)):
        if isinstance(v, Ref) and not ev.type_of(v).rank:  # type: ignore[union-attr]
            raise_at_run_time(ev, "TypeError", "iteration over a 0-d array")
        return new_iterator(ev, "iter", (v,))
    if (items := array_items(ev, v)) is not None:
        return new_iterator(ev, "python", items)
    check_iterable(ev, v)
    refuse_iteration(ev, v)


def taken(ev: Evaluator, it: Iteration) -> Abstract | None:
    """The next item of an iterator, which it does not give again; None where there is none."""
    at = place(ev, it)
    if at is None:
        return None
    item = _TAKERS[it.kind](ev, it, at)
    if place(ev, it) == at and item is not None:
        move(ev, it, Position(at + 1))
    return item


def drained(ev: Evaluator, it: Iteration) -> Iterator[Abstract]:
    """All items that are left, taken one by one."""
    if not ends(it):
        ev.refuse("SCT503", "this does not end", hint="use itertools.islice")
    while (item := taken(ev, it)) is not None:
        yield item


def ends(v: Abstract) -> bool:
    """Does the iterator end?  A `zip` or `map` ends with its first part that does."""
    if not isinstance(v, Iteration):
        return True
    if v.kind in ENDLESS:
        return v.kind == "repeat" and len(v.parts) > 1
    if v.kind in ("zip", "map"):
        parts = v.parts if v.kind == "zip" else v.parts[1:]
        return not parts or any(map(ends, parts))
    return v.kind == "takewhile" or v.kind == "islice" and v.parts[2] != Static(None) or all(map(ends, v.parts))


# -- iterators of containers ----------------------------------------------------------------------------


@takes("iter")
def _of_container(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    (of,) = it.parts
    check_versions(ev, it)
    if isinstance(of, DictRef) or isinstance(of, Iteration) and of.kind in VIEWS:
        items = _of_dict(ev, it, of)
        return items[at] if at < len(items) else use_up(ev, it)
    if isinstance(of, Ref):
        t = ev.type_of(of)
        there = isinstance(t, Tensor) and t.rank > 0 and (t.shape[0] - at).least >= 1
        return slice_view(ev, of, Static(at)) if there or at < rows(ev, of) else use_up(ev, it)
    if isinstance(of, ListRef) and dynamic_lists.is_dynamic(ev, of):
        n = ev.ask(ev.wrap(dynamic_lists.length(ev, of)), "the number of items of this list")
        return dynamic_lists.element(ev, of, Lit(at)) if at < n else use_up(ev, it)
    if isinstance(of, Iteration):
        return _of_range(ev, it, of, at)
    items = ev.slots(of).items if isinstance(of, ListRef) else of.items  # type: ignore[union-attr]
    return items[at] if at < len(items) else use_up(ev, it)


def _of_range(ev: Evaluator, it: Iteration, of: Iteration, at: int) -> Abstract | None:
    """An item of a range; if the end is unknown, only a guard on whether the range goes on."""
    first, stop, step = (Static(0), of.parts[0], Static(1)) if len(of.parts) == 1 else (*of.parts, Static(1))[:3]
    if all(map(is_literal, of.parts)) or not is_literal(first) or not is_literal(step):
        bounds = range(*(ev.ask(p, "the length of this range") for p in of.parts))
        return Static(bounds[at]) if bounds[at:] else use_up(ev, it)
    assert isinstance(first, Static) and isinstance(step, Static)
    here = first.value + at * step.value
    ends = (here, ev.operand(stop)) if step.value > 0 else (ev.operand(stop), here)
    there = ev.ask(ev.wrap(ev.emit(lt, *ends, spelling="operator.lt")), "whether this range goes on")
    return Static(here) if there else use_up(ev, it)


def _dict_of(ev: Evaluator, v: Abstract) -> Slots:
    ref = v.parts[0] if isinstance(v, Iteration) else v
    if not isinstance(ref, DictRef):
        ev.refuse("SCT503", "a view of a dict whose keys are known only at run time is not supported here",
                  hint="make a list of it: `list(...)`")
    return ev.slots(ref)


def view_items(ev: Evaluator, v: Abstract) -> tuple[Abstract, ...]:
    """The current items of a dict or a view of one."""
    cell = _dict_of(ev, v)
    kind = v.kind if isinstance(v, Iteration) else "keys"
    if kind == "values":
        return cell.items
    keys = tuple(lift(ev, x) for x in cell.keys)
    return keys if kind == "keys" else tuple(map(Tup, zip(keys, cell.items)))


def _of_dict(ev: Evaluator, it: Iteration, of: Abstract) -> tuple[Abstract, ...]:
    """The items of a dict that is iterated over; refuses a change of its keys."""
    before, now = ev.key(kept(ev, it), "the keys of this dict"), _dict_of(ev, of).keys
    if len(now) != len(before):
        raise_at_run_time(ev, "RuntimeError", "dictionary changed size during iteration")
    if now != before:
        ev.refuse("SCT306", "the keys of a dict change while a loop iterates over it",
                  hint="iterate over a copy: `list(d)`")
    return view_items(ev, of)


@takes("reversed")
def _reversed(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    (of,) = it.parts
    if isinstance(of, Ref):
        n = rows(ev, of)
        return slice_view(ev, of, Static(n - 1 - at)) if at < n else use_up(ev, it)
    if isinstance(of, ListRef) and dynamic_lists.is_dynamic(ev, of):
        list_items.same_columns(ev, of, kept(ev, it))
        n = ev.ask(ev.wrap(dynamic_lists.length(ev, of)), "the number of items of this list")
        return dynamic_lists.element(ev, of, Lit(n - 1 - at)) if at < n else use_up(ev, it)
    if isinstance(of, ListRef):
        k = ev.ask(kept(ev, it), "the length of this list") - 1 - at
        items = ev.slots(of).items
        return items[k] if 0 <= k < len(items) else use_up(ev, it)
    if isinstance(of, Iteration) and of.kind == "range":
        bounds = range(*(ev.ask(p, "the length of this range") for p in of.parts))
        return Static(bounds[-1 - at]) if bounds[at:] else use_up(ev, it)
    items = _of_dict(ev, it, of)
    return items[-1 - at] if at < len(items) else use_up(ev, it)


def rows(ev: Evaluator, v: Ref) -> int:
    """The number of rows of an array, guarded; sizes of arguments are known in loops too."""
    check_not_none(ev, v, iter)
    t = ev.type_of(v)
    if not isinstance(t, Tensor) or not t.rank:
        raise_at_run_time(ev, "TypeError", "iteration over a 0-d array")
    size = ev.resolve(t.shape[0])
    now = None if ev.ahead else ev.size_now(size)
    if now is None:
        return int(ev.ask(size_along(ev, v, 0), "the number of rows of this array"))
    ev.equate(size, Dim(now))
    return now


# -- how many -------------------------------------------------------------------------------------------


def most(ev: Evaluator, v: Abstract) -> int | None:
    """At most how many items there are, if that is known without asking: then they may be taken one by one."""
    v = ev.text(v)
    if isinstance(v, Tup):
        return len(v.items)
    if isinstance(v, Static) and isinstance(v.value, _ITERABLE):
        return len(v.value)
    if isinstance(v, Container):
        if dynamic_lists.is_dynamic(ev, v):
            return None
        return len(ev.slots(v).items) if isinstance(v, (ListRef, DictRef)) else None
    if not isinstance(v, Iteration):
        return None
    if v.kind == "range":
        bounds = [p.value for p in v.parts if isinstance(p, Static) and is_literal(p)]
        return range_size(*bounds) if len(bounds) == len(v.parts) else None
    if v.kind in VIEWS:
        return len(_dict_of(ev, v).keys)
    if not isinstance(at := _slots(ev, v).items[0], Position):
        return None
    if at.at is None:
        return 0
    if v.kind == "iter":
        n = most(ev, v.parts[0])
        return None if n is None else max(0, n - at.at)
    return _most_of(ev, v)


def _left_of(ev: Evaluator, v: Abstract) -> tuple[Abstract, ...] | None:
    """The items that the iterator of a tuple or list has not returned yet."""
    of = v.parts[0] if isinstance(v, Iteration) and v.kind == "iter" else None
    if not isinstance(of, (Tup, ListRef)) or most(ev, of) is None or not isinstance(v, Iteration):
        return None
    at = place(ev, v)
    return () if at is None else (of.items if isinstance(of, Tup) else ev.slots(of).items)[at:]


def pairs(ev: Evaluator, parts: tuple[Abstract, ...]) -> int | None:
    """The most items of iterables in step; the length of an array beside a known iterable is guarded."""
    counts = [most(ev, p) for p in parts]
    bounds = [n for n in counts if n is not None]
    asked = all(n is not None or not ends(p) or _askable(ev, p) for n, p in zip(counts, parts))
    return min(bounds) if bounds and asked else None


def _askable(ev: Evaluator, v: Abstract) -> bool:
    it = v.parts[0] if isinstance(v, Iteration) and v.kind == "iter" else v
    if isinstance(it, Iteration) and it.kind in ("map", "generator"):
        return all(most(ev, p) is not None or _askable(ev, p) for p in it.parts if is_iterator(p))
    return isinstance(it, (Ref, ListRef))


def _most_of(ev: Evaluator, v: Iteration) -> int | None:
    if v.kind in ("zip", "map"):
        return pairs(ev, v.parts if v.kind == "zip" else v.parts[1:])
    if v.kind in ENDLESS:
        return ev.ask(v.parts[1], "the number of repetitions") if len(v.parts) > 1 else None
    if v.kind == "generator" and len(v.parts[0].node.body.generators) > 1:  # type: ignore
        return None
    counts = [most(ev, p) for p in v.parts if is_iterator(p)] if v.kind != "reversed" else [most(ev, v.parts[0])]
    if v.kind == "chain":
        left, now = _left_of(ev, v.parts[0]), kept(ev, v)
        counts = [None] if left is None else [most(ev, p) for p in (*left, *([now] if is_iterator(now) else []))]
        return None if None in counts else sum(n for n in counts if n is not None)
    if v.kind == "islice":
        stop = v.parts[2]
        bounds = [n for n in (*counts, stop.value if isinstance(stop, Static) else None) if n is not None]
        return min(bounds, default=None)
    return max((n for n in counts if n is not None), default=None) if None not in counts else None
