"""Observed operands: objects of the user's classes, whose special methods run instrumented.

    a * b        ->      __sct_operand__(a) * __sct_operand__(b)
    a[k]         ->      __sct_operand__(a)[k]
    len(a)       ->      len(__sct_operand__(a))

The operand has a class of its own, with the special methods of the class of the object and the same bases.  So it is
Python that chooses the method, and calls the reflected one where the first returns NotImplemented.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from sct.frontend.evaluator.own_methods import is_library
from sct.ir.pytrees.user_objects import is_user_class

__all__ = ["ObservedOperand", "ObservedOperands", "object_of"]


class ObservedOperand:
    """An object of a user's class in an expression, as an operand."""

    __slots__ = ("of",)

    def __init__(self, of: Any) -> None:
        self.of = of

    def __eq__(self, other: object) -> Any:
        return self.of is object_of(other) or NotImplemented

    def __hash__(self) -> int:
        return object.__hash__(self.of)

    def __repr__(self) -> str:
        return object.__repr__(self.of)


def object_of(x: Any) -> Any:
    """The object that an operand stands for; anything else as it is."""
    return x.of if isinstance(x, ObservedOperand) else x


_NOT_OF_OPERANDS = frozenset((
    "__init__", "__new__", "__del__", "__class__", "__class_getitem__", "__getattr__", "__getattribute__",
    "__setattr__", "__delattr__", "__slots__", "__dict__", "__weakref__", "__init_subclass__", "__subclasshook__",
    "__set_name__", "__call__", "__post_init__", "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__",
    "__doc__", "__module__", "__qualname__", "__annotations__", "__orig_bases__", "__parameters__", "__match_args__"))
"""Special names that are not looked up for an operator, or that operands have of their own."""

_BY_SPECIAL_METHODS = frozenset((
    abs, all, any, bool, complex, divmod, enumerate, filter, float, format, hash, int, iter, len, list, map, max, min,
    next, pow, repr, reversed, round, set, sorted, str, tuple, zip))
"""Builtins that call special methods of their arguments, and do not keep these."""


class ObservedOperands:
    """Makes operands.

    run      calls a function or method of the user, instrumented
    classes  the classes of operands, by the class of the object
    """

    def __init__(self, run: Callable[..., Any]) -> None:
        self.run = run
        self.classes: dict[type, type] = {object: ObservedOperand}

    def operand(self, x: Any) -> Any:
        """The operand for `x`, if it is an object of a user's class; else `x` itself."""
        return self._class(type(x))(x) if is_user_class(type(x)) else x

    def _class(self, cls: type) -> type:
        """The class of operands of this class of objects: it has the same special methods, and bases like these."""
        if cls not in self.classes:
            own = {name: self._method(raw) if callable(raw) else raw
                   for name, raw in vars(cls).items() if _is_special(name)}
            bases = [base for base in dict.fromkeys(map(self._class, cls.__bases__)) if base is not ObservedOperand]
            self.classes[cls] = type(cls.__name__, tuple(bases) or (ObservedOperand,), {"__slots__": (), **own})
        return self.classes[cls]

    def _method(self, raw: Any) -> Any:
        def method(self: ObservedOperand, *args: Any) -> Any:
            return run(self.of, *map(object_of, args))

        run = functools.partial(self._run, raw)
        return method

    def _run(self, raw: Any, owner: Any, *args: Any) -> Any:
        if isinstance(raw, types.FunctionType):
            return self.run(types.MethodType(raw, owner), *args)
        return raw(owner, *args)

    def builtin(self, f: Any) -> Any:
        """The callable that is called instead of a builtin."""
        if f is sum:
            return self._sum
        if f not in _BY_SPECIAL_METHODS and f is not functools.reduce:
            return f
        return lambda *args, **kwargs: object_of(f(*map(self._passed, args), **{
            k: self._passed(v) for k, v in kwargs.items()}))

    def _passed(self, x: Any) -> Any:
        """What is passed to a builtin in the place of `x`: a function of the user runs instrumented, too."""
        is_users = isinstance(x, (types.FunctionType, types.MethodType)) and not is_library(getattr(x, "__func__", x))
        return functools.partial(self.run, x) if is_users else self.operand(x)

    def _sum(self, xs: Any, start: Any = 0) -> Any:
        return functools.reduce(lambda a, b: self.operand(a) + self.operand(b), xs, start)


def _is_special(name: str) -> bool:
    return name[:2] == "__" == name[-2:] and name not in _NOT_OF_OPERANDS
