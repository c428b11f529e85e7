"""Iterators whose position is a number of the program: the number of items that they have given.

    it = iter(x)                        it = 0
    for v in it:                        while it < len(x):
        if v > 1.0: break      ->           v = x[it]
    for v in it: ...                        it += 1
                                            if v > 1.0: break
                                        while it < len(x): ...

So two paths may leave one at different positions.  They are iterators of arrays, of ranges and of lists whose length is
not known, reversed or not, `count` of ints, and `enumerate`, `map` and `zip` of these, made where an evaluation before
could not tell the position.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping
from typing import Any

import gast

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs, special
from sct.frontend.heap import dynamic_lists
from sct.frontend.heap.join_paths import evaluate_branches
from sct.frontend.heap.subscripts import slice_view
from sct.frontend.iteration.iteration_space import from_zero, length
from sct.frontend.iteration.iterator_protocol import advance, check_versions, position
from sct.frontend.values.abstract_values import Abstract, Iteration, Key, ListRef, Ref, Static, Tup
from sct.ir import Lit, Operand
from sct.ops import BY_CALL, add, lt, mul, sub

__all__ = ["exec_in_place_of", "loop_over", "more", "next_of", "take"]


def more(it: Any) -> bool:
    """Has the iterator another item?  `special` evaluates the call."""
    raise NotImplementedError


def take(it: Any) -> Any:
    """The next item of an iterator that has one.  `special` evaluates the call."""
    raise NotImplementedError


@special(more)
def _more(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    it = _counted(args[0])
    if it.kind in ("iter", "reversed"):
        check_versions(ev, it)
        return ev.wrap(ev.emit(lt, position(ev, it), _length(ev, it.parts[0]), spelling="operator.lt"))
    tests = [ev.operand(_more(ev, [p], {})) for p in it.parts if isinstance(p, Iteration) and p.counted is not None]
    test, *others = [t for t in tests if t != Lit(True)] or [Lit(True)]  # `count` does not end
    for other in others:
        test = ev.emit(BY_CALL["operator.and_"], test, other, spelling="operator.and_")
    return ev.wrap(test)


@special(take)
def _take(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    it = _counted(args[0])
    at = position(ev, it)
    if it.kind == "iter":
        item = _item(ev, it.parts[0], at)
    elif it.kind == "reversed":
        left = ev.emit(sub, _length(ev, it.parts[0]), at, spelling="operator.sub")
        item = _item(ev, it.parts[0], ev.emit(sub, left, 1, spelling="operator.sub"))
    elif it.kind == "count":
        first, step = map(ev.operand, it.parts)
        by_step = at if step == Lit(1) else ev.emit(mul, at, step, spelling="operator.mul")
        item = ev.wrap(by_step if first == Lit(0) else ev.emit(add, first, by_step, spelling="operator.add"))
    else:
        items = [_take(ev, [p], {}) for p in it.parts if isinstance(p, Iteration) and p.counted is not None]
        if it.kind == "enumerate":
            first = ev.operand(it.parts[1])
            number = at if first == Lit(0) else ev.emit(add, first, at, spelling="operator.add")
            item = Tup((ev.wrap(number), *items))
        else:
            item = ev.call(it.parts[0], items) if it.kind == "map" else Tup(tuple(items))
    advance(ev, it)
    return item


def next_of(ev: Evaluator, it: Iteration, otherwise: Callable[[], Abstract]) -> Abstract:
    """The next item; what `otherwise` gives where there is none."""
    test = ev.lit(_more(ev, [it], {}))
    if isinstance(test, Lit):
        return _take(ev, [it], {}) if test.value else otherwise()
    item: Abstract = evaluate_branches(ev, test, lambda: _take(ev, [it], {}), otherwise)
    return item


def _counted(v: Abstract) -> Iteration:
    assert isinstance(v, Iteration) and v.counted is not None
    return v


def _length(ev: Evaluator, of: Abstract) -> Operand:
    if isinstance(of, Ref):
        return length(ev, of)
    if isinstance(of, ListRef):
        return dynamic_lists.length(ev, of)
    return from_zero(ev, of).stop


def _item(ev: Evaluator, of: Abstract, at: Operand) -> Abstract:
    if isinstance(of, Ref):
        return slice_view(ev, of, ev.wrap(at))
    if isinstance(of, ListRef):
        return dynamic_lists.element(ev, of, at)
    item: Abstract | Lit = from_zero(ev, of).item(at)  # type: ignore[arg-type]
    return ev.wrap(item) if isinstance(item, Lit) else item


def loop_over(ev: Evaluator, node: Any, it: Iteration) -> None:
    """Runs a `for` statement over the iterator, which the body may use as well."""
    names, loop = _loop(node)
    values: dict[str, Abstract] = {"it": it, "more": Static(more), "take": Static(take)}
    exec_in_place_of(ev, node, loop, {names[what]: v for what, v in values.items()}, names.values())


def exec_in_place_of(ev: Evaluator, node: Any, stmt: Any, values: Mapping[str, Abstract], private: Collection[str]
                     ) -> None:
    """Evaluates `stmt` where the function has `node`; it has private variables, some of which have values."""
    frame = ev.frames[-1]
    ev.store.vars.update({Key(frame.id, name): v for name, v in values.items()})
    frame.live.enter(stmt, frame.live.after.get(node, frozenset()))
    try:
        with frame.binding(frozenset(private)):
            ev.exec(stmt)
    finally:
        for name in private:
            ev.store.unbind(Key(frame.id, name))


@functools.lru_cache(maxsize=4096)
def _loop(node: Any) -> tuple[Mapping[str, str], Any]:
    """The loop that takes an item while there are more, and the private names that it reads."""
    names = {what: f"<{what} {node.lineno} {node.col_offset}>" for what in ("it", "more", "take")}

    def call(what: str) -> Any:
        f, of = (gast.Name(names[name], gast.Load(), None, None) for name in (what, "it"))
        return gast.Call(f, [of], [])

    loop = gast.While(call("more"), [gast.Assign([node.target], call("take")), *node.body], node.orelse)
    for n in gast.walk(loop):
        if not hasattr(n, "lineno"):
            gast.copy_location(n, node)
    return names, loop
