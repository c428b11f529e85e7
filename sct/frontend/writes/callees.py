"""Callees: the objects that expressions of a function are, found without running code of the user.

    push(heap, x)          a global, a variable of a closure, or a builtin
    np.add.at(a, i, x)     an attribute of a module, or of an object of a library
    grow = rows.append     a variable that is bound once
"""

from __future__ import annotations

import importlib.util
import random
import sys
import types
from collections import deque
from collections.abc import Callable
from typing import Any

import gast
import numpy as np

from sct.frontend.evaluator.own_methods import is_library
from sct.frontend.source.bindings import Bindings
from sct.ir.pytrees.user_objects import dict_of, is_defined_by_user

__all__ = ["DESCRIPTORS", "UNKNOWN", "Callees", "attribute", "is_function_of_library"]

UNKNOWN = object()
"""Stands for an object that is not known."""

DESCRIPTORS = (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)
"""Methods of builtin classes, as the classes have them: `list.append`."""

_LOOKED_INTO = (np.ufunc, np.ndarray, np.random.Generator, random.Random, list, dict, set, tuple, str, bytearray, deque,
                *DESCRIPTORS)
"""Classes of libraries whose attributes are found without consequences."""


class Callees:
    """The objects that expressions are.

    bindings  the variables around the expressions
    outside   the object that a variable from outside is; UNKNOWN if there is none
    """

    def __init__(self, bindings: Bindings, outside: Callable[[str], Any]) -> None:
        self.bindings = bindings
        self.outside = outside

    def find(self, node: Any) -> Any:
        """The object that the expression is; UNKNOWN if it may be another."""
        if isinstance(node, gast.Name):
            return self._variable(node.id)
        if isinstance(node, gast.Attribute):
            return _attribute_of(self.find(node.value), node.attr)
        if isinstance(node, gast.alias):
            return self._imported(node)
        if isinstance(node, gast.Call) and len(node.args) == 2 and self.find(node.func) is getattr and \
                isinstance(node.args[1], gast.Constant) and isinstance(node.args[1].value, str):
            return _attribute_of(self.find(node.args[0]), node.args[1].value)
        return UNKNOWN

    def candidates(self, node: Any) -> list[Any]:
        """The objects that the expression may be, as far as they are known: a variable may be one outside, too."""
        entry = self.find(node)
        if entry is UNKNOWN and isinstance(node, gast.Name):
            entry = self.outside(node.id)
        return [] if entry is UNKNOWN else [entry]

    def _variable(self, name: str) -> Any:
        if not self.bindings.is_local(name):
            return self.outside(name)
        value = self.bindings.only_value(name)
        return UNKNOWN if value is None or isinstance(value, gast.Name) and value.id == name else self.find(value)

    def _imported(self, alias: Any) -> Any:
        statement: Any = self.bindings.parents[alias]
        if isinstance(statement, gast.Import):
            return sys.modules.get(alias.name if alias.asname else alias.name.split(".")[0], UNKNOWN)
        package = self.outside("__package__")
        if statement.level and not isinstance(package, str):
            return UNKNOWN
        name = "." * (statement.level or 0) + (statement.module or "")
        module = sys.modules.get(importlib.util.resolve_name(name, package if statement.level else None))
        return UNKNOWN if module is None else vars(module).get(alias.name, UNKNOWN)


def _attribute_of(x: Any, name: str) -> Any:
    if x is UNKNOWN:
        return UNKNOWN
    if isinstance(x, types.ModuleType):
        return vars(x).get(name, UNKNOWN)
    if isinstance(x, _LOOKED_INTO) and not is_defined_by_user(type(x)) or \
            isinstance(x, type) and not is_defined_by_user(x):
        return getattr(x, name, UNKNOWN)
    entry = attribute(x, name)
    return getattr(entry[0], "__func__", entry[0]) if entry else UNKNOWN


def attribute(x: Any, name: str | None) -> list[Any]:
    """The attribute of an object, if it is found without running code; none for the name None."""
    if name is None:
        return []
    classes = x.__mro__ if isinstance(x, type) else type(x).__mro__
    places: list[Any] = [] if isinstance(x, type) else [vars(x) if isinstance(x, types.ModuleType) else dict_of(x)]
    places += map(vars, classes)
    entry = next((place[name] for place in places if name in place), UNKNOWN)
    if isinstance(entry, types.MemberDescriptorType) and not isinstance(x, type):
        entry = getattr(x, name, UNKNOWN)
    elif hasattr(type(entry), "__get__") and not isinstance(entry, (types.FunctionType, staticmethod, classmethod)):
        entry = UNKNOWN  # it is computed
    return [] if entry is UNKNOWN else [entry]


def is_function_of_library(x: Any) -> bool:
    """Is this a function, a method or a class that is not the user's?"""
    x = x.__func__ if isinstance(x, types.MethodType) else x
    if isinstance(x, types.FunctionType):
        return is_library(x)
    cls = x if isinstance(x, type) else type(x)
    return callable(x) and (not is_defined_by_user(cls) or cls.__name__ == "cython_function_or_method")
