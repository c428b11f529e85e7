"""Calls that change their object or their arguments, as far as the names of the functions say so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import gast

from sct.frontend.source.name_scopes import nodes_in

__all__ = ["WRITERS", "changes_object", "passed_to", "takes_items", "writes_arguments", "writes_keyword",
           "written_expressions"]

_CHANGES = re.compile(
    r"\.(append|appendleft|extend|extendleft|insert|remove|pop|popleft|popitem|clear|add|discard|update|"
    r"setdefault|reverse|sort|rotate|subtract|move_to_end|__setitem__|__delitem__|__setattr__|__delattr__|"
    r"__i(?!nit|nt|ndex|ter)\w+__|\w+_update|fill|put|partition|resize|setflags|setfield|itemset|byteswap)\b")
"""Methods that change their object."""

_TAKE_ITEMS = frozenset(("extend", "extendleft", "update", "difference_update", "intersection_update", "subtract",
                         "symmetric_difference_update"))
"""Methods that take the items of a list or dict, and not the list or dict itself."""

WRITERS = frozenset((
    "insort", "insort_left", "insort_right", "shuffle", "copyto", "put", "place", "putmask", "fill_diagonal", "dump",
    "put_along_axis", "sleep", "save", "savez", "savez_compressed", "savetxt", "memmap", "seed", "set_state",
    "heapify", "heappush", "heappop", "heapreplace", "heappushpop", "readinto", "open", "open_code", "FileIO",
    "setitem", "delitem", "iadd", "iand", "iconcat", "ifloordiv", "ilshift", "imatmul", "imod", "imul", "ior", "ipow",
    "irshift", "isub", "itruediv", "ixor"))
"""Functions that write to their arguments, or to the world outside."""

_CHANGING = frozenset(("next", "setattr", "delattr", "exec", "eval", "vars", "globals"))

_CLASSES = frozenset(("list", "dict", "set", "bytearray", "object", "type", "deque", "OrderedDict", "Counter", "super"))
"""Classes whose methods get the object as an argument: `dict.update(d, n=1)`."""


def changes_object(text: str) -> bool:
    """Does the template read a method that changes its object?"""
    return _CHANGES.search(text) is not None


def takes_items(text: str) -> bool:
    """Is this the template of a method that takes the items of a list or dict, and not the list or dict itself?"""
    return text.rpartition(".")[2] in _TAKE_ITEMS


def writes_arguments(text: str) -> bool:
    """Is this the template of a method that writes to its arguments, or to the world outside?"""
    return text.rpartition(".")[2] in WRITERS


def writes_keyword(name: str | None) -> bool:
    """Does a function of a library write to the argument of this keyword, or because of it?"""
    return name is None or name in ("out", "output", "inplace") or name.startswith("overwrite")


def written_expressions(node: Any) -> Iterator[Any]:
    """The expressions in a function that are written into, and those whose object a call may change, as targets."""
    for n in nodes_in(node):
        if isinstance(n, (gast.Attribute, gast.Subscript)) and not isinstance(n.ctx, gast.Load):
            yield n
        elif isinstance(n, gast.AugAssign) and isinstance(n.target, gast.Name):
            yield gast.Subscript(n.target, n.target, gast.Store())
        elif isinstance(n, gast.Attribute) and changes_object(f".{n.attr}"):
            yield gast.Subscript(n.value, n.value, gast.Store())
        elif isinstance(n, gast.Call):
            yield from (gast.Subscript(x, x, gast.Store()) for x in passed_to(n) or ())


def passed_to(call: Any) -> list[Any] | None:
    """The arguments that a call may change, as far as the name of the function says so; None: it does not."""
    of = call.func.value if isinstance(call.func, gast.Attribute) else None
    name = call.func.attr if isinstance(call.func, gast.Attribute) else getattr(call.func, "id", "")
    keywords = [k.value for k in call.keywords if k.arg is not None and writes_keyword(k.arg)]
    of_class = getattr(of, "attr", getattr(of, "id", "")) in _CLASSES and changes_object(f".{name}")
    if not (name in _CHANGING or writes_arguments(f".{name}") or keywords or of_class):
        return None
    arguments = [x.value if isinstance(x, gast.Starred) else x for x in (*call.args, *keywords)]
    return arguments if of is None else [*arguments, of]
