"""Objects as containers of numbers: dataclasses, named tuples, namespaces, instances of a user's classes.

>>> from types import MemberDescriptorType, SimpleNamespace
>>> fields_of(SimpleNamespace(k=1.0, name="a"))
('k', 'name')
>>> make(SimpleNamespace, ("k",), (2.0,))
namespace(k=2.0)
"""

from __future__ import annotations

import abc
import copy
import dataclasses
import functools
import importlib
import sys
import typing
from collections.abc import Mapping, Sequence
from types import MemberDescriptorType, SimpleNamespace
from typing import Any

from sct.ir.foreign import PACKAGES

__all__ = [
    "attributes", "dotted_name", "fields_of", "is_container", "is_namedtuple", "is_user_class", "make", "mangled",
    "mirror", "slots_of", "with_attributes", "with_fields",
]

_PLAIN: tuple[Any, ...] = (object, abc.ABC, typing.Generic, typing.Protocol)
_LIBRARIES = frozenset({*sys.stdlib_module_names, "builtins", "numpy", *PACKAGES} - {"__main__"})


_user_classes: dict[type, bool] = {}


def is_user_class(cls: type) -> bool:
    """Is this a class written in Python outside the libraries, on top of classes like it?"""
    known = _user_classes.get(cls)
    if known is None:
        if len(_user_classes) > 4096:
            _user_classes.clear()
        known = _user_classes[cls] = _check(cls)
    return known


def _check(cls: type) -> bool:
    return all(base in _PLAIN or isinstance(base, type) and _is_written(base) for base in cls.__mro__) and \
        type(cls) in (type, abc.ABCMeta, type(typing.Protocol)) and cls not in _PLAIN


def _is_written(cls: type) -> bool:
    heap = bool(cls.__flags__ & 1 << 9)
    return heap and (cls.__module__ or "").split(".")[0] not in _LIBRARIES


def is_namedtuple(cls: type) -> bool:
    return issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple) and hasattr(cls, "_replace")


def is_container(cls: type) -> bool:
    """Do objects of this class count as containers of what their attributes are?"""
    return cls is SimpleNamespace or is_namedtuple(cls) or is_user_class(cls)


def fields_of(x: Any) -> tuple[str, ...]:
    """The names of the attributes of a container, in order."""
    if isinstance(x, tuple):
        fields: tuple[str, ...] = type(x)._fields  # type: ignore[attr-defined]
        return fields
    slots = [name for name, slot in slots_of(type(x)).items() if _is_set(slot, x)]
    return (*slots, *getattr(x, "__dict__", ()))


@functools.lru_cache(maxsize=4096)
def slots_of(cls: type) -> dict[str, Any]:
    """The slots of the objects of a class by name, under which a class has what gets at them."""
    found: dict[str, Any] = {}
    for base in cls.__mro__:
        slots = vars(base).get("__slots__", ())
        for name in [slots] if isinstance(slots, str) else slots:
            slot = vars(base).get(name := mangled(name, base.__name__))
            if isinstance(slot, MemberDescriptorType):
                found.setdefault(name, slot)
    return found


def _is_set(slot: Any, x: Any) -> bool:
    try:
        slot.__get__(x)
    except AttributeError:
        return False
    return True


def mangled(name: str, cls: str) -> str:
    """What a name that is written in the body of a class stands for.

    >>> mangled("__k", "_P"), mangled("__init__", "P")
    ('_P__k', '__init__')
    """
    cls = cls.lstrip("_")
    private = name.startswith("__") and not name.endswith("__") and "." not in name
    return f"_{cls}{name}" if private and cls else name


def mirror(cls: type) -> type:
    """The class of a gradient by an object of `cls`: the same where its fields make one, else a namespace."""
    if is_namedtuple(cls) or dataclasses.is_dataclass(cls) and _by_fields(cls):
        return cls
    return SimpleNamespace


def _by_fields(cls: Any) -> bool:
    """Does `cls(**fields)` make an object of exactly these fields?"""
    code = getattr(vars(cls).get("__init__"), "__code__", None)
    fields = dataclasses.fields(cls)
    return (code is not None and code.co_filename == "<string>" and not hasattr(cls, "__post_init__")
            and all(f.init for f in fields) and len(fields) == code.co_argcount + code.co_kwonlyargcount - 1)


def make(cls: Any, keys: Sequence[str], values: Sequence[Any]) -> Any:
    """An object of these fields."""
    return mirror(cls)(**dict(zip(keys, values)))


def with_fields(cls: Any, values: Mapping[str, Any]) -> Any:
    """An object of a class with these attributes, made without its `__init__`."""
    if is_namedtuple(cls):
        return cls(**values)
    made = object.__new__(cls)
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made


def attributes(x: Any) -> dict[str, Any] | None:
    """The attributes of a container by name; None where `x` is none."""
    return {k: getattr(x, k) for k in fields_of(x)} if is_container(type(x)) else None


def with_attributes(x: Any, values: Mapping[str, Any]) -> Any:
    """A copy of `x` with these attributes."""
    if isinstance(x, tuple):
        return type(x)(**values)
    made = copy.copy(x)
    for name, value in values.items():
        object.__setattr__(made, name, value)
    return made


def dotted_name(cls: type) -> str | None:
    """`module.Name`, where an import finds the class under that name; else None."""
    module = cls.__module__
    if module == "__main__" or "." in cls.__qualname__:
        return None
    try:
        found = getattr(importlib.import_module(module), cls.__qualname__, None)
    except ImportError:
        return None
    return f"{module}.{cls.__qualname__}" if found is cls else None
