"""References: what an object refers to, as far as functions can reach it.

    for y, uncopied in references(f, False): ...       the globals, cells and defaults of a function

Modules and classes of libraries refer to nothing here, and functions of libraries to code of the user alone: they are
assumed to have no state of their own.
"""

from __future__ import annotations

import dis
import functools
import gc
import itertools
import os
import sys
import types
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from sct.frontend.arguments.argument_aliasing import cell_contents
from sct.frontend.evaluator.own_methods import is_library
from sct.ir.pytrees.user_objects import dict_of, is_container, is_defined_by_user

__all__ = ["CACHED", "PLAIN", "is_derivative", "is_found_in_class", "is_library_function",
           "is_module_of_library", "names_in", "references"]

PLAIN = frozenset((type(None), bool, int, float, complex, str, bytes))
CACHED = type(functools.lru_cache(len))
_OF_PYTHON = ("builtins", "itertools", "functools", "operator", "types")
"""Modules of classes whose objects hold others without attributes: iterators, read-only views of dicts."""

_STATELESS = (type, types.ModuleType, types.CodeType, types.BuiltinFunctionType, types.WrapperDescriptorType,
              types.MethodDescriptorType, types.GetSetDescriptorType, types.MemberDescriptorType, types.GeneratorType,
              range, slice)
_LIBRARIES = frozenset({*sys.stdlib_module_names, "numpy", "scipy", "numba", "sct"} - {"__main__"})


@functools.lru_cache(maxsize=1024)
def names_in(code: types.CodeType) -> tuple[frozenset[str], frozenset[str]]:
    """The globals that code reads or writes, and all names in it; nested functions count."""
    variables, names = set(), set(code.co_names)
    for instruction in dis.get_instructions(code):
        if instruction.opname.endswith(("_GLOBAL", "_NAME", "_GLOBALS")):
            variables.add(instruction.argval)
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            inner = names_in(const)
            variables |= inner[0]
            names |= inner[1]
    return frozenset(variables), frozenset(names)


def is_library_function(f: types.FunctionType) -> bool:
    """Is this a function of a library?  Such functions are assumed to have no state."""
    return is_library(f) or str(f.__module__).split(".")[0] in _LIBRARIES


def is_module_of_library(x: Any) -> bool:
    return isinstance(x, types.ModuleType) and x.__name__.split(".")[0] in _LIBRARIES


def is_derivative(x: Any) -> bool:
    return hasattr(type(x), "__sct_transform__")


def is_found_in_class(x: types.MethodType) -> bool:
    """Is the function of this method found in the class of its object?"""
    cls = x.__self__ if isinstance(x.__self__, type) else type(x.__self__)
    return any(x.__func__ is getattr(v, "__func__", v) for base in cls.__mro__ for v in vars(base).values())


def references(x: Any, uncopied: bool) -> Iterator[tuple[Any, bool]]:
    """The objects that an object refers to, each with whether it is used uncopied; `uncopied` says so of `x`."""
    if is_derivative(x):
        yield x.__sct_transform__.fn, True
    elif isinstance(x, dict):
        yield from ((v, uncopied) for v in itertools.chain(x, x.values()) if type(v) not in PLAIN)
    elif isinstance(x, (list, tuple, set, frozenset, deque)):
        yield from ((v, uncopied) for v in x if type(v) not in PLAIN)
    elif isinstance(x, types.FunctionType):
        if is_library_function(x):
            closure = itertools.chain.from_iterable(map(cell_contents, x.__closure__ or ()))
            yield from _held_by_library(itertools.chain(closure, x.__dict__.values()))
            return
        variables, names = names_in(x.__code__)
        for name in variables:
            value = x.__globals__.get(name)
            if isinstance(value, types.ModuleType):
                yield from _module_references(value, names)
            else:
                yield value, uncopied
        yield from ((cell, uncopied) for cell in x.__closure__ or ())
        yield from ((v, uncopied) for v in (x.__defaults__, x.__kwdefaults__, x.__dict__))
    elif isinstance(x, types.CellType):
        yield from ((v, uncopied) for v in cell_contents(x))
    elif isinstance(x, types.MethodType):
        yield x.__self__, uncopied
        yield x.__func__, uncopied or is_found_in_class(x)
    elif isinstance(x, (types.BuiltinMethodType, types.MethodWrapperType)):
        yield x.__self__, uncopied
    elif isinstance(x, functools.partial):
        yield from ((v, uncopied) for v in (x.func, x.args, x.keywords, x.__dict__))
    elif isinstance(x, np.vectorize):
        yield x.pyfunc, True
    elif isinstance(x, (CACHED, staticmethod, classmethod)):
        yield x.__wrapped__, uncopied
    elif isinstance(x, property):
        yield from ((v, uncopied) for v in (x.fget, x.fset, x.fdel))
    elif isinstance(x, type):
        yield from _class_references(x)
    elif is_container(type(x)) or isinstance(x, BaseException):
        yield type(x), True
        yield from ((v, uncopied) for v in dict_of(x).values())
    elif type(x).__module__ in _OF_PYTHON and not isinstance(x, _STATELESS):
        yield from ((v, True) for v in gc.get_referents(x) if type(v) not in PLAIN)


def _held_by_library(values: Iterable[Any]) -> Iterator[tuple[Any, bool]]:
    """Code of the user that a function of a library holds, as that of `functools.singledispatch` does."""
    for v in values:
        if _is_of_user(v) or isinstance(v, (dict, types.MappingProxyType)) and any(map(_is_of_user, v.values())):
            yield v, True


def _is_of_user(x: Any) -> bool:
    return isinstance(x, types.FunctionType) and not is_library_function(x)


def _class_references(cls: type) -> Iterator[tuple[Any, bool]]:
    for base in cls.__mro__:
        if is_defined_by_user(base):
            yield base, True
            yield from ((v, True) for v in vars(base).values() if type(v) not in PLAIN)


def _module_references(module: types.ModuleType, names: frozenset[str]) -> Iterator[tuple[Any, bool]]:
    if module is os and "environ" in names:
        yield os.environ, True
    if is_module_of_library(module):
        return
    for name in names & vars(module).keys():
        value = vars(module)[name]
        if isinstance(value, types.ModuleType):
            yield from _module_references(value, names - {name})
        else:
            yield value, True
