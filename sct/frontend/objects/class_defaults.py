"""Numbers, strings and tuples of a class that objects have until they set an attribute of their own.

    class Account: count = 0
    if v > 1.0: account.count += 1      which `count` is read behind it depends on the path

The objects of such a class have these attributes from the start, with the values of the class, and the function is
evaluated again.  Whether such an attribute is the object's own is not known then: asking for it is refused.
"""

from __future__ import annotations

import enum
from dataclasses import replace
from typing import Any

import numpy as np

from sct.frontend.arguments.lift import lift
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.lookup_guards import in_class
from sct.frontend.values.abstract_values import Abstract, ObjRef, Slots, Tup

__all__ = ["give_defaults", "give_defaults_within", "inherited", "note_default", "note_defaults", "note_unset"]


def note_default(ev: Evaluator, owner: ObjRef, name: str) -> None:
    """Evaluates the function again if objects of this class can have the attribute from the start."""
    raw, where = in_class(ev, owner.cls, name)
    plan = ev.functions.plan
    if _is_constant(raw) and ((where,), name) not in plan.written and (owner.cls, name) not in plan.inherited:
        raise plan.changed(inherited={(owner.cls, name)})


def note_defaults(ev: Evaluator, owner: ObjRef) -> None:
    """The same for all attributes of the class."""
    for cls in owner.cls.__mro__:
        for name in vars(cls):
            if not name.startswith("__"):
                note_default(ev, owner, name)


def note_unset(ev: Evaluator, owner: Any) -> None:
    """The same for the attributes that some path does not set."""
    for name in sorted(ev.slots(owner).unset or ()) if isinstance(owner, ObjRef) else ():
        note_default(ev, owner, name)


def _is_constant(x: Any) -> bool:
    """Is this a number, a string, None, or a tuple of these: what no object can change?"""
    if type(x) is tuple:
        return all(map(_is_constant, x))
    return x is None or type(x) in (bool, int, float, complex, str) or isinstance(x, (np.number, np.bool_, enum.Enum))


def inherited(ev: Evaluator, owner: ObjRef) -> list[str]:
    """The attributes that the object has from the start, which are those of its class until it sets them."""
    return sorted(name for cls, name in ev.functions.plan.inherited if cls is owner.cls)


def give_defaults(ev: Evaluator, owner: ObjRef) -> None:
    """Puts the attributes of its class into an object that has no such attributes yet."""
    for name in inherited(ev, owner):
        cell = ev.slots(owner)
        if name not in cell.keys:
            raw, where = in_class(ev, owner.cls, name)
            value = lift(ev, raw, (where, ("attr", "__dict__"), ("item", name)))
            ev.store.cells[owner.addr] = replace(cell, items=(*cell.items, value), keys=(*cell.keys, name))


def give_defaults_within(ev: Evaluator, arguments: list[Abstract]) -> None:
    """The same for the objects in the arguments."""
    if not ev.functions.plan.inherited:
        return
    seen, left = set[int](), list(arguments)
    while left:
        v = left.pop()
        cell = ev.store.cells.get(getattr(v, "addr", None))  # type: ignore[arg-type]
        if isinstance(v, Tup):
            left += v.items
        elif isinstance(cell, Slots) and v.addr not in seen:  # type: ignore[union-attr]
            seen.add(v.addr)  # type: ignore[union-attr]
            left += cell.items
            if isinstance(v, ObjRef):
                give_defaults(ev, v)
