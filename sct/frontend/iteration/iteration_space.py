"""Items of iterables, and the iteration spaces of `for` loops: a counter and the item for each of its values."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sct.errors import SctError, class_in_words
from sct.frontend.arguments.abstract_arguments import MANY_ITEMS
from sct.frontend.evaluator import list_items
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time, run_or_raise
from sct.frontend.heap import dynamic_lists
from sct.frontend.heap.array_keys import check_not_none, present_object, present_tuple
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.heap.subscripts import slice_view
from sct.frontend.iteration.iterator_protocol import (
    ENDLESS,
    VIEWS,
    check_iterable,
    check_versions,
    drained,
    iterable,
    iterator,
    kept,
    most,
    place,
    position,
    rows,
    takes,
    use_up,
    view_items,
)
from sct.frontend.iteration.python_iterables import PythonIterable, python_items, python_iterable
from sct.frontend.objects.linked_objects import is_row_display
from sct.frontend.objects.row_attributes import as_it_is_now
from sct.frontend.source.name_scopes import TRIES, own_nodes, yields
from sct.frontend.values.abstract_values import (
    SLICE,
    Abstract,
    Choice,
    Closure,
    Container,
    Iteration,
    Key,
    ListRef,
    OptionalTuple,
    Ref,
    Static,
    Tup,
)
from sct.frontend.values.guards import NeedsStatic
from sct.frontend.values.size_terms import range_size
from sct.ir import Lit, Operand, Value
from sct.ir.dims import Dim
from sct.ir.loop_view import WITHOUT_END
from sct.ir.types import INT, Tensor
from sct.ops import BY_CALL, add, dim, eq, mul, sub

__all__ = [
    "MOST_UNROLLED", "NESTS", "SPACES", "IterationSpace", "check_step", "from_zero", "in_list_if_tried", "in_step",
    "is_held", "is_run_over", "items_of", "items_taken", "items_to_search", "length", "python_space", "space",
]

MOST_UNROLLED = 64
"""At most so many items are evaluated one by one."""


# -- what is iterated over -------------------------------------------------------------------------


def in_list_if_tried(ev: Evaluator, v: Abstract) -> Abstract:
    """The list of the items of a generator with a `yield` in a `try`, which are gathered by a loop; others as they
    are."""
    body = v.parts[0] if isinstance(v, Iteration) and v.kind == "function" and place(ev, v) == 0 else None
    if not isinstance(body, Closure) or not any(isinstance(n, TRIES) and yields(n) for n in own_nodes(body.node.body)):
        return v
    return ev.call(Static(list), [v])


def items_of(ev: Evaluator, v: Abstract, run: Callable[[Any], Any] = iter) -> tuple[Abstract, ...]:
    """All items; the number of rows of an array or a list is guarded.  An iterator is consumed.

    run  the use of the items, in which Python raises if `v` is not iterable
    """
    v = as_it_is_now(ev, present_object(ev, v, run)) if is_row_display(v) else v
    return items_taken(ev, in_list_if_tried(ev, ev.text(iterable(ev, v))), run)


def items_taken(ev: Evaluator, v: Abstract, run: Callable[[Any], Any] = iter) -> tuple[Abstract, ...]:
    """As `items_of`; the items of a generator are taken one by one."""
    if isinstance(v, OptionalTuple):
        v = present_tuple(ev, v, run)
    if isinstance(v, Tup):
        if v.fields == SLICE:
            run_or_raise(ev, lambda: run(slice(None)))  # raises
        return v.items
    if isinstance(v, Ref):
        n = rows(ev, v)
        return tuple(slice_view(ev, v, Static(k)) for k in range(n))
    if isinstance(v, ListRef) and not dynamic_lists.is_dynamic(ev, v):
        return ev.slots(v).items
    if isinstance(v, Iteration) and v.kind in VIEWS:
        return view_items(ev, v)
    if isinstance(v, Iteration) and v.kind == "range":
        items = range(*(ev.ask(p, "the length of this range") for p in v.parts))
        run_or_raise(ev, lambda: len(items))
        return tuple(map(Static, items))
    check_iterable(ev, v, run)
    if isinstance(v, (Container, Static, Iteration)):
        return tuple(map(ev.temporaries.hold, drained(ev, iterator(ev, v))))
    leaf = ev.leaf_of(v) if isinstance(v, Value) else None
    if leaf is not None:
        ev.refuse("SCT503", f"the items of {class_in_words(leaf)} that is an argument are not known",
                  hint="pass a list or an array")
    if isinstance(v, Value) and not ev.is_observed:
        ev.refuse_object(v, "iteration over")
    ev.refuse("SCT503", "the number of items of this object is not known",
              why="it is the result of a function that sct cannot read" if isinstance(v, Value) else "",
              hint="use a list or an array")


def items_to_search(ev: Evaluator, owner: Abstract, x: Abstract) -> tuple[Abstract, ...]:
    """The items of a container that is searched item by item: there are as many as the arguments say."""
    by_loop = f"compare them: `any(y {'is None' if x == Static(None) else '== x'} for y in xs)`"
    try:
        items = items_of(ev, owner)
    except NeedsStatic as need:
        need.error.hint = by_loop
        raise
    if len(items) > MANY_ITEMS and any(isinstance(y, Choice) for y in items):
        ev.refuse("SCT503", f"a list of more than {MANY_ITEMS} items of several kinds is searched",
                  why="each kind of each item would be a test of its own", hint=by_loop)
    return items


def check_step(ev: Evaluator, step: Abstract) -> None:
    """The program raises what Python does if the step of a range is 0."""
    def fails() -> None:
        raise_at_run_time(ev, "ValueError", "range() arg 3 must not be zero")

    if isinstance(step, Static):
        return fails() if step.value == 0 else None
    test = ev.wrap(ev.emit(eq, ev.operand(step), 0, spelling="operator.eq"))
    try:
        is_zero = ev.ask(test, "whether a step is 0")
    except NeedsStatic:
        evaluate_branches(ev, ev.operand(test), fails, lambda: None)
    else:
        return fails() if is_zero else None


def is_run_over(ev: Evaluator, v: Abstract) -> bool:
    """Is this an array or a list whose length is not known, for a loop?"""
    return isinstance(v, Ref) or isinstance(v, ListRef) and dynamic_lists.is_dynamic(ev, v)


NESTS = ("product", "combinations", "combinations_with_replacement", "ndenumerate")
"""Several loops in one another, where it is a loop that runs over them."""


def _rows_of_nest(ev: Evaluator, v: Iteration, at: int) -> Abstract | None:
    """The item of one iteration of nested loops."""
    items: list[Tup]
    if v.kind == "ndenumerate":
        places = itertools.product(*(items_of(ev, p) for p in v.parts[1:]))
        here = next(itertools.islice(places, at, None), None)
        return None if here is None else Tup((Tup(here), slice_view(ev, _array(v.parts[0]), Tup(here))))
    if v.kind == "product":
        items = list(map(Tup, itertools.product(*(items_of(ev, p) for p in v.parts))))
    else:
        items = list(map(Tup, getattr(itertools, v.kind)(items_of(ev, v.parts[0]), len(v.parts))))
    return items[at] if at < len(items) else use_up(ev, v)


for _kind in NESTS:
    takes(_kind)(_rows_of_nest)


@dataclass(frozen=True)
class IterationSpace:
    """A counted iteration: `i` over range(start, stop, step), and the item of each iteration.

    count  the number of iterations, if it is known; `WITHOUT_END` for an iteration that only an exit ends
    calls  the item is the result of a call of a function
    segments  of a checkpointed loop: at most how many segments it has; 0: about the square root of its iterations
    """

    start: Operand
    stop: Operand
    step: Operand
    item: Callable[[Abstract], Abstract]
    count: Operand | None = None
    calls: bool = False
    segments: int | None = None

    @property
    def known_size(self) -> int | None:
        """The number of iterations, if the bounds are known."""
        bounds = [b.value for b in (self.start, self.stop, self.step) if isinstance(b, Lit)]
        return range_size(*bounds) if len(bounds) == 3 else None

    @property
    def ends(self) -> bool:
        """May the iteration end without an exit?"""
        return WITHOUT_END not in (self.stop, self.count)


def space(ev: Evaluator, v: Abstract) -> IterationSpace | None:
    """The iteration space of `v`; None if the loop must be unrolled."""
    one = Lit(1)
    if isinstance(v, Iteration) and v.kind == "range":
        a, b, c = (Static(0), v.parts[0], Static(1)) if len(v.parts) == 1 else (*v.parts, Static(1))[:3]
        return IterationSpace(ev.operand(a), ev.operand(b), ev.operand(c), lambda i: i)
    if isinstance(v, Ref):
        held = _held(ev, v)
        return IterationSpace(Lit(0), length(ev, v), one, lambda i: slice_view(ev, _array(ev.store.vars[held]), i))
    if isinstance(v, ListRef) and dynamic_lists.is_dynamic(ev, v):
        held = _held(ev, v)
        count = dynamic_lists.length(ev, v)
        return IterationSpace(Lit(0), count, one, lambda i: dynamic_lists.element(
            ev, _list(ev.store.vars[held]), ev.operand(i)))
    if not isinstance(v, Iteration) or v.kind in VIEWS or v.kind in NESTS:
        return None
    if v.counted is not None and v.kind == "iter":
        check_versions(ev, v)
        return replace(from_zero(ev, v.parts[0]), start=position(ev, v))
    at = place(ev, v)
    if at is None:
        return None
    if v.kind == "iter":
        check_versions(ev, v)
        whole = space(ev, v.parts[0])
        return whole if whole is None or not at else replace(_from_zero(ev, whole), start=Lit(at))
    if v.kind not in SPACES or at and v.kind not in _AS_PARTS:
        return None
    return SPACES[v.kind](ev, v)


_HELD = "<iterated "


def is_held(key: Key) -> bool:
    """Does this variable hold what a loop runs over?"""
    return key.name.startswith(_HELD)


def _held(ev: Evaluator, v: Abstract) -> Key:
    """Binds the iterable to a private variable, since its name may be rebound in the loop."""
    keys = (Key(ev.frames[-1].id, f"{_HELD}{n}>") for n in itertools.count())
    held = next(key for key in keys if key not in ev.store.vars)
    ev.store.vars[held] = v
    return held


def _zipped(ev: Evaluator, v: Iteration) -> IterationSpace | None:
    if v.parts and most(ev, v.parts[0]) == 0:
        return None  # nothing is taken from the others
    parts = in_step(ev, v.parts)
    if parts is None:
        return None
    finite = [p for p in parts if p.ends]
    stop = finite[0].stop if finite else WITHOUT_END
    for p in finite[1:]:
        if p.stop is not stop and (p.stop.dim is None or p.stop.dim != stop.dim):
            if kept(ev, v) != Static(None) or any(q.calls for q in parts[:-1]):
                if not _equal(ev, p.stop.dim, stop.dim):
                    return None  # what is longer is looked at once more
                continue
            stop = ev.emit(BY_CALL["builtins.min"], stop, p.stop, spelling="builtins.min")
    return IterationSpace(Lit(0), stop, Lit(1), lambda i: Tup(tuple(p.item(i) for p in parts)),
                 calls=any(p.calls for p in parts))


def _equal(ev: Evaluator, p: Dim | None, q: Dim | None) -> bool:
    """Are these lengths equal?  Asked."""
    if p is None or q is None:
        return False
    now = ev.size_now(p)
    if ev.resolve(p) != ev.resolve(q) and now is not None and now == ev.size_now(q):
        ev.equate(ev.resolve(p), ev.resolve(q))
    return ev.resolve(p) == ev.resolve(q)


def in_step(ev: Evaluator, parts: Sequence[Abstract]) -> list[IterationSpace] | None:
    """The spaces of iterables in step; no two of them share an iterator."""
    inner = [state for p in parts for state in _states(p)]
    if not parts or len(set(inner)) < len(inner):
        return None
    _grow_beside(ev, parts)
    if any(space(ev, p) is None for p in parts):
        return None
    return [from_zero(ev, p) for p in parts]


def _states(v: Abstract) -> Iterator[int]:
    """The iterators that advance when `v` does."""
    if isinstance(v, Iteration):
        if v.state is not None:
            yield v.state
        for part in v.parts:
            yield from _states(part)


def _mapped(ev: Evaluator, v: Iteration) -> IterationSpace | None:
    f, *over = v.parts
    parts = in_step(ev, over)
    if parts is None:
        return None
    if len(parts) > 1:
        both = _zipped(ev, Iteration("zip", tuple(over), v.state))
        return None if both is None else replace(
            both, calls=True, item=lambda i: ev.call(f, items_of(ev, both.item(i))))
    (only,) = parts
    return replace(only, calls=True, item=lambda i: ev.call(f, [only.item(i)]))


def _enumerated(ev: Evaluator, v: Iteration) -> IterationSpace | None:
    of, first = v.parts
    if space(ev, of) is None:
        return None
    inner = from_zero(ev, of)
    if isinstance(first, Static) and first.value == 0:
        return replace(inner, item=lambda i: Tup((i, inner.item(i))))
    start = ev.operand(first)
    return replace(inner, item=lambda i: Tup((ev.emit(add, ev.operand(i), start, spelling="operator.add"),
                                              inner.item(i))))


def _turned(ev: Evaluator, v: Iteration) -> IterationSpace | None:
    (of,) = v.parts
    if space(ev, of) is None:
        return None
    if isinstance(of, ListRef):
        list_items.same_columns(ev, of, kept(ev, v))
    inner = from_zero(ev, of)
    last = ev.emit(sub, inner.stop, 1, spelling="operator.sub")
    return IterationSpace(last, Lit(-1), Lit(-1), inner.item, inner.stop)


def _counted(ev: Evaluator, v: Iteration) -> IterationSpace | None:
    """`count` of integers; one of floats adds up, and is not `start + i * step`."""
    first, step = v.parts
    if not isinstance(step, Static) or type(step.value) is not int or not step.value or ev.type_of(first) != INT:
        return None
    stop = WITHOUT_END if step.value > 0 else Lit(-WITHOUT_END.value)
    return IterationSpace(ev.operand(first), stop, Lit(step.value), lambda i: i, WITHOUT_END)


def _repeated(ev: Evaluator, v: Iteration) -> IterationSpace | None:
    item, *times = v.parts
    stop = ev.operand(times[0]) if times else WITHOUT_END
    return IterationSpace(Lit(0), stop, Lit(1), lambda i: item)


def python_space(ev: Evaluator, over: Abstract, node: Any) -> IterationSpace | None:
    """The iteration space of a container that sct does not see into."""
    kind = python_iterable(ev, over, node.iter)
    if kind is None or kind.is_iterator or not isinstance(over, Value):
        return None
    n, item = python_items(ev, over, kind)
    return IterationSpace(Lit(0), n, Lit(1), item)


def _of_python(ev: Evaluator, v: Iteration) -> IterationSpace | None:
    """The items that a container which sct does not see into has when the loop over them begins."""
    of, kind = v.parts
    assert isinstance(of, Value) and isinstance(kind, Static) and isinstance(kind.value, PythonIterable)
    if kind.value.is_iterator:
        return None
    n, item = python_items(ev, of, kind.value)
    return IterationSpace(Lit(0), n, Lit(1), item)


@takes("python")
def _next_of_python(ev: Evaluator, it: Iteration, at: int) -> Abstract | None:
    ev.refuse("SCT503", "the number of items of this object is not known", why="sct does not see into it",
              hint="use a list or an array")


SPACES: dict[str, Callable[[Evaluator, Iteration], IterationSpace | None]] = {
    "count": _counted, "repeat": _repeated, "zip": _zipped, "map": _mapped, "enumerate": _enumerated,
    "python": _of_python, "reversed": _turned}
"""Functions that make the space of an iterator from those of its parts, by kind."""

_AS_PARTS = ("zip", "map", "generator")
"""Iterators that have come as far as their parts have."""


def _array(v: Abstract) -> Ref:
    assert isinstance(v, Ref)
    return v


def _grow_beside(ev: Evaluator, parts: Sequence[Abstract]) -> None:
    """Gives columns to lists of known items that are iterated over in step with an iterable of unknown length."""
    if all(most(ev, p) is not None or isinstance(p, Iteration) and p.kind in ENDLESS for p in parts):
        return
    for p in parts:
        p = p.parts[0] if isinstance(p, Iteration) and p.kind == "iter" else p
        if isinstance(p, ListRef) and not dynamic_lists.is_dynamic(ev, p):
            try:
                dynamic_lists.grow(ev, p)
            except SctError:
                continue  # its items are no column: the others are asked how long they are


def _list(v: Abstract) -> ListRef:
    assert isinstance(v, ListRef)
    return v


def from_zero(ev: Evaluator, v: Abstract) -> IterationSpace:
    """The iteration as a count from 0 by 1."""
    s = space(ev, v)
    assert s is not None
    return _from_zero(ev, s)


def _from_zero(ev: Evaluator, s: IterationSpace) -> IterationSpace:
    if s.start == Lit(0) and s.step == Lit(1):
        return s
    n = s.count if s.count is not None else _count(ev, s)

    def item(i: Abstract) -> Abstract:
        at = ev.operand(i)
        scaled = at if s.step == Lit(1) else ev.emit(mul, at, s.step, spelling="operator.mul")
        return s.item(ev.emit(add, s.start, scaled, spelling="operator.add"))

    return IterationSpace(Lit(0), n, Lit(1), item, calls=s.calls)


def _count(ev: Evaluator, s: IterationSpace) -> Operand:
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
        check_not_none(ev, v, iter)
        return Lit(t.shape[0].value)
    return ev.emit(dim, ev.operand(v), axis=0, spelling="builtins.len")  # type: ignore[no-any-return]
