"""Calls that change their object or their arguments, as far as the names of the functions say so."""

from __future__ import annotations

import logging
import re
from typing import Any

__all__ = [
    "WRITERS", "WRITTEN_AT", "changes_object", "takes_items", "writes_arguments", "writes_keyword", "writes_log"]

_CHANGES = re.compile(
    r"\.(append|appendleft|extend|extendleft|insert|remove|pop|popleft|popitem|clear|add|discard|update|"
    r"setdefault|reverse|sort|rotate|subtract|move_to_end|__setitem__|__delitem__|__setattr__|__delattr__|"
    r"__i(?!nit|nt|ndex|ter)\w+__|\w+_update|fill|put|partition|resize|setflags|setfield|itemset|byteswap)\b")
"""Methods that change their object."""

_TAKE_ITEMS = frozenset(("extend", "extendleft", "update", "difference_update", "intersection_update", "subtract",
                         "symmetric_difference_update"))
"""Methods that take the items of a list or dict, and not the list or dict itself."""

WRITTEN_AT = dict.fromkeys((
    "insort", "insort_left", "insort_right", "shuffle", "copyto", "put", "place", "putmask", "fill_diagonal",
    "put_along_axis", "save", "savez", "savez_compressed", "savetxt", "memmap", "heapify", "heappush", "heappop",
    "heapreplace", "heappushpop", "readinto", "setitem", "delitem", "iadd", "iand", "iconcat", "ifloordiv", "ilshift",
    "imatmul", "imod", "imul", "ior", "ipow", "irshift", "isub", "itruediv", "ixor"), 0) | {"dump": 1}
"""Functions of libraries that write to an argument, with its position."""

_TO_THE_WORLD = frozenset(("sleep", "seed", "set_state", "open", "open_code", "FileIO"))
"""Functions that change the world outside, and no argument."""

WRITERS = _TO_THE_WORLD | WRITTEN_AT.keys()
"""Functions that write to their arguments, or to the world outside."""


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


def writes_log(f: Any) -> bool:
    """Is this a function of `logging` or a method of a logger, which raises nothing, and leaves its arguments?"""
    owner = getattr(f, "__self__", None)
    return isinstance(owner, (logging.Logger, logging.LoggerAdapter)) or any(f is g for g in _OF_LOGGING)


_OF_LOGGING = (logging.debug, logging.info, logging.warning, logging.error, logging.critical, logging.log)
