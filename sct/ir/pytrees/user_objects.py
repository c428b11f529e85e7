"""Objects as containers of numbers: dataclasses, named tuples, namespaces, instances of a user's classes.

The attributes of an object are read and written as it stores them, so that no code of its class runs.  The gradient
by an object is an object of the same class where that can be made by its fields alone, else a namespace.

>>> from types import SimpleNamespace
>>> fields_of(SimpleNamespace(k=1.0, name="a"))
('k', 'name')
>>> make_gradient(SimpleNamespace, ("k",), (2.0,))
namespace(k=2.0)
"""

from __future__ import annotations

import abc
import collections.abc
import contextlib
import dataclasses
import enum
import importlib
import keyword
import sys
import typing
from collections.abc import Mapping, Sequence
from types import FunctionType, MemberDescriptorType, ModuleType, SimpleNamespace
from typing import Any

from sct.errors import PACKAGES

__all__ = [
    "attributes", "base_in_python", "builtin_base", "dict_of", "dotted_name", "fields_of", "get_stored",
    "gradient_class", "has_generated_constructor", "holds_each_once", "is_container", "is_defined_by_user",
    "is_identifier", "is_in_python", "is_namedtuple", "is_plain_attribute", "is_user_class", "make_gradient",
    "make_without_init", "mangle", "replace_attributes", "set_stored", "slots_of", "stored_values",
]

_FIELD = type(vars(typing.NamedTuple("_", [("x", int)]))["x"])
_IN_PYTHON = frozenset({
    collections.ChainMap, collections.UserDict, collections.UserList, collections.abc.KeysView,
    collections.abc.ItemsView, collections.abc.MappingView, collections.abc.ValuesView,
    contextlib.AbstractContextManager, contextlib.ContextDecorator})
"""Classes of the standard library that are as if the user had written them."""

_ABSTRACT = frozenset(cls for cls in vars(collections.abc).values() if isinstance(cls, type)) - _IN_PYTHON
"""The classes of `collections.abc`, whose methods call those of the class that is derived from them."""

_PLAIN: tuple[Any, ...] = (object, abc.ABC, typing.Generic, typing.Protocol, *_ABSTRACT)
_LIBRARIES = frozenset({*sys.stdlib_module_names, "builtins", "numpy", *PACKAGES} - {"__main__"})


_user_classes: dict[type, bool] = {}


def is_user_class(cls: type) -> bool:
    """Is this a class of the user, written in Python, whose bases are such classes too?"""
    is_one = _user_classes.get(cls)
    if is_one is None:
        if len(_user_classes) > 4096:
            _user_classes.clear()
        is_one = _user_classes[cls] = _is_pure_python(cls)
    return is_one


def _is_pure_python(cls: type) -> bool:
    return all(base in _PLAIN or base in _IN_PYTHON or isinstance(base, type) and is_defined_by_user(base)
               for base in cls.__mro__) and \
        type(cls) in (type, abc.ABCMeta, type(typing.Protocol)) and cls not in _PLAIN


def is_in_python(cls: type) -> bool:
    """Is this a class of the standard library whose methods are evaluated as those of the user's classes are?"""
    return cls in _IN_PYTHON or cls in _ABSTRACT


def is_defined_by_user(cls: type) -> bool:
    """Is this a class that a `class` statement outside the libraries has made, whatever its bases are?"""
    heap = bool(cls.__flags__ & 1 << 9)
    module = cls.__module__  # of a class of Cython it may be a descriptor
    return heap and (module is None or isinstance(module, str) and module.split(".")[0] not in _LIBRARIES)


def base_in_python(cls: Any) -> str | None:
    """The class of the standard library, written in Python, that a class of the user may have as its base in place of
    an `OrderedDict` or a `Counter`; None of other objects."""
    is_dict = isinstance(cls, type) and is_defined_by_user(cls) and issubclass(cls, dict)
    return "collections.UserDict" if is_dict else None


def builtin_base(cls: type) -> type | None:
    """`list` or `dict`, if this is a class of the user that derives from it, and else from classes of the user; None of
    other classes.

    >>> class Stack(list): pass
    >>> builtin_base(Stack), builtin_base(list), builtin_base(SimpleNamespace)
    (<class 'list'>, None, None)
    """
    if not isinstance(cls, type) or not is_defined_by_user(cls) or type(cls) not in (type, abc.ABCMeta):
        return None
    bases = [c for c in cls.__mro__ if not (c in _PLAIN or is_defined_by_user(c))]
    return bases[0] if bases in ([list], [dict]) else None


