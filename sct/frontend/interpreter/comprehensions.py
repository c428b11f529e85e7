"""Comprehensions: of known items at once, else as the loop that appends.

    ys = [f(x) for x in xs if c]   ->   ys = []; for x in xs: if c: ys.append(f(x))
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

import gast

from sct.errors import SctError
from sct.frontend.arguments.argument_keys import FEW_ITEMS
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import expression
from sct.frontend.heap import run_time_dicts
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.heap.sample_calls import hashed
from sct.frontend.interpreter.assignment import assign
from sct.frontend.interpreter.expressions import lookup
from sct.frontend.interpreter.statements import FALL
from sct.frontend.iteration.iteration_space import MOST_UNROLLED
from sct.frontend.iteration.iterator_protocol import drained, iterable, iterator, most
from sct.frontend.iteration.run_time_sets import new_set
from sct.frontend.operators.truth import condition
from sct.frontend.source.name_scopes import free_in, nodes_in
from sct.frontend.values.abstract_values import Abstract, Key, ListRef, Static, Tup
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Lit, Value

__all__ = ["Unknown", "all_hold", "appended", "attempted", "names_of", "quantified"]

T = TypeVar("T")


@expression(gast.ListComp)
def listcomp(ev: Evaluator, node: Any) -> Abstract:
    """A list display with `for`."""
    try:
        return attempted(ev, lambda: known(ev, node))
    except Unknown:
        pass
    try:
        return attempted(ev, lambda: appended(ev, node))
    except (SctError, NeedsStatic) as error:
        try:
            return known(ev, node, ask=True)
        except (SctError, NeedsStatic, Unknown):
            raise error from None


class Unknown(Exception):
    """The number of items, or a condition, is known only at run time."""


def attempted(ev: Evaluator, make: Callable[[], T]) -> T:
    """The result of `make`; if it fails, its effects on the state are undone."""
    snapshot = ev.snapshot()
    try:
        return make()
    except (SctError, NeedsStatic, Unknown):
        ev.restore(snapshot)
        raise


@contextmanager
def targets(ev: Evaluator, node: Any, *more: str) -> Iterator[None]:
    """The scope of a comprehension, which holds its targets; its first iterable is evaluated outside."""
    frame = ev.frames[-1]
    names = {*names_of(node), *more}
    around = {n: lookup(ev, n) for n in sorted(names & free_in(node.generators[0].iter))}
    if not more and (_makes_functions(node) or _makes_generators(node) - frame.live.at_once):
        # The functions that it makes read its variables later, as they are then.
        inner = replace(frame, id=ev.addresses.new_frame(), locals=names, parent=frame, now=frame.now | names)
        ev.frames.append(inner)
        ev.all_frames[inner.id] = inner
        ev.store.vars.update((Key(inner.id, n), v) for n, v in around.items())
        ev.set_exit(FALL)
        try:
            yield
        finally:
            ev.store.vars.pop(ev.exit_key, None)
            ev.frames.pop()
        return
    shadowed = {key: (ev.store.vars.get(key), ev.store.bound.get(key)) for key in (Key(frame.id, n) for n in names)}
    for n, v in around.items():
        ev.store.bind(Key(frame.id, n), v)
    try:
        with frame.binding(names):
            yield
    finally:
        for key, (old, flag) in shadowed.items():
            ev.store.unbind(key)
            if old is not None:
                ev.store.bind(key, old)
            if flag is not None:
                ev.store.bound[key] = flag


@functools.lru_cache(maxsize=4096)
def names_of(node: Any) -> frozenset[str]:
    return frozenset(n.id for g in node.generators for n in nodes_in(g.target) if isinstance(n, gast.Name))


@functools.lru_cache(maxsize=4096)
def _makes_functions(node: Any) -> bool:
    return any(isinstance(n, gast.Lambda) for n in nodes_in(node))


@functools.lru_cache(maxsize=4096)
def _makes_generators(node: Any) -> frozenset[Any]:
    return frozenset(n for n in nodes_in(node) if isinstance(n, gast.GeneratorExp) and n is not node)


@expression(gast.DictComp)
def dictcomp(ev: Evaluator, node: Any) -> Abstract:
    """A dict display with `for`; the loop that fills it, where its keys are known only at run time."""
    place, plan = ev.loc, ev.functions.plan
    if (place, run_time_dicts.VALUES) in plan.dicts:
        return _looped(ev, node, "dict", lambda: run_time_dicts.new(ev, place))
    count = itertools.count()

    def entry() -> tuple[Any, Abstract]:
        key = ev.eval(node.key)
        if next(count) == FEW_ITEMS and not plan.known_keys and _is_of_run_time(key):
            raise plan.changed(dicts={(place, run_time_dicts.VALUES)})
        return hashed(ev, key), ev.eval(node.value)

    try:
        return ev.new_dict(dict(_rows(ev, node, ask=True, settled=True, item=entry)))
    except (SctError, NeedsStatic):
        plan.refused.add((place, run_time_dicts.VALUES))
        raise


def _is_of_run_time(key: Abstract) -> bool:
    return isinstance(key, Value) or isinstance(key, Tup) and any(map(_is_of_run_time, key.items))


@expression(gast.SetComp)
def setcomp(ev: Evaluator, node: Any) -> Abstract:
    """A set display with `for`; the loop that fills it, where its items are known only at run time."""
    place, plan = ev.loc, ev.functions.plan

    def known_items() -> Abstract:
        return new_set(ev, _rows(ev, node, ask=True, settled=True, item=lambda: ev.eval(node.elt)))

    try:
        return attempted(ev, known_items) if place in plan.sets else known_items()
    except (SctError, NeedsStatic):
        plan.open_sets.add(place)
        if place not in plan.sets:
            raise
    return _looped(ev, node, "set", lambda: new_set(ev, ()))


def known(ev: Evaluator, node: Any, *, ask: bool = False) -> Abstract:
    """The list of the items, which are known or whose number is guarded."""
    return ev.new_list(tuple(_rows(ev, node, ask=ask, item=lambda: ev.eval(node.elt))))


def _rows(ev: Evaluator, node: Any, *, ask: bool, item: Callable[[], T], settled: bool = False) -> list[T]:
    """`item()` for each iteration of the loops of a comprehension; `settled`: its conditions are guarded."""
    rows: list[T] = []

    def go(k: int) -> None:
        if k == len(node.generators):
            rows.append(item())
            return
        gen = node.generators[k]
        for each in _each(ev, _iterated(ev, gen), ask):
            assign(ev, gen.target, each)
            if all_hold(ev, gen.ifs, settled):
                go(k + 1)

    with targets(ev, node):
        go(0)
    return rows


def _iterated(ev: Evaluator, gen: Any) -> Abstract:
    """The iterable of a loop in a comprehension, which holds only an iterator of it."""
    with ev.temporaries.dropped():
        return ev.eval(gen.iter)


def _each(ev: Evaluator, over: Abstract, ask: bool) -> Iterator[Abstract]:
    """The items, taken one by one."""
    over = iterable(ev, over)
    n = most(ev, over)
    if not ask and (n is None or n > MOST_UNROLLED):
        raise Unknown
    it = iterator(ev, over)
    ev.temporaries.hold(it)
    return drained(ev, it)


# -- the loop that appends, and the one that looks ---------------------------------------------------


def appended(ev: Evaluator, node: Any) -> Abstract:
    """The list that the loops of the comprehension append to."""
    (first, *more), of = node.generators, None
    if not more and isinstance(first.iter, gast.Name) and isinstance(first.target, gast.Name) and \
            isinstance(node.elt, gast.Name) and node.elt.id == first.target.id:
        of = lookup(ev, first.iter.id)
    selected = of if isinstance(of, ListRef) and ev.store.owns(of.addr) else None
    before = None if selected is None else ev.store.columns(selected.addr)
    appended_list = _looped(ev, node, "list", lambda: ev.new_list(()))
    if selected is not None and isinstance(appended_list, ListRef) and ev.store.columns(selected.addr) == before:
        ev.store.own(appended_list.addr)  # each item of the other list is in it at most once
    return appended_list


def quantified(ev: Evaluator, node: Any, stops: bool) -> Abstract:
    """`any` of a generator expression, or `all`: nothing is evaluated after the item that decides."""
    def known_items() -> Abstract:
        with targets(ev, node):
            return _looked(ev, node, stops, (_each(ev, _iterated(ev, node.generators[0]), False),))

    try:
        return attempted(ev, known_items)
    except Unknown:
        return _looped(ev, node, "any" if stops else "all", lambda: Static(not stops))


def _looked(ev: Evaluator, node: Any, stops: bool, levels: tuple[Iterator[Abstract], ...]) -> Abstract:
    """`quantified` for the items that the iterators have not returned yet."""
    while levels:
        gen = node.generators[len(levels) - 1]
        each = next(levels[-1], None)
        if each is None:
            levels = levels[:-1]
            continue
        assign(ev, gen.target, each)
        if not all_hold(ev, gen.ifs):
            continue
        if len(levels) < len(node.generators):
            levels = (*levels, _each(ev, _iterated(ev, node.generators[len(levels)]), False))
            continue
        t = condition(ev, node.elt)
        if isinstance(t, Lit):
            if t.value == stops:
                return Static(stops)
            continue
        rest = functools.partial(_looked, ev, node, stops, levels)
        stopped = functools.partial(Static, stops)
        return evaluate_branches(ev, t, *((stopped, rest) if stops else (rest, stopped)))  # type: ignore[no-any-return]
    return Static(not stops)


def all_hold(ev: Evaluator, tests: list[Any], settled: bool = False) -> bool:
    """Do all conditions of a comprehension hold?  Evaluated up to the first that fails; `settled`: guarded."""
    for test in tests:
        t = condition(ev, test)
        if settled and not isinstance(t, Lit):
            t = Lit(ev.ask(t, "this test"))
        if not isinstance(t, Lit):
            raise Unknown
        if not t.value:
            return False
    return True


def _looped(ev: Evaluator, node: Any, kind: str, start: Callable[[], Abstract]) -> Abstract:
    frame = ev.frames[-1]
    name, loop = _loop(node, kind)
    frame.live.enter(loop, (frame.now - names_of(node)) | {name})
    with targets(ev, node, name):
        ev.store.vars[Key(frame.id, name)] = start()
        ev.exec(loop)
        return ev.bound(ev.store.vars[Key(frame.id, name)])


_ADDS = {"list": "append", "set": "add"}


def _innermost(node: Any, kind: str, name: str) -> Any:
    """The statement for an item: it is put into the list, the set or the dict, or tested."""
    if kind == "dict":
        write = gast.Attribute(gast.Name(name, gast.Load(), None, None), "__setitem__", gast.Load())
        return gast.Expr(gast.Call(write, [node.key, node.value], []))
    if kind in _ADDS:
        add = gast.Attribute(gast.Name(name, gast.Load(), None, None), _ADDS[kind], gast.Load())
        return gast.Expr(gast.Call(add, [node.elt], []))
    hit = gast.Assign([gast.Name(name, gast.Store(), None, None)], gast.Constant(kind == "any", None))
    return gast.If(node.elt if kind == "any" else gast.UnaryOp(gast.Not(), node.elt), [hit, gast.Break()], [])


@functools.lru_cache(maxsize=4096)
def _loop(node: Any, kind: str) -> tuple[str, Any]:
    """The name of the result, and the statement."""
    name = f"<{kind} {node.lineno} {node.col_offset}>"
    stmt: Any = _innermost(node, kind, name)
    for k, gen in reversed(list(enumerate(node.generators))):
        collects = kind in (*_ADDS, "dict")
        inner = k < len(node.generators) - 1 and not collects
        body = [stmt, gast.Break()] if inner else [stmt]  # what leaves an inner loop leaves all of them
        for test in reversed(gen.ifs):
            body = [gast.If(test, body, [])]
        stmt = gast.For(gen.target, gen.iter, body, [gast.Continue()] if k and not collects else [], None)
    for n in gast.walk(stmt):
        if not hasattr(n, "lineno"):
            gast.copy_location(n, node)
    return name, stmt
