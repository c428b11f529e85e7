"""Iterators over a generator, as the generator functions that they could be:

    for k, v in enumerate(trajectory(x)): ...   ->   k = 0
                                                     for v in trajectory(x): ...; k += 1

so that a loop over them is the loop of the generator.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import gast

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.heap.dynamic_lists import grow, is_dynamic, list_of_items
from sct.frontend.heap.item_forms import is_alike
from sct.frontend.iteration.iteration_space import is_run_over
from sct.frontend.iteration.iterator_protocol import kept, place
from sct.frontend.iteration.python_iterators import generator_of_python, is_python_iterator
from sct.frontend.loops.generator_functions import OVER, is_fresh_function, new_generator
from sct.frontend.source.name_liveness import Liveness
from sct.frontend.values.abstract_values import Abstract, Closure, Iteration, Key, ListRef, Slots, Static, Tup

__all__ = ["streamed"]


def _enumerated(over: Iterable[Any], start: int) -> Iterator[Any]:
    k = start
    for item in over:
        yield k, item
        k = k + 1


def _mapped(function: Callable[[Any], Any], over: Iterable[Any]) -> Iterator[Any]:
    for item in over:
        yield function(item)


def _starmapped(function: Callable[..., Any], over: Iterable[Any]) -> Iterator[Any]:
    for row in over:
        yield function(*row)


def _filtered(test: Callable[[Any], bool] | None, over: Iterable[Any]) -> Iterator[Any]:
    for item in over:
        if item if test is None else test(item):
            yield item


def _filtered_out(test: Callable[[Any], bool] | None, over: Iterable[Any]) -> Iterator[Any]:
    for item in over:
        if not (item if test is None else test(item)):
            yield item


def _taken_while(test: Callable[[Any], bool], over: Iterable[Any]) -> Iterator[Any]:
    for item in over:
        if not test(item):
            return
        yield item


def _dropped_while(test: Callable[[Any], bool], over: Iterable[Any]) -> Iterator[Any]:
    dropping = True
    for item in over:
        if dropping and not test(item):
            dropping = False
        if not dropping:
            yield item


def _sliced(over: Iterable[Any], start: int, stop: int | None, step: int) -> Iterator[Any]:
    k, wanted = 0, start
    if stop is not None and stop <= 0:
        return
    for item in over:
        if k == wanted:
            wanted += step
            yield item
        k = k + 1
        if stop is not None and k >= stop:
            return


def _chained(iterables: Iterable[Iterable[Any]]) -> Iterator[Any]:
    for over in iterables:
        yield from over


def _pairs(over: Iterable[Any]) -> Iterator[Any]:
    started = False
    for item in over:
        if started:
            yield before, item  # type: ignore[has-type]  # noqa: F821
        before = item  # noqa: F841
        started = True


def _accumulated(over: Iterable[Any], function: Callable[[Any, Any], Any] | None, initial: Any) -> Iterator[Any]:
    started = False
    if initial is not None:
        total = initial
        yield total
        started = True
    for item in over:
        if not started:
            total = item
            started = True
        elif function is None:
            total = total + item
        else:
            total = function(total, item)
        yield total


def _zipped(before: tuple[Any, ...], over: Iterable[Any], after: tuple[Any, ...]) -> Iterator[Any]:
    k = 0
    if before and min([len(xs) for xs in before]) <= 0:
        return
    for item in over:
        if after and k >= min([len(xs) for xs in after]):
            return
        yield *[xs[k] for xs in before], item, *[xs[k] for xs in after]
        k = k + 1
        if before and k >= min([len(xs) for xs in before]):
            return


_FUNCTIONS: dict[str, Callable[..., Iterator[Any]]] = {
    "enumerate": _enumerated, "map": _mapped, "starmap": _starmapped, "filter": _filtered,
    "filterfalse": _filtered_out, "takewhile": _taken_while, "dropwhile": _dropped_while, "islice": _sliced,
    "chain": _chained, "pairwise": _pairs, "accumulate": _accumulated}


_ONE_BY_ONE = frozenset(("filter", "filterfalse", "takewhile", "dropwhile", "starmap", "chain",
                         "accumulate", "islice"))
"""Iterators whose items are not computed from positions: not of lists whose length is known only at run time."""


_OF_POSITIONS = frozenset(("iter", "zip", "enumerate", "map", "generator"))
"""Iterators whose items are computed from their positions."""


def streamed(ev: Evaluator, v: Abstract) -> Iteration | None:
    """The generator of a function that gives the items of `v` and has not begun to run; None if there is none."""
    if not isinstance(v, Iteration) or v.state is None:
        return None
    if is_fresh_function(ev, v):
        return v
    if place(ev, v) != 0:
        return None
    if is_python_iterator(v):
        return generator_of_python(ev, v)
    if v.kind == "generator":
        return _expression(ev, v)
    if v.kind == "zip":
        return _zip(ev, v)
    f = _FUNCTIONS.get(v.kind)
    if f is None or v.kind == "map" and len(v.parts) != 2:
        return None
    if not _has_streamed_part(ev, v):
        return None
    generator = ev.call(Static(f), list(v.parts))
    assert isinstance(generator, Iteration)
    return generator


def _expression(ev: Evaluator, v: Iteration) -> Iteration | None:
    """A generator expression with several loops or conditions, or over a generator, as a function."""
    body, over = v.parts
    assert isinstance(body, Closure) and isinstance(body.node, gast.Lambda)
    node = body.node.body
    if kept(ev, v) != Tup(()) or not _has_parts(node) and not _is_streamed(ev, over):
        return None
    creator = ev.all_frames[body.frame]
    function, live = _function(node)
    source = replace(creator.source, node=function, name=function.name)
    frame = replace(creator, id=ev.addresses.new_frame(), source=source, live=live, locals={*creator.locals, OVER})
    ev.store.vars[Key(frame.id, OVER)] = over
    return new_generator(ev, frame)


def _has_parts(node: Any) -> bool:
    return len(node.generators) > 1 or bool(node.generators[0].ifs)


@functools.lru_cache(maxsize=4096)
def _function(node: Any) -> tuple[Any, Liveness]:
    """The generator expression as a generator function that reads what the first loop runs over from a name."""
    stmt: Any = gast.Expr(gast.Yield(node.elt))
    for k, gen in reversed(list(enumerate(node.generators))):
        for test in reversed(gen.ifs):
            stmt = gast.If(test, [stmt], [])
        stmt = gast.For(gen.target, gen.iter if k else gast.Name(OVER, gast.Load(), None, None), [stmt], [], None)
    none = gast.arguments([], [], None, [], [], None, [])
    function = gast.FunctionDef("<genexpr>", none, [stmt], [], None, None)
    for n in gast.walk(function):
        if not hasattr(n, "lineno"):
            gast.copy_location(n, node)
    return function, Liveness(function)


def _is_streamed(ev: Evaluator, v: Abstract) -> bool:
    if not isinstance(v, Iteration) or v.state is None:
        return False
    if v.counted is not None or is_python_iterator(v):
        return True
    if v.kind == "iter":  # what `chain` runs over
        of = v.parts[0]
        return isinstance(of, Tup) and any(_is_streamed(ev, x) for x in of.items)
    if v.kind == "generator" and place(ev, v) == 0:
        body = v.parts[0]
        assert isinstance(body, Closure) and isinstance(body.node, gast.Lambda)
        return kept(ev, v) == Tup(()) and (_has_parts(body.node.body) or _is_streamed(ev, v.parts[1]))
    if v.kind == "zip":
        return place(ev, v) == 0 and kept(ev, v) == Static(None) and len(_streamed_parts(ev, v)) == 1
    if v.kind not in _FUNCTIONS:
        return is_fresh_function(ev, v)
    return place(ev, v) == 0 and _has_streamed_part(ev, v)


def _has_streamed_part(ev: Evaluator, v: Iteration) -> bool:
    """Is an iterator over a generator, or does it take the items of a list of run-time length one by one?"""
    return any(_is_streamed(ev, p) or v.kind in _ONE_BY_ONE and _is_of_run_time(ev, p) for p in v.parts)


def _is_of_run_time(ev: Evaluator, v: Abstract) -> bool:
    """Is this an iterator of lists whose length is known only at run time, or of them and others?"""
    if isinstance(v, ListRef):
        return is_dynamic(ev, v) or any(isinstance(x, ListRef) and is_dynamic(ev, x) for x in ev.slots(v).items)
    if isinstance(v, Tup):
        return any(_is_of_run_time(ev, x) for x in v.items)
    return isinstance(v, Iteration) and v.kind in _OF_POSITIONS and v.state is not None and place(ev, v) == 0 and \
        any(_is_of_run_time(ev, p) for p in v.parts)


def _zip(ev: Evaluator, v: Iteration) -> Iteration | None:
    """A `zip` of one generator with arrays and lists, whose items are found by their number."""
    at = _streamed_parts(ev, v)
    if len(at) != 1 or kept(ev, v) != Static(None):
        return None
    rest = [_by_number(ev, p.parts[0]) if isinstance(p, Iteration) and p.kind == "iter" and place(ev, p) == 0 else p
            for k, p in enumerate(v.parts) if k not in at]
    if not all(is_run_over(ev, p) for p in rest):
        return None
    (k,) = at
    generator = ev.call(Static(_zipped), [Tup(tuple(rest[:k])), v.parts[k], Tup(tuple(rest[k:]))])
    assert isinstance(generator, Iteration)
    return generator


def _streamed_parts(ev: Evaluator, v: Iteration) -> list[int]:
    """Which of the iterables of a `zip` are generators?"""
    return [k for k, p in enumerate(v.parts) if _is_streamed(ev, p)]


def _by_number(ev: Evaluator, of: Abstract) -> Abstract:
    """A range, or known items that are alike, as a list in which an item is found by its number; other values as they
    are.  A list gets columns itself, as it may be written while it is read."""
    if isinstance(of, Iteration) and of.kind == "range":
        of = ev.call(Static(tuple), [of])
    if isinstance(of, ListRef) and not is_dynamic(ev, of) and is_alike(ev, ev.slots(of)):
        grow(ev, of)
    return list_of_items(ev, of.items) if isinstance(of, Tup) and is_alike(ev, Slots(of.items)) else of
