"""Derivatives inside differentiated functions, whose function writes its argument.

The inner function writes a copy, as `grad(inner)(z)` does outside.  What it reads of the same object by another name
would have to change with that copy: it is refused, inside as it is outside.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, outcome, refuses

from sct import SctError, grad, jacobian, jvp, value_and_grad, vjp

Transform = Callable[[Any, Any, Any], Any]
X = np.array([0.3, 0.7, 1.1])


def by_value_and_grad(inner: Any, z: Any, x: Any) -> Any:
    value, slope = value_and_grad(inner)(z)
    return value + np.sum(slope * x)


def by_grad(inner: Any, z: Any, x: Any) -> Any:
    return np.sum(grad(inner)(z) * x)


def by_jvp(inner: Any, z: Any, x: Any) -> Any:
    value, slope = jvp(inner, (z,), (x,))
    return value * slope


def by_vjp(inner: Any, z: Any, x: Any) -> Any:
    value, pullback = vjp(inner, z)
    return value + np.sum(pullback(1.0)[0] * x)


def by_jacobian(inner: Any, z: Any, x: Any) -> Any:
    return np.sum(jacobian(inner)(z) * x)


TRANSFORMS = by_value_and_grad, by_grad, by_jvp, by_vjp, by_jacobian


class Holder:
    """An object that holds an array, with a method that writes its argument."""

    def __init__(self, z: Any) -> None:
        self.z = z

    def inner(self, a: Any) -> Any:
        a[0] = a[1] ** 2
        return np.sum(a * self.z)


def closure(x: Any, transform: Transform) -> Any:
    z = x * 2.0

    def inner(a: Any) -> Any:
        a[0] = a[1] ** 2
        return np.sum(a * z)

    return transform(inner, z, x)


def closure_that_writes_a_view(x: Any, transform: Transform) -> Any:
    z = x * 2.0

    def inner(a: Any) -> Any:
        tail = a[1:]
        tail *= 3.0
        return np.sum(a * z)

    return transform(inner, z, x)


def view_of_it(x: Any, transform: Transform) -> Any:
    z = x * 2.0
    w = z[1:]

    def inner(a: Any) -> Any:
        a[1] = a[0] * 5.0
        return np.sum(a) * np.sum(w)

    return transform(inner, z, x)


def item_of_a_list(x: Any, transform: Transform) -> Any:
    items = [x * 2.0, x]

    def inner(a: Any) -> Any:
        a[0] = a[1] * 3.0
        return np.sum(a) * np.sum(np.stack(items))

    return transform(inner, items[0], x)


def default(x: Any, transform: Transform) -> Any:
    z = x * 2.0

    def inner(a: Any, b: Any = z) -> Any:
        a[0] = a[1] * 3.0
        return np.sum(a) * np.sum(b)

    return transform(inner, z, x)


def partial(x: Any, transform: Transform) -> Any:
    z = x * 2.0

    def inner(b: Any, a: Any) -> Any:
        a[0] = a[1] * 3.0
        return np.sum(a) * np.sum(b)

    return transform(functools.partial(inner, z), z, x)


def method(x: Any, transform: Transform) -> Any:
    z = x * 2.0
    return transform(Holder(z).inner, z, x)


def read_in_a_helper(x: Any, transform: Transform) -> Any:
    z = x * 2.0

    def total() -> Any:
        return np.sum(z)

    def inner(a: Any) -> Any:
        a[0] = a[1] * 3.0
        return np.sum(a) * total()

    return transform(inner, z, x)


def written_in_a_loop(x: Any, transform: Transform) -> Any:
    z = x * 2.0

    def inner(a: Any) -> Any:
        s = 0.0
        for k in range(1, len(a)):
            a[k] += a[k - 1]
            s = s + z[k] * a[k]
        return s

    return transform(inner, z, x)


def nested_twice(x: Any, transform: Transform) -> Any:
    z = x * 2.0

    def inner(a: Any) -> Any:
        def innermost(b: Any) -> Any:
            return np.sum(b * z)

        a[0] = a[1] * 3.0
        return np.sum(grad(innermost)(a) * a)

    return transform(inner, z, x)


REFUSED = (closure, closure_that_writes_a_view, view_of_it, item_of_a_list, default, partial, method, read_in_a_helper,
           written_in_a_loop, nested_twice)


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("f", REFUSED)
def test_reading_what_a_copy_of_is_written_is_refused(f: Callable[..., Any], transform: Transform) -> None:
    refuses(lambda x: f(x, transform), X, code="SCT305")


@pytest.mark.parametrize("f", REFUSED)
def test_so_is_it_outside(f: Callable[..., Any]) -> None:
    with pytest.raises(SctError) as caught:
        f(X, by_value_and_grad)
    assert caught.value.code == "SCT305"


def written_and_not_read(x: Any, transform: Transform) -> Any:
    z = x * 2.0

    def inner(a: Any) -> Any:
        a[0] = a[1] ** 2
        return np.sum(a * x)

    return transform(inner, z, x) + np.sum(z)


def read_and_not_written(x: Any, transform: Transform) -> Any:
    z = x * 2.0

    def inner(a: Any) -> Any:
        return np.sum(a * z) * np.sum(z)

    return transform(inner, z, x)


def read_before_it_is_passed(x: Any, transform: Transform) -> Any:
    z = x * 2.0

    def inner(a: Any) -> Any:
        s = np.sum(a * x)
        a *= s
        return np.sum(a)

    return np.sum(z) * transform(inner, z, x) * np.sum(z)


def a_copy_is_passed(x: Any, transform: Transform) -> Any:
    z = x * 2.0

    def inner(a: Any) -> Any:
        a[0] = a[1] ** 2
        return np.sum(a * z)

    return transform(inner, z.copy(), x)


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("f", [written_and_not_read, read_and_not_written, read_before_it_is_passed, a_copy_is_passed])
def test_other_functions_agree(f: Callable[..., Any], transform: Transform) -> None:
    agrees(lambda x: f(x, transform), X)


def test_a_list_that_is_read_by_another_name() -> None:
    def f(x: Any) -> Any:
        items = [x * 2.0]

        def inner(a: Any) -> Any:
            a[0] = a[0] * 3.0
            return np.sum(a[0]) * np.sum(items[0])

        value, (slope,) = value_and_grad(inner)(items)
        return value + np.sum(slope * x)

    refuses(f, X, code="SCT305")


def test_an_argument_that_is_not_differentiated() -> None:
    def f(x: Any) -> Any:
        z = x * 2.0

        def inner(a: Any, b: Any) -> Any:
            b[0] = 3.0
            return np.sum(a) * np.sum(z)

        return np.sum(grad(inner)(x, z) * x)

    refuses(f, X, code="SCT305")


def test_a_global_array() -> None:
    table = np.array([0.2, 0.5, 0.3])

    def f(x: Any) -> Any:
        def inner(a: Any) -> Any:
            a[0] = 3.0
            return np.sum(a * x) * np.sum(table)

        return np.sum(grad(inner)(table) * x)

    refuses(f, X, code="SCT305")
    assert outcome(lambda: float(table[0]), ()).value == 0.2


def three(a, b, c=3.0):
    return a * b ** 2 * c ** 3


class Product:
    def of(self, a, b):
        return a * b ** 2


COUNTED: dict[str, Callable[..., Any]] = {
    "a default left out": lambda x, y: grad(three, argnums=-2)(x, y),
    "names": lambda x, y: grad(three, argnums=(0, -2))(x, b=y)[1] * grad(three, argnums=1)(x, b=y),
    "more arguments": lambda x, y: grad(lambda a, *b: a * a * b[0], argnums=-1)(x, y),
    "keywords only": lambda x, y: grad(lambda a, b, *, c: a * b ** 2 * c, argnums=-1)(x, y, c=y),
    "a method": lambda x, y: grad(Product().of, argnums=-1)(x, b=y),
    "a partial": lambda x, y: grad(functools.partial(three, x), argnums=-2)(y),
    "a partial with a keyword": lambda x, y: grad(functools.partial(three, b=y), argnums=-1)(x),
    "a derivative": lambda x, y: grad(value_and_grad(three), argnums=-2, has_aux=True)(x, b=y)[0],
    "a jacobian": lambda x, y: jacobian(lambda a, b=2.0: a * b * np.ones(2), argnums=-2)(x)[1] * x * y}


@pytest.mark.parametrize("f", COUNTED.values(), ids=COUNTED)
def test_argnums_count_the_parameters_and_not_the_arguments(f: Callable[..., Any]) -> None:
    agrees(f, 1.1, 2.0)


def test_argnums_of_what_is_left_out_are_refused() -> None:
    for argnums in (-1, 2, "c"):
        refusal = refuses(lambda x, y, argnums=argnums: grad(three, argnums=argnums)(x, y), 1.1, 2.0, code="SCT403")
        assert refusal.what == "the argument `c` to differentiate by is left out"
    agrees(lambda x, y: grad(three, argnums="c")(x, y, c=3.0), 1.1, 2.0)
