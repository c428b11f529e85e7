"""What is iterated over: known items to unroll, or a space to count over."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sct.errors import SctError
from sct.frontend import lists
from sct.frontend.arrays import size_along, slice_view
from sct.frontend.evaluator import Evaluator
from sct.frontend.facts import NeedsStatic
from sct.frontend.objects import special_call, special_method
from sct.frontend.raising import die
from sct.frontend.store import is_number
from sct.frontend.values import (
    Abstract,
    DictRef,
    Iteration,
    Key,
    ListRef,
    Perhaps,
    Ref,
    Static,
    Tup,
)
from sct.ir import Lit, Operand, Value
from sct.ir.types import Dim, Tensor
from sct.ops import BY_CALL, add, dim, mul, sub

__all__ = ["NESTS", "Space", "check_unused", "exhaust", "following", "from_zero", "is_run_over", "items_of", "iterator",
           "known_items", "length", "space"]


# -- what is iterated over -------------------------------------------------------------------------


def items_of(ev: Evaluator, v: Abstract) -> tuple[Abstract, ...]:
    """The items of a container of known length; an array's rows, where their number can be asked."""
    own = special_call(ev, v, "__iter__")
    if own is not None:
        return items_of(ev, own)
    v = ev.text(v)
    if isinstance(v, Perhaps):
        v = ev.present(v)
    if isinstance(v, Tup):
        return v.items
    if isinstance(v, ListRef) and lists.is_dynamic(ev, v):
        n = ev.ask(ev.wrap(lists.length(ev, v)), "the number of items of this list")
        return tuple(lists.element(ev, v, Lit(k)) for k in range(n))
    if isinstance(v, (ListRef, DictRef)):
        cell = ev.slots(v)
        return tuple(map(Static, cell.keys)) if isinstance(v, DictRef) else cell.items
    if isinstance(v, Static) and isinstance(v.value, (tuple, list, range, str, dict, set, frozenset)):
        return tuple(map(ev.lift, v.value))
    if isinstance(v, Ref):
        n = _rows(ev, v)
        return tuple(slice_view(ev, v, Static(k)) for k in range(n))
    if isinstance(v, Iteration) and v.kind in NESTS:
        return _rows_of_nest(ev, v)
    check_unused(ev, v)
    found = known_items(ev, v)
    if found is None and isinstance(v, Iteration) and v.kind == "iter":
        of, at = _place(ev, v)
        found = items_of(ev, of)[at:]
    if found is None and isinstance(v, Iteration) and v.kind == "range":
        return tuple(map(Static, range(*(ev.ask(p, "the length of this range") for p in v.parts))))
    if found is None and isinstance(v, Iteration) and v.kind in ("zip", "enumerate", "reversed"):
        inner = v.parts[:1] if v.kind == "enumerate" else v.parts
        if not any(isinstance(p, Iteration) and p.kind in ENDLESS for p in inner):
            found = known_items(ev, Iteration(v.kind, (*(Tup(items_of(ev, p)) for p in inner), *v.parts[len(inner):])))
    if found is None:
        ev.refuse("SCT503", "this cannot be unpacked: the number of its items is not known")
    exhaust(ev, v)
    return found


def is_run_over(ev: Evaluator, v: Abstract) -> bool:
    """Is this an array or a list whose length is not known, for a loop?"""
    return isinstance(v, Ref) or isinstance(v, ListRef) and lists.is_dynamic(ev, v)


def _rows(ev: Evaluator, v: Ref) -> int:
    """How many rows an array has: asked.  A size of the arguments is known in loops too."""
    t = ev.type_of(v)
    size = ev.resolve(t.shape[0]) if isinstance(t, Tensor) and t.rank else None
    now = None if size is None or ev.ahead else ev.size_now(size)
    if size is None or now is None:
        return int(ev.ask(size_along(ev, v, 0), "the number of items to unpack"))
    ev.equate(size, Dim(now))
    return now


