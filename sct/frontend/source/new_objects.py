"""New objects: which variables of a function hold nothing but objects that the function makes itself.

    rows = [[0.0] * 3 for _ in range(4)]      new, and so are its items, to which `rows[i][j] = x` writes
    s, n = STATE, 1                           `s` is what the global holds
    s = [STATE]                               `s` is new, its item is not
"""

from __future__ import annotations

import abc
import collections
import copy
import dataclasses
import datetime
import decimal
import fractions
import time
import types
from collections.abc import Iterable
from typing import Any, Protocol

import gast
import numpy as np

from sct.frontend.source.bindings import Bindings
from sct.frontend.source.changing_calls import changes_object, writes_arguments, writes_keyword
from sct.ir.pytrees.user_objects import is_user_class

__all__ = ["Makers", "NewObjects"]

_MAKERS = (gast.Constant, gast.List, gast.Tuple, gast.Dict, gast.Set, gast.ListComp, gast.SetComp, gast.DictComp,
           gast.JoinedStr, gast.Lambda)
"""Expressions that make a new object."""

_DISPLAYS = (gast.List, gast.Tuple, gast.Dict, gast.Set)

_COMPUTING = (gast.BinOp, gast.Compare)
"""Expressions that make a new object, if no operator of the user's classes does otherwise."""

_COMPARISONS = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")

_ARITHMETIC = ("__abs__", "__round__", *(f"__{prefix}{name}__" for prefix in ("", "r") for name in (
    "add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor")))


def _ids(functions: Iterable[Any]) -> frozenset[int]:
    return frozenset(map(id, functions))


_MAPPINGS = _ids((dict, collections.defaultdict, collections.Counter, collections.OrderedDict))
"""Classes of dicts: they take another one, or pairs."""

_MAKING = _MAPPINGS | _ids((list, set, tuple, sorted, frozenset, np.array, np.copy, copy.copy, decimal.Decimal,
                            fractions.Fraction, collections.deque))
"""Functions that make a new object, whose items may be those of their arguments."""

_MAKING_NUMBERS = _ids((
    str, int, float, bool, len, bytes, complex, range, datetime.date, datetime.datetime, datetime.timedelta, np.zeros,
    np.ones, np.empty, np.full, np.arange, np.linspace, np.zeros_like, np.ones_like, np.empty_like, copy.deepcopy,
    time.perf_counter, time.time))
"""Functions that make a new object with new items, or one that does not change."""

_BY_OPERATORS = _ids((sum, abs, round, np.sum, np.round))
"""Functions that make a new object, if no operator of the user's classes does otherwise."""

_MAKING_METHODS = frozenset(("copy", "sum", "round", "date", "time"))
"""Methods that make a new object, whose items may be those of their object."""

_PUTTING_ONE = frozenset(("append", "appendleft", "insert", "setdefault", "add"))
"""Methods that put an argument into their object, and not its items."""

_READING = _ids((len, sum, float, int, str, bool, print, isinstance, enumerate, zip, any, all, reversed, repr))
"""Functions that put nothing into their arguments."""

_UNCHANGING = _ids((None, True, False, NotImplemented))


class Makers(Protocol):
    """What is known of the functions that expressions call."""

    def find(self, node: Any) -> Any:
        """The object that an expression is."""

    def has_own(self, name: str) -> bool:
        """May the method of this name, of a class of the user, return an object that is not new?"""


