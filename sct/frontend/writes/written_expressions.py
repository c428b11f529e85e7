"""What the code of a function writes, as targets: expressions whose items or attributes are written.

    rows[0].x = 1.0          ->   rows[0].x
    rows.append(x)           ->   rows[rows]         any of its items
    push(rows, x)            ->   rows[rows]         `push` is `heapq.heappush`
    np.add(1.0, x, a)        ->   a[a]               the third argument of `np.add` is `out`
    exec(text)               ->   None               everything
    exec(text, names)        ->   names[names]       what the text assigns
"""

from __future__ import annotations

import functools
import inspect
import operator
import types
from collections.abc import Iterator, Sequence
from typing import Any

import gast
import numpy as np

from sct.frontend.source.changing_calls import (
    WRITERS,
    WRITTEN_AT,
    changes_object,
    writes_arguments,
    writes_keyword,
)
from sct.frontend.source.name_scopes import nodes_in
from sct.frontend.writes.callees import DESCRIPTORS, UNKNOWN, Callees, is_function_of_library

__all__ = ["ANY_PART", "changed_object", "is_followed", "items_of", "may_write", "writes_at_position",
           "written_expressions", "written_part"]

_FIRST = (setattr, delattr, next, vars)
"""Builtins that change, or show to be changed, their first argument."""

_OF_ATTRIBUTES = ("__setattr__", "__delattr__")
"""Methods that change attributes of their object."""

ANY_PART = "*"
"""Stands for the name of an attribute, where it is not known whether it is an item that is written."""

_UFUNC_METHODS = {"at": 0, "reduce": 3, "accumulate": 3, "reduceat": 4}
"""Methods of ufuncs, with the position of what they write to."""


def written_expressions(node: Any, callees: Callees) -> Iterator[Any]:
    """The expressions that the code below a node writes into, and those whose object a call may change; None:
    everything."""
    for n in nodes_in(node):
        if isinstance(n, (gast.Attribute, gast.Subscript)) and not isinstance(n.ctx, gast.Load):
            yield n
        elif isinstance(n, gast.AugAssign) and isinstance(n.target, gast.Name):
            yield _item_of(n.target)
        elif isinstance(n, gast.Call):
            yield from _written_by_call(n, callees)
        if isinstance(n, gast.Attribute) and changes_object(f".{n.attr}"):
            yield items_of(n.value) if n.attr in _OF_ATTRIBUTES else _item_of(n.value)
        if isinstance(n, (gast.Name, gast.Attribute)) and isinstance(n.ctx, gast.Load) and \
                not is_followed(n, callees) and any(map(may_write, callees.candidates(n))):
            yield None


def is_followed(node: Any, callees: Callees) -> bool:
    """Is a function called here, or bound to a variable under which it is found?"""
    parent = callees.bindings.parents.get(node)
    if isinstance(parent, gast.Call):
        return parent.func is node
    if isinstance(parent, gast.Assign) and len(parent.targets) == 1 and isinstance(parent.targets[0], gast.Name):
        return callees.bindings.only_value(parent.targets[0].id) is node
    return isinstance(parent, gast.Attribute)


def items_of(x: Any, depth: int = 1) -> Any:
    """The target of a write to any item or attribute of an expression, or to those of its items, so deep."""
    return x if depth == 0 else items_of(gast.Subscript(x, x, gast.Store()), depth - 1)


def _item_of(x: Any) -> Any:
    """The target of a write to an item of an expression."""
    return gast.Subscript(x, gast.Constant(None, None), gast.Store())


def written_part(target: Any) -> str | None:
    """The name of the attribute that is written to; None for an item, `ANY_PART` for an item or an attribute."""
    if isinstance(target, gast.Attribute):
        return ANY_PART if target.attr.startswith("__") else target.attr
    return None if isinstance(target, gast.Subscript) and target.slice is not target.value else ANY_PART


# -- functions of libraries ----------------------------------------------------------------------------------------