def is_namedtuple(cls: type) -> bool:
    return issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple) and hasattr(cls, "_replace")


def is_container(cls: type) -> bool:
    """Do objects of this class count as containers of their attributes?"""
    return cls is SimpleNamespace or is_namedtuple(cls) or is_user_class(cls)


def fields_of(x: Any) -> tuple[str, ...]:
    """The names of the attributes of a container, in order."""
    if isinstance(x, tuple):
        fields: tuple[str, ...] = type(x)._fields  # type: ignore[attr-defined]
        return fields
    cls: type = type(x)
    slots = [name for name, slot in slots_of(cls).items() if _is_set(slot, x)]
    return (*slots, *dict_of(x))


def dict_of(x: Any) -> Mapping[str, Any]:
    """The `__dict__` of an object, empty if it has none; a `__getattr__` of its class is not called.

    >>> dict_of(SimpleNamespace(k=1.0)), dict_of(1.0)
    ({'k': 1.0}, {})
    """
    try:
        attributes: Mapping[str, Any] = object.__getattribute__(x, "__dict__")
    except AttributeError:
        return {}
    return attributes


_ONE_FOR_ALL = (bool, int, float, complex, str, bytes, type(None), type, FunctionType, ModuleType, enum.Enum)
"""Classes of objects of which a deep copy is the object itself."""


def holds_each_once(x: Any) -> bool:
    """Is each object that can change reached once alone, from `x` through containers and attributes?

    >>> a = SimpleNamespace(k=[1.0])
    >>> holds_each_once(a), holds_each_once([a, a.k])
    (True, False)
    """
    seen, left = set[int](), [x]
    while left:
        obj = left.pop()
        if isinstance(obj, tuple):
            left += obj
        elif not isinstance(obj, _ONE_FOR_ALL):
            if id(obj) in seen:
                return False
            seen.add(id(obj))
            items = obj.values() if isinstance(obj, dict) else obj if isinstance(obj, (list, set)) else ()
            left += [*items, *stored_values(obj)]
    return True


_slots_of: dict[type, dict[str, Any]] = {}


def slots_of(cls: type) -> dict[str, Any]:
    """The descriptors of the slots of a class, by name."""
    descriptors = _slots_of.get(cls)
    if descriptors is None:
        if len(_slots_of) > 4096:
            _slots_of.clear()
        descriptors = _slots_of[cls] = {}
        for base in cls.__mro__:
            slots = vars(base).get("__slots__", ())
            for name in [slots] if isinstance(slots, str) else slots:
                slot = vars(base).get(name := mangle(name, base.__name__))
                if isinstance(slot, MemberDescriptorType):
                    descriptors.setdefault(name, slot)
    return descriptors


def _is_set(slot: Any, x: Any) -> bool:
    try:
        slot.__get__(x)
    except AttributeError:
        return False
    return True


def get_stored(x: Any, name: str) -> Any:
    """An attribute as the object stores it, past the properties and descriptors of its class.

    >>> class Twice(SimpleNamespace):
    ...     k = property(lambda self: 2.0 * vars(self)["k"])
    >>> o = Twice(); vars(o)["k"] = 1.0; get_stored(o, "k"), o.k
    (1.0, 2.0)
    """
    if isinstance(x, tuple):
        return tuple.__getitem__(x, type(x)._fields.index(name))  # type: ignore[attr-defined]
    slot = slots_of(type(x)).get(name)
    return x.__dict__[name] if slot is None else slot.__get__(x)


def stored_values(x: Any) -> list[Any]:
    """The attributes of a container, in the order of `fields_of`.

    >>> stored_values(SimpleNamespace(k=1.0, name="a"))
    [1.0, 'a']
    """
    if isinstance(x, tuple):
        return list(tuple.__iter__(x))
    values = list(dict_of(x).values())
    return [*(slot.__get__(x) for slot in slots_of(type(x)).values() if _is_set(slot, x)), *values] \
        if slots_of(type(x)) else values


