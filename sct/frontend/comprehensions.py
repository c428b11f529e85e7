"""Comprehensions: of known items at once, else as the loop that appends.

    ys = [f(x) for x in xs if c]   ->   ys = []; for x in xs: if c: ys.append(f(x))
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

import gast

from sct.errors import SctError
from sct.frontend.bindings import assign
from sct.frontend.evaluator import Evaluator, expression
from sct.frontend.expressions import lookup, truth
from sct.frontend.facts import NeedsStatic
from sct.frontend.iteration import exhaust, items_of, known_items
from sct.frontend.source import reads
from sct.frontend.values import Abstract, Key, Static
from sct.ir import Lit

__all__ = ["listcomp", "quantified", "taken_apart"]

T = TypeVar("T")
MOST_UNROLLED = 64
"""How many items, where they are known, are taken one by one."""


@expression(gast.ListComp)
def listcomp(ev: Evaluator, node: Any) -> Abstract:
    """A list display with `for`."""
    try:
        return attempted(ev, lambda: known(ev, node))
    except _Unknown:
        pass
    try:
        return attempted(ev, lambda: appended(ev, node))
    except (SctError, NeedsStatic) as error:
        try:
            return known(ev, node, ask=True)
        except (SctError, NeedsStatic, _Unknown):
            raise error from None


class _Unknown(Exception):
    """How many items there are, or whether one is taken, is known only at run time."""


def attempted(ev: Evaluator, make: Callable[[], Abstract]) -> Abstract:
    """What `make` gives; if it fails, nothing has happened."""
    store, eqns, addr, sites = ev.store.copy(), list(ev.b.eqns), ev._next_addr, set(ev.loop_memo)
    try:
        return make()
    except (SctError, NeedsStatic, _Unknown):
        ev.store, ev.b.eqns[:], ev._next_addr = store, eqns, addr
        for site in ev.loop_memo.keys() - sites:  # what it has learnt is of addresses that others get now
            del ev.loop_memo[site]
        raise


@contextmanager
def targets(ev: Evaluator, node: Any, *more: str) -> Iterator[None]:
    """The scope of a comprehension: its names are its own, but for what it runs over first."""
    frame = ev.frames[-1]
    names = {*_names(node), *more}
    around = {n: lookup(ev, n) for n in sorted(names & reads(node.generators[0].iter))}
    if not more and _makes_functions(node):
        # The functions that it makes read its variables later, as they are then.
        inner = replace(frame, id=ev.new_frame_id(), locals=names, parent=frame, now=frame.now | names)
        ev.frames.append(inner)
        ev.all_frames[inner.id] = inner
        ev.store.vars.update((Key(inner.id, n), v) for n, v in around.items())
        try:
            yield
        finally:
            ev.frames.pop()
        return
    shadowed = {n: ev.store.vars.get(Key(frame.id, n)) for n in names}
    added = names - frame.locals
    frame.locals |= added
    ev.store.vars.update((Key(frame.id, n), v) for n, v in around.items())
    try:
        yield
    finally:
        frame.locals -= added
        for n, old in shadowed.items():
            ev.store.vars.pop(Key(frame.id, n), None)
            if old is not None:
                ev.store.vars[Key(frame.id, n)] = old


@functools.lru_cache(maxsize=4096)
def _names(node: Any) -> frozenset[str]:
    return frozenset(n.id for g in node.generators for n in gast.walk(g.target) if isinstance(n, gast.Name))


@functools.lru_cache(maxsize=4096)
def _makes_functions(node: Any) -> bool:
    return any(isinstance(n, gast.Lambda) for n in gast.walk(node))


@expression(gast.DictComp)
def dictcomp(ev: Evaluator, node: Any) -> Abstract:
    """A dict display with `for`."""
    return ev.new_dict(dict(_rows(ev, node, ask=True, settled=True, item=lambda: (
        ev.ask(ev.eval(node.key), "a key of a dict"), ev.eval(node.value)))))


@expression(gast.SetComp)
def setcomp(ev: Evaluator, node: Any) -> Abstract:
    """A set display with `for`."""
    made = _rows(ev, node, ask=True, settled=True, item=lambda: ev.eval(node.elt))
    return Static({ev.ask(x, "an item of a set") for x in made})


def known(ev: Evaluator, node: Any, *, ask: bool = False) -> Abstract:
    """The list of items that are known, or whose number is asked."""
    return ev.new_list(tuple(_rows(ev, node, ask=ask, item=lambda: ev.eval(node.elt))))


def _rows(ev: Evaluator, node: Any, *, ask: bool, item: Callable[[], T], settled: bool = False) -> list[T]:
    """What `item` gives for each trip of the loops of a comprehension; `settled`: its tests are asked."""
    made: list[T] = []

    def go(k: int) -> None:
        if k == len(node.generators):
            made.append(item())
            return
        gen = node.generators[k]
        over = ev.eval(gen.iter)
        items = items_of(ev, over) if ask else _known_now(ev, over)
        if items is None or len(items) > MOST_UNROLLED and not ask:
            raise _Unknown
        exhaust(ev, over)
        for each in items:
            assign(ev, gen.target, each)
            tests = [truth(ev, ev.eval(t)) for t in gen.ifs]
            if settled:
                tests = [t if isinstance(t, Lit) else Lit(ev.ask(t, "this test")) for t in tests]
            if not all(isinstance(t, Lit) for t in tests):
                raise _Unknown
            if all(isinstance(t, Lit) and t.value for t in tests):
                go(k + 1)

    with targets(ev, node):
        go(0)
    return made


def _known_now(ev: Evaluator, over: Abstract) -> tuple[Abstract, ...] | None:
    try:
        return known_items(ev, over)
    except (SctError, NeedsStatic):
        return None


# -- the loop that appends, and the one that looks ---------------------------------------------------


def appended(ev: Evaluator, node: Any) -> Abstract:
    """The list that the loops of the comprehension append to."""
    return _looped(ev, node, "list", lambda: ev.new_list(()))


def taken_apart(ev: Evaluator, node: Any) -> Abstract:
    """The list of a generator expression, its length asked where it can be."""
    try:
        return attempted(ev, lambda: known(ev, node, ask=True))
    except _Unknown:
        return appended(ev, node)


def quantified(ev: Evaluator, node: Any, stops: bool) -> Abstract:
    """`any` of a generator expression, where it stops at what is true, or `all`."""
    try:
        items = attempted(ev, lambda: known(ev, node))
    except _Unknown:
        return _looped(ev, node, "any" if stops else "all", lambda: Static(not stops))
    return ev.call(Static(any if stops else all), [items])


def _looped(ev: Evaluator, node: Any, kind: str, start: Callable[[], Abstract]) -> Abstract:
    frame = ev.frames[-1]
    name, loop = _loop(node, kind)
    frame.live.enter(loop, (frame.now - _names(node)) | {name})
    with targets(ev, node, name):
        ev.store.vars[Key(frame.id, name)] = start()
        ev.exec(loop)
        return ev.bound(ev.store.vars[Key(frame.id, name)])


def _innermost(node: Any, kind: str, name: str) -> Any:
    """What is done with an item: it is appended, or looked at."""
    if kind == "list":
        append = gast.Attribute(gast.Name(name, gast.Load(), None, None), "append", gast.Load())
        return gast.Expr(gast.Call(append, [node.elt], []))
    found = gast.Assign([gast.Name(name, gast.Store(), None, None)], gast.Constant(kind == "any", None))
    leave = [gast.Break()] if len(node.generators) == 1 else []
    return gast.If(node.elt if kind == "any" else gast.UnaryOp(gast.Not(), node.elt), [found, *leave], [])


@functools.lru_cache(maxsize=4096)
def _loop(node: Any, kind: str) -> tuple[str, Any]:
    """The name of the result, and the statement."""
    name = f"<{kind} {node.lineno} {node.col_offset}>"
    stmt: Any = _innermost(node, kind, name)
    for gen in reversed(node.generators):
        for test in reversed(gen.ifs):
            stmt = gast.If(test, [stmt], [])
        stmt = gast.For(gen.target, gen.iter, [stmt], [], None)
    for n in gast.walk(stmt):
        if not hasattr(n, "lineno"):
            gast.copy_location(n, node)
    return name, stmt
