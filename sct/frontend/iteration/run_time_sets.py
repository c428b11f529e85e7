"""Sets that the function fills: sets of Python, whose items are no part of the program.

    visited = set()        ->    visited = set()
    visited.add(k)         ->    visited.add(k)
    k in visited           ->    k in visited           a bool that is not differentiated

A set that the function makes is known when the function is compiled, until a method changes it.  Then the function is
evaluated again, and the expression that makes the set is evaluated by Python.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import gast

from sct.errors import SctError
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs, special
from sct.frontend.heap.dynamic_lists import as_column, is_dynamic
from sct.frontend.heap.run_time_dicts import constant, key_text
from sct.frontend.heap.sample_calls import hashed
from sct.frontend.iteration import sets_of_objects
from sct.frontend.iteration.iteration_space import items_of
from sct.frontend.iteration.iterator_protocol import is_iterator
from sct.frontend.objects.container_objects import is_set_of_objects, see_into_set
from sct.frontend.values.abstract_values import Abstract, DerivedCallable, Iteration, ListRef, MapRef, Static, Tup
from sct.frontend.values.guards import NeedsStatic
from sct.ir import Fn, Operand, Value, walk
from sct.ir.types import BOOL, INT, Opaque, Set
from sct.ops.program.effects import inactive
from sct.ops.registry import add_operand

__all__ = [
    "by_operators", "check_items_are_not_read", "combined", "contains", "in_place", "is_set", "method", "new_set",
    "note_change", "size",
]

def new_set(ev: Evaluator, members: Sequence[Abstract]) -> Abstract:
    """The set of these items, which an expression of the function makes."""
    if (of_objects := sets_of_objects.begin(ev, set, members)) is not None:
        return of_objects
    if ev.loc in ev.functions.plan.sets:
        operands: list[Operand] = []
        texts = [key_text(ev, x, operands, of_set=True) for x in members]
        text = f"{{{', '.join(texts)}}}" if texts else "set()"
        return ev.emit(inactive, *operands, text=text, type=Set())  # type: ignore[no-any-return]
    try:
        items = {hashed(ev, x, "an item of a set") for x in members}
    except NeedsStatic as need:
        if ev.loops.many_iterations:
            ev.functions.plan.open_sets.add(ev.loc)
        need.error.hint = "use a dict in its place: `seen[k] = True`"
        raise
    ev.containers.sets[id(items)] = items, ev.loc
    return Static(items)


@special(set)
def set_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    if not args:
        return new_set(ev, ())
    if is_set_of_objects(args[0]):
        return new_set(ev, sets_of_objects.items_of_set(ev, args[0]))
    snapshot = ev.snapshot()
    try:
        return new_set(ev, items_of(ev, args[0]))
    except (SctError, NeedsStatic) as error:
        if not (is_iterator(args[0]) or isinstance(args[0], (MapRef, Iteration)) or
                isinstance(args[0], ListRef) and is_dynamic(ev, args[0])):
            raise
        ev.restore(snapshot)
        try:
            return ev.call(Static(_set_of), args)
        except (SctError, NeedsStatic):
            raise error from None


def _set_of(items: Iterable[Any]) -> set[Any]:
    filled = set()
    for item in items:
        filled.add(item)
    return filled


@special(frozenset)
def frozenset_(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    items = () if not args else sets_of_objects.items_of_set(ev, args[0]) if is_set_of_objects(args[0]) else \
        items_of(ev, args[0])
    if (of_objects := sets_of_objects.begin(ev, frozenset, items)) is not None:
        return of_objects
    members = [hashed(ev, x, "an item of a set") for x in items]
    return Static(frozenset(members))


def note_change(ev: Evaluator, constant_set: Any) -> None:
    """Evaluates the function again, if an expression of it has made this set, with a set of Python in its place."""
    _, loc = ev.containers.sets.get(id(constant_set), (None, None))
    if loc is not None and loc not in ev.functions.plan.sets:
        raise ev.functions.plan.changed(sets={loc})


def is_set(v: Abstract) -> bool:
    """Is this a set whose items are known only at run time?"""
    return isinstance(v, Value) and isinstance(v.type, Set)


_READS_NO_ITEM = re.compile(
    r"_0\.(add|discard|remove|copy|clear|update|(intersection|difference|symmetric_difference)_update)\(.*|"
    r"len\(_0\)|bool\(_0\)|.* in _0|_\d+ [-|&^<>=!]+ _\d+")
"""Matches the templates of what is done with a set, but does not give its items."""


def check_items_are_not_read(ev: Evaluator, fn: Fn) -> None:
    """Refuses a program that reads items of sets, if it puts objects into sets: there they are numbers of rows."""
    if not ev.functions.plan.rows_in_sets:
        return
    for eqn in (eqn for f in (*fn.functions, fn) for eqn in walk(f) if any(x.type == Set() for x in eqn.args)):
        text = eqn.attrs.get("text")
        if text is not None and not _READS_NO_ITEM.fullmatch(text):
            with ev.at(eqn.loc):
                ev.refuse("SCT503", "an object is read from a set, where only the run says how many objects there are",
                          hint="keep the objects in a list, too, and read them from that")


def contains(ev: Evaluator, owner: Abstract, x: Abstract) -> Abstract:
    """`x in owner`"""
    return _python(ev, owner, "{0} in _0", x, type=BOOL)


def size(ev: Evaluator, owner: Abstract) -> Abstract:
    """`len(owner)`"""
    return _python(ev, owner, "len(_0)", type=INT)


def _python(ev: Evaluator, owner: Abstract, text: str, *items: Abstract, **attrs: Any) -> Abstract:
    operands: list[Operand] = [ev.operand(owner)]
    if any(sets_of_objects.holds_object(ev, x) for x in items):
        see_into_set(ev, owner)
    texts = [key_text(ev, x, operands, of_set=True) for x in items]
    return ev.emit(inactive, *operands, text=text.format(*texts), **attrs)  # type: ignore[no-any-return]


def method(ev: Evaluator, owner: Abstract, name: str) -> Abstract | None:
    """`owner.name`, of a method that changes or copies the set; None for others, which Python evaluates."""
    if name in ("add", "discard", "remove"):
        return DerivedCallable(lambda ev, args, kwargs: _changed(ev, owner, f"_0.{name}({{0}})", 1, args, kwargs))
    if name == "clear":
        return DerivedCallable(lambda ev, args, kwargs: _changed(ev, owner, "_0.clear()", 0, args, kwargs))
    if name == "copy":
        return DerivedCallable(lambda ev, args, kwargs: _python(ev, owner, "_0.copy()", type=Set()))
    if name in ("update", "difference_update"):
        return DerivedCallable(lambda ev, args, kwargs: _update(ev, owner, name, args))
    return by_operators(owner, name)


_AS_OPERATORS: dict[str, Callable[..., Any]] = {
    "union": operator.or_, "intersection": operator.and_, "difference": operator.sub,
    "symmetric_difference": operator.xor, "issubset": operator.le, "issuperset": operator.ge}


def by_operators(owner: Abstract, name: str) -> Abstract | None:
    """A method that an operator of sets says as well: `s.union(t)` is `s | set(t)`; None of others."""
    if name not in _AS_OPERATORS:
        return None

    def called(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        several = name in ("union", "intersection", "difference")
        if kwargs or len(args) != 1 and not several:
            ev.refuse("SCT205", "this method of a set is called with other arguments than it takes")
        value = owner
        for xs in args or (Static(frozenset()) if name == "difference" else owner,):  # without arguments, a copy
            value = ev.call(Static(_AS_OPERATORS[name]), [value, _as_set(ev, xs)])
        return value

    return DerivedCallable(called)


def _as_set(ev: Evaluator, xs: Abstract) -> Abstract:
    """`set(xs)`, or `xs` itself if it is a set."""
    if is_set(xs) or isinstance(xs, Static) and isinstance(xs.peek, (set, frozenset)):
        return xs
    if isinstance(xs, ListRef) and is_dynamic(ev, xs) and ev.slots(xs).schema == 0:
        return ev.emit(inactive, as_column(ev, xs), text="set(_0)", type=Set())  # type: ignore[no-any-return]
    return ev.call(Static(set), [xs])


def _changed(ev: Evaluator, owner: Abstract, text: str, count: int, args: Args, kwargs: Kwargs) -> Abstract:
    if kwargs or len(args) != count:
        ev.refuse("SCT205", "this method of a set is called with other arguments than it takes")
    _python(ev, owner, text, *args)
    return Static(None)


_IN_PLACE = {gast.BitOr: "update", gast.BitAnd: "intersection_update", gast.Sub: "difference_update",
             gast.BitXor: "symmetric_difference_update"}


def in_place(ev: Evaluator, kind: type, a: Abstract, b: Abstract) -> bool:
    """`a op= b` of two sets; False if `b` is none, or if there is no such operator."""
    constant_set = b.value if isinstance(b, Static) and isinstance(b.peek, (set, frozenset)) else None
    if kind not in _IN_PLACE or constant_set is None and not is_set(b):
        return False
    _update(ev, a, _IN_PLACE[kind], [b] if constant_set is None else [Tup(tuple(map(constant, constant_set)))])
    return True


_OPERATORS: dict[type, tuple[str, Any]] = {
    gast.BitOr: ("|", Set()), gast.BitAnd: ("&", Set()), gast.Sub: ("-", Set()), gast.BitXor: ("^", Set()),
    gast.Eq: ("==", BOOL), gast.NotEq: ("!=", BOOL), gast.Lt: ("<", BOOL), gast.LtE: ("<=", BOOL),
    gast.Gt: (">", BOOL), gast.GtE: (">=", BOOL)}


def combined(ev: Evaluator, kind: type, a: Abstract, b: Abstract) -> Abstract | None:
    """`a op b` of two sets, one of which is known only at run time or holds objects; None if there is no such operator.
    """
    if (of_objects := sets_of_objects.combined(ev, kind, a, b)) is not None:
        return of_objects
    if kind not in _OPERATORS or not (is_set(a) or is_set(b)):
        return None
    symbol, result = _OPERATORS[kind]
    operands: list[Operand] = []
    texts: list[str] = []
    for v in (a, b):
        constant_set = v.value if isinstance(v, Static) and type(v.peek) in (set, frozenset) else None
        if is_set(v):
            texts.append(add_operand(ev.operand(v), operands))
        elif constant_set is not None:
            note_change(ev, constant_set)
            items = [key_text(ev, constant(x), operands, of_set=True) for x in sorted(constant_set, key=repr)]
            shown = f"{{{', '.join(items)}}}" if items else ""
            texts.append(f"frozenset({shown})" if type(constant_set) is frozenset else shown or "set()")
        else:
            return None
    of_frozen = isinstance(a, Static) and type(a.peek) is frozenset and isinstance(result, Set)
    return ev.emit(inactive, *operands, text=f"{texts[0]} {symbol} {texts[1]}",  # type: ignore[no-any-return]
                   type=Opaque() if of_frozen else result)


def _update(ev: Evaluator, owner: Abstract, name: str, args: Args) -> Abstract:
    """Calls the method of the set with each argument."""
    for xs in args:
        xs = Tup(tuple(map(constant, xs.value))) if isinstance(
            xs, Static) and isinstance(xs.peek, (set, frozenset)) else xs
        if is_set(xs):
            ev.emit(inactive, ev.operand(owner), ev.operand(xs), text=f"_0.{name}(_1)")
        elif isinstance(xs, ListRef) and is_dynamic(ev, xs) and ev.slots(xs).schema == 0:
            ev.emit(inactive, ev.operand(owner), as_column(ev, xs), text=f"_0.{name}(_1)")
        else:
            items = items_of(ev, xs)
            shown = ", ".join(f"{{{k}}}" for k in range(len(items)))
            _python(ev, owner, f"_0.{name}([{shown}])", *items)
    return Static(None)
