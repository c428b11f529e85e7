"""Which functions the observed copy of a function may call: those that reach nothing outside their arguments."""

from __future__ import annotations

import enum
import functools
import io
import logging
import re
import sys
import threading
import types
from typing import Any

import numpy as np

from sct.frontend.evaluator.own_methods import generator_of_context, is_library
from sct.frontend.writes.references import CACHED, names_in
from sct.ir.pytrees.user_objects import builtin_base, is_defined_by_user, is_namedtuple, is_user_class
from sct.validation.clone import NEW_CACHES
from sct.validation.instrument import OBSERVE

__all__ = ["ReachesOutside", "check_callee", "has_users_cache", "is_harmless"]

_HARMLESS = frozenset((
    "abc", "array", "ast", "base64", "bisect", "builtins", "calendar", "cmath", "collections", "configparser",
    "contextlib", "copy", "csv", "dataclasses", "datetime", "decimal", "difflib", "enum", "fractions", "functools",
    "graphlib", "hashlib", "heapq", "io", "itertools", "json", "logging", "math", "numbers", "numpy", "operator",
    "pandas", "pprint", "random", "re", "reprlib", "scipy", "sct", "shlex", "statistics", "string", "struct",
    "textwrap", "time", "tomllib", "types", "typing", "unicodedata", "warnings", "zoneinfo"))
"""Modules whose functions reach nothing outside their arguments, but for those of `_OUTSIDE`."""

_OUTSIDE = frozenset((
    "open", "input", "exec", "eval", "compile", "breakpoint", "__import__", "help", "exit", "quit", "sleep", "save",
    "savez", "savez_compressed", "savetxt", "tofile", "memmap", "to_csv", "to_pickle", "to_sql", "to_excel", "dump",
    "basicConfig", "write", "writelines", "send", "sendall", "recv", "connect", "unlink", "rmdir", "mkdir", "rename",
    "system", "Popen", "urlopen"))

_BUILTINS = frozenset(("input", "exec", "eval", "compile", "breakpoint", "__import__", "help", "exit", "quit"))
"""Those that are functions of no module: methods of these names are other functions, such as `re.compile`."""

_READERS = {"configparser": "read"}
"""Methods that read files, by the module of their class; those of this name in other modules need not."""


class ReachesOutside(BaseException):
    """Raised before a call that must not be repeated."""


def is_harmless(f: Any, of: Any) -> bool:
    """Is this a function or class of a module of `_HARMLESS`, or a method of an object `of` such a class?"""
    module = getattr(f, "__module__", None) or getattr(of, "__module__", None) or getattr(of, "__name__", None)
    name = getattr(f, "__name__", "")
    if getattr(f, "__sct_call__", "") == "rule":
        return False
    if isinstance(f, np.ufunc):
        return not all("O" in signature for signature in f.types)  # those of `np.frompyfunc` call Python
    package = str(module).split(".")[0].lstrip("_")
    return package in _HARMLESS and (name not in _OUTSIDE or f is re.compile) and _READERS.get(package) != name


_DISPATCHER = getattr(functools.singledispatch(len), "__code__", None)
"""The code of a function that `functools.singledispatch` makes: it calls one of its implementations."""


def has_users_cache(f: Any) -> bool:
    """Is this a function of the user with a cache?  Nobody sees what the cache of a function of a library holds."""
    if not isinstance(f, CACHED) or OBSERVE in getattr(f.__wrapped__, "__globals__", ()):
        return False
    return not is_harmless(f, None) or getattr(sys.modules.get(f.__module__), f.__name__, None) is not f


def check_callee(f: Any, seen: set[int] | None = None) -> None:
    """Raises if `f`, which is about to be called, may reach the world outside.

    seen  the ids of functions and classes that are already checked
    """
    seen = set() if seen is None else seen
    if has_users_cache(f):
        if f not in NEW_CACHES:
            raise ReachesOutside  # it would fill the cache
        return _check_code(f.__wrapped__, seen)
    if (generator := generator_of_context(getattr(f, "__func__", f))) is not None:
        return check_callee(generator, seen)
    owner, function = getattr(f, "__self__", None), getattr(f, "__func__", f)
    if isinstance(owner, (io.IOBase, logging.Handler, type(threading.Lock()))) and \
            not isinstance(owner, (io.StringIO, io.BytesIO)):
        raise ReachesOutside
    of = owner if isinstance(owner, types.ModuleType) else f if owner is None else type(owner)
    is_copy = isinstance(function, types.FunctionType) and OBSERVE in function.__globals__
    if is_copy or isinstance(f, CACHED) or is_harmless(f, of):
        return
    cls = of if isinstance(of, type) else type(of)
    if isinstance(function, types.FunctionType) and not is_library(function):
        _check_code(function, seen)
    elif _is_users(cls) or is_namedtuple(cls) or issubclass(cls, BaseException):
        _check_code(cls, seen)
    elif getattr(function, "__code__", None) is _DISPATCHER:
        for implementation in function.registry.values():
            check_callee(implementation, seen)
    else:
        raise ReachesOutside


def _is_users(cls: type) -> bool:
    """Is this a class of the user, whose bases are such classes, and perhaps `list`, `dict` or `Enum`?"""
    return is_user_class(cls) or builtin_base(cls) is not None or is_defined_by_user(cls) and issubclass(cls, enum.Enum)


def _check_code(f: Any, seen: set[int]) -> None:
    """Raises if a function or class of the user, which runs uncopied, may reach the world outside."""
    if id(f) in seen:
        return
    seen.add(id(f))
    if isinstance(f, type):
        for base in f.__mro__[:-1]:
            for method in vars(base).values():
                function = getattr(method, "__func__", getattr(method, "fget", method))
                if isinstance(function, types.FunctionType):
                    _check_code(function, seen)
        return
    if getattr(f, "__sct_call__", "") == "rule":
        raise ReachesOutside  # it would add a rule
    if is_library(f) and f.__globals__["__name__"].split(".")[0] in _HARMLESS and f.__name__ not in _OUTSIDE:
        return  # what `dataclass` has generated reads modules of its own
    variables, names = names_in(f.__code__)
    if variables & _OUTSIDE or names & (_OUTSIDE - _BUILTINS):
        raise ReachesOutside
    for name in variables & f.__globals__.keys():
        value = f.__globals__[name]
        if isinstance(value, types.ModuleType) and (
                (package := value.__name__.split(".")[0]) not in _HARMLESS or _READERS.get(package) in names):
            raise ReachesOutside
        if isinstance(value, types.FunctionType) and not is_library(value) or \
                isinstance(value, type) and _is_users(value):
            _check_code(value, seen)
        elif callable(value):
            check_callee(value, seen)
