"""Private names, descriptors, slots and how objects are made: the derivative does what Python does.

A program is registered with the arguments that it is called with; `refused` ones say by which code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from oracle import agrees, refuses

PROGRAMS: list[Any] = []
REFUSED: list[Any] = []


def on(*args: Any) -> Callable[[Any], Any]:
    def register(f: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS.append(pytest.param(f, args, id=f.__name__))
        return f

    return register


def refused(code: str, *args: Any) -> Callable[[Any], Any]:
    def register(f: Callable[..., Any]) -> Callable[..., Any]:
        REFUSED.append(pytest.param(f, args, code, id=f.__name__))
        return f

    return register


# -- private names ---------------------------------------------------------------------------------------------


class Private:
    __scale = 3.0

    def __init__(self, a: Any) -> None:
        self.__a = a

    def get(self) -> Any:
        return self.__a * self.__scale

    def __double(self, x: Any) -> Any:
        return x * 2

    def double(self, x: Any) -> Any:
        return self.__double(x) + self._Private__double(x)  # type: ignore[attr-defined]

    @property
    def __five(self) -> Any:
        return self.__a * 5

    def five(self) -> Any:
        return self.__five

    def nested(self, x: Any) -> Any:
        def __inner(__v: Any, *, __k: float = 2.0) -> Any:
            return __v * __k * self.__a

        for __i in range(2):
            x = x * (__i + 1)
        (__w := x)
        return __inner(__w) + sum([__q * x for __q in (1.0, 2.0)])

    def write(self, x: Any) -> Any:
        self.__a *= x
        return self.__a

    def dunder(self) -> Any:
        self.__call__ = self.__a  # type: ignore[method-assign]
        return self.__call__


class Above(Private):
    def __init__(self, a: Any) -> None:
        super().__init__(a)
        self.__a = a * 3

    def own(self) -> Any:
        return self.__a


class _Under:
    def __init__(self, a: Any) -> None:
        self.__a = a
        self.__b__ = a * a

    class Inner:
        def __init__(self, a: Any) -> None:
            self.__a = a

        def get(self) -> Any:
            return self.__a

    def get(self) -> Any:
        return self.__a * self.__b__ + _Under.Inner(self.__a).get()


class __:
    def __init__(self, a: Any) -> None:
        self.__a = a


class Slotted:
    __slots__ = ("__v", "w")

    def __init__(self, v: Any) -> None:
        self.__v = v
        self.w = 2.0

    def get(self) -> Any:
        return self.__v * self.w


class Matched:
    def of(self, x: Any) -> Any:
        match [x, 2.0]:
            case [__a, *__rest]:
                return __a * __rest[0]


_Reads__outside = 5.0
OBJECT = Private(2.0)


class Reads:
    def of(self, x: Any, *, __kw: float = 2.0) -> Any:
        return __outside * x * __kw  # type: ignore[name-defined]  # noqa: F821


@on(1.3)
def private_of_class_and_base(x: Any) -> Any:
    a = Above(x)
    return a.get() + 10 * a.own() + len(vars(a)) * x


@on(1.3)
def private_written_from_outside(x: Any) -> Any:
    p = Private(x)
    p._Private__a = x * x  # type: ignore[attr-defined]
    p.__a = 7.0  # type: ignore[attr-defined]
    return p.get()


@on(1.3)
def private_is_not_there(x: Any) -> Any:
    return Private(x).__a  # type: ignore[attr-defined]


@on(1.3)
def private_is_asked_for(x: Any) -> Any:
    return x * (2.0 if hasattr(Private(x), "__a") else 3.0) * (hasattr(Private(x), "_Private__a") + 1)


@on(1.3)
def private_parts(x: Any) -> Any:
    p = Private(x)
    return p.double(x) + p.five() + p.nested(x) + p.write(x) + p.dunder()


@on(1.3)
def private_of_a_global(x: Any) -> Any:
    return OBJECT.get() * x + OBJECT.nested(x)


@on(Private(2.0))
def private_of_an_argument(p: Private) -> Any:
    return p.get() ** 2 + p.write(3.0)


@on(Slotted(2.0))
def private_slot(s: Slotted) -> Any:
    return s.get() ** 2


@on(1.3)
def private_slot_made(x: Any) -> Any:
    return Slotted(x).get()


@on(1.3)
def private_of_a_class_with_an_underscore(x: Any) -> Any:
    return _Under(x).get() + _Under(x)._Under__a + __(x).__a  # type: ignore[attr-defined]


@on(1.3)
def private_global_and_keyword(x: Any) -> Any:
    return Reads().of(x) + Reads().of(x, _Reads__kw=x)  # type: ignore[call-arg]


@on(1.3)
def private_keyword_as_written(x: Any) -> Any:
    return Reads().of(x, __kw=x)  # type: ignore[call-arg]


@on(1.3)
def private_in_a_pattern(x: Any) -> Any:
    return Matched().of(x)


class Names:
    def of(self, x: Any) -> Any:
        def __f(__v: Any) -> Any:
            return __v

        return __f()  # type: ignore[call-arg]


@on(1.3)
def private_in_a_message(x: Any) -> Any:
    return Names().of(x)


# -- all -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("f", "args"), PROGRAMS)
def test_as_python(f: Any, args: Any) -> None:
    agrees(f, *args)


@pytest.mark.parametrize(("f", "args", "code"), REFUSED)
def test_refused(f: Any, args: Any, code: str) -> None:
    refuses(f, *args, code=code)
