"""Attributes of the bound object, and of classes, that the function writes: a private copy, which the caller does not
see.

    self.count += 1    ->    self_count = count + 1    the object keeps its count
    Node.count += 1    ->    Node_count = count + 1    the class keeps its count

Such an attribute is a variable of the differentiated function, which starts with the value that the object has.  The
path of a class is the class itself.
"""

from __future__ import annotations

import inspect
from typing import Any

from sct.frontend.arguments.lift import lift, read_path
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.values.abstract_values import Abstract, Instance, Key, Path, Ref, Static, is_literal
from sct.ir import Value
from sct.ir.pytrees.user_objects import dict_of, is_defined_by_user

__all__ = ["begin_private_copy", "private_variables", "private_writes", "read_private", "read_private_of_class",
           "write_private"]


def private_variables(ev: Evaluator) -> list[Key]:
    """The variables of the attributes that the function writes."""
    return [_key(path, name) for path, name in ev.functions.plan.written]


def private_writes(ev: Evaluator) -> tuple[tuple[str, Any, type | None], ...]:
    """The attributes that the function writes, each with the place of a write, and the class that has it."""
    return tuple((name, loc, cls if path == (cls,) else None)
                 for (path, name), (loc, cls) in ev.functions.plan.written.items())


def begin_private_copy(ev: Evaluator) -> None:
    """Reads the attributes that the function writes, where the differentiated function begins."""
    plan = ev.functions.plan
    if any(key in ev.store.vars for key in private_variables(ev)):
        return
    plan.begun_at = ev.enclosing.order
    for path, name in plan.written:
        of_class = isinstance(path[0], type)
        at = (*path, ("attr", "__dict__"), ("item", name)) if of_class else (*path, ("attr", name))
        ev.store.vars[_key(path, name)] = lift(ev, read_path(at, ev.outside.root), at)


def read_private(ev: Evaluator, owner: Static, name: str) -> Abstract | None:
    """An attribute of the bound object that the function writes; None of other objects and attributes."""
    return ev.store.vars.get(_key(owner.path, name)) if (owner.path, name) in ev.functions.plan.written else None


def read_private_of_class(ev: Evaluator, cls: type, name: str) -> Abstract | None:
    """An attribute of a class, or of the first of its bases that has it, which the function writes; None of others."""
    written = ev.functions.plan.written
    where = next((c for c in cls.__mro__ if name in vars(c)), cls) if written else cls
    return ev.store.vars.get(_key((where,), name)) if ((where,), name) in written else None


def write_private(ev: Evaluator, owner: Static, name: str, value: Abstract) -> bool:
    """Writes an attribute of the bound object or of a class; False if this is another object, or no plain attribute."""
    obj, plan = owner.peek, ev.functions.plan
    path = (obj,) if isinstance(obj, type) else owner.path
    if path is None or not (isinstance(obj, type) or isinstance(owner, Instance) and _is_bound(path)):
        return False
    if (path, name) in plan.written:
        if ev.enclosing.order != plan.begun_at or _key(path, name) not in ev.store.vars:
            return False
        if not isinstance(obj, type):
            ev.containers.note_write(ev.loc)  # the object must not be in the arguments
        ev.store.vars[_key(path, name)] = value
        return True
    plain = _is_plain_of_class(ev, obj, name) if isinstance(obj, type) else _is_plain(obj, name)
    if not plain or not isinstance(value, (Value, Ref)) and not is_literal(value):
        return False
    if isinstance(obj, type):
        at = (obj, ("attr", "__dict__"), ("item", name))
        now = lift(ev, vars(obj)[name], at)
        if not isinstance(now, (Value, Ref)) and not is_literal(now):
            return False
        plan.open_writes[(obj,), name] = ev.loc, obj  # a function that is called as it is writes to the class itself
        return False
    now = lift(ev, dict_of(obj)[name], (*path, ("attr", name)))
    if not isinstance(now, (Value, Ref)) and not is_literal(now):
        return False
    others = (v.peek for v in ev.outside.free.values() if isinstance(v, Instance) and v.path != path)
    if any(other is obj for other in others):
        return False
    raise plan.changed(written={(path, name): (ev.loc, type(obj))})


def _is_plain(obj: Any, name: str) -> bool:
    """Does the object store this attribute itself, and write it as any object does?"""
    setter: Any = type(obj).__setattr__
    return setter is object.__setattr__ and name in dict_of(obj) and not hasattr(
        type(inspect.getattr_static(type(obj), name, None)), "__set__")


def _is_plain_of_class(ev: Evaluator, cls: type, name: str) -> bool:
    """The same of a class of the user's, no other one of whose name has attributes that are written, and whose objects
    do not begin with this attribute (`class_defaults`)."""
    plan = ev.functions.plan
    others = {c for (path, _), (_, c) in plan.written.items() if path == (c,) and c is not cls}
    setter: Any = type(cls).__setattr__
    return is_defined_by_user(cls) and setter is type.__setattr__ and name in vars(cls) and not any(
        c.__name__ == cls.__name__ for c in others) and not any(
        issubclass(c, cls) and inherited == name for c, inherited in plan.inherited)


def _is_bound(path: Path) -> bool:
    """Is this the path to the object that the differentiated method is bound to, or to one of its attributes?"""
    return path[0] is None and ("attr", "__self__") in path and all(
        isinstance(step, tuple) and step[0] == "attr" for step in path[1:])


def _key(path: Any, name: str) -> Key:
    """The slot of the variable: one of no function."""
    if isinstance(path[0], type):
        return Key(0, f"<{path[0].__name__}_{name}>")
    steps = [str(step) for _, step in path[1:]]
    return Key(0, f"<{'_'.join(['self', *steps[steps.index('__self__') + 1:], name])}>")
