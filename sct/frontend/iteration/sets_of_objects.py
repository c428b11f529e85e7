"""Sets that the function makes of objects: objects that hold a list of their items.

    seen = set(); ...; if node not in seen: seen.add(node)    which objects are in it is known when it is compiled

The order of such a set is that of the addresses of its objects, which differ from run to run.  So no loop runs over one
of several objects.  Objects that are rows of columns are in sets of Python (`run_time_sets`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gast

from sct.errors import SctError
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import SPECIAL, Args, Kwargs, Special
from sct.frontend.evaluator.lookup_guards import in_class
from sct.frontend.heap.dynamic_lists import is_dynamic
from sct.frontend.heap.sample_calls import check_operands
from sct.frontend.iteration import set_methods
from sct.frontend.iteration.iteration_space import items_of
from sct.frontend.objects.container_objects import ITEMS, is_set_of_objects
from sct.frontend.values.abstract_values import Abstract, ListRef, ObjRef, Static, Tup
from sct.ir import Value

__all__ = ["begin", "combined", "holds_object", "items_of_set"]


def holds_object(ev: Evaluator, v: Abstract) -> bool:
    """Is this an object that is compared by identity, or a tuple that holds one?"""
    if isinstance(v, Tup):
        return v.cls is tuple and any(holds_object(ev, x) for x in v.items)
    return isinstance(v, ObjRef) and all(in_class(ev, v.cls, name)[1] is object for name in ("__eq__", "__hash__"))


def begin(ev: Evaluator, cls: type, members: Sequence[Abstract]) -> Abstract | None:
    """The set of these items; None where it is a set of Python."""
    plan = ev.functions.plan
    if plan.linked:
        return None
    if ev.loc in plan.object_sets:
        return _new(ev, cls, members)
    if any(holds_object(ev, x) for x in members):
        raise plan.changed(object_sets={ev.loc})
    return None


def _new(ev: Evaluator, cls: type, members: Sequence[Abstract]) -> Abstract:
    items = ev.new_list(())
    for x in members:
        _call(ev, set_methods.add, items, _item(ev, x))
    return ev.new_object(cls, {ITEMS: items})


def _items_in(ev: Evaluator, owner: Abstract) -> ListRef:
    """The list of the items of such a set, whose order means nothing."""
    assert isinstance(owner, ObjRef)
    (items,) = ev.slots(owner).items
    assert isinstance(items, ListRef)
    return items


def items_of_set(ev: Evaluator, owner: Abstract) -> tuple[Abstract, ...]:
    """The items of such a set, whose order means nothing."""
    items = _items_in(ev, owner)
    if is_dynamic(ev, items):
        ev.refuse("SCT503", "a set of objects whose number is known only at run time is copied",
                  hint="add them to a list, too")
    return ev.slots(items).items


def _item(ev: Evaluator, x: Abstract) -> Abstract:
    """An item of the set, or what is looked for in it; raises as Python does if it is not hashable."""
    check_operands(ev, hash, x)
    parts = x.items if isinstance(x, Tup) and x.cls is tuple else ()
    if parts:
        list(map(lambda part: _item(ev, part), parts))
    elif not (isinstance(x, (Static, Value)) or holds_object(ev, x) or x == Tup(())):
        ev.refuse("SCT503", "this is not supported as an item of a set of objects",
                  hint="use objects that are compared by identity, numbers and strings")
    return x


def _others(ev: Evaluator, v: Abstract) -> Abstract:
    """The list of what is in an operand, or in an argument that gives items."""
    return _items_in(ev, v) if is_set_of_objects(v) else ev.call(Static(list), [v])


def _of_items(f: Callable[..., Any]) -> Special:
    """The method of a set that `f` is of the list of its items: `s.add(x)`, `x in s`."""

    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        owner, *rest = args
        return _call(ev, f, _items_in(ev, owner), *(_item(ev, x) for x in rest))

    return handler


def _changing(f: Callable[..., Any], *, gives: bool, in_place: bool = False) -> Special:
    """The method that changes a set by the items of others; or it `gives` a set: a changed copy.

    in_place  an operator, which takes only sets
    """

    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        owner, *others = args
        if in_place and not all(map(_is_any_set, others)):
            return Static(NotImplemented)
        of = _copied(ev, [owner], {}) if gives else owner
        for v in others:
            _call(ev, f, _items_in(ev, of), _others(ev, v))
        return of if gives or in_place else Static(None)

    return handler


def _asked(f: Callable[..., Any]) -> Special:
    """A comparison with what gives items: `s.issubset(t)`."""

    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        owner, other = args
        return _call(ev, f, _items_in(ev, owner), _others(ev, other))

    return handler


_BY_OPERATOR: dict[type, Callable[..., Any]] = {
    gast.BitOr: set_methods.update, gast.BitAnd: set_methods.intersection_update,
    gast.Sub: set_methods.difference_update, gast.BitXor: set_methods.symmetric_difference_update,
    gast.Eq: set_methods.eq, gast.NotEq: set_methods.ne, gast.LtE: set_methods.le, gast.Lt: set_methods.lt,
    gast.GtE: set_methods.ge, gast.Gt: set_methods.gt}


def combined(ev: Evaluator, kind: type, a: Abstract, b: Abstract) -> Abstract | None:
    """`a op b` of two sets, one of which is one of objects; None if there is no such operator."""
    if kind not in _BY_OPERATOR or not (is_set_of_objects(a) or is_set_of_objects(b)) or not (
            _is_any_set(a) and _is_any_set(b)):
        return None
    f = _BY_OPERATOR[kind]
    if issubclass(kind, gast.cmpop):
        return _call(ev, f, _others(ev, a), _others(ev, b))
    new = _copied(ev, [a], {}) if is_set_of_objects(a) else _new(ev, type(a.peek), items_of(ev, a))  # type: ignore
    _call(ev, f, _items_in(ev, new), _others(ev, b))
    return new


def _call(ev: Evaluator, f: Callable[..., Any], *args: Abstract) -> Abstract:
    try:
        return ev.call(Static(f), args)
    except SctError as error:
        if not error.what.startswith("`is` of"):
            raise
    ev.refuse("SCT503", "whether an object is in this set is known only at run time",
              why="the object comes from a loop, from a list, or from one of two paths",
              hint="give each object a number, and keep that in the set")


def _class(v: Abstract) -> type:
    assert isinstance(v, ObjRef)
    return v.cls


def _is_any_set(v: Abstract) -> bool:
    return is_set_of_objects(v) or isinstance(v, Static) and isinstance(v.peek, (set, frozenset))


def _in_order(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`iter(s)`"""
    items = _items_in(ev, args[0])
    if is_dynamic(ev, items) or len(ev.slots(items).items) > 1:
        _refuse_order(ev, "a loop runs over a set of objects")
    return ev.call(Static(iter), [items])


