"""Rules of the user: values are those of the function, derivatives those of the rule, in every mode and order."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import scipy.linalg.lapack as lapack
import scipy.special
from oracle import same_value

import sct
from sct import SctError, check_grads, grad, hessian, hvp, jacfwd, jacobian, jacrev, jvp, value_and_grad, vjp


def close(a: Any, b: Any) -> None:
    np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@contextlib.contextmanager
def refused(code: str, what: str = "", why: str = "", hint: str = "") -> Iterator[None]:
    with pytest.raises(SctError) as caught:
        yield
    error = caught.value
    assert error.code == code and what in error.what and why in error.why and hint in error.hint, str(error)


X = np.array([0.5, -1.5, 2.0])


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


# -- functions with rules, as they are written ------------------------------------------------------------


@sct.rule(vjp=lambda ct, y, x: ct * sigmoid(x))
def softplus(x):
    return np.log1p(np.exp(x))


@sct.rule(jvp=lambda tangents, y, x: tangents[0] * sigmoid(x))
def softplus_forward(x):
    return np.log1p(np.exp(x))


def plain_softplus(x):
    return np.logaddexp(0.0, x)


@sct.rule
def cube(x):
    return x * x * x


@cube.defvjp
def _(ct, y, x):
    return ct * 3.0 * x ** 2


@cube.defjvp
def _(tangents, y, x):
    (dx,) = tangents
    return 3.0 * x ** 2 * dx


wright = scipy.special.wright_bessel
sct.rule(wright, vjp=lambda ct, y, a, b, x: (None, None, ct * wright(a, a + b, x)))


def solve_vjp(ct, y, a, b):
    _, x, _ = y
    _, w, _ = lapack.dposv(a, ct[1])
    return -np.outer(w, x), w


sct.rule(lapack.dposv, vjp=solve_vjp)


class Table:
    """Values at nodes, of which the nearest to the left is looked up; the slope is that between the nodes."""

    def __init__(self, nodes, values):
        self.nodes, self.values = nodes, values

    def look_up(self, x):
        return float(self.values[int(np.searchsorted(self.nodes, x)) - 1])


sct.rule(Table.look_up, vjp=lambda ct, y, self, x: (None, ct * np.interp(x, self.nodes, np.gradient(self.values,
                                                                                                 self.nodes))))
TABLE = Table(np.linspace(0.0, 1.0, 11), np.linspace(0.0, 1.0, 11) ** 2)


@sct.rule(vjp=lambda ct, y, p: {"a": ct[0] * p["b"] + ct[1]["s"], "b": ct[0] * p["a"]})
def of_dict(p):
    return p["a"] * p["b"], {"s": p["a"]}


def apply_softplus(x):
    return np.sum(softplus(x) ** 2)


def apply_softplus_forward(x):
    return np.sum(softplus_forward(x) ** 2)


def apply_plain(x):
    return np.sum(plain_softplus(x) ** 2)


# -- derivatives -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("f", [apply_softplus, apply_softplus_forward])
@pytest.mark.parametrize("x", [0.7, np.float64(-1.2), X, np.arange(6.0).reshape(2, 3)])
def test_each_mode_and_order(f: Callable[..., Any], x: Any) -> None:
    value, gradient = value_and_grad(f)(x)
    assert same_value(value, f(x))
    reference = value_and_grad(apply_plain)(x)[1]
    close(gradient, reference)
    v = np.cos(np.arange(np.size(x)) + 1.0).reshape(np.shape(x)) if np.ndim(x) else 0.3
    close(jvp(f, (x,), (v,))[1], np.sum(reference * v))
    close(hvp(f, (x,), (v,)), hvp(apply_plain, (x,), (v,)))
    close(hessian(f)(x), hessian(apply_plain)(x))
    close(jacfwd(f)(x), reference)
    close(vjp(f, x)[1](2.0)[0], 2.0 * reference)
    check_grads(f, (x,))


def test_third_order() -> None:
    third = grad(grad(grad(lambda x: softplus(x) * x)))
    s = sigmoid(0.4)
    close(third(0.4), 3.0 * s * (1 - s) + 0.4 * s * (1 - s) * (1 - 2 * s))


def test_decorators_in_the_style_of_jax() -> None:
    assert value_and_grad(cube)(2.0) == (8.0, 12.0)
    assert jvp(cube, (2.0,), (0.5,)) == (8.0, 6.0)
    close(hessian(lambda x: np.sum(cube(x)))(X), np.diag(6.0 * X))


def test_a_function_of_c() -> None:
    def f(x):
        return np.sum(wright(0.5, 1.5, x) ** 2)

    x = np.array([0.2, 1.0, 2.0])
    close(grad(f)(x), 2.0 * wright(0.5, 1.5, x) * wright(0.5, 2.0, x))
    close(np.diag(hessian(f)(x)), 2.0 * wright(0.5, 2.0, x) ** 2 + 2.0 * wright(0.5, 1.5, x) * wright(0.5, 2.5, x))
    check_grads(f, (x,))
    with refused("SCT402", why="its vjp returns None in the place of this cotangent"):
        grad(lambda a: wright(a, 1.5, 0.3))(0.5)


def test_a_routine_of_fortran() -> None:
    def f(a, b):
        m = a @ a.T + 4.0 * np.eye(3)
        _, x, info = lapack.dposv(m, b)
        return np.sum(x ** 3) + info

    def plain(a, b):
        return np.sum(np.linalg.solve(a @ a.T + 4.0 * np.eye(3), b) ** 3)

    a, b = np.arange(9.0).reshape(3, 3) / 5.0, np.array([1.0, -2.0, 0.5])
    assert same_value(value_and_grad(f, (0, 1))(a, b)[0], f(a, b))
    for got, expected in zip(grad(f, (0, 1))(a, b), grad(plain, (0, 1))(a, b)):
        close(got, expected)
    close(hessian(f, 1)(a, b), hessian(plain, 1)(a, b))
    close(jacfwd(f, 1)(a, b), grad(plain, 1)(a, b))


def test_a_method_of_a_class() -> None:
    def f(x):
        return TABLE.look_up(x) * x

    value, slope = value_and_grad(f)(0.43)
    assert same_value(value, f(0.43))
    close(slope, f(0.43) / 0.43 + 0.43 * np.interp(0.43, TABLE.nodes, np.gradient(TABLE.values, TABLE.nodes)))


def test_containers_as_arguments_and_results() -> None:
    def f(p):
        y, parts = of_dict(p)
        return y * parts["s"]

    assert grad(f)({"a": 2.0, "b": 3.0}) == {"a": 12.0, "b": 4.0}
    check_grads(f, ({"a": 2.0, "b": 3.0},))


def test_what_the_rule_reads_of_zero_and_none() -> None:
    @sct.rule(vjp=lambda ct, y, x, k: (ct * k, 0.0))
    def scaled(x, k):
        return x * k

    assert grad(scaled, (0, 1))(2.0, 3.0) == (3.0, 0.0)

    @sct.rule(vjp=lambda ct, y, x, k: (ct * k, None))
    def scaled_by(x, k):
        return x * k

    assert grad(scaled_by)(2.0, 3.0) == 3.0
    with refused("SCT402", "gives no derivative by `k`"):
        grad(scaled_by, 1)(2.0, 3.0)


def test_check_grads_finds_a_wrong_rule() -> None:
    @sct.rule(vjp=lambda ct, y, x: ct * np.cos(x) * 1.001)
    def sine(x):
        return np.sin(x)

    with refused("SCT905"):
        check_grads(sine, (0.3,))

    @sct.rule(vjp=lambda ct, y, x: ct * np.cos(x), jvp=lambda t, y, x: 2.0 * t[0] * np.cos(x))
    def another(x):
        return np.sin(x)

    with refused("SCT905"):
        check_grads(another, (0.3,))


def test_a_rule_that_is_added_later() -> None:
    def square(x):
        return x * x

    derivative = grad(lambda x: square(x) + x)
    assert derivative(3.0) == 7.0
    sct.rule(square, vjp=lambda ct, y, x: ct * 10.0)
    assert derivative(3.0) == 11.0
    sct.rule(square, vjp=lambda ct, y, x: ct * 20.0)
    assert derivative(3.0) == 21.0


def test_math_is_used() -> None:
    @sct.rule(vjp=lambda ct, y, x: ct * math.cos(x))
    def sine(x):
        return math.sin(x)

    assert jacobian(sine)(0.5) == math.cos(0.5) == jacrev(sine)(0.5)
