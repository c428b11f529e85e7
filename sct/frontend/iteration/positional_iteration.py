"""Iteration over objects of a class that has `__getitem__` and no `__iter__` of its own.

    for v in knots   ->   for v in knots._t     where `__getitem__` is `return self._t[i]`
"""

from __future__ import annotations

import collections
import types
from collections.abc import Iterator
from typing import Any

import gast

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.lookup_guards import in_class
from sct.frontend.evaluator.own_methods import is_library
from sct.frontend.objects.objects import class_of
from sct.frontend.source.name_scopes import body_of
from sct.frontend.source.parse import source_of
from sct.frontend.values.abstract_values import Abstract, ListRef, ObjRef, Static, Tup
from sct.ir.pytrees.user_objects import is_in_python

__all__ = ["items_by_position"]


def items_by_position(ev: Evaluator, v: Abstract) -> Abstract | None:
    """The items that `v[0]`, `v[1]`, ... have until it raises; None of an object that has no `__getitem__`."""
    cls = class_of(v) if isinstance(v, (ObjRef, Static)) else None
    raw, where = (None, None) if cls is None else in_class(ev, cls, "__getitem__")
    if where is None or not isinstance(raw, types.FunctionType) or is_library(raw) and not is_in_python(where):
        return None
    name = _attribute(raw)
    items = None if name is None else ev.call(Static(getattr), [v, Static(name)])
    return ev.call(Static(iter), [items]) if isinstance(items, (ListRef, Tup)) else ev.call(Static(_items), [v])


def _attribute(getitem: types.FunctionType) -> str | None:
    """The attribute of whose items `__getitem__` gives the one that it is asked for, without doing anything else."""
    if getitem is collections.UserList.__getitem__:
        return "data"  # a slice aside, which no position is
    node: Any = source_of(getitem.__code__).node
    body = [s for s in body_of(node) if not (isinstance(s, gast.Expr) and isinstance(s.value, gast.Constant))]
    only = body[0] if len(body) == 1 else None
    item = only.value if isinstance(only, gast.Return) else only
    names = [a.id for a in node.args.args]
    if not isinstance(item, gast.Subscript) or not isinstance(item.value, gast.Attribute) or len(names) != 2:
        return None
    read = [x.id if isinstance(x, gast.Name) else None for x in (item.value.value, item.slice)]
    return item.value.attr if read == names else None


def _items(owner: Any) -> Iterator[Any]:
    i = 0
    while True:
        try:
            item = owner[i]
        except (IndexError, StopIteration):
            return
        yield item
        i += 1