def _popped(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`s.pop()`"""
    items = _items_in(ev, args[0])
    if is_dynamic(ev, items) or len(ev.slots(items).items) > 1:
        _refuse_order(ev, "an object is taken out of a set of several")
    return ev.call(Static(set_methods.pop), [items])


def _refuse_order(ev: Evaluator, what: str) -> None:
    ev.refuse("SCT503", what,
              why="its order is that of the addresses of its objects in memory, which differ from run to run",
              hint="keep them in a tuple or a list; in a set, too, if you ask what is in it")


def _copied(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`s.copy()`"""
    return _new(ev, _class(args[0]), items_of_set(ev, args[0]))


_ITEM = {"add": "add", "discard": "discard", "remove": "remove", "clear": "clear", "__contains__": "contains",
         "__len__": "size"}
_CHANGING = {"update": ("union", "__ior__"), "difference_update": ("difference", "__isub__"),
             "intersection_update": ("intersection", "__iand__"),
             "symmetric_difference_update": ("symmetric_difference", "__ixor__")}
_COMPARISONS = {"issubset": "le", "issuperset": "ge", "isdisjoint": "isdisjoint"}


def _register(cls: type) -> None:
    """The methods of `set` or `frozenset`."""

    def method(name: str, handler: Special) -> None:
        if name in vars(cls):
            SPECIAL[id(getattr(cls, name))] = handler

    for name, text in _ITEM.items():
        method(name, _of_items(getattr(set_methods, text)))
    for name, (new, in_place) in _CHANGING.items():
        f = getattr(set_methods, name)
        method(name, _changing(f, gives=False))
        method(new, _changing(f, gives=True))
        method(in_place, _changing(f, gives=False, in_place=True))
    for name, text in _COMPARISONS.items():
        method(name, _asked(getattr(set_methods, text)))
    for name, handler in (("__iter__", _in_order), ("pop", _popped), ("copy", _copied)):
        method(name, handler)


_register(set)
_register(frozenset)
