"""Enums: attributes, methods and operators of members are those of the call, as of other objects."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses

from sct import SctError, grad, jvp, value_and_grad, vjp

Function = Callable[..., Any]

SCALE = 2.0


class Plain(enum.Enum):
    A = 1
    B = 2.5

    def times(self, x: Any) -> Any:
        return x * self.value  # type: ignore[operator]

    @property
    def double(self) -> Any:
        return self.w * 2.0  # type: ignore[attr-defined]


class Holding(enum.Enum):
    DICT = {"k": 2.0}  # noqa: RUF012
    LIST = [1.0, 2.0]  # noqa: RUF012


class Computing(enum.IntEnum):
    A = 1
    B = 2

    def __mul__(self, other: Any) -> Any:
        return SCALE * other

    __rmul__ = __mul__

    def __neg__(self) -> Any:
        return SCALE

    def __eq__(self, other: object) -> bool:
        return SCALE > 3.0

    def __lt__(self, other: Any) -> bool:
        return SCALE < 3.0

    def __bool__(self) -> bool:
        return SCALE < 3.0

    def __getitem__(self, k: Any) -> Any:
        return SCALE + k

    def __float__(self) -> float:
        return SCALE

    def __str__(self) -> str:
        return f"{SCALE}"

    __hash__ = enum.IntEnum.__hash__


class Flags(enum.Flag):
    P = 1
    Q = 2


Plain.A.w, Plain.B.w = 2.0, 3.0  # type: ignore[attr-defined]


def attribute(x: Any, e: Any) -> Any:
    return x * e.w


def value_in_a_dict(x: Any, e: Any) -> Any:
    return x * Holding.DICT.value["k"] * Holding["DICT"].value["k"]


def value_in_a_list(x: Any, e: Any) -> Any:
    return x * sum(sum(m.value) for m in Holding if m is Holding.LIST)


def members(x: Any, e: Any) -> Any:
    return x * sum(m.w for m in Plain)  # type: ignore[attr-defined]


def member_of_a_class_that_is_passed(x: Any, e: Any) -> Any:
    return x * type(e).A.w


def member_by_value(x: Any, e: Any) -> Any:
    return Plain(2.5).times(x) * Plain(1).w  # type: ignore[attr-defined]


def method(x: Any, e: Any) -> Any:
    return e.times(x)


def method_of_a_member_outside(x: Any, e: Any) -> Any:
    return Plain.B.times(x)


def property_of_a_member(x: Any, e: Any) -> Any:
    return x * e.double + x * getattr(e, "w")  # noqa: B009


def attribute_that_may_lack(x: Any, e: Any) -> Any:
    return x * getattr(e, "more", 3.0)


@pytest.mark.parametrize("f", (attribute, value_in_a_dict, value_in_a_list, members, member_of_a_class_that_is_passed,
                               member_by_value, method, method_of_a_member_outside, property_of_a_member,
                               attribute_that_may_lack))
def test_members_are_read_at_every_call(monkeypatch: pytest.MonkeyPatch, f: Function) -> None:
    derivative = value_and_grad(f)

    def agree() -> None:
        for e in Plain:
            assert derivative(1.5, e)[0] == f(1.5, e)
            agrees(f, 1.5, e)

    agree()
    monkeypatch.setattr(Plain.A, "w", 5.0)
    monkeypatch.setitem(Holding.DICT.value, "k", 7.0)
    monkeypatch.setattr(Holding.LIST, "_value_", [1.0, 2.0, 3.0])
    agree()
    monkeypatch.setattr(Plain, "times", lambda self, x: x * x * 10.0)
    monkeypatch.setattr(Plain, "double", property(lambda self: 11.0))
    monkeypatch.setattr(Plain.B, "more", 4.0, raising=False)
    agree()


def product_of_members(x: Any, e: Any) -> Any:
    return x * (e * 3)


def product(x: Any, e: Any) -> Any:
    return e * x + (x + 1.0) * (2 * e)


def negative(x: Any, e: Any) -> Any:
    return x * -e


def equal(x: Any, e: Any) -> Any:
    return x * 2.0 if e == 1 else x


def less(x: Any, e: Any) -> Any:
    return x * 2.0 if e < 3 else x * 3.0 if e < x else x


def truth(x: Any, e: Any) -> Any:
    return x * 2.0 if e else x * (3.0 if not e else 1.0)


def item(x: Any, e: Any) -> Any:
    return x * e[1]


def conversion(x: Any, e: Any) -> Any:
    return x * float(e)


def text(x: Any, e: Any) -> Any:
    return x * 2.0 if f"{e}" == "2.0" else x if str(e) == "5.0" else x * 3.0


@pytest.mark.parametrize("f", (product_of_members, product, negative, equal, less, truth, item, conversion, text))
def test_operators_of_members_are_code_of_the_user(monkeypatch: pytest.MonkeyPatch, f: Function) -> None:
    derivative = value_and_grad(f)
    for scale in (2.0, 5.0, 2.5):
        monkeypatch.setitem(globals(), "SCALE", scale)
        assert derivative(1.5, Computing.B)[0] == f(1.5, Computing.B)
        agrees(f, 1.5, Computing.B)


def test_operators_that_are_not_seen_into_are_refused() -> None:
    refuses(lambda x, e: x * max(e, 3), 1.5, Computing.A, code="SCT503")
    refuses(lambda x, e: x if e != 3 else x * 2.0, 1.5, Computing.A, code="SCT503")


def flags(x: Any) -> Any:
    both = Flags.P | Flags.Q
    return x * both.value if Flags.Q in both and both & Flags.P else x * len(both.name or "")


def test_members_made_of_others() -> None:
    agrees(flags, 1.5)


class Level(enum.IntFlag):
    LOW = 1
    HIGH = 2


@pytest.mark.parametrize("member", (Level.LOW, Level.HIGH, Level.LOW | Level.HIGH, enum.IntEnum("Kind", "A B")(1)))
def test_members_that_are_ints_have_no_derivative(member: Any) -> None:
    def f(x: Any, e: Any, pair: Any) -> Any:
        return x * 2.0 if e == 1 else x * pair[0] * e

    value, pullback = vjp(f, 1.5, member, (member, 3.0))
    assert value == f(1.5, member, (member, 3.0))
    assert pullback(1.0)[1] is None
    assert pullback(1.0)[0] == grad(f)(1.5, member, (member, 3.0))
    assert jvp(f, (1.5, member, (member, 3.0)), (1.0, None, None))[1] == pullback(1.0)[0]
    with pytest.raises(SctError, match="SCT408"):
        grad(f, 1)(1.5, member, (member, 3.0))


class Mode(enum.Enum):
    IDLE = 0.25
    RUN = 1.5
    STOP = 3.0


class Bits(enum.Flag):
    A = 1
    B = 2


class AllEqual(enum.Enum):
    A = 1
    B = 2

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1


def next_mode(mode: Mode, x: float) -> Mode:
    if mode is Mode.IDLE and x > 1.0:
        return Mode.RUN
    if mode is Mode.RUN and x > 2.0:
        return Mode.STOP
    return mode


def by_a_helper(x: Any, n: int) -> Any:
    mode = Mode.IDLE
    for _ in range(n):
        mode = next_mode(mode, x)
        x *= 1.0 + 0.1 * mode.value
    return x


def bits(x: Any, n: int) -> Any:
    k = Bits.A
    for _ in range(n):
        x *= 1.1
        if x > 1.0:
            k = Bits.A | Bits.B
        if Bits.B in k:
            x *= 1.2
    return x


def all_equal(x: Any, n: int) -> Any:
    k = AllEqual.A
    for _ in range(n):
        x *= 1.1
        if x > 1.0:
            k = AllEqual.B
        if k == AllEqual.A:
            x *= 1.2
    return x


def true_or_none(x: Any, n: int) -> Any:
    k = None
    for _ in range(n):
        x *= 1.1
        if not k and x > 1.0:
            k = Mode.RUN
        elif k:
            x *= 1.3
    return x


def swapped(x: Any, n: int) -> Any:
    a, b = Mode.IDLE, Mode.RUN
    for _ in range(n):
        x *= 1.1
        if x > 1.0:
            a, b = b, a
        if a is b:
            x *= 1.2
        elif a is Mode.RUN:
            x *= 1.3
    return x


def in_a_try(x: Any, n: int) -> Any:
    mode = Mode.IDLE
    for _ in range(n):
        try:
            x *= 1.1
            if x > 1.0:
                mode = Mode.RUN
                raise ValueError("large")
            mode = Mode.STOP
        except ValueError:
            x = x * (0.9 if mode is Mode.RUN else 0.8)
    return x if mode is Mode.STOP else 2 * x


def in_a_closure(x: Any, n: int) -> Any:
    mode = Mode.IDLE

    def f(v: Any) -> Any:
        return v * mode.value

    for _ in range(n):
        x = x * 1.1 + f(x)
        if x > 1.0:
            mode = Mode.RUN
    return x


def int_members(x: Any, n: int) -> Any:
    k = Computing.A
    for _ in range(n):
        x *= 1.1
        if x > 1.0:
            k = Computing.B
        x = x * k.value
    return x


@pytest.mark.parametrize("f", [
    by_a_helper, bits, all_equal, true_or_none, swapped, in_a_try, in_a_closure, int_members])
def test_which_member_it_is_depends_on_the_path(f: Function, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    derivative = value_and_grad(f)
    for x, n in ((0.6, 9), (0.9, 1), (1.4, 3), (0.2, 4), (0.6, 0)):
        agrees(f, x, n, derivative=derivative)


def test_a_member_that_depends_on_the_path_is_what_it_is_in_any_expression(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")

    def times(x: Any, n: int) -> Any:
        k = Computing.A
        for _ in range(n):
            x = x * k
            if x > 3.0:
                k = Computing.B
        return x

    def text(x: Any, n: int) -> Any:
        k = Mode.IDLE
        for _ in range(n):
            x = x * len(f"{k}")
            if x > 3.0:
                k = Mode.RUN
        return x

    def of_an_int(x: Any, n: int) -> Any:
        k = Computing.A
        for i in range(n):
            x = x + i * k
            if x > 3.0:
                k = Computing.B
        return x

    for f in (times, text, of_an_int):
        agrees(f, 0.7, 5)


def test_a_float_computes_with_a_member_that_is_an_int(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")
    for f in (lambda x: x * Computing.B, lambda x: 3 * Computing.B * x, lambda x: np.float64(3.0) * Computing.B * x,
              lambda x: np.sum(np.array([x, 2.0]) * Computing.B)):
        agrees(f, 0.7)


def test_the_emitted_code_names_the_member() -> None:
    g = grad(by_a_helper)
    g(0.6, 9)
    assert "Mode.RUN" in g.source and "next_mode" not in g.source