def may_write(f: Any) -> bool:
    """May this function or method of a library write to what it is called with?"""
    name = getattr(f, "__name__", "")
    if isinstance(f, operator.methodcaller):
        return changes_object(f".{f.__reduce__()[1][0]}")
    if isinstance(f, DESCRIPTORS):
        return changes_object(f".{name}")
    return is_function_of_library(f) and not isinstance(f, (type, np.ufunc)) and (
        _is_one_of(f, (exec, eval, *_FIRST)) or name in WRITERS)


def _is_one_of(f: Any, functions: Sequence[Any]) -> bool:
    return any(f is g for g in functions)


def changed_object(f: Any) -> Any:
    """The object that a call of this bound method of a library changes; UNKNOWN for others."""
    if not isinstance(f, (types.MethodType, types.BuiltinMethodType)) or not is_function_of_library(f) or \
            isinstance(f.__self__, (types.ModuleType, type)):
        return UNKNOWN
    return f.__self__ if changes_object(f".{f.__name__}") else UNKNOWN


def _written_by_call(call: Any, callees: Callees) -> Iterator[Any]:
    """What the call of a function of a library writes, and what a method does by its name."""
    candidates = callees.candidates(call.func)
    if _is_one_of(functools.partial, candidates) and call.args:
        yield from _written_by_call(gast.Call(call.args[0], call.args[1:], call.keywords), callees)
    for f in candidates:
        if isinstance(f, operator.methodcaller):
            yield from (_argument(call, 0) if may_write(f) else ())
        elif is_function_of_library(f):
            yield from _written_by(f, call, callees)
    if not candidates:
        yield from _written_by_unknown(call, callees)
    if isinstance(call.func, gast.Attribute) and call.func.attr == "__init__" and not _is_super(call.func.value):
        yield items_of(call.func.value)


def _is_import(callees: Callees, name: str) -> bool:
    return isinstance(callees.bindings.only_value(name), gast.alias)


def _is_super(node: Any) -> bool:
    return isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id == "super"


def writes_at_position(f: Any, count: int) -> bool:
    """May this function of a library write to one of so many arguments, as far as their positions say so?"""
    if isinstance(f, np.ufunc):
        return count > f.nin
    return any(position < count for position in (_position_of_out(f), *_positions_of_flags(f)) if position is not None)


def _written_by_unknown(call: Any, callees: Callees) -> Iterator[Any]:
    """What the call of a function writes that is not known: a method, as far as its name says so."""
    name = call.func.attr if isinstance(call.func, gast.Attribute) else ""
    if isinstance(call.func, gast.Name) and _is_import(callees, call.func.id):
        yield None  # its module is not there yet
    elif writes_arguments(f".{name}"):
        yield from map(_whole, call.args)
        yield items_of(call.func.value)
    elif name in _UFUNC_METHODS:
        yield from _argument(call, _UFUNC_METHODS[name])
    elif (position := _position_of_out(getattr(np, name, None))) is not None:
        yield from _argument(call, position - 1)
    yield from _written_by_keywords(call, getattr(np, name, None))


def _written_by(f: Any, call: Any, callees: Callees) -> Iterator[Any]:
    """What the call of a known function of a library writes."""
    name = getattr(f, "__name__", "")
    if _is_one_of(f, (exec, eval)):
        yield items_of(call.args[1]) if len(call.args) > 1 else None
    elif _is_one_of(f, (operator.methodcaller, operator.attrgetter)) and not all(map(_is_reader, call.args)):
        yield None
    elif f is getattr and not all(map(_is_reader, call.args[1:2])) and _may_be_called(call, callees, 0):
        yield items_of(call.args[0])
    elif isinstance(f, np.ufunc):
        for position in range(f.nin, f.nargs):
            yield from _argument(call, position)
    elif isinstance(owner := getattr(f, "__self__", None), np.ufunc):
        yield from _argument(call, _UFUNC_METHODS.get(name, len(call.args)))
    elif _is_one_of(f, _FIRST) or f is np.nan_to_num and not _copies(call) or \
            isinstance(f, DESCRIPTORS) and (changes_object(f".{name}") or name == "__init__"):
        yield from _argument(call, 0)
    elif name in WRITTEN_AT and not isinstance(f, type):
        yield from _argument(call, WRITTEN_AT[name])
    elif hasattr(np.ndarray, name) and (isinstance(f, DESCRIPTORS) or isinstance(owner, np.ndarray)):
        if (place := _position_of_out(getattr(np, name, None))) is not None:
            yield from _argument(call, place if isinstance(f, DESCRIPTORS) else place - 1)
    else:
        yield from _written_by_position(f, call)
    yield from _written_by_keywords(call, f)