def known_items(ev: Evaluator, v: Abstract) -> tuple[Abstract, ...] | None:
    """The items of an iterable whose length is known, or None."""
    v = ev.text(v)
    if isinstance(v, Iteration):
        if v.kind in NESTS:
            return None
        if v.kind == "range":
            if all(is_number(p) for p in v.parts):
                bounds = [p.value for p in v.parts if isinstance(p, Static)]
                return tuple(map(Static, range(*bounds)))
            return None
        if v.kind == "iter":
            of, at = _place(ev, v)
            items = None if isinstance(of, Ref) else known_items(ev, of)
            return None if items is None else items[at:]
        if v.kind in ENDLESS:
            return None
        inner = v.parts[:1] if v.kind == "enumerate" else v.parts
        if v.kind == "zip" and any(isinstance(p, Iteration) and p.kind in ENDLESS for p in inner):
            return _zip_endless(ev, inner)
        if v.kind == "zip" and any(isinstance(p, Iteration) and p.kind == "iter" for p in inner):
            return _in_turn(ev, inner)
        parts = [known_items(ev, p) for p in inner]
        if v.kind == "zip" and any(p is not None for p in parts):
            parts = [items_of(ev, q) if isinstance(q, (Ref, ListRef)) else p for p, q in zip(parts, inner)]
        if None in parts:
            return None
        known = [p for p in parts if p is not None]
        if v.kind == "zip":
            return tuple(Tup(row) for row in zip(*known))
        if v.kind == "enumerate":
            first = ev.ask(v.parts[1], "the start of enumerate") if len(v.parts) > 1 else 0
            return tuple(Tup((Static(k), x)) for k, x in enumerate(known[0], first))
        return tuple(reversed(known[0]))
    static = isinstance(v, Static) and isinstance(v.value, (tuple, list, range, dict, str, set, frozenset)) or \
        special_method(ev, v, "__iter__") is not None
    if lists.is_dynamic(ev, v):
        return None
    return items_of(ev, v) if static or isinstance(v, (Tup, ListRef, DictRef)) else None


ENDLESS = ("count", "repeat", "cycle")
NESTS = ("product", "combinations", "combinations_with_replacement", "ndenumerate")
"""Several loops in one another, where it is a loop that runs over them."""


def _rows_of_nest(ev: Evaluator, v: Iteration) -> tuple[Abstract, ...]:
    """What the loops give, trip for trip."""
    if v.kind == "ndenumerate":
        places = itertools.product(*(items_of(ev, p) for p in v.parts[1:]))
        return tuple(Tup((Tup(at), slice_view(ev, _array(v.parts[0]), Tup(at)))) for at in places)
    if v.kind == "product":
        return tuple(map(Tup, itertools.product(*(items_of(ev, p) for p in v.parts))))
    return tuple(map(Tup, getattr(itertools, v.kind)(items_of(ev, v.parts[0]), len(v.parts))))


# -- iterators -----------------------------------------------------------------------------------------


def iterator(ev: Evaluator, of: Abstract) -> Iteration:
    """`iter(of)`."""
    return Iteration("iter", (ev.new_dict({"of": of, "at": Static(0)}),))


def _iterators(v: Abstract) -> Iterator[DictRef]:
    """The iterators that are run through where `v` is iterated over."""
    if isinstance(v, Iteration):
        for part in v.parts:
            if v.kind == "iter" and isinstance(part, DictRef):
                yield part
            else:
                yield from _iterators(part)


def _place(ev: Evaluator, v: Iteration) -> tuple[Abstract, int]:
    """What an iterator runs over, and how many items it has given."""
    (cell,) = _iterators(v)
    of, at = ev.slots(cell).items
    try:
        return of, ev.ask(at, "how far an iterator has come")
    except NeedsStatic as need:
        need.error.hint = "write `for v in xs:`, or count: `xs[i]`"
        raise


def following(ev: Evaluator, v: Iteration, default: Abstract | None) -> Abstract:
    """`next(v)`."""
    check_unused(ev, v)
    of, at = _place(ev, v)
    t = ev.type_of(of) if isinstance(of, Ref) else None
    there = isinstance(t, Tensor) and t.rank > 0 and (t.shape[0] - at).least >= 1
    items = () if there else items_of(ev, of)
    if not there and at >= len(items):
        return die(ev, "StopIteration") if default is None else default
    (cell,) = _iterators(v)
    ev.store.cells[cell.addr] = replace(ev.slots(cell), items=(of, Static(at + 1)))
    return slice_view(ev, of, Static(at)) if isinstance(of, Ref) else items[at]


