"""Generators that call themselves, as functions that append the items to a list:

    def walk(node):                        def walk(node, items):
        if node is not None:                   if node is not None:
            yield from walk(node.left)    ->       walk(node.left, items)
            yield node.value                       items.append(node.value)

    for v in walk(root): ...               items = []; walk(root, items)
                                           for v in items: ...

So how deep the calls are nested need not be known.  The items are computed before the loop over them begins, in place
of each when it is asked for.  So the generator has no effects, writes nothing that others read, and none of its items
is written; the loop goes to its end, and writes nothing that the generator reads.
"""

from __future__ import annotations

import copy
import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

import gast

from sct.errors import Loc
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs, special
from sct.frontend.interpreter.attributes import get
from sct.frontend.objects.linked_objects import is_link
from sct.frontend.source.name_scopes import FUNCTIONS, TRIES, own_nodes, parameters, yields
from sct.frontend.state.parts import Frame
from sct.frontend.state.store import Store, is_written, reached
from sct.frontend.values.abstract_values import Abstract, Array, Cell, Key, ListRef, Ref, Slots, Static
from sct.ir import Eqn, Fn, walk
from sct.ops import call, index, row_of, unwrap
from sct.ops.program.attempts import is_of_raise, may_not_repeat
from sct.ops.program.list_ops import list_of
from sct.ops.registry import may_raise

__all__ = [
    "ITEMS", "LIST", "LIST_ITEM", "Collector", "append_all", "appending", "collected", "collecting", "is_collectable",
    "loop_over"]

ITEMS, LIST, LIST_ITEM = "<items>", "<list>", "<item>"


@dataclass(frozen=True, eq=False)
class Collector:
    """How the items of a generator are put into a list.

    into   runs the body of the generator to its end, which appends its items to the list
    reads  the variables that it may read: its arguments, those of functions around it, columns of rows
    """

    into: Callable[[Abstract], None]
    reads: Callable[[], Iterable[Key]]


# -- the text ----------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=4096)
def is_collectable(node: Any) -> bool:
    """May the generator function be one that appends its items: has none of its `yield` another meaning?"""
    nodes = list(own_nodes(node.body))
    whole = {n.value for n in nodes if isinstance(n, gast.Expr)}
    return not any(
        isinstance(n, gast.Return) and n.value is not None
        or isinstance(n, (gast.Yield, gast.YieldFrom)) and n not in whole
        or isinstance(n, (*TRIES, gast.With)) and yields(n) for n in nodes)


@functools.lru_cache(maxsize=4096)
def collecting(node: Any) -> Any:
    """The generator function as a function that appends its items to its last parameter."""
    own = {n.id for n in gast.walk(node) if isinstance(n, gast.Name)}
    items = next(name for k in itertools.count() if (name := "items" + "_" * k) not in own)
    names = [gast.Name(name, gast.Param(), None, None) for name in (*parameters(node), items)]
    body = [_Collecting(items).visit(stmt) for stmt in copy.deepcopy(node.body)]
    function = gast.FunctionDef(node.name, gast.arguments(names, [], None, [], [], None, []), body, [], None, None)
    for n in gast.walk(function):
        if not hasattr(n, "lineno"):
            gast.copy_location(n, node)
    return gast.copy_location(function, node)


class _Collecting(gast.NodeTransformer):  # type: ignore[misc]
    def __init__(self, items: str) -> None:
        self.items = items

    def visit(self, node: Any) -> Any:
        return node if isinstance(node, FUNCTIONS) else super().visit(node)

    def visit_Yield(self, node: Any) -> Any:
        return _call(append_item, self.items, node.value or gast.copy_location(gast.Constant(None, None), node), node)

    def visit_YieldFrom(self, node: Any) -> Any:
        return _call(append_all, self.items, node.value, node)


def _call(f: Any, items: str, value: Any, node: Any) -> Any:
    call = gast.Call(gast.Constant(f, None), [gast.Name(items, gast.Load(), None, None), value], [])
    for n in (call, call.func, call.args[0]):
        gast.copy_location(n, node)
    return call


def append_item(items: list[Any], item: Any) -> None:
    """Stands for `yield item`."""


def append_all(items: list[Any], over: Iterable[Any]) -> None:
    """Stands for `yield from over`."""


@functools.lru_cache(maxsize=4096)
def appending(loc: Loc) -> Any:
    """`for item in over: append_item(items, item)`, as if it were written there."""
    at = gast.Pass(lineno=loc.line, col_offset=loc.col, end_lineno=loc.end_line, end_col_offset=loc.end_col)
    item = gast.copy_location(gast.Name(LIST_ITEM, gast.Load(), None, None), at)
    return _loop(_call(append_item, ITEMS, item, at), at)


@functools.lru_cache(maxsize=4096)
def loop_over(node: Any) -> Any:
    """The generator function `node`, as one that yields the items of a list."""
    item = gast.Name(LIST_ITEM, gast.Load(), None, None)
    loop = _loop(gast.Yield(gast.copy_location(item, node)), node)
    return gast.copy_location(
        gast.FunctionDef(node.name, node.args, [loop], node.decorator_list, node.returns, node.type_comment), node)


