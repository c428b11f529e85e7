"""What a program raises of constants and containers, and what it puts into exceptions and texts, is as in Python."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable
from typing import Any

import pytest
from oracle import agrees, refuses

from sct import grad, value_and_grad

Function = Callable[..., Any]

LONG = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
NESTED = [[1.0, 2.0]] * 6


@dataclasses.dataclass
class Point:
    v: float


class Doubled(Point):
    def __post_init__(self) -> None:
        self.v = self.v * 2.0


@dataclasses.dataclass
class Decorated(Point):
    def __post_init__(self) -> None:
        self.v = self.v * 3.0


@dataclasses.dataclass
class Fixed:
    v: float
    w: float = dataclasses.field(init=False, default=3.0)


class Bad(Exception):
    def __init__(self, v: Any) -> None:
        self.v = v


class Worse(ValueError):
    def __init__(self, v: Any, *, code: int = 3) -> None:
        super().__init__(f"bad {v}")
        self.code = code


def built(x: Any, n: int) -> Any:
    xs = []
    for k in range(n):
        xs.append(x * k)
    return xs


@pytest.mark.parametrize("f", (
    lambda x: x * LONG[:, None],  # type: ignore[call-overload]
    lambda x: x * LONG[0, 1],  # type: ignore[call-overload]
    lambda x: x * LONG[None],  # type: ignore[call-overload]
    lambda x: x * LONG["a"],  # type: ignore[call-overload]
    lambda x: x * LONG[1.0],  # type: ignore[call-overload]
    lambda x: NESTED[None][0] * x,  # type: ignore[call-overload]
    lambda x: NESTED[0, 1] * x,  # type: ignore[call-overload]
    lambda x: built(x, 9)[1, 2],
    lambda x: built(x, 9)[1.5],
    lambda x: x * len(dict([(1, 2, 3)])),  # type: ignore[list-item]
    lambda x: x * len(dict([(1, x), (2,)])),  # type: ignore[list-item]
    lambda x: x * len(list(itertools.combinations([x, x], -1))),
    lambda x: x * len(list(itertools.permutations([x, x], -1))),
    lambda x: x * len(list(itertools.combinations_with_replacement([x, x], -1))),
    lambda x: x * len(list(itertools.product([x, x], repeat=-1))),
    lambda x: dataclasses.replace(Fixed(x), w=2.0).v,
    lambda x: x * next(itertools.count(abs)),  # type: ignore[type-var]
    lambda x: x * next(itertools.count("a")),  # type: ignore[type-var]
    lambda x: functools.lru_cache(abs, [x])(x),  # type: ignore[call-overload]
), ids=range(19))
def test_what_python_raises(f: Function) -> None:
    agrees(f, 1.5)


@pytest.mark.parametrize("f", (
    lambda x: Doubled(x).v,
    lambda x: Decorated(x).v,
    lambda x: dataclasses.replace(Fixed(x), v=2.0 * x).v,
    lambda x: functools.lru_cache(abs)(x),
    lambda x: functools.lru_cache(abs, True)(x),
    lambda x: x * len(dict([(1, x), "ab"])),  # type: ignore[list-item]
    lambda x: x * len(list(itertools.combinations([x, x], 0))),
    lambda x: x * sum(itertools.islice(itertools.count(2.5, 0.5), 3)),
), ids=range(8))
def test_what_python_does(f: Function) -> None:
    agrees(f, 1.5)


@pytest.mark.parametrize("f", (
    lambda x: x if x < 10 ** 400 else 2.0 * x,
    lambda x: x * 10 ** 400,
    lambda x: max(x, -10 ** 400),
), ids=range(3))
def test_ints_beyond_floats_are_refused(f: Function) -> None:
    refuses(f, 1.5, code="SCT501")


def raises_its_own(x: Any) -> Any:
    if x > 1.0:
        raise Bad(x * 2.0)
    return x * x


def raises_a_value_error(x: Any) -> Any:
    y = x * x
    if y > 1.0:
        raise Worse(y, code=4)
    return y


def raises_in_a_helper(x: Any) -> Any:
    def check(v: Any) -> Any:
        if v > 1.0:
            raise Bad([v, x][0]) from ValueError(v)
        return v

    return check(x) * check(0.5 * x)


@pytest.mark.parametrize("f", (raises_its_own, raises_a_value_error, raises_in_a_helper))
def test_exceptions_of_the_user_may_hold_what_is_differentiated(f: Function) -> None:
    agrees(f, 1.5)
    agrees(f, 0.5)
    with pytest.raises((Bad, Worse)) as caught:
        f(1.5)
    with pytest.raises((Bad, Worse)) as of_grad:
        grad(f)(1.5)
    assert vars(of_grad.value) == vars(caught.value)


def shown_by_percent(x: Any) -> Any:
    print("%g and %5.2f|%-8.3e|%+d %s %r 100%%" % (x, x * x, -x, 3, x, "a"))
    print("%s" % x, "%08.3f" % -x, "%-9s|" % x, "%9r|" % x, "% g" % x, "%i" % (2 * 3), "%d" % x)
    return x * x


def shown_by_percent_without_values(x: Any) -> Any:
    print("%d %s" % (3, "a"), "%%" % ())
    return x * 2.0


@pytest.mark.parametrize("f", (shown_by_percent, shown_by_percent_without_values))
def test_texts_by_percent(f: Function) -> None:
    for x in (1.5, -2.25, 1234.5):
        agrees(f, x)


def test_percent_that_an_fstring_does_not_have_is_refused() -> None:
    refuses(lambda x: print("%(a)s" % {"a": x}) or x, 1.5, code="SCT501")
    refuses(lambda x: print("%*d" % (3, x)) or x, 1.5, code="SCT501")
    refuses(lambda x: print("%d %g" % ("3", x)) or x, 1.5, code="SCT501")
    refuses(lambda x: print("%.3d" % x) or x, 1.5, code="SCT501")


# -- arguments that do not fit ------------------------------------------------------------------------------


def with_two(x: Any, r: Any) -> Any:
    print("the body runs")
    return x * r


def with_keyword(x: Any, /, r: Any, *, k: Any) -> Any:
    return x * r * k


class Method:
    def times(self, x: Any, r: Any) -> Any:
        return x * r


@pytest.mark.parametrize("f", (with_two, with_keyword, Method().times, functools.partial(with_two, r=2.0)))
@pytest.mark.parametrize("args, kwargs", (
    ((), {}), ((1.0,), {}), ((1.0,), {"q": 2.0}), ((1.0,), {"x": 2.0}), ((1.0, 2.0, 3.0), {}),
    ((1.0, 2.0, 3.0, 4.0), {})))
def test_arguments_that_do_not_fit_raise_as_in_python(f: Function, args: Any, kwargs: Any, capsys: Any) -> None:
    message = None
    try:
        f(*args, **kwargs)
    except TypeError as error:
        message = str(error)
    capsys.readouterr()
    for derivative in (grad(f), grad(grad(f)), value_and_grad(f)) if message is not None else ():
        with pytest.raises(TypeError) as raised:
            derivative(*args, **kwargs)
        assert str(raised.value) == message
    assert not capsys.readouterr().out


# -- tuples in exceptions -----------------------------------------------------------------------------------


def raises_with_tuple(x: float) -> float:
    if x < 0.0:
        raise ValueError("bad", x, (1, "a"))
    return x * x


def asserts_with_tuple(x: float) -> float:
    assert x < 5.0, ("large", 5)
    return x * x


@pytest.mark.parametrize("x", (-2.0, 2.0))
def test_a_tuple_that_is_known_may_be_in_an_exception(x: float) -> None:
    agrees(raises_with_tuple, x)


def test_a_tuple_that_is_known_may_be_the_message_of_an_assert() -> None:
    derivative = grad(asserts_with_tuple)
    assert derivative(3.0) == 6.0
    with pytest.raises(AssertionError) as raised:  # pytest adds to the message of the assert itself
        derivative(7.0)
    assert raised.value.args == (("large", 5),)


def test_a_tuple_of_numbers_of_the_function_in_an_exception_is_refused() -> None:
    def f(x: float) -> float:
        assert x > 0.0, ("bad", x)
        return x * x

    assert "in an exception" in str(refuses(f, 2.0, code="SCT503"))
