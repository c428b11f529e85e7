"""Loops over several things at once, as the nested loops that they are:

    for i, j in itertools.combinations(range(n), 2): ...   ->   for i in range(n):
                                                                    for j in range(i + 1, n): ...

so that their code does not grow with `n`.  Likewise `itertools.product`, `np.ndindex` and
`np.ndenumerate`.  A `break` leaves all of them: `else: continue`, then `break`, stands after an inner one.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import gast
import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import run_or_raise
from sct.frontend.evaluator.handlers import Args, Kwargs, special
from sct.frontend.heap import dynamic_list_methods, dynamic_lists, item_forms
from sct.frontend.heap.array_keys import selection
from sct.frontend.heap.subscripts import item, size_along
from sct.frontend.iteration.counted_iterators import exec_in_place_of
from sct.frontend.iteration.iteration_space import MOST_UNROLLED, items_of
from sct.frontend.iteration.iterator_protocol import is_iterator, iterable, kept, most, new_iterator
from sct.frontend.source.name_scopes import own_nodes
from sct.frontend.values.abstract_values import Abstract, Array, Iteration, ListRef, Ref, Static, Tup
from sct.frontend.values.schemas import ObjectSchema
from sct.ir import Value
from sct.ir.types import Tensor, Text

__all__ = ["leaves", "nested", "of_nest"]

GAPS = {"combinations": 1, "combinations_with_replacement": 0}
"""The least difference between the indices of consecutive loops, by function."""


def of_nest(ev: Evaluator, f: Any, args: Args, kwargs: Kwargs) -> Iteration | None:
    """A call of a function of `itertools` as nested loops; None if its items are known."""
    if f is itertools.product:
        repeat = ev.ask(kwargs.get("repeat", Static(1)), "`repeat`")
        run_or_raise(ev, lambda: itertools.product(repeat=repeat))
        pools = tuple(args) * repeat
    elif f.__name__ in GAPS:
        count = ev.ask(args[1] if len(args) > 1 else kwargs["r"], "`r`")
        run_or_raise(ev, lambda: f((), count))
        pools = (args[0],) * count
    else:
        return None
    pools = tuple(iterable(ev, p) for p in pools)
    counts = [None if _is_pool(ev, p) else most(ev, p) for p in pools]
    if len(pools) < 2 or any(k is None and not _is_pool(ev, p) or is_iterator(p) for k, p in zip(counts, pools)):
        return None
    if math.prod(MOST_UNROLLED + 1 if k is None else k for k in counts) <= MOST_UNROLLED:
        return None
    held = {p: _held(ev, p) for p in dict.fromkeys(pools)}
    return new_iterator(ev, f.__name__, tuple(held[p] for p in pools), _versions(ev, held))


def _is_pool(ev: Evaluator, v: Abstract) -> bool:
    """An array, or a range or a list of numbers whose length is not known; a range has steps of one."""
    if isinstance(v, ListRef) and dynamic_lists.is_dynamic(ev, v):
        _, types = item_forms.item_type(ev, v)
        return _is_of_objects(ev, v) or all(isinstance(t, (Tensor, Text)) for t in types)
    one = isinstance(v, Iteration) and v.kind == "range" and v.parts[2:] in ((), (Static(1),))
    return isinstance(v, Ref) or one and most(ev, v) is None


def _is_of_objects(ev: Evaluator, v: Abstract) -> bool:
    """Is this a list of objects, whose length is not known, and which holds each of them once?"""
    if not isinstance(v, ListRef) or not dynamic_lists.is_dynamic(ev, v):
        return False
    cell = item_forms.slots(ev, v)
    return isinstance(cell.schema, ObjectSchema) and cell.parent is None and ev.store.owns(v.addr)


def _versions(ev: Evaluator, pools: Iterable[Abstract]) -> Tup:
    """What the lists of objects among these hold now."""
    lists = [p for p in pools if isinstance(p, ListRef) and _is_of_objects(ev, p)]
    return Tup(tuple(c for p in lists for c in dynamic_lists.columns(ev, p) if isinstance(c, Value)))


def _held(ev: Evaluator, v: Abstract) -> Abstract:
    """The items as they are now: those of a list, and the numbers of an array, which may be written meanwhile.

    The loop writes to the objects of a list where they are.
    """
    if _is_of_objects(ev, v):
        return v
    if isinstance(v, ListRef):
        return dynamic_list_methods.copied(ev, v) if dynamic_lists.is_dynamic(ev, v) else v
    if not isinstance(v, Ref) or len(ev.type_of(v).shape) > 1:  # type: ignore[union-attr]
        return v
    ev.store.cells[addr := ev.new_addr()] = Array(ev.contents(v))
    return Ref(addr)


@special(np.ndindex)
def ndindex(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    sizes = items_of(ev, args[0]) if len(args) == 1 and isinstance(args[0], Tup) else tuple(args)
    if len(sizes) == 1:
        return ev.call(Static(zip), [Iteration("range", sizes)])
    ranges = [Iteration("range", (n,)) for n in sizes]
    return of_nest(ev, itertools.product, ranges, {}) or ev.call(Static(itertools.product), ranges)


@special(np.ix_)
def ix(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """Indices that pair each with each: one along each axis."""
    views = []
    for k, a in enumerate(args):
        v = a if isinstance(a, Ref) else ev.call(Static(np.asarray), [selection(ev, a)])
        t = ev.type_of(v)
        if isinstance(t, Tensor) and t.rank == 1 and t.kind == "b":
            v = ev.call(Static(np.flatnonzero), [v])
        elif not isinstance(t, Tensor) or t.rank != 1 or not t.integral:
            ev.refuse("SCT503", "`np.ix_` is supported only for one-dimensional arrays of ints and masks",
                      hint="convert it with astype(int)")
        places = [Static(slice(None)) if j == k else Static(None) for j in range(len(args))]
        views.append(item(ev, v, Tup(tuple(places))))
    return Tup(tuple(views))


@special(np.ndenumerate)
def ndenumerate(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    x = args[0]
    rank = len(ev.type_of(x).shape) if isinstance(x, Ref) else 0  # type: ignore[union-attr]
    if not rank:
        ev.refuse("SCT503", "`np.ndenumerate` is supported only for arrays with axes", hint="loop over its items")
    return new_iterator(ev, "ndenumerate", (x, *[Iteration("range", (size_along(ev, x, k),)) for k in range(rank)]))


def nested(ev: Evaluator, node: Any, over: Iteration) -> None:
    """Run `for ... in over` as nested loops."""
    of_objects = [p for p in dict.fromkeys(over.parts) if isinstance(p, ListRef) and _is_of_objects(ev, p)]
    if _versions(ev, of_objects) != (kept(ev, over) if of_objects else Tup(())):
        ev.refuse("SCT306", f"a list is written between the call of `{over.kind}` and the loop over its items",
                  hint="call it where the loop begins")
    pools = [p for p in over.parts if not (over.kind == "ndenumerate" and isinstance(p, Ref))]
    kinds = tuple("range" if isinstance(p, Iteration) else "items" for p in pools)
    names, loops = _loops(node, over.kind, kinds)
    values: dict[str, Abstract] = {"range": Static(range)}
    for k, p in enumerate(pools):
        if isinstance(p, Iteration):
            bounds = p.parts if len(p.parts) > 1 else (Static(0), *p.parts)
            values |= {f"pool{k}": p, f"start{k}": bounds[0], f"stop{k}": bounds[1]}
        else:
            values |= {f"pool{k}": p, f"start{k}": Static(0)}
            values |= {f"stop{k}": ev.call(Static(len), [p])} if _is_pool(ev, p) else {}
    if over.kind == "ndenumerate":
        values["array"] = over.parts[0]
    private = {names[name]: v for name, v in values.items() if name in names}
    with ev.loops.over_pools({p.addr for p in of_objects}):
        exec_in_place_of(ev, node, loops, private, names.values())


def _breaks(stmt: Any) -> bool:
    """Does the statement leave the loop that it stands in?"""
    if isinstance(stmt, (gast.For, gast.While)):
        return any(map(_breaks, stmt.orelse))
    if isinstance(stmt, (gast.FunctionDef, gast.Lambda, gast.ClassDef)):
        return False
    return isinstance(stmt, gast.Break) or any(map(_breaks, gast.iter_child_nodes(stmt)))


def leaves(node: Any) -> bool:
    """May the loop end before its last item?"""
    return any(map(_breaks, node.body)) or any(isinstance(n, gast.Return) for n in own_nodes(node.body))


@functools.lru_cache(maxsize=4096)
def _loops(node: Any, kind: str, kinds: Sequence[str]) -> tuple[Mapping[str, str], Any]:
    """The loops, and the private names of the variables that they read."""
    names: dict[str, str] = {}

    def name(what: str) -> str:
        return names.setdefault(what, f"<{what} {node.lineno} {node.col_offset}>")

    def read(what: str) -> Any:
        return gast.Name(name(what), gast.Load(), None, None)

    def over(k: int) -> Any:
        if kind not in GAPS:
            return read(f"pool{k}")
        first = gast.BinOp(read(f"at{k - 1}"), gast.Add(), gast.Constant(GAPS[kind], None)) if k else read("start0")
        first = read(f"at{k - 1}") if k and not GAPS[kind] else first
        return gast.Call(read("range"), [first, read("stop0")], [])

    def item(k: int) -> Any:
        at = read(f"at{k}")
        return gast.Subscript(read("pool0"), at, gast.Load()) if kind in GAPS and kinds[0] == "items" else at

    row: Any = gast.Tuple([item(k) for k in range(len(kinds))], gast.Load())
    if kind == "ndenumerate":
        places = gast.Tuple([read(f"at{k}") for k in range(len(kinds))], gast.Load())
        row = gast.Tuple([row, gast.Subscript(read("array"), places, gast.Load())], gast.Load())
    body: list[Any] = [gast.Assign([node.target], row), *node.body]
    left = any(map(_breaks, node.body))
    for k in reversed(range(len(kinds))):
        last = node.orelse if k == 0 else [gast.Continue()] if left else []
        body = [gast.For(gast.Name(name(f"at{k}"), gast.Store(), None, None), over(k), body, last, None)]
        body += [gast.Break()] if left and k else []
    (loops,) = body
    for n in gast.walk(loops):
        if not hasattr(n, "lineno"):
            gast.copy_location(n, node)
    return names, loops