def _written_by_position(f: Any, call: Any) -> Iterator[Any]:
    """What an argument says by its position that is written."""
    if (position := _position_of_out(f)) is not None:
        yield from _argument(call, position)
    if any(p < len(call.args) and not _is_false(call.args[p]) for p in _positions_of_flags(f)):
        yield from map(_whole, call.args)


def _written_by_keywords(call: Any, f: Any) -> Iterator[Any]:
    for k in call.keywords:
        if k.arg is None:
            if isinstance(f, np.ufunc) or any(writes_keyword(name) for name in _parameters(f)):
                yield items_of(k.value, 2)
        elif k.arg in ("out", "output"):
            yield items_of(k.value, 2 if isinstance(k.value, gast.Tuple) else 1)
        elif writes_keyword(k.arg) and not _is_false(k.value):
            yield from map(_whole, call.args)
            if isinstance(call.func, gast.Attribute):
                yield items_of(call.func.value)


def _parameters(f: Any) -> tuple[str, ...]:
    """The names of the parameters of a function of a library, as far as it says them."""
    try:
        return _signature(f) if callable(f) else ()
    except TypeError:  # no object that can be looked up, as a function of `ctypes`
        return ()


@functools.lru_cache(maxsize=4096)
def _signature(f: Any) -> tuple[str, ...]:
    try:
        return tuple(inspect.signature(f).parameters)
    except (TypeError, ValueError):
        return ()


def _position_of_out(f: Any) -> int | None:
    return next((k for k, name in enumerate(_parameters(f)) if name in ("out", "output")), None)


def _positions_of_flags(f: Any) -> list[int]:
    """The positions of arguments that say whether others may be written."""
    return [k for k, name in enumerate(_parameters(f)) if writes_keyword(name) and name not in ("out", "output")]


# -- arguments -----------------------------------------------------------------------------------------------------


def _argument(call: Any, position: int) -> Iterator[Any]:
    """The argument at a position, and what stars may put there, as targets."""
    for k, x in enumerate(call.args[:position + 1]):
        if isinstance(x, gast.Starred):
            yield items_of(x.value, 2)
        elif k == position:
            yield items_of(x)


def _whole(x: Any) -> Any:
    return items_of(x.value, 2) if isinstance(x, gast.Starred) else items_of(x)


def _is_false(node: Any) -> bool:
    return isinstance(node, gast.Constant) and not node.value


def _copies(call: Any) -> bool:
    """Does `np.nan_to_num` make a copy?"""
    copies = [*call.args[1:2], *(k.value for k in call.keywords if k.arg in ("copy", None))]
    return all(isinstance(x, gast.Constant) and x.value for x in copies)


def _is_reader(x: Any) -> bool:
    """Is this the name of an attribute that is no method which changes its object?"""
    return isinstance(x, gast.Constant) and not changes_object(f".{x.value}")


def _may_be_called(node: Any, callees: Callees, depth: int) -> bool:
    """May the function that an expression gives be called?"""
    parent = callees.bindings.parents.get(node)
    if isinstance(parent, gast.Call):
        return parent.func is node or not _is_one_of(callees.find(parent.func), _READERS)
    if isinstance(parent, (gast.GeneratorExp, gast.ListComp)):
        return _may_be_called(parent, callees, depth)
    if isinstance(parent, gast.Assign) and isinstance(parent.targets[0], gast.Name) and depth < 3:
        return any(_may_be_called(x, callees, depth + 1) for x in callees.bindings.reads[parent.targets[0].id])
    return not isinstance(parent, (gast.BinOp, gast.Compare, gast.FormattedValue, gast.Attribute, gast.Subscript,
                                   gast.AugAssign, gast.Return))


_READERS = (float, int, str, bool, len, abs, round, repr, isinstance, print, sum, any, all, max, min,
            callable, type)
"""Functions that do not call what they are given."""
