"""Variables that a path does not bind: reading one raises as in Python, in each mode, whether or not it is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, outcome

from sct import grad, hessian, jvp, value_and_grad

# ruff: noqa: F821

Function = Callable[..., Any]


def returned(x: Any, c: Any) -> Any:
    if c > 0:
        y = x * 2
    return y


def in_a_product(x: Any, c: Any) -> Any:
    if c > 0:
        y = x * 2
    return y * x


def assigned_twice(x: Any, c: Any) -> Any:
    if c > 0:
        y = x * 2
        y += 1.5
    assert y
    return x * 3


def deleted_on_one_path(x: Any, c: Any) -> Any:
    y = x * 2
    z = y * y
    if c > 0:
        y = x * 3 + z
    else:
        del y
    return y + z


def assigned(x: Any, c: Any) -> Any:
    if c > 0:
        y = x * 2
    z = y
    return x * 3


def of_a_loop(x: Any, c: Any) -> Any:
    for k in range(int(c)):
        y = x * k
    return y


def free(x: Any, c: Any) -> Any:
    def g():
        return y
    if c > 0:
        y = x * 2
    return g()


def free_in_a_product(x: Any, c: Any) -> Any:
    def g():
        return x * y
    if c > 0:
        y = x * 2
    return g() + x


def array(x: Any, c: Any) -> Any:
    if c > 0:
        y = np.ones(2) * x
    return np.sum(y)


def ignored(values: Any) -> None:
    pass


def array_of_a_helper_that_ignores_it(x: Any, c: Any) -> Any:
    if c > 0:
        y = np.ones(2) * x
    ignored(y)
    return x


def array_mentioned(x: Any, c: Any) -> Any:
    for _ in range(int(c)):
        y = np.ones(2)
    y
    return x


def listed(x: Any, c: Any) -> Any:
    if c > 0:
        y = [x, x]
    return sum(y)


def deleted(x: Any, c: Any) -> Any:
    y = x
    if c < 0:
        del y
    return y


def of_a_while_loop(x: Any, c: Any) -> Any:
    while c > 0:
        y = x * c; c = c - 1
    return x + y


def int_(x: Any, c: Any) -> Any:
    if c > 0:
        y = 3
    return x * y


def augmented(x: Any, c: Any) -> Any:
    if c > 0:
        y = 3
    y += 1
    return x * y


def augmented_and_not_used(x: Any, c: Any) -> Any:
    if c > 0:
        y = x
    y += 1
    return x


def deleted_where_it_is_not_bound(x: Any, c: Any) -> Any:
    if c > 0:
        y = x
    del y
    return x


def printed(x: Any, c: Any) -> Any:
    if c > 0:
        y = x
    print(y)
    return x


def mentioned(x: Any, c: Any) -> Any:
    if c > 0:
        y = x
    y
    return x


def nonlocal_(x: Any, c: Any) -> Any:
    def g():
        nonlocal y
        y = y + 1
        return x
    if c > 0:
        y = x
    return g()


def in_a_display(x: Any, c: Any) -> Any:
    if c > 0:
        y = x
    l = [y, x]
    return l[1]


def in_a_generator_expression(x: Any, c: Any) -> Any:
    if c > 0:
        y = x
    return sum(y * k for k in range(3))


def in_a_lambda(x: Any, c: Any) -> Any:
    if c > 0:
        y = x
    f = lambda: y
    return f() * x


def of_a_match(x: Any, c: Any) -> Any:
    match c:
        case 1.0:
            y = x
    return y * 2


def beside_a_default(x: Any, c: Any) -> Any:
    if c > 0:
        y = x
    def g(a=1):
        return a * y
    return g(x)


def without_a_derivative(x: Any, c: Any) -> Any:
    if c > 0:
        y = x * 2
    return 3.0 + 0 * y


def constant(x: Any, c: Any) -> Any:
    if c > 0:
        y = 2.0
    return x + 0 * y


def in_a_test(x: Any, c: Any) -> Any:
    if c > 0:
        y = 2.0
    return x if y > 0 else 2*x


def computed_and_not_used(x: Any, c: Any) -> Any:
    if c > 0:
        y = 2.0
    z = y * 2
    return x


def in_a_loop(x: Any, c: Any) -> Any:
    if c > 0:
        y = x
    for k in range(3):
        x = x + y
    return x


def of_a_helper(x: Any, c: Any) -> Any:
    def g():
        if c > 0:
            z = x
        return z
    return g() * 2


def bound_where_it_is_read(x: Any, c: Any) -> Any:
    if c > 0:
        y = x * 2
    for _ in range(3):
        x = x * 1.5
        if x > 4.0 * c:
            return x * last if _ > 0 else x
        last = x
    return y * x if c > 0 else x


def of_any(x: Any, c: Any) -> Any:
    return w if any((w := x + k) > 0.0 for k in range(int(2 * c))) else x * w


def of_all(x: Any, c: Any) -> Any:
    if not all((w := x * k) < 1.0 and (z := w + x) for k in range(int(3 * c))):
        return w * z
    return x + w


def of_any_in_any(x: Any, c: Any) -> Any:
    return x * any(any((w := x * i + k) > 4.2 for i in range(3)) for k in range(int(4 * c))) + w


def of_a_sum(x: Any, c: Any) -> Any:
    return sum((w := x * k) for k in range(int(3 * c))) * w


def of_a_condition(x: Any, c: Any) -> Any:
    return sum(w for k in range(int(3 * c)) if (w := x * k) > 1.0) + w * x


def of_a_tuple(x: Any, c: Any) -> Any:
    return len(tuple((w := x * k) for k in range(int(3 * c)))) * w


def of_a_stored_generator(x: Any, c: Any) -> Any:
    terms, total = ((w := x * k) for k in range(int(3 * c))), 0.0
    for term in terms:
        total += term * w
    return total + w


def of_a_generator_in_a_lambda(x: Any, c: Any) -> Any:
    f = lambda: sum((w := x * k) for k in range(int(3 * c))) * w
    return x + f()


def of_a_list_per_item(x: Any, c: Any) -> Any:
    all(len(pair := [x, x * k]) for k in range(int(3 * c)))
    return pair[1]


def by_a_function_in_a_loop(x: Any, c: Any) -> Any:
    def put(v):
        nonlocal y
        y = v
    for k in range(int(3 * c)):
        put(x * k)
    return y * x
    y = 0.0


def by_a_function_that_ends_the_loop(x: Any, c: Any) -> Any:
    def put(v):
        nonlocal y
        y = v
        return y > 2.0
    k = int(4 * c)
    while k > 0:
        if put(x * k):
            break
        k -= 1
    return y
    y = 0.0


def of_a_call_that_has_ended(x: Any, c: Any) -> Any:
    def cell():
        def put(v):
            nonlocal y
            y = v
        return put, lambda: y
        y = 0.0
    put, get = cell()
    for k in range(int(3 * c)):
        put(x * k)
    return get() * x


FUNCTIONS = (
    of_any, of_all, of_any_in_any, of_a_sum, of_a_condition, of_a_tuple, of_a_stored_generator,
    of_a_generator_in_a_lambda, of_a_list_per_item, by_a_function_in_a_loop, by_a_function_that_ends_the_loop,
    of_a_call_that_has_ended,
    returned, in_a_product, assigned_twice, deleted_on_one_path, assigned, of_a_loop, free, free_in_a_product, array,
    array_of_a_helper_that_ignores_it, array_mentioned, listed, deleted, of_a_while_loop,
    int_, augmented, augmented_and_not_used, deleted_where_it_is_not_bound, printed, mentioned, nonlocal_,
    in_a_display, in_a_generator_expression, in_a_lambda, of_a_match, beside_a_default, without_a_derivative,
    constant, in_a_test, computed_and_not_used, in_a_loop, of_a_helper, bound_where_it_is_read)
MODES = (grad, value_and_grad, hessian, lambda f: lambda *args: jvp(f, args, (1.0, None)))


@pytest.mark.parametrize("f", FUNCTIONS)
def test_reading_it_raises_as_in_python(f: Function) -> None:
    for mode in MODES:
        derivative = mode(f)
        for c in (1.0, -1.0, 1.0):
            plain, made = outcome(f, (1.5, c)), outcome(derivative, (1.5, c))
            assert type(plain.error) is type(made.error)
            assert str(plain.error) == str(made.error)
            assert plain.output == made.output
    agrees(f, 1.5, 1.0)


@pytest.mark.parametrize("f", [f for f in FUNCTIONS if f not in (
    array, array_of_a_helper_that_ignores_it, array_mentioned, listed, of_a_match, printed, in_a_generator_expression,
    in_a_display)])
def test_in_functions_that_numba_compiles(f: Function) -> None:
    derivative = grad(f, backend="numba")
    assert derivative(1.5, 1.0) == pytest.approx(grad(f)(1.5, 1.0))
    plain = outcome(f, (1.5, -1.0))
    assert type(outcome(derivative, (1.5, -1.0)).error) is type(plain.error)