class NewObjects:
    """The variables of a function, and of those in it, that hold new objects."""

    def __init__(self, bindings: Bindings, makers: Makers) -> None:
        self.bindings = bindings
        self.makers = makers

    def holds(self, name: str, depth: int, asked: frozenset[Any] = frozenset()) -> bool:
        """Is every object that the variable holds a new one, and so are what it holds, so deep?

        asked  the variables of which this is asked already
        """
        if (name, depth) in asked:
            return True
        asked |= {(name, depth)}
        if not all(self.makes(value, depth, asked) for value in self.bindings.bound.get(name, ())):
            return False
        return not depth or all(self.makes(value, depth, asked) for value in self.bindings.added[name]) and \
            all(self._leaves_alone(n, depth, asked) for n in self.bindings.reads[name])

    def makes(self, value: Any, depth: int, asked: frozenset[Any] = frozenset()) -> bool:
        """Does the expression make a new object, in which there are new objects alone, so deep?"""
        if isinstance(value, gast.Name):
            name, bindings = value.id, self.bindings
            return name in bindings.bound and name not in bindings.parameters and self.holds(name, depth, asked) or \
                id(self.makers.find(value)) in _UNCHANGING
        if isinstance(value, (gast.FunctionDef, gast.AsyncFunctionDef, gast.ClassDef)):
            return not depth
        if isinstance(value, gast.IfExp):
            return self.makes(value.body, depth, asked) and self.makes(value.orelse, depth, asked)
        if not self._is_new(value) or isinstance(value, gast.Lambda) and depth:
            return False
        return not depth or all(self.makes(x, depth - k, asked) for k, x in self._contents(value))

    def _is_new(self, node: Any) -> bool:
        """Does the expression make a new object?"""
        if isinstance(node, _COMPUTING):
            operators = _COMPARISONS if isinstance(node, gast.Compare) else _ARITHMETIC
            return isinstance(node.left, _DISPLAYS) or not any(map(self.makers.has_own, operators))
        if not isinstance(node, gast.Call):
            return isinstance(node, _MAKERS)
        f = self.makers.find(node.func)
        if any(writes_keyword(k.arg) for k in node.keywords):
            return False
        if id(f) in _BY_OPERATORS or isinstance(f, np.ufunc):
            operands = 1 if f is sum else getattr(f, "nin", 2)
            return len(node.args) <= operands and not (f is sum and node.keywords) and \
                not any(map(self.makers.has_own, _ARITHMETIC))
        if f is np.array:
            return all(k.arg != "copy" or _is_true(k.value) for k in node.keywords)
        if f is copy.copy or f is copy.deepcopy:
            return not self.makers.has_own(f"__{f.__name__}__")
        if isinstance(node.func, gast.Attribute) and node.func.attr in _MAKING_METHODS and not isinstance(
                f, types.FunctionType) and len(node.args) <= 1:
            return not self.makers.has_own(node.func.attr)
        return id(f) in _MAKING or id(f) in _MAKING_NUMBERS or self._constructs(node.func, f)

    def _constructs(self, func: Any, f: Any) -> bool:
        """Is this a class of the user, or one of two, of which a call makes an object?"""
        chosen = self.bindings.only_value(func.id) if isinstance(func, gast.Name) else func
        if isinstance(chosen, gast.IfExp):
            return all(self._constructs(x, self.makers.find(x)) for x in (chosen.body, chosen.orelse))
        if isinstance(func, gast.Call) and self.makers.find(func.func) is type or \
                isinstance(func, gast.Attribute) and func.attr == "__class__" or f is dataclasses.replace:
            return True
        return isinstance(f, type) and is_user_class(f) and type(f) in (type, abc.ABCMeta) and not isinstance(
            f.__new__, types.FunctionType)

    def _contents(self, value: Any) -> list[tuple[int, Any]]:
        """What a new object holds: 1 and an item, 0 and what its items are taken from, or -1 and what has pairs of
        them."""
        if isinstance(value, gast.Call):
            return self._contents_of_call(value)
        if isinstance(value, (gast.List, gast.Tuple, gast.Set)):
            return [(0, x.value) if isinstance(x, gast.Starred) else (1, x) for x in value.elts]
        if isinstance(value, gast.Dict):
            return [(1 if key is not None else 0, x) for key, x in zip(value.keys, value.values)]
        if isinstance(value, (gast.ListComp, gast.SetComp)):
            return [(1, value.elt)]
        if isinstance(value, gast.DictComp):
            return [(1, value.value)]
        if isinstance(value, gast.BinOp):
            operands = value.left, value.right
            repeated = [x for x in operands
                        if isinstance(value.op, gast.Mult) and isinstance(x, (gast.List, gast.Tuple))]
            return [(0, x) for x in repeated or operands]
        return []

    def _contents_of_call(self, call: Any) -> list[tuple[int, Any]]:
        f = self.makers.find(call.func)
        keywords = [(1, k.value) for k in call.keywords]
        if id(f) in _MAKING_NUMBERS:
            return [(1, x) for x in call.args[1:2]] if f is np.full and call.keywords else []
        if self._constructs(call.func, f):
            return [(1, gast.Name("", gast.Load()))]  # its attributes are not known
        if f is collections.defaultdict:
            makers = [x.body if isinstance(x, gast.Lambda) else gast.Call(x, [], []) for x in call.args[:1]]
            return [*((1, x) for x in makers), *self._taken(call.args[1:]), *keywords]
        if id(f) in _MAPPINGS:
            return [*self._taken(call.args), *keywords]
        taken = call.args if id(f) in _MAKING | _BY_OPERATORS or isinstance(f, np.ufunc) else [call.func.value]
        return [*((0, x) for x in taken), *keywords]

    def _taken(self, arguments: list[Any]) -> list[tuple[int, Any]]:
        """What a dict takes from arguments: the values of another one, or the second items of pairs."""
        return [(k, x) for x in arguments for k in ((0,) if self._is_mapping(x) else (0, -1))]

    def _is_mapping(self, x: Any) -> bool:
        if isinstance(x, gast.Name) and (value := self.bindings.only_value(x.id)) is not None:
            x = value
        return isinstance(x, (gast.Dict, gast.DictComp)) or \
            isinstance(x, gast.Call) and id(self.makers.find(x.func)) in _MAPPINGS

    def _leaves_alone(self, node: Any, depth: int, asked: frozenset[Any]) -> bool:
        """Does nothing come into the object of a variable where it is read here, but for new objects?"""
        steps = 0
        parent = self.bindings.parents.get(node)
        while isinstance(parent, (gast.Subscript, gast.Attribute)) and parent.value is node:
            node, parent, steps = parent, self.bindings.parents.get(parent), steps + 1
        if isinstance(getattr(node, "ctx", None), gast.Store):
            value = parent.value if isinstance(parent, gast.AugAssign) else self.bindings.stored.get(node)
            sliced = isinstance(node, gast.Subscript) and isinstance(node.slice, (gast.Slice, gast.Tuple))
            return steps > depth + sliced or self.makes(value, depth - steps + sliced, asked)
        if isinstance(node, gast.Attribute) and changes_object(f".{node.attr}"):
            if not isinstance(parent, gast.Call) or parent.func is not node:
                return False
            level = depth - steps
            levels = (level,) if node.attr in _PUTTING_ONE else (level, level + 1)
            return level < 0 or all(self.makes(x, k, asked) for x in (*parent.args, *parent.keywords) for k in levels)
        if steps >= depth or isinstance(parent, (gast.Return, gast.Compare, gast.If, gast.While, gast.FormattedValue)):
            return True
        if isinstance(parent, gast.Subscript):
            return parent.slice is node
        if isinstance(parent, gast.Call) and parent.func is not node:
            f = self.makers.find(parent.func)
            changes = writes_arguments(f".{getattr(f, '__name__', '')}") or any(
                writes_keyword(k.arg) for k in parent.keywords)
            return steps + 1 >= depth and (id(f) in _READING or self._is_new(parent)) and not changes
        gives_items = isinstance(parent, (gast.For, gast.comprehension, gast.BinOp, gast.Starred))
        return isinstance(parent, gast.Call) or gives_items and steps + 1 >= depth


def _is_true(node: Any) -> bool:
    return isinstance(node, gast.Constant) and node.value is True
