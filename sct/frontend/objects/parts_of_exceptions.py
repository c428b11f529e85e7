"""What exceptions of the program carry: their arguments, and the attributes that `__init__` of a user's class sets.

    raise Stop(x) ... except Stop as e: return e.value   ->   `x` goes to the handler beside the exception
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Mapping, Sequence
from typing import Any

import gast

from sct.errors import SctError
from sct.frontend.evaluator.own_methods import is_library
from sct.frontend.source.parse import source_of
from sct.frontend.values.abstract_values import Abstract, Tup

__all__ = ["parts_of_exception"]


def parts_of_exception(cls: type[BaseException], args: Sequence[Abstract], kwargs: Mapping[str, Abstract]) -> Tup:
    """The attributes of `cls(*args, **kwargs)` that are known, as a tuple with these names."""
    own, *bases = [c for c in cls.__mro__ if "__init__" in vars(c) or "__new__" in vars(c)]
    static = inspect.getattr_static
    if any(static(cls, name) is not static(BaseException, name) for name in _AS_BUILTIN):
        return Tup(())
    if own.__module__ == "builtins" and not issubclass(own, OSError):
        parts: dict[str, Abstract] = {} if kwargs else {"args": Tup(tuple(args))}
        if args and inspect.getattr_static(cls, "value", None) is vars(StopIteration)["value"]:
            parts["value"] = args[0]
        return Tup(tuple(parts.values()), tuple(parts))
    init: Any = vars(own).get("__init__")
    if not isinstance(init, types.FunctionType) or is_library(init) or "__new__" in vars(own) or any(
            base.__module__ != "builtins" for base in bases):
        return Tup(())
    try:
        bound = inspect.signature(init).bind(None, *args, **kwargs).arguments
    except TypeError:
        return Tup(())
    parts = {attribute: bound[param] for attribute, param in _attributes(init).items() if param in bound and not
             hasattr(getattr(cls, attribute, None), "__set__") and not hasattr(BaseException, attribute)}
    return Tup(tuple(parts.values()), tuple(parts))


_AS_BUILTIN = ("args", "__getattribute__", "__setattr__")
"""What a class may not define anew, so that an attribute has the value that `__init__` assigns."""

_BASES = frozenset(("Exception", "ValueError", "RuntimeError", "ArithmeticError"))
"""Builtin classes whose `__init__` may be called by name."""


@functools.lru_cache(maxsize=1024)
def _attributes(init: types.FunctionType) -> Mapping[str, str]:
    """The attributes to which an `__init__` assigns parameters as they are, if it does nothing else that is seen."""
    try:
        node: Any = source_of(init.__code__).node
    except SctError:
        return {}
    params = [a.id for a in (*node.args.posonlyargs, *node.args.args)]
    if not params or not _BASES.isdisjoint(init.__globals__):
        return {}
    assigned: list[tuple[str, str | None]] = []
    for stmt in node.body:
        pairs = _pairs(stmt, params[0])
        if pairs is None:
            return {}
        assigned += pairs
    names = [attribute for attribute, _ in assigned]
    return {attribute: value for attribute, value in assigned
            if value is not None and value in params[1:] and names.count(attribute) == 1}


def _pairs(stmt: Any, self: str) -> list[tuple[str, str | None]] | None:
    """The attributes that a statement assigns, with the names that are assigned to them; None if it does more."""
    if isinstance(stmt, gast.Pass) or isinstance(stmt, gast.Expr) and (
            isinstance(stmt.value, gast.Constant) or _calls_base(stmt.value)):
        return []
    target: Any = stmt.targets[0] if isinstance(stmt, gast.Assign) and len(stmt.targets) == 1 else \
        stmt.target if isinstance(stmt, gast.AnnAssign) else None
    value: Any = getattr(stmt, "value", None)
    tuples = isinstance(target, gast.Tuple) and isinstance(value, gast.Tuple) and len(target.elts) == len(value.elts)
    pairs = list(zip(target.elts, value.elts)) if tuples else [(target, value)]
    own = all(isinstance(t, gast.Attribute) and isinstance(t.value, gast.Name) and t.value.id == self for t, _ in pairs)
    return [(t.attr, v.id if isinstance(v, gast.Name) else None) for t, v in pairs] if own else None


def _calls_base(call: Any) -> bool:
    """Is this `super().__init__(...)`, or `Exception.__init__(self, ...)` of a builtin class?"""
    f = call.func if isinstance(call, gast.Call) else None
    if not isinstance(f, gast.Attribute) or f.attr != "__init__":
        return False
    of = f.value
    return isinstance(of, gast.Call) and isinstance(of.func, gast.Name) and of.func.id == "super" and not of.args \
        or isinstance(of, gast.Name) and of.id in _BASES