def check_unused(ev: Evaluator, v: Abstract) -> None:
    """Refuse an iterator that a loop has run through, or left somewhere."""
    if any(ev.slots(cell).frozen for cell in _iterators(v)):
        ev.refuse("SCT503", "an iterator is used again after a loop over it", hint="loop over a list")


def exhaust(ev: Evaluator, v: Abstract) -> None:
    """What is iterated over is used up, where it is an iterator."""
    for cell in _iterators(v):
        ev.store.cells[cell.addr] = replace(ev.slots(cell), frozen="it is used up")


def _in_turn(ev: Evaluator, parts: Sequence[Abstract]) -> tuple[Abstract, ...] | None:
    """The items of a zip in which an iterator comes more than once: it gives to each in turn."""
    sources: dict[Abstract, Any] = {}
    for p in parts:
        items = known_items(ev, p)
        if items is None:
            return None
        sources.setdefault(p, iter(items))
    return tuple(Tup(row) for row in zip(*(sources[p] for p in parts)))


def _zip_endless(ev: Evaluator, parts: tuple[Abstract, ...]) -> tuple[Abstract, ...] | None:
    """The items of a zip of things some of which do not end."""
    ending = [p for p in parts if not (isinstance(p, Iteration) and p.kind in ENDLESS)]
    known = {id(p): known_items(ev, p) for p in ending}
    lengths = [len(items) for items in known.values() if items is not None]
    if not lengths or None in known.values():
        return None
    n = min(lengths)

    def items(p: Abstract) -> tuple[Abstract, ...]:
        if not isinstance(p, Iteration) or p.kind not in ENDLESS:
            return known[id(p)] or ()
        if p.kind == "count":
            start, step = (ev.ask(x, "an argument of count") for x in p.parts)
            return tuple(Static(start + k * step) for k in range(n))
        return tuple(p.parts[k % len(p.parts)] for k in range(n))

    return tuple(Tup(row) for row in zip(*map(items, parts)))


@dataclass(frozen=True)
class Space:
    """A counted iteration: `i` over range(start, stop, step), and its item a trip.

    count  how many trips there are, where that is known
    """

    start: Operand
    stop: Operand
    step: Operand
    item: Callable[[Value], Abstract]
    count: Operand | None = None


