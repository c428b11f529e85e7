"""Guards of look-ups: the specialization holds while each look-up finds the same object, or still finds nothing.

    abs(x)                   the module binds no `abs`, and `builtins.abs` is this function
    getattr(cfg, "w", 3.0)   `cfg` has no attribute `w`
    if obj: ...              the classes of `obj` have neither `__bool__` nor `__len__`
    obj.area()               the first `area` in the order of the classes is this function
"""

from __future__ import annotations

import builtins
import enum
import types
from collections.abc import Mapping, Sequence
from typing import Any

from sct.frontend.state.state import State
from sct.frontend.values.abstract_values import Path, Static
from sct.frontend.values.exact_keys import Same
from sct.ir.pytrees.user_objects import dict_of, fields_of, is_defined_by_user, is_user_class

__all__ = [
    "MISSING", "absent", "as_it_is", "attributes_of_class", "found_in", "in_class", "in_parents", "is_instance_of",
    "is_own", "is_subclass_of", "names_of_attributes", "of_builtins", "of_library", "path_to",
]

MISSING = object()
"""The result of a look-up that finds nothing."""

_HEAP = 1 << 9
"""The flag of classes that `class` statements make: their attributes can be set."""


def path_to(owner: Static) -> Path:
    """The path by which a call finds the object again; the object itself if the function did not look it up."""
    return owner.path if owner.path is not None else as_it_is(owner.peek)


def as_it_is(x: Any) -> Path:
    """The path to an object that a specialization is for."""
    if isinstance(x, enum.Enum) and vars(type(x))["_member_map_"].get(x.name) is x:
        return type(x), ("attr", x.name)
    return (x,) if isinstance(x, (type, types.FunctionType, types.ModuleType)) else (Same(x), ("attr", "x"))


def absent(ev: State, path: Path, name: str) -> None:
    """The object at the path has no attribute of this name."""
    ev.outside.note(path, "no attribute", name, at=(*path, name))


# -- names ------------------------------------------------------------------------------------------


def of_builtins(ev: State, function: Any, name: str) -> Any:
    """The builtin that a name is which the module of the function does not bind; MISSING where there is none."""
    module = (*ev.module_of(function), ("attr", "__globals__"))
    ev.outside.note(module, "unbound", name, at=(module, name))
    builtin = getattr(builtins, name, MISSING)
    if builtin is MISSING:
        absent(ev, (builtins,), name)
    else:
        of_library(ev, builtins, name, builtin)
    return builtin


def of_library(ev: State, module: types.ModuleType, name: str, attribute: Any) -> None:
    """A library's module has this object under the name."""
    ev.outside.note((module, ("attr", name)), "is", attribute, at=(module, name))


# -- classes ----------------------------------------------------------------------------------------


def found_in(classes: Sequence[type], name: str) -> tuple[Any, type]:
    """The attribute of the first class that has the name, and that class."""
    for cls in classes:
        if name in vars(cls):
            return vars(cls)[name], cls
    return MISSING, object


def is_own(cls: type, name: str, kinds: type | tuple[type, ...]) -> bool:
    """Has the user's class something of these kinds of this name?"""
    raw, where = found_in(cls.__mro__, name)
    return isinstance(raw, kinds) and is_defined_by_user(where)


def in_class(ev: State, cls: type, name: str) -> tuple[Any, type]:
    """The attribute of a class, by its method resolution order, and the class that has it."""
    raw, where = found_in(cls.__mro__, name)
    if not any(c.__flags__ & _HEAP for c in cls.__mro__):
        return raw, where
    direct = getattr(cls, name, MISSING)
    if direct is raw is MISSING:
        absent(ev, (cls,), name)
    elif raw is not MISSING and direct is getattr(raw, "__func__", raw) and not _is_read_anew(raw):
        ev.outside.note((cls, ("attr", name)), "is", direct, at=(cls, name))
    else:
        _in_order(ev, cls, cls.__mro__, raw, where, name)
    return raw, where


def in_parents(ev: State, cls: type, of: type, name: str) -> tuple[Any, type]:
    """The attribute that `super()` finds: in the classes after `of` in the method resolution order of `cls`."""
    after = cls.__mro__[cls.__mro__.index(of) + 1:]
    raw, where = found_in(after, name)
    _in_order(ev, cls, after, raw, where, name)
    return raw, where


def attributes_of_class(ev: State, cls: type) -> Mapping[str, Any]:
    """The attributes that the class itself has: these and no others at each call."""
    if cls.__flags__ & _HEAP:
        ev.outside.note((cls, ("attr", "__dict__")), "keys", tuple(vars(cls)))
    return vars(cls)


def names_of_attributes(ev: State, owner: Static) -> tuple[str, ...]:
    """The attributes of its own that an object from outside has: these and no others at each call."""
    if type(owner.peek).__dictoffset__:
        ev.outside.note((*path_to(owner), ("attr", "__dict__")), "keys", tuple(dict_of(owner.peek)))
    return fields_of(owner.peek)


def _is_read_anew(raw: Any) -> bool:
    """May this attribute of a class be another one in the next call, and be read then?"""
    return not hasattr(type(raw), "__get__") and (not callable(raw) or is_user_class(type(raw)))


def _in_order(ev: State, cls: type, classes: Sequence[type], raw: Any, where: type, name: str) -> None:
    """The classes are in this order, those before `where` have no such name, and this one has this kind of thing."""
    ev.outside.note((cls, ("attr", "__mro__")), "is", cls.__mro__, at=(cls, "__mro__"))
    before = classes if raw is MISSING else classes[:classes.index(where)]
    for each in before:
        if each.__flags__ & _HEAP:
            ev.outside.note((each, ("attr", "__dict__")), "lacks", name, at=(each, name))
    if raw is not MISSING and where.__flags__ & _HEAP:
        how, fact = ("type", type(raw)) if _is_read_anew(raw) else ("is", raw)
        path = (where, ("attr", "__dict__"), ("item", name))
        ev.outside.note(path, how, fact)


# -- kinds ------------------------------------------------------------------------------------------


def is_instance_of(ev: State, owner: Static, wanted: Any) -> bool:
    """`isinstance` of an object that is known."""
    answer = isinstance(owner.peek, wanted)
    if _may_change(type(owner.peek), wanted):
        path = path_to(owner)
        how = "instance" if answer else "no instance"
        ev.outside.note(path, how, wanted, at=(path, _key(wanted)))
    return answer


def is_subclass_of(ev: State, cls: type, wanted: Any) -> bool:
    """`issubclass`."""
    answer = issubclass(cls, wanted)
    if _may_change(cls, wanted):
        how = "subclass" if answer else "no subclass"
        ev.outside.note((cls,), how, wanted, at=(cls, _key(wanted)))
    return answer


def _may_change(cls: type, wanted: Any) -> bool:
    """May a class become a subclass of another, or be one no more: by its bases, or by registration?"""
    kinds = wanted if isinstance(wanted, tuple) else getattr(wanted, "__args__", (wanted,))
    return any(_may_change(cls, kind) if isinstance(kind, tuple) else type(kind) is not type for kind in kinds) or \
        bool(cls.__flags__ & _HEAP)


def _key(wanted: Any) -> Any:
    return tuple(map(_key, wanted)) if isinstance(wanted, tuple) else id(wanted)