def set_stored(x: Any, name: str, value: Any) -> None:
    """Store an attribute, past the properties and descriptors of the class of `x`."""
    slot = slots_of(type(x)).get(name)
    if slot is None:
        x.__dict__[name] = value
    else:
        slot.__set__(x, value)


def is_identifier(name: str) -> bool:
    """Can this be the name of a variable, and the keyword of a call?"""
    return name.isidentifier() and not keyword.iskeyword(name)


def is_plain_attribute(cls: type, name: str) -> bool:
    """For an object `x` of the class, is `x.name` always the stored attribute?"""
    if not is_identifier(name):
        return False
    raw = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)
    if is_namedtuple(cls):
        return isinstance(raw, _FIELD)
    kind: Any = type(raw)
    if name in slots_of(cls):
        return raw is slots_of(cls)[name]
    return not (hasattr(kind, "__get__") and (hasattr(kind, "__set__") or hasattr(kind, "__delete__")))


def mangle(name: str, cls: str) -> str:
    """The name that a name in the body of a class stands for.

    >>> mangle("__k", "_P"), mangle("__init__", "P")
    ('_P__k', '__init__')
    """
    cls = cls.lstrip("_")
    private = name.startswith("__") and not name.endswith("__") and "." not in name
    return f"_{cls}{name}" if private and cls else name


def gradient_class(cls: type, keys: Sequence[str]) -> type:
    """The class of the gradient by an object of `cls` with these attributes.

    It is `cls` itself where the attributes alone make an object, without any code of the user; else a namespace.
    """
    if is_namedtuple(cls) or dataclasses.is_dataclass(cls) and _is_made_by_its_fields(cls, keys):
        return cls
    return SimpleNamespace


def _is_made_by_its_fields(cls: Any, keys: Sequence[str]) -> bool:
    """Does `cls(**fields)` make an object of exactly these fields, and run only code that `dataclass` generated?"""
    code = getattr(vars(cls).get("__init__"), "__code__", None)
    fields = dataclasses.fields(cls)
    writes = cls.__setattr__
    return (code is not None and code.co_filename == "<string>" and not hasattr(cls, "__post_init__")
            and cls.__new__ is object.__new__ and {f.name for f in fields} == {*keys}
            and (writes is object.__setattr__ or getattr(writes, "__code__", code).co_filename == "<string>")
            and all(f.init and is_plain_attribute(cls, f.name) for f in fields)
            and len(fields) == code.co_argcount + code.co_kwonlyargcount - 1)


def has_generated_constructor(cls: Any) -> bool:
    """Does `cls(**fields)` of a named tuple run only code that `namedtuple` generated?"""
    return (cls.__init__ is object.__init__
            and cls.__new__.__globals__.get("__name__", "").startswith("namedtuple_"))


def make_gradient(cls: Any, keys: Sequence[str], values: Sequence[Any]) -> Any:
    """The gradient by an object of `cls` with these attributes."""
    if is_namedtuple(cls):
        return tuple.__new__(cls, values)
    return gradient_class(cls, keys)(**dict(zip(keys, values)))


def make_without_init(cls: Any, values: Mapping[str, Any]) -> Any:
    """An object of a class with these attributes, made without calling its `__init__`."""
    if is_namedtuple(cls):
        return tuple.__new__(cls, [values[name] for name in cls._fields])
    instance = object.__new__(cls)
    for name, value in values.items():
        object.__setattr__(instance, name, value)
    return instance


def attributes(x: Any) -> dict[str, Any] | None:
    """The attributes of a container by name; None where `x` is not a container."""
    return dict(zip(fields_of(x), stored_values(x))) if is_container(type(x)) else None


def replace_attributes(x: Any, values: Mapping[str, Any]) -> Any:
    """A copy of `x` with these attributes."""
    if isinstance(x, tuple):
        return tuple.__new__(type(x), values.values())
    copy = object.__new__(type(x)) if type(x) is not SimpleNamespace else SimpleNamespace()
    for name, value in values.items():
        set_stored(copy, name, value)
    return copy


def dotted_name(cls: type) -> str | None:
    """`module.Name` where an import finds the class under that name, else None."""
    module = cls.__module__
    if module == "__main__" or "." in cls.__qualname__:
        return None
    try:
        imported = getattr(importlib.import_module(module), cls.__qualname__, None)
    except ImportError:
        return None
    return f"{module}.{cls.__qualname__}" if imported is cls else None
