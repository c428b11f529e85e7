"""What a program raises of constants and containers, and what it puts into exceptions and texts, is as in Python."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, outcome, refuses

from sct import grad, jvp, value_and_grad, vjp

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
    lambda x: x * np.sum([] == x * np.ones(3)),
    lambda x: x * np.sum([1.0, 2.0] < x * np.ones(3)),
    lambda x: x * np.sum((1.0, x) >= x * np.ones(3)),
), ids=range(22))
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


def test_a_tuple_of_numbers_of_the_function_in_an_exception() -> None:
    def f(x: float) -> float:
        assert x > 0.0, ("bad", x)
        return x * x

    assert value_and_grad(f)(2.0) == (4.0, 4.0)
    with pytest.raises(AssertionError) as raised:
        value_and_grad(f)(-2.0)
    assert raised.value.args == (("bad", -2.0),)


# -- removals that fail --------------------------------------------------------------------------------------


def pops_too_much(x: float, n: int) -> float:
    xs, s = [x, 2.0 * x], 0.0
    while n > 0:
        s = s + xs.pop()
        n = n - 1
    return s


def pops_from_a_grown_list(x: float, n: int) -> float:
    return built(x, n).pop() * x


def pops_behind_the_end(x: float, n: int) -> float:
    xs = built(x, n)
    s = xs.pop(3)
    return s + xs[0]


def pops_before_the_start(x: float, n: int) -> float:
    xs = built(x, n)
    s = xs.pop(-3) * xs.pop(-2)
    return s + xs[0]


def pops_at(x: float, n: int) -> float:
    xs = built(x, 3)
    return xs.pop(n) * xs[0] + xs.pop(n - 1) * xs.pop(1 - n)


def pops_pairs(x: float, n: int) -> float:
    xs, s = [(x, 2.0), (3.0 * x, x)], 0.0
    for _ in range(n):
        a, b = xs.pop()
        s = s + a * b
    return s


def pops_and_reads(x: float, n: int) -> float:
    xs, s = [x, 2.0 * x], 0.0
    for _ in range(n):
        s = s + xs[-1]
        s = s + xs.pop() * x
    return s


def pops_a_key(x: float, n: int) -> float:
    d = {(1, 2): x}
    return d.pop((n, 2))


def deletes_a_key(x: float, n: int) -> float:
    d = {(1, (2.0, "a")): x, 3: x}
    del d[n, (2.0, "a")]
    return d[3] * x


@pytest.mark.parametrize("n", (1, 0, 2, 3, 5))
@pytest.mark.parametrize("f", (pops_too_much, pops_from_a_grown_list, pops_behind_the_end, pops_before_the_start,
                               pops_at, pops_pairs, pops_and_reads, pops_a_key, deletes_a_key))
def test_a_removal_that_fails_raises_what_python_raises(f: Function, n: int) -> None:
    agrees(f, 2.0, n)
    plain = outcome(f, (2.0, n))
    for other in (lambda x, n: jvp(lambda x: f(x, n), (x,), (1.0,)), lambda x, n: vjp(lambda x: f(x, n), x)):
        derived = outcome(other, (2.0, n))
        assert repr(derived.error) == repr(plain.error)
        assert plain.error is not None or derived.value[0] == plain.value


# -- lengths of ranges ---------------------------------------------------------------------------------------

HUGE = 10 ** 30


def length_of_a_range(x: float, n: int) -> float:
    return x * len(range(n))


def length_from_a_start(x: float, n: int) -> float:
    return x * x * len(range(2, n))


def length_with_steps(x: float, n: int) -> float:
    return x * len(range(n, -4, -3)) + x * len(range(-n, n, 2))


def length_with_a_step_of_run_time(x: float, n: int) -> float:
    return x * len(range(0, 20, n + 1))


def length_of_a_global(x: float, n: int) -> float:
    return x * len(range(HUGE)) if n > 3 else x


def length_tested(x: float, n: int) -> float:
    return x * x if len(range(n)) > 3 else x


@pytest.mark.parametrize("f", (length_of_a_range, length_from_a_start, length_with_steps, length_of_a_global,
                               length_with_a_step_of_run_time, length_tested))
def test_the_length_of_a_range(f: Function) -> None:
    for n in (3, 0, 7, HUGE, 1, sys.maxsize, sys.maxsize + 1):
        agrees(f, 2.0, n)
    for n in (HUGE, 5):
        agrees(f, 2.0, n)


def test_the_length_of_a_range_makes_arrays() -> None:
    def f(x: np.ndarray, n: int) -> Any:
        y = np.zeros(len(range(1, n)))
        for k in range(len(range(1, n))):
            y[k] = x[k] * k
        return np.sum(y * y)

    for n in (3, 4, 1, 0, 5):
        agrees(f, np.array([0.3, 0.7, 1.1, 1.3]), n)


def step_that_nothing_reads(x: float, n: int) -> float:
    range(0, 5, n)
    return x


def step_of_a_range_for_later(x: float, n: int) -> float:
    steps = range(0, 5, n)
    return x if n < 3 else x * len(steps)


def step_tested(x: float, n: int) -> float:
    return x * x if 4 in range(0, 5, n) else 2.0 * x


def step_in_a_try(x: float, n: int) -> float:
    try:
        steps = range(n, 9, n)
    except ValueError as error:
        return x * len(str(error))
    return x * len(steps)


def step_on_one_path(x: float, n: int) -> float:
    if n > 1:
        range(0, 5, n - 2)
    return x


def step_in_a_loop(x: float, n: int) -> float:
    for k in range(n + 3):
        range(0, 9, 3 - k)
        for _ in range(0, 9, k + 1):
            x = x * 1.1
    return x


@pytest.mark.parametrize("f", (step_that_nothing_reads, step_of_a_range_for_later, step_tested, step_in_a_try,
                               step_on_one_path, step_in_a_loop))
def test_a_range_with_a_step_of_zero(f: Function) -> None:
    derivative = value_and_grad(f)
    for n in (1, 0, 2, 3, -1, 4):
        agrees(f, 2.0, n, derivative=derivative)
        agrees(f, 2.0, n)
