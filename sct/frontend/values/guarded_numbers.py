"""Guarded numbers: differentiated numbers whose run-time value is known, since it decides what is computed.

    for k in {x, 2.0}: s += k * k      Python orders the set by the values; `k` is `x` again

Python computes with known values.  A guarded number may be a key or an item of a set, and may be compared; arithmetic
on it would give a constant without derivative, and is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from sct.ir import Value

if TYPE_CHECKING:
    from sct.ir import Builder

__all__ = ["Asked", "Cut", "asked", "is_asked", "plain"]


class Cut(Exception):
    """Python would compute a constant from a number of the function."""


class Asked:
    """A float or an int that is the value of `of` for these arguments; `home` is the block in which it was asked."""

    of: Value
    home: Builder


def _refused(name: str) -> Callable[..., Any]:
    def method(self: Any, *_: Any) -> NoReturn:
        raise Cut

    method.__name__ = name
    return method


_ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow")
_OTHERS = ("neg", "pos", "abs", "float", "int", "index", "trunc", "floor", "ceil", "round")
_METHODS = {f"__{name}__": _refused(f"__{name}__")
            for name in (*_ARITHMETIC, *(f"r{name}" for name in _ARITHMETIC), *_OTHERS)}
_CLASSES = {cls: type(cls.__name__, (Asked, cls), dict(_METHODS)) for cls in (float, int)}
"""Python names the class in messages: it is called as the one that it is like."""


def asked(value: Any, of: Value, home: Builder) -> Any:
    """The float or int `value`, which remembers that it is the value of `of`."""
    number = _CLASSES[type(value)](value)
    number.of, number.home = of, home
    return number


def is_asked(value: Any) -> bool:
    """Is this a number of the function, or a tuple or set that holds one?"""
    if isinstance(value, (tuple, set, frozenset)):
        return any(map(is_asked, value))
    return isinstance(value, Asked)


def plain(value: Any) -> Any:
    """The plain number, or the tuple or set of plain numbers."""
    if isinstance(value, (tuple, set, frozenset)) and is_asked(value):
        return type(value)(map(plain, value))
    return value.conjugate() if isinstance(value, Asked) else value  # type: ignore[attr-defined]