def _loop(value: Any, node: Any) -> Any:
    target, over = gast.Name(LIST_ITEM, gast.Store(), None, None), gast.Name(LIST, gast.Load(), None, None)
    loop = gast.For(target, over, [gast.Expr(value)], [], None)
    for n in gast.walk(loop):
        if not hasattr(n, "lineno"):
            gast.copy_location(n, node)
    return loop


# -- the items ---------------------------------------------------------------------------------------------


@special(append_item)
def _append_item(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    items, item = args
    addresses = reached([item], [ev.store.cells])
    if any(not isinstance(ev.store.cells[addr], Array) for addr in addresses):
        _refuse(ev, "it yields a list, a dict, a set or an object",
                "it may be written before the loop that takes it runs", "yield numbers, arrays, or tuples of them")
    ev.freeze(*addresses)
    return ev.call(get(ev, items, "append"), [item])


@contextmanager
def collected(ev: Evaluator, generator: Frame, frame: Frame) -> Iterator[ListRef]:
    """The list of the items of a generator that has not begun to run, which is read meanwhile.

    Refuses what would be seen of the order in which items are computed and read.
    """
    collector: Collector = generator.collector
    if ev.tries.slot is not None:
        _refuse(ev, "it runs in a `try`", "an exception may be handled that it raises after the first items",
                "make a list of its items before the `try`: `items = list(...)`")
    items = ev.call(Static(list), [])
    assert isinstance(items, ListRef)
    before, block, start = ev.store.copy(), ev.b, len(ev.b.eqns)
    collector.into(items)
    written = {addr for addr, cell in before.cells.items()
               if is_written(cell, now := ev.store.cells.get(addr)) and not _is_still_empty(ev, cell, now)}
    own = reached([items], [before.cells, ev.store.cells])
    if written - own or _rebound(before, ev.store, before.vars):
        _refuse(ev, "it writes what others may read", _IN_TURN, "write it as a function that returns a list")
    done = len(block.eqns)
    raises = _check_effects(ev, block.eqns[start:done])
    between = ev.store.copy()
    reads = [key for key in collector.reads() if key in between.vars]
    watched = reached([between.vars[key] for key in reads], [between.cells]) | own
    yield items
    if frame.left:
        _refuse(ev, "the loop over it may end before its last item", "it would not run to its end then", _LIST)
    if ev.store.dead:
        return
    if any(is_written(between.cells[addr], ev.store.cells.get(addr)) for addr in watched) or \
            _rebound(between, ev.store, reads):
        _refuse(ev, "the loop over it writes what it may read", _IN_TURN, _LIST)
    if raises and any(map(may_not_repeat, _all_of(ev, block.eqns[done:]))):
        _refuse(ev, "it may raise an exception, and the loop over it has an effect", _IN_TURN, _LIST)


_LIST = "loop over a list of its items: `for v in list(...)`"
_IN_TURN = "the generator and the loop over it run in turn, an item at a time"


def _refuse(ev: Evaluator, why: str, more: str, hint: str) -> NoReturn:
    ev.refuse("SCT204", f"a generator that calls itself is not supported here: {why}",
              why=f"how deep its calls are nested is not known when the function is compiled, and {more}", hint=hint)


def _is_still_empty(ev: Evaluator, before: Cell, now: Cell | None) -> bool:
    """Is this an empty list that has got columns, of which the kind of items is known now?"""
    if not isinstance(before, Slots) or before.items or not isinstance(now, Slots) or now.schema is None:
        return False
    columns = [ev.defs.get(ev.store.cells[x.addr].value) for x in now.items if isinstance(x, Ref)]  # type: ignore
    return all(eqn is not None and eqn.op is list_of and not eqn.args for eqn in columns)


def _rebound(before: Store, now: Store, keys: Iterable[Key]) -> bool:
    return any(now.vars.get(key) != before.vars[key] for key in keys)


def _all_of(ev: Evaluator, eqns: Sequence[Eqn]) -> Iterator[Eqn]:
    """These equations, and those of the functions that they call."""
    fn = Fn("", (), tuple(eqns), ())
    for each in (fn, *ev.functions.reached(fn)):
        if each is not None:
            yield from walk(each)


def _check_effects(ev: Evaluator, eqns: Sequence[Eqn]) -> bool:
    """Refuses effects of a generator; may it raise an exception?"""
    raises = False
    of_rows = set[Any]()
    for eqn in _all_of(ev, eqns):
        if may_not_repeat(eqn) and not is_of_raise(eqn):
            _refuse(ev, "it has an effect", _IN_TURN, "write it as a function that returns a list")
        if eqn.op is row_of:
            of_rows.update(eqn.outs)
        of_row = eqn.op is index and eqn.args[1] in of_rows or eqn.op is unwrap and is_link(eqn.out)
        raises |= is_of_raise(eqn) or may_raise(eqn) and not (of_row or eqn.regions or eqn.op is call)
    return raises
