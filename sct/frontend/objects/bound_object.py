"""Attributes of the bound object that the function writes: a private copy, which the caller does not see.

    self.count += 1    ->    self_count = count + 1    the object keeps its count

Such an attribute is a variable of the differentiated function, which starts with the value that the object has.
"""

from __future__ import annotations

import inspect
from typing import Any

from sct.frontend.arguments.lift import lift, read_path
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.values.abstract_values import Abstract, Instance, Key, Path, Ref, Static, is_literal
from sct.ir import Value
from sct.ir.pytrees.user_objects import dict_of

__all__ = ["begin_private_copy", "private_variables", "private_writes", "read_private", "write_private"]


def private_variables(ev: Evaluator) -> list[Key]:
    """The variables of the attributes that the function writes."""
    return [_key(path, name) for path, name in ev.functions.plan.written]


def private_writes(ev: Evaluator) -> tuple[tuple[str, Any], ...]:
    """The names of the attributes that the function writes, each with the place of a write."""
    return tuple((name, loc) for (_, name), (loc, _) in ev.functions.plan.written.items())


def begin_private_copy(ev: Evaluator) -> None:
    """Reads the attributes that the function writes, where the differentiated function begins."""
    plan = ev.functions.plan
    if any(key in ev.store.vars for key in private_variables(ev)):
        return
    plan.begun_at = ev.enclosing.order
    for path, name in plan.written:
        value = getattr(read_path(path, ev.outside.root), name)
        ev.store.vars[_key(path, name)] = lift(ev, value, (*path, ("attr", name)))


def read_private(ev: Evaluator, owner: Static, name: str) -> Abstract | None:
    """An attribute of the bound object that the function writes; None of other objects and attributes."""
    return ev.store.vars.get(_key(owner.path, name)) if (owner.path, name) in ev.functions.plan.written else None


def write_private(ev: Evaluator, owner: Static, name: str, value: Abstract) -> bool:
    """Writes an attribute of the bound object; False if this is another object, or no plain attribute."""
    path, plan = owner.path, ev.functions.plan
    if path is None or not isinstance(owner, Instance) or not _is_bound(path):
        return False
    if (path, name) in plan.written:
        if ev.enclosing.order != plan.begun_at or _key(path, name) not in ev.store.vars:
            return False
        ev.containers.note_write(ev.loc)  # the object must not be in the arguments
        ev.store.vars[_key(path, name)] = value
        return True
    obj = owner.peek
    setter: Any = type(obj).__setattr__
    plain = setter is object.__setattr__ and name in dict_of(obj) and not hasattr(
        type(inspect.getattr_static(type(obj), name, None)), "__set__")
    if not plain or not isinstance(value, (Value, Ref)) and not is_literal(value):
        return False
    now = lift(ev, dict_of(obj)[name], (*path, ("attr", name)))
    if not isinstance(now, (Value, Ref)) and not is_literal(now):
        return False
    others = (v.peek for v in ev.outside.free.values() if isinstance(v, Instance) and v.path != path)
    if any(other is obj for other in others):
        return False
    raise plan.changed(written={(path, name): (ev.loc, type(obj))})


def _is_bound(path: Path) -> bool:
    """Is this the path to the object that the differentiated method is bound to, or to one of its attributes?"""
    return path[0] is None and ("attr", "__self__") in path and all(
        isinstance(step, tuple) and step[0] == "attr" for step in path[1:])


def _key(path: Any, name: str) -> Key:
    """The slot of the variable: one of no function."""
    steps = [str(step) for _, step in path[1:]]
    return Key(0, f"<{'_'.join(['self', *steps[steps.index('__self__') + 1:], name])}>")
