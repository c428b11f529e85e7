"""What a derivative reads from outside must stay as it is during a call.

    def f(x): return x * tick() + STATE.n     # `STATE.n` is read before the call, and `tick` runs as it is

sct refuses a function that reads what it writes.  Which writes the code of a callee makes that runs as it is, its
source does not always show (an object in a closure, a view, a property of a metaclass).  After such a call, what was
read is compared with what it is now.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from sct.call_checks import GONE, METHODS, MISS, Match, outside_facts, place_of
from sct.errors import SctError
from sct.frontend import Traced, read_path
from sct.frontend.writes.references import PLAIN, is_library_function
from sct.ir import walk
from sct.ir.pytrees.pytree import Places
from sct.ir.pytrees.user_objects import is_defined_by_user

__all__ = ["OutsideReads", "outside_reads"]

_AS_IT_IS = ("apply", "inactive")


class OutsideReads:
    """The values and the facts that a derivative reads from outside."""

    def __init__(self, traced: Traced) -> None:
        self.traced, self.facts = traced, outside_facts(traced)

    def now(self, root: Any) -> list[Any]:
        """The values as they are now, in copies."""
        return [_snapshot(read_path(leaf.path, root)) for leaf in self.traced.free]

    def checked(self, bind: Callable[[Any], Match]) -> Callable[[Any], Match]:
        """bind(root) -> match, which checks after each call."""
        def bind_checked(root: Any) -> Match:
            match = bind(root)

            def match_checked(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
                try:
                    before = self.now(root)
                except GONE:
                    return MISS
                result = match(args, kwargs)
                if result is not MISS:
                    self.check(root, before)
                return result

            return match_checked

        return bind_checked

    def check(self, root: Any, before: list[Any]) -> None:
        """Raises SctError if they are not what they were before the call."""
        try:
            same = all(map(_same, before, self.now(root))) and self.facts(root) is not MISS
        except GONE:
            same = False
        if not same:
            raise SctError(
                "SCT302", f"`{self.traced.name}` reads something from outside that a call in it changes",
                loc=place_of(root), why="it was read before the call, so its new value is not seen",
                hint="return the new value from the call, and use that; or pass what is changed as an argument")


def outside_reads(traced: Traced, root: Any) -> OutsideReads | None:
    """What the derivative reads from outside, if it also runs code of the user as it is; else None."""
    functions = (traced.fn, *traced.fn.functions)
    if not any(eqn.op.name in _AS_IT_IS for fn in functions for eqn in walk(fn)):
        return None
    values = [read_path(leaf.path, root) for leaf in traced.free]
    return None if all(map(_runs_no_user_code, values)) else OutsideReads(traced)


def _runs_no_user_code(x: Any) -> bool:
    """Is this a number, a string, an array, or what a library defines?"""
    if isinstance(x, types.FunctionType):
        return is_library_function(x) and not x.__closure__
    if isinstance(x, type):
        return not is_defined_by_user(x)
    if isinstance(x, types.BuiltinFunctionType):
        return isinstance(x.__self__, types.ModuleType) or type(x.__self__) in PLAIN
    if isinstance(x, types.MethodType):
        return _runs_no_user_code(x.__func__) and not is_defined_by_user(type(x.__self__))
    if isinstance(x, (list, tuple)):
        return all(map(_runs_no_user_code, x))
    if type(x) in (dict, Places):
        return all(map(_runs_no_user_code, x.values()))
    return type(x) in PLAIN or isinstance(x, (np.ndarray, np.generic, np.ufunc, np.dtype))


def _snapshot(x: Any) -> Any:
    if type(x) in (list, tuple):
        return type(x)(map(_snapshot, x))
    if type(x) is dict:
        return {key: _snapshot(value) for key, value in x.items()}
    return x.copy() if type(x) is np.ndarray else x


def _same(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if type(a) in (list, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(map(_same, a.values(), b.values()))
    if type(a) is np.ndarray:
        return bool(a.shape == b.shape and a.dtype == b.dtype and (a.dtype.hasobject or a.tobytes() == b.tobytes()))
    if isinstance(a, METHODS):
        return bool(a == b)
    return a is b or type(a) in PLAIN and bool(a == b or a != a and b != b)