def space(ev: Evaluator, v: Abstract) -> Space | None:
    """How to count over `v`, or None where it must be unrolled."""
    one = Lit(1)
    if isinstance(v, Iteration) and v.kind == "range":
        a, b, c = (Static(0), v.parts[0], Static(1)) if len(v.parts) == 1 else (*v.parts, Static(1))[:3]
        return Space(ev.operand(a), ev.operand(b), ev.operand(c), lambda i: i)
    if isinstance(v, Ref):
        # The iterator holds the array, whatever its name stands for in a later trip.
        held = Key(ev.frames[-1].id, f"<iterated {len(ev.store.vars)}>")
        ev.store.vars[held] = v
        return Space(Lit(0), length(ev, v), one, lambda i: slice_view(ev, _array(ev.store.vars[held]), i))
    if isinstance(v, ListRef) and lists.is_dynamic(ev, v):
        held = Key(ev.frames[-1].id, f"<iterated {len(ev.store.vars)}>")
        ev.store.vars[held] = v
        count = lists.common_length(ev, v)
        return Space(Lit(0), count, one, lambda i: lists.element(ev, _list(ev.store.vars[held]), i))
    if not isinstance(v, Iteration):
        return None
    if v.kind in NESTS:
        return None
    if v.kind == "iter":
        of, at = _place(ev, v)
        whole = space(ev, of)
        return None if whole is None else replace(whole, start=Lit(at))
    if v.kind == "zip":
        _grow_beside(ev, v.parts)
    if any(space(ev, p) is None for p in v.parts[: 1 if v.kind == "enumerate" else None]):
        return None
    if v.kind == "zip":
        parts = [from_zero(ev, p) for p in v.parts]
        stop = parts[0].stop
        for p in parts[1:]:
            if p.stop is not stop and (p.stop.dim is None or p.stop.dim != stop.dim):
                stop = ev.emit(BY_CALL["builtins.min"], stop, p.stop, spelling="builtins.min")
        return Space(Lit(0), stop, one, lambda i: Tup(tuple(p.item(i) for p in parts)))
    inner = from_zero(ev, v.parts[0])
    if v.kind == "enumerate":
        first = v.parts[1] if len(v.parts) > 1 else Static(0)
        if isinstance(first, Static) and first.value == 0:
            return Space(Lit(0), inner.stop, one, lambda i: Tup((i, inner.item(i))))
        return Space(Lit(0), inner.stop, one,
                     lambda i: Tup((ev.emit(add, i, ev.operand(first), spelling="operator.add"), inner.item(i))))
    if isinstance(v.parts[0], Iteration) and v.parts[0].kind == "range" and len(v.parts[0].parts) == 1:
        last = ev.emit(sub, inner.stop, 1, spelling="operator.sub")
        return Space(last, Lit(-1), Lit(-1), lambda i: i, inner.stop)
    last = ev.emit(sub, inner.stop, 1, spelling="operator.sub")
    return Space(last, Lit(-1), Lit(-1), inner.item, inner.stop)


def _array(v: Abstract) -> Ref:
    assert isinstance(v, Ref)
    return v


def _grow_beside(ev: Evaluator, parts: Sequence[Abstract]) -> None:
    """Lists of known items that are iterated over in step with what has an unknown number get columns."""
    if all(known_items(ev, p) is not None or isinstance(p, Iteration) and p.kind in ENDLESS for p in parts):
        return
    for p in parts:
        if isinstance(p, ListRef) and not lists.is_dynamic(ev, p):
            try:
                lists.grow(ev, p)
            except SctError:
                continue  # its items are no column: the others are asked how long they are


def _list(v: Abstract) -> ListRef:
    assert isinstance(v, ListRef)
    return v


def from_zero(ev: Evaluator, v: Abstract) -> Space:
    """The iteration as a count from 0 by 1."""
    s = space(ev, v)
    assert s is not None
    if s.start == Lit(0) and s.step == Lit(1):
        return s
    n = s.count if s.count is not None else _count(ev, s)

    def item(i: Value) -> Abstract:
        scaled = i if s.step == Lit(1) else ev.emit(mul, i, s.step, spelling="operator.mul")
        return s.item(ev.emit(add, s.start, scaled, spelling="operator.add"))

    return Space(Lit(0), n, Lit(1), item)


def _count(ev: Evaluator, s: Space) -> Operand:
    """`len(range(start, stop, step))`."""
    if not isinstance(s.step, Lit) or not s.step.value:
        ev.refuse("SCT504", "a range whose step is known only at run time is not supported inside zip or enumerate")
    step = s.step.value
    ends = (s.stop, s.start) if step > 0 else (s.start, s.stop)
    span = ev.emit(sub, *ends, spelling="operator.sub")
    if abs(step) > 1:
        more = ev.emit(add, span, abs(step) - 1, spelling="operator.add")
        span = ev.emit(BY_CALL["operator.floordiv"], more, abs(step), spelling="operator.floordiv")
    return ev.emit(BY_CALL["builtins.max"], 0, span, spelling="builtins.max")  # type: ignore[no-any-return]


def length(ev: Evaluator, v: Ref) -> Operand:
    t = ev.type_of(v)
    if not isinstance(t, Tensor) or not t.rank:
        ev.refuse("SCT501", "iteration over a 0-d array", why="NumPy raises here too")
    if t.shape[0].value is not None:
        return Lit(t.shape[0].value)
    return ev.emit(dim, ev.operand(v), axis=0, spelling="builtins.len")  # type: ignore[no-any-return]
