"""Special methods that the user has written read what they read at every call: as an index, or where things are equal.

A key is looked up by Python itself, when the function is compiled: keys with a hash or an equality of their own are
refused.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses

from sct import SctError, grad, value_and_grad

Function = Callable[..., Any]

N = 1


class Place(enum.Enum):
    A = 1

    def __index__(self) -> int:
        return N


class Position:
    def __index__(self) -> int:
        return N


class Scaled(Position):
    def __rmul__(self, other: Any) -> Any:
        return sum(other) * N


class Alike(enum.Enum):
    A = 1
    B = 2

    def __eq__(self, other: object) -> bool:
        return N == 1

    def __hash__(self) -> int:
        return 7


class Hashed(enum.Enum):
    A = 1

    def __hash__(self) -> int:
        return N


class Thing:
    def __eq__(self, other: object) -> bool:
        return N == 1

    def __hash__(self) -> int:
        return 7


@dataclasses.dataclass(unsafe_hash=True)
class Changing:
    v: float


@dataclasses.dataclass(frozen=True)
class Fixed:
    v: float


@dataclasses.dataclass(frozen=True)
class FixedOf:
    v: Alike


class Meta(type):
    def __eq__(cls, other: object) -> bool:
        return N == 1

    def __hash__(cls) -> int:
        return 7

    def __add__(cls, other: Any) -> float:
        return float(N)

    def __bool__(cls) -> bool:
        return N == 1

    def __getitem__(cls, k: Any) -> float:
        return float(N)

    def __contains__(cls, k: Any) -> bool:
        return N == 1

    def __index__(cls) -> int:
        return N

    def __instancecheck__(cls, other: Any) -> bool:
        return N == 1


class Left(metaclass=Meta):
    pass


class Right(metaclass=Meta):
    pass


PLACE, TWO, SCALED = Position(), (Thing(), Thing()), Scaled()
LISTED, TABLE = [Alike.A, 1.0], (1.0, 2.0, 3.0)
FIXED = Fixed(1.0)
THINGS, TWO_FIXED = {TWO[0]: 2.0}, {FIXED: 2.0, Fixed(2.0): 3.0}
CHANGING = Changing(1.0)


def elements(x: Any) -> Any:
    xs, text = [x, 2.0 * x, 3.0 * x], "123"
    return xs[Place.A] * (x, x * x, x + 1.0)[PLACE] + TABLE[Place.A] * float(text[PLACE]) * b"abc"[Place.A]


def slices(x: Any) -> Any:
    xs = [x, 2.0 * x, 3.0 * x]
    return sum(xs[Place.A:]) * sum(xs[: PLACE]) + sum(xs[slice(Place.A, None)]) + sum(TABLE[PLACE:]) * x + \
        float("123"[Place.A:]) * x


def arrays(x: Any) -> Any:
    u = np.array([x, 2.0 * x, 3.0 * x])
    u[PLACE:] *= x
    u[Place.A] += 1.0
    return np.sum(u[Place.A:] * u[PLACE]) + np.sum(np.array([[x, x * x], [x, 1.0], [x, 2.0]])[Place.A:, 0])


def writes(x: Any) -> Any:
    xs = [x, 2.0 * x, 3.0 * x, 4.0 * x]
    xs[Place.A] = x * x
    xs.insert(PLACE, 7.0 * x)
    first = xs.pop(Place.A)
    del xs[PLACE]
    xs[Place.A:] = [x * x * x]
    return first * sum(xs) + x * [1, 2, 1, 2, 1].index(1, Place.A)


def ranges(x: Any) -> Any:
    s = x * len(range(PLACE))
    for k in range(Place.A, 5):
        s += x * k
    return s + sum(x * x for _ in range(Place.A)) + sum(k * v for k, v in enumerate([x, x * x], PLACE))


def repetitions(x: Any) -> Any:
    xs = [x, 2.0 * x]
    xs *= PLACE
    return sum([x, x] * Place.A) + sum(PLACE * (x, x * x)) + sum(xs) * len(Place.A * [x, 1.0]) + [x, x] * SCALED


def long_lists(x: Any, n: int) -> Any:
    xs = []
    for k in range(n):
        xs.append(x * k)
    return xs[Place.A] * xs.pop(PLACE) + sum(xs[Place.A:]) + xs[PLACE]


def found(x: Any) -> Any:
    return x * [Alike.A, Alike.B].index(Alike.B) + x * (Alike.A, Alike.B).count(Alike.B)


def contained(x: Any) -> Any:
    y = x * 2.0 if Alike.A in [Alike.B] else x * 3.0
    y += x * x if Alike.A in (Alike.B, 3) else x
    y *= x if Alike.B in {"a": Alike.A}.values() else 3.0
    y *= x if ("a", Alike.B) in {"a": Alike.A}.items() else 2.0
    return y + (x if (Alike.A, 1.0) in [(Alike.B, 1.0)] else 4.0)


def equal_lists(x: Any) -> Any:
    y = x if LISTED == [Alike.B, 1.0] else 2.0 * x
    return y * (x if (Alike.A, 1) == (Alike.B, 1) else 3.0) + (x if (TWO[0], 1) == (TWO[1], 1) else 5.0 * x)


def metaclass(x: Any) -> Any:
    y = x * (Left + Right) * Left[0] if Left else x * x
    return y * (x if Left == Right else 3.0) + (x if 1 in Left else 2.0 * x) + [x, 2.0 * x, 3.0 * x][Right] + (
        x if Left in [Right] else x * 7.0)


@pytest.mark.parametrize("f", (elements, slices, arrays, writes, ranges, repetitions, found, contained, equal_lists,
                               metaclass, long_lists))
def test_special_methods_are_code_of_the_program(monkeypatch: pytest.MonkeyPatch, f: Function) -> None:
    derivative = value_and_grad(f)
    more = (9,) if f is long_lists else ()
    for n in (1, 2, 0, 1):
        monkeypatch.setitem(globals(), "N", n)
        assert derivative(1.5, *more)[0] == f(1.5, *more)
        agrees(f, 1.5, *more)


@pytest.mark.parametrize("f", (
    lambda x: {Alike.A: x}[Alike.B],
    lambda x: {Alike.A: x}.get(Alike.B, 5.0 * x),
    lambda x: {Alike.A: x, Alike.B: x * x}[Alike.A],
    lambda x: {7: x}.get(Alike.A, 5.0 * x),
    lambda x: {(1, Alike.A): x}[1, Alike.A],
    lambda x: x * len(dict([(Alike.A, x), (Alike.B, x)])),
    lambda x: x if Alike.A in {7: 1} else x * x,
    lambda x: x if Alike.A in {7} else x * x,
    lambda x: x * THINGS.get(TWO[1], 5.0),
    lambda x: x * THINGS[7],  # type: ignore[index]
    lambda x: x if TWO[1] in {1: 2} else x * x,
    lambda x: {Hashed.A: x}[Hashed.A],
    lambda x: {CHANGING: x}[CHANGING],
    lambda x: x * len(hex(Place.A)),
    lambda x: x * ord(chr(Place.A)),
), ids=range(15))
def test_python_itself_does_not_run_special_methods(f: Function) -> None:
    refuses(f, 1.5, code="SCT503")


@pytest.mark.parametrize("f", (
    lambda x: x * len({Alike.A, Alike.B}),
    lambda x: x * len(frozenset([Alike.A, Alike.B])),
    lambda x: x * len({k: 1 for k in Alike}),
    lambda x: x * len(dict.fromkeys([Alike.A, Alike.B])),
    lambda x: x * len({Left: 1, Right: 2}),
    lambda x: x * len({FixedOf(Alike.A): 1, FixedOf(Alike.B): 2}),
    lambda x: x * len("ab".center(Place.A)),
    lambda x: x if isinstance(1, Left) else x * x,
), ids=range(8))
def test_python_runs_special_methods_when_the_derivative_runs(f: Function) -> None:
    agrees(f, 1.5)


def test_an_argument_with_such_keys() -> None:
    with pytest.raises(SctError, match="SCT503"):
        grad(lambda x, d: x * d[Alike.A])(1.5, {Alike.A: 2.0})
    agrees(lambda x, d: x * d[Place.A], 1.5, {Place.A: 2.0})


def test_keys_that_are_fixed() -> None:
    agrees(lambda x: x * TWO_FIXED[FIXED] * len({FIXED: 1}), 1.5)
    agrees(lambda x: x * {Place.A: x}[Place.A], 1.5)
    agrees(lambda x: x if Place.A in {Place.A: 1} else x * x, 1.5)
