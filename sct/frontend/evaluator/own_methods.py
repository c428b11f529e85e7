"""Which functions and special methods are the user's: Python itself must not run these when a function is compiled.

    class K(Enum):
        def __index__(self): return DEPTH

    xs[K.A]        `K.__index__` is evaluated as a part of the program, since `DEPTH` may change until the next call
    {K.A: x}       Python looks keys up by `__hash__` and `__eq__`: refused if the user has written one of them
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import sysconfig
import types
from collections.abc import Iterable, Mapping
from typing import Any

from sct.frontend.evaluator.lookup_guards import in_class
from sct.frontend.state.observed_types import is_of_sct
from sct.frontend.state.state import State
from sct.ir.pytrees.user_objects import attributes

__all__ = [
    "COMPUTING", "HASHING", "fields_of_dataclass", "generator_of_context", "is_generated", "is_installed", "is_library",
    "is_ordered_as_tuple", "own_method",
]

# -- functions ----------------------------------------------------------------------------------------------


_LIBRARY = tuple(sysconfig.get_path(name) for name in ("stdlib", "platstdlib"))


_ORDERING = {fn.__code__ for pairs in functools._convert.values() for _, fn in pairs}  # type: ignore[attr-defined]
"""The comparisons that `functools.total_ordering` adds to a class, which call those of the class itself."""


def is_library(f: Any) -> bool:
    """Is this a function of the standard library, of NumPy or of SciPy, or one without Python code?"""
    if not isinstance(f, types.FunctionType):
        return not hasattr(f, "__wrapped__")
    if f.__globals__.get("__name__", "").split(".")[0] in ("numpy", "scipy"):
        return True
    if f.__code__ in _ORDERING:
        return False
    file = f.__code__.co_filename
    return file.startswith((*_LIBRARY, "<frozen")) and "site-packages" not in file and "dist-packages" not in file


_DECORATED = contextlib.contextmanager(lambda: iter(())).__code__


def generator_of_context(f: Any) -> Any:
    """The generator function that `contextlib.contextmanager` has decorated; None if `f` is none of these."""
    return f.__wrapped__ if getattr(f, "__code__", None) is _DECORATED else None


def is_installed(file: str) -> bool:
    """Does the file belong to a package that is installed, to Python itself or to sct?"""
    return file.startswith((*_LIBRARY, "<frozen")) or "site-packages" in file or "dist-packages" in file or \
        is_of_sct(file)


def is_generated(raw: types.FunctionType, where: type) -> bool:
    """Has `dataclass` written this method?"""
    return "__dataclass_fields__" in vars(where) and raw.__code__.co_filename == "<string>"


def fields_of_dataclass(ev: State, cls: type) -> tuple[dataclasses.Field[Any], ...]:
    """The fields of a dataclass, guarded; refused if the class has generated an `__init__` for others."""
    names = tuple(cls.__dataclass_fields__)  # type: ignore[attr-defined]
    ev.outside.note((cls, ("attr", "__dataclass_fields__")), "keys", names, at=(cls, "__dataclass_fields__"))
    init = vars(cls).get("__init__")
    if isinstance(init, types.FunctionType) and is_generated(init, cls):
        code = init.__code__
        if not set(code.co_varnames[1:code.co_argcount + code.co_kwonlyargcount]) <= {*names}:
            ev.refuse("SCT208", f"the dataclass `{cls.__name__}` with other fields than it was created with is not "
                      "supported", why="its methods were generated for those",
                      hint="leave its fields as they are")
    return dataclasses.fields(cls)


# -- special methods ----------------------------------------------------------------------------------------


HASHING = ("__hash__", "__eq__")
"""The special methods that Python calls for keys and for members of sets."""

COMPUTING = (*HASHING, "__index__", "__int__", "__float__", "__lt__", "__le__", "__gt__", "__ge__")
"""The special methods that library functions call for an argument that is used as a number or a key."""


def is_ordered_as_tuple(ev: State, cls: type) -> bool:
    """Are the objects of this class of tuples compared as tuples are?"""
    return all(in_class(ev, cls, name)[1] is tuple for name in ("__eq__", "__lt__"))


def own_method(ev: State, x: Any, names: Iterable[str]) -> tuple[type, str] | None:
    """The class of `x`, or of a part of it, that defines one of these special methods, and the method's name.

    Equality and hashes that `dataclass` has generated are fixed where the class is frozen.
    """
    cls = type(x)
    parts: Iterable[Any] = ()
    if isinstance(x, slice):
        parts = x.start, x.stop, x.step
    elif isinstance(x, Mapping):
        parts = *x, *x.values()
    elif isinstance(x, (tuple, list, set, frozenset)):
        parts = x
    for name in names:
        raw, where = in_class(ev, cls, name)
        if isinstance(raw, types.FunctionType) and not is_library(raw):
            if not (is_generated(raw, where) and where.__dataclass_params__.frozen):  # type: ignore[attr-defined]
                return cls, name
            parts = (attributes(x) or {}).values()
    return next(filter(None, (own_method(ev, part, names) for part in parts)), None)
