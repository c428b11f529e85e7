"""Objects that hold their items in a list or a dict: deques and sets of objects that the function makes, and objects
of classes that derive from `list` and `dict`.

    window = deque(maxlen=3); window.append(v)   ->   window.append(v)
                                                      if len(window) > 3: window.pop(0)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.lookup_guards import MISSING, in_class
from sct.frontend.values.abstract_values import Abstract, DictRef, ListRef, MapRef, ObjRef, Slots, Static
from sct.ir import Lit, Value
from sct.ir.pytrees.user_objects import builtin_base
from sct.ir.types import Opaque, Set
from sct.ops.program.effects import inactive

if TYPE_CHECKING:
    from typing import TypeGuard

__all__ = [
    "ITEMS", "contents_of", "contents_of_dict", "is_deque", "is_set_of_objects", "name_of_list", "see_into_both",
    "see_into_deque", "see_into_set", "with_own_items",
]

ITEMS = "<items>"
"""The attribute that holds the list or the dict of the items; of a deque, `maxlen` is the other one."""


def is_deque(v: Abstract) -> TypeGuard[ObjRef]:
    return isinstance(v, ObjRef) and v.cls is deque


def is_set_of_objects(v: Abstract) -> TypeGuard[ObjRef]:
    """Is this a set that the function makes of objects, whose items are in a list?"""
    return isinstance(v, ObjRef) and v.cls in (set, frozenset)


def contents_of(ev: Evaluator, v: Abstract, *own: str) -> Abstract:
    """The list or the dict of the items of a deque, or of an object whose class derives from `list` or `dict`; other
    values as they are, and so is an object whose class defines one of the special methods `own` itself."""
    base = builtin_base(v.cls) if isinstance(v, ObjRef) else None
    if not isinstance(v, ObjRef) or not is_deque(v) and base is None:
        return v
    if base is not None and any(in_class(ev, v.cls, name)[1] not in (base, object) for name in own
                                if in_class(ev, v.cls, name)[0] is not MISSING):
        return v
    cell = ev.slots(v)
    return cell.items[cell.keys.index(ITEMS)]


def contents_of_dict(ev: Evaluator, v: Abstract) -> Abstract:
    """The dict of the items of an object whose class derives from `dict`, where Python reads them all: `dict(v)`,
    `{**v}`; other values as they are."""
    if not isinstance(v, ObjRef) or builtin_base(v.cls) is not dict:
        return v
    held = contents_of(ev, v, "__iter__")
    if held is v:
        ev.refuse("SCT203", f"the items of a `{v.cls.__name__}` are not supported here",
                  why="its class has an `__iter__` of its own", hint="write the items in a loop")
    return held


def with_own_items(ev: Evaluator, cell: Slots) -> Slots:
    """The attributes of a copy of an object: it holds its items in a list or a dict of its own."""
    if ITEMS not in cell.keys:
        return cell
    copied = (ev.call(Static(dict if isinstance(x, (DictRef, MapRef)) else list), [x]) if name == ITEMS else x
              for name, x in zip(cell.keys, cell.items))
    return replace(cell, items=tuple(copied))


def see_into_deque(ev: Evaluator, v: Abstract | Lit) -> None:
    """If this is a deque that the function makes: evaluates the function again, with a deque that sct sees into.

    So it may hold differentiated numbers and containers, and be in a list whose length is known only at run time.
    """
    if not isinstance(v, Value) or not isinstance(v.type, Opaque) or v in ev.params:
        return
    display = ev.defs.get(v)
    if display is not None and display.op is inactive and str(display.attrs["text"]).startswith("collections.deque("):
        raise ev.functions.plan.changed(deques={display.loc})
    if (display is None or display.regions) and ev.containers.deques:  # it depends on the path which one it is
        raise ev.functions.plan.changed(deques=ev.containers.deques)


def see_into_set(ev: Evaluator, v: Abstract) -> None:
    """If this may be a set of Python that the function makes: evaluates the function again, with a set of objects."""
    plan = ev.functions.plan
    if plan.linked or not isinstance(v, Value) or not isinstance(v.type, Set) or v in ev.params:
        return
    display = ev.defs.get(v)
    made_here = {display.loc} & plan.sets if display is not None and not display.regions else plan.sets
    if more := made_here - plan.object_sets:
        raise plan.changed(object_sets=more)


def see_into_both(ev: Evaluator, a: Abstract, b: Abstract) -> None:
    """Where two paths meet: if one of these is a deque or a set that sct sees into, it sees into the other, too."""
    for v, other in ((a, b), (b, a)):
        if is_deque(v) and isinstance(other, Value):
            see_into_deque(ev, other)
        if is_set_of_objects(v):
            see_into_set(ev, other)


def name_of_list(ev: Evaluator, ref: ListRef) -> str | None:
    """The name of a list; that of the deque or the dict whose values it holds; that of the attribute which it is."""
    for name, v in _named(ev):
        if isinstance(v, MapRef):
            _, keys, values = ev.store.slots(v).items
            if ref in (keys, values):
                return f"{name}_keys" if ref == keys else name
        elif ref == contents_of(ev, v):
            return name
    return None


def _named(ev: Evaluator) -> Iterator[tuple[str, Abstract]]:
    yield from ((key.name, v) for key, v in ev.store.vars.items() if key.name[0] != "<")
    for cell in ev.store.cells.values():
        if isinstance(cell, Slots) and cell.keys[:1] not in ((), ("places",)):
            yield from ((key, x) for key, x in zip(cell.keys, cell.items)
                        if isinstance(key, str) and key.isidentifier())
