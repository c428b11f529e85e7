"""What a number depends on is known through loops, branches, comprehensions, calls and handlers of exceptions.

A library function that Python runs as it is, or an option that sct needs to know, must not take a differentiated
number: the gradient would miss that part.
"""

import numpy as np
import pytest
from oracle import agrees, refuses
from scipy import signal

X = np.array([0.3, 0.8, 1.1])


def by_loop(x):
    p = 2.0
    for _ in range(3):
        p = p + 0.1 * x[0]
    return p


def by_while(x):
    p = 2.0
    while p < 2.31:
        p = p + 0.1 * x[0]
    return p


def by_branch(x):
    if x[0] > 0.2:
        p = 2.0 + x[0]
    else:
        p = 3.0
    return p


def by_recursion(x, n=2):
    return x[0] if n == 0 else by_recursion(x, n - 1) + 1.0


def by_comprehension(x):
    return sum([v * 1.5 for v in x])


def by_handler(x):
    try:
        return 2.0 + 1.0 / x[0]
    except ZeroDivisionError:
        return 1.0


NUMBERS = (by_loop, by_while, by_branch, by_recursion, by_comprehension, by_handler)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize(("code", "call"), (
    ("SCT205", lambda p: np.kaiser(5, p)),
    ("SCT207", lambda p: np.histogram(np.linspace(0.0, 1.0, 5), bins=3, range=(0.0, p))[1]),
    ("SCT207", lambda p: float(f"{p:.17g}")),
))
def test_python_does_not_take_it(number, code, call) -> None:
    def f(x):
        return np.sum(call(number(x))) * x[0]
    refuses(f, X, code=code)


@pytest.mark.parametrize("number", NUMBERS)
def test_an_option_is_not_taken_from_it(number) -> None:
    def f(x):
        return np.linalg.norm(x, ord=number(x))
    known = number is by_handler  # a quotient that does not raise is a value of the function's arguments
    refuses(f, X, code="SCT401" if known else "SCT505")


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("call", (
    lambda p, x: np.sum(np.pad(x, 1, constant_values=p) ** 2),
    lambda p, x: np.quantile(x, p / 10.0),
    lambda p, x: {p: x[0]}[p] * p,
    lambda p, x: np.sum(np.clip(10.0 * x, 0.0, p)),
    lambda p, x: np.sum(signal.windows.kaiser(5, p) * x[0]),
))
def test_its_derivative_is_kept(number, call) -> None:
    agrees(lambda x: call(number(x), x), X)


def test_a_constant_that_a_loop_carries_beside_differentiated_numbers() -> None:
    def f(x):
        p, y = 2.0, x
        for k in range(3):
            p, y = p + 0.1 * k, y * x
        return np.sum(np.kaiser(5, p) * y[0])
    agrees(f, X)


class Methods:
    def m0(self, x):
        return x

    def m1(self, x):
        return 2.0 * x


def test_the_text_of_a_number_that_a_branch_gives_names_no_method() -> None:
    def f(x, c):
        s = str(x) if c else "1.0"
        if c:
            s = str(2.0 * x)
        return getattr(Methods(), "m" + s[0])(x)
    refuses(f, 0.5, True, code="SCT505")


def by_expression(dates, other, c):
    return dates if c else other


def by_calls(dates, other, n):
    return dates if n == 0 else by_calls(dates, other, n - 1)


def by_iteration(dates, other, n):
    for _ in range(n):
        last = dates
    return last


@pytest.mark.parametrize("which", (by_expression, by_calls, by_iteration))
def test_dates_of_the_caller_are_not_written(which) -> None:
    def f(x, dates, other, n):
        own = which(dates, other, n)
        own[0] = other[1]
        return x * float((own[1] - own[0]).astype(int))
    first, second = (np.array([f"202{k}-01-01", f"202{k}-02-05"], dtype="datetime64[D]") for k in range(2))
    refuses(f, 1.5, first, second, 2, code="SCT303")


def carried(x, dates, other, n):
    own = dates
    for _ in range(n):
        own[0] = other[1]
        own = other.copy()
    return x * float((own[1] - own[0]).astype(int))


def carried_by_while(x, dates, other, n):
    own, k = dates.copy(), 0
    while k < n:
        own[0] = other[1]
        if k == 1:
            own = other
        k += 1
    return x * float((own[1] - own[0]).astype(int))


def sorted_in_a_loop(x, dates, other, n):
    own = dates.copy()
    for _ in range(n):
        own.sort()
        own = other[::-1]
    return x * float((own[1] - own[0]).astype(int))


def passed_on(x, dates, other, n):
    def write(own, m):
        if m == 0:
            return 1.0
        own[0] = other[1]
        return write(other, m - 1)
    return x * write(dates.copy(), n)


@pytest.mark.parametrize(("f", "code"), ((carried, "SCT303"), (carried_by_while, "SCT303"),
                                         (sorted_in_a_loop, "SCT302"), (passed_on, "SCT303")))
def test_dates_that_may_be_the_callers_are_not_written(f, code) -> None:
    first, second = (np.array([f"202{k}-01-01", f"202{k}-02-05"], dtype="datetime64[D]") for k in range(2))
    refuses(f, 1.5, first, second, 1, code=code)


@pytest.mark.parametrize("call", (
    lambda p, x: np.sum(np.kaiser(5, p) * x[0]),
    lambda p, x: float(f"{p:.17g}") * x[0],
))
def test_a_constant_of_a_loop_is_none(call) -> None:
    def f(x):
        p = 2.0
        for k in range(3):
            p = p + 0.1 * k
        return call(p, x)
    agrees(f, X)
