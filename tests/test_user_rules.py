"""Rules of the user: values are those of the function, derivatives those of the rule, in every mode and order."""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import dataclasses
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import scipy.integrate
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


def test_a_rule_for_the_first_derivative_alone() -> None:
    @sct.rule(vjp=lambda ct, y, x: ct * np.cos(x), once=True)
    def sine(x):
        return np.sin(x)

    close(grad(lambda x: sine(x) ** 2)(0.3), np.sin(0.6))
    close(jvp(sine, (0.3,), (2.0,))[1], 2.0 * np.cos(0.3))
    for second in (hessian(sine), grad(grad(sine)), jacfwd(grad(sine))):
        with refused("SCT402", "the rule of `sine` is not differentiated itself", hint="once"):
            second(0.3)


@sct.rule(vjp=lambda ct, y, x, k: (ct * k * np.cos(k * x), ct * x * np.cos(k * x)))
def wave(x, k):
    return np.sin(k * x)


def plain_wave(x, k):
    return np.sin(k * x)


def in_loop(x, n, wave):
    v = x
    for _ in range(n):
        v = wave(v, 1.1) + 0.1 * v
    return v


def in_branches(u, n, wave):
    u = u.copy()
    for i in range(1, n):
        if u[i] > 0.0:
            u[i] = wave(u[i - 1], u[i])
        else:
            u[i] += wave(u[i], 2.0)
    return np.sum(u ** 2)


def in_recursion(x, n, wave):
    return x if n == 0 else wave(in_recursion(x, n - 1, wave), 0.7)


@pytest.mark.parametrize(("f", "x"), [
    (in_loop, 0.3), (in_branches, np.array([0.3, -0.2, 0.5, 0.7, -1.0])), (in_recursion, 0.3)])
def test_in_control_flow(f: Callable[..., Any], x: Any) -> None:
    for derivative in (grad, jacfwd, hessian):
        close(derivative(lambda x: f(x, 5, wave))(x), derivative(lambda x: f(x, 5, plain_wave))(x))


def test_a_recursive_function_with_a_rule() -> None:
    @sct.rule(vjp=lambda ct, y, n, x: (None, ct * n * x ** (n - 1)))
    def power(n, x):
        return 1.0 if n == 0 else x * power(n - 1, x)

    assert value_and_grad(power, 1)(3, 2.0) == (8.0, 12.0)
    assert hessian(power, 1)(3, 2.0) == 12.0


def test_what_it_raises_is_handled() -> None:
    @sct.rule(vjp=lambda ct, y, x: ct * 2.0 * x)
    def square(x):
        if x < 0.0:
            raise ValueError("negative")
        return x * x

    def f(x):
        try:
            y = square(x)
        except ValueError:
            y = 5.0 * x
        return y * x

    assert value_and_grad(f)(2.0) == (8.0, 12.0)
    assert value_and_grad(f)(-2.0) == (20.0, -20.0)


@sct.rule(vjp=lambda ct, y, x, *, k: ct * k)
def scaled_by_keyword(x, *, k):
    return k * x


def test_arguments_by_keyword() -> None:
    close(grad(lambda x: wave(k=2.0, x=x))(0.3), 2.0 * np.cos(0.6))
    close(grad(lambda k: wave(0.3, k=k))(0.3), 0.3 * np.cos(0.09))
    assert grad(lambda x: scaled_by_keyword(x, k=2.0))(0.3) == 2.0
    for derivative in (grad, jacfwd):
        with refused("SCT402", why="it is passed by keyword", hint="give it a positional parameter"):
            derivative(lambda x: scaled_by_keyword(1.0, k=x))(0.3)


def test_what_a_rule_returns_is_checked() -> None:
    def f(rule: Callable[..., Any]) -> Callable[..., Any]:
        @sct.rule(vjp=rule)
        def twice(x):
            return 2.0 * x

        return lambda x: np.sum(twice(x))

    with refused("SCT406", "the vjp of `twice` returns 2 cotangents for 1 argument", hint="return a tuple"):
        grad(f(lambda ct, y, x: (ct, ct)))(X)
    with refused("SCT406", "the cotangent is a numpy.float64, its argument a 1-D array"):
        grad(f(lambda ct, y, x: np.sum(ct)))(X)
    with refused("SCT406", why="their sizes differ"):
        grad(f(lambda ct, y, x: ct[:-1]))(X)
    with refused("SCT406", "the vjp of `twice` does not take 3 arguments", hint="let it take the cotangent"):
        grad(f(lambda ct, x: 2.0 * ct))(X)
    with pytest.raises(ValueError, match="the vjp of `twice` returns a cotangent of another shape than its argument"):
        grad(f(lambda ct, y, x: ct[x > 0.0]))(X)
    with refused("SCT201", "the vjp of `twice` has no source", why="there is no text for <string>"):
        grad(f(eval("lambda ct, y, x: 2.0 * ct")))(X)
    with refused("SCT412", "a rule of `twice` has an effect"):
        grad(f(lambda ct, y, x: print(ct) or ct))(X)


def test_a_refusal_points_at_the_rule() -> None:
    with pytest.raises(SctError) as caught:
        grad(lambda x: np.sum(wrong_shape(x)))(X)
    assert caught.value.loc is not None and caught.value.loc.line == wrong_shape_vjp.__code__.co_firstlineno + 1


def wrong_shape_vjp(ct, y, x):
    return ct[0]


wrong_shape = sct.rule(lambda x: 2.0 * x, vjp=wrong_shape_vjp)


def test_a_rule_that_is_not_linear() -> None:
    @sct.rule(vjp=lambda ct, y, x: np.clip(ct, -1.0, 1.0))
    def clipped(x):
        return x

    close(grad(lambda x: np.sum(clipped(x) ** 2))(X), np.clip(2.0 * X, -1.0, 1.0))
    with refused("SCT402", "the rule of `clipped` has no jvp", why="linear", hint="sct.rule(clipped, jvp=...)"):
        hessian(lambda x: np.sum(clipped(x) ** 2))(X)


def test_writes() -> None:
    @sct.rule(vjp=lambda ct, y, x: -ct)
    def reversal(x):
        return x

    def writes_alias(x):
        y = reversal(x)
        y[0] = 0.0
        return np.sum(y * x)

    x = X.copy()
    close(grad(lambda x: np.sum(reversal(x) ** 2))(x), -2.0 * X)
    with refused("SCT301", why="a function with a rule has returned it", hint="copy"):
        grad(writes_alias)(x)

    @sct.rule(vjp=lambda ct, y, x: 2.0 * ct)
    def writer(x):
        x[0] = 0.0
        return 2.0 * x

    with refused("SCT302", "`writer`, which has a rule, writes to its arguments"):
        grad(lambda x: np.sum(writer(x)))(x)

    def writes_result(x):
        y = softplus(x)
        y[0] = 0.0
        return np.sum(y * x)

    def plain(x):
        y = plain_softplus(x)
        y[0] = 0.0
        return np.sum(y * x)

    close(grad(writes_result)(x), grad(plain)(x))
    assert same_value(x, X)


class Engine:
    """A simulator that sct does not read."""

    def __init__(self, k):
        self.k = k

    def simulate(self, t):
        out = {"t": t, "k": self.k}
        exec("y = t * t * k", out)
        return out["y"]

    def adjoint(self, t, ct):
        out = {"t": t, "k": self.k, "ct": ct}
        exec("y = 2.0 * t * k * ct", out)
        return out["y"]


def engine_vjp(ct, y, self, t):
    return None, self.adjoint(t, ct)


sct.rule(Engine.simulate, vjp=engine_vjp)
ENGINE = Engine(3.0)


def test_an_engine_that_is_not_read() -> None:
    def f(t):
        return np.sum(ENGINE.simulate(t) ** 2)

    derivative = value_and_grad(f)
    value, gradient = derivative(X)
    assert same_value(value, f(X))
    close(gradient, 36.0 * X ** 3)

    def with_boundary(t):
        y = ENGINE.simulate(t)
        y[0] = 0.0
        return np.sum(y)

    def with_boundary_in_a_copy(t):
        y = ENGINE.simulate(t).copy()
        y[0] = 0.0
        return np.sum(y)

    with refused("SCT301", why="it may be memory of something else", hint="copy"):
        grad(with_boundary)(X)
    close(grad(with_boundary_in_a_copy)(X), 6.0 * X * np.array([0.0, 1.0, 1.0]))
    ENGINE.k = 2.0
    close(derivative(X)[1], 16.0 * X ** 3)
    ENGINE.k = 3.0
    close(value_and_grad(lambda t: ENGINE.simulate(t) ** 2)(0.5)[1], 36.0 * 0.5 ** 3)
    with refused("SCT402", "a rule calls a function that has no rule", hint="give that function a rule, too"):
        hessian(f)(X)


libm = ctypes.CDLL(ctypes.util.find_library("m"))
libm.erf.argtypes, libm.erf.restype = [ctypes.c_double], ctypes.c_double
sct.rule(libm.erf, vjp=lambda ct, y, x: ct * 2.0 / math.sqrt(math.pi) * math.exp(-x * x))


def test_a_function_of_ctypes() -> None:
    def f(x):
        return libm.erf(x) * x

    close(value_and_grad(f)(0.4), value_and_grad(lambda x: math.erf(x) * x)(0.4))
    close(hessian(f)(0.4), hessian(lambda x: math.erf(x) * x)(0.4))


def test_an_object_that_is_returned_is_refused() -> None:
    @sct.rule(vjp=lambda ct, y, x: ct)
    def described(x):
        out = {}
        exec("y = {'value': 2.0}", out)
        return out["y"]

    with refused("SCT207", "returns an object, or a text"):
        grad(lambda x: described(x)["value"] * x)(0.5)


@dataclasses.dataclass
class Weights:
    scale: float
    w: np.ndarray
    name: str = "weights"


@sct.rule(vjp=lambda ct, y, p, x: (Weights(ct * np.sum(p.w * x), ct * p.scale * x, None), ct * p.scale * p.w))
def model(p, x):
    return p.scale * np.sum(p.w * x)


@sct.rule(vjp=lambda ct, y, ws: [2.0 * ct * w for w in ws])
def sum_of_squares(ws):
    return sum(np.sum(w ** 2) for w in ws)


def test_objects_and_lists() -> None:
    p = Weights(2.0, X)
    gradient, _ = grad(model, (0, 1))(p, np.ones(3))
    close(gradient.scale, np.sum(X))
    close(gradient.w, [2.0, 2.0, 2.0])
    check_grads(model, (p, np.ones(3)))
    close(hessian(lambda x: model(p, x) ** 2)(np.ones(3)), 8.0 * np.outer(X, X))
    for ws in ([X, X[:2]], [X + k for k in range(7)]):
        for got, w in zip(grad(sum_of_squares)(ws), ws):
            close(got, 2.0 * w)


def test_complex_numbers() -> None:
    @sct.rule(vjp=lambda ct, y, z: ct * 2.0 * z)
    def square(z):
        return z * z

    close(grad(lambda x: np.real(square(x * (1 + 1j)) * 1j))(2.0), -8.0)
    close(grad(square, holomorphic=True)(1.0 + 2.0j), 2.0 + 4.0j)


def test_with_numba() -> None:
    pytest.importorskip("numba")
    close(grad(lambda x: in_loop(x, 5, wave), backend="numba")(0.3), grad(lambda x: in_loop(x, 5, plain_wave))(0.3))


def sums_jvp(tangents, y, x):
    (dx,) = tangents
    dy = np.zeros_like(x)
    total = 0.0
    for i in range(len(x)):
        total = total + np.cos(x[i]) * dx[i]
        dy[i] = total
    return dy


@sct.rule(jvp=sums_jvp)
def sums_of_sines(x):
    return np.cumsum(np.sin(x))


def piecewise_vjp(ct, y, x):
    if x > 0.0:
        return 2.0 * ct
    return np.where(x < -1.0, ct, 0.0)


@sct.rule(vjp=piecewise_vjp)
def piecewise(x):
    return 2.0 * x if x > 0.0 else x


def test_the_other_mode_of_rules_with_loops_and_branches() -> None:
    def plain(x):
        return np.sum(np.cumsum(np.sin(x)) ** 2)

    def f(x):
        return np.sum(sums_of_sines(x) ** 2)

    close(grad(f)(X), grad(plain)(X))
    close(hessian(f)(X), hessian(plain)(X))
    check_grads(f, (X,))
    for x, slope in ((1.0, 2.0), (-0.5, 0.0), (-2.0, 1.0)):
        assert jvp(piecewise, (x,), (3.0,))[1] == 3.0 * slope == 3.0 * grad(piecewise)(x)
        assert hessian(lambda x: piecewise(x) ** 2)(x) == 2.0 * slope ** 2


def halves_until_small(ct, y, x):
    while abs(ct) > 1.0:
        ct = 0.5 * ct
    return ct


@pytest.mark.parametrize("vjp", [
    lambda ct, y, x: ct * ct, lambda ct, y, x: np.maximum(ct, 0.0), lambda ct, y, x: ct if ct > 0.0 else 0.0,
    lambda ct, y, x: ct / (1.0 + abs(ct)), lambda ct, y, x: np.round(ct), halves_until_small])
def test_rules_that_are_not_linear_have_no_transpose(vjp: Callable[..., Any]) -> None:
    f = sct.rule(lambda x: 1.0 * x, vjp=vjp)
    close(grad(lambda x: 4.0 * f(x))(1.0), vjp(4.0, 1.0, 1.0))
    with refused("SCT402", "has no jvp, which is needed here", why="linear"):
        jvp(f, (1.0,), (1.0,))


def with_default(t, y, x):
    try:
        return t[0] * abs(t[0])
    except ValueError:
        return t[0]


def from_one(t, y, x):
    total = 1.0
    for k in range(3):
        total = total + t[0]
    return total


@pytest.mark.parametrize("jvp", [
    lambda t, y, x: np.trapezoid(t[0], t[0]), lambda t, y, x: np.trapezoid(x, np.cumsum(t[0] * t[0])),
    lambda t, y, x: np.sum(np.gradient(x, t[0][0])), lambda t, y, x: np.dot(t[0], t[0]),
    lambda t, y, x: scipy.integrate.trapezoid(t[0], t[0]), lambda t, y, x: scipy.integrate.simpson(x, t[0]),
    lambda t, y, x: scipy.integrate.simpson(t[0], t[0]), lambda t, y, x: np.sum(np.convolve(t[0], t[0])),
    lambda t, y, x: np.sum(t[0]) + 1.0, lambda t, y, x: np.sum(t[0] - x), lambda t, y, x: 1.0, lambda t, y, x: x[0],
    lambda t, y, x: np.sum(np.where(x > 0.0, t[0], x)), lambda t, y, x: np.sum(np.concatenate([t[0], x])),
    lambda t, y, x: np.sum(t[0]) if x[0] > 0.0 else 1.0, lambda t, y, x: sum([t[0][0], 2.0]),
    lambda t, y, x: with_default([t[0][0]], y, x), lambda t, y, x: from_one([t[0][0]], y, x)])
def test_tangents_that_are_not_linear_are_not_transposed(jvp: Callable[..., Any]) -> None:
    f = sct.rule(lambda x: np.sum(x), jvp=jvp)
    with refused("SCT402", "has no vjp, which is needed here", why="linear"):
        grad(f)(X)


def by_elements(t, y, x):
    tangent = np.empty_like(x)
    for k in range(len(x)):
        tangent[k] = t[0][k] * x[k]
    return tangent


def by_items(t, y, x):
    items = []
    for a, b in zip(t[0], x):
        items.append(a * b)
    return np.array(items)


def with_zeros(t, y, x):
    tangent = np.zeros_like(x)
    tangent += t[0] * x
    return np.where(x == 0.0, 0, tangent)


@pytest.mark.parametrize("jvp", [
    lambda t, y, x: t[0] * x + 0.0 * x, by_elements, by_items, with_zeros, lambda t, y, x: np.array(
        [t[0][k] * x[k] if x[k] != 0.0 else 0.0 for k in range(len(x))])])
def test_zeros_take_part_in_linear_rules(jvp: Callable[..., Any]) -> None:
    f = sct.rule(lambda x: 0.5 * x * x, jvp=jvp)
    close(grad(lambda x: np.sum(f(x) * np.arange(3.0)))(X), X * np.arange(3.0))
    check_grads(lambda x: np.sum(f(x) ** 2), (X,))


def test_a_linear_function_of_a_matrix() -> None:
    @sct.rule(vjp=lambda ct, y, a, x: (np.outer(ct, x), a.T @ ct))
    def product(a, x):
        return a @ x

    a = np.arange(6.0).reshape(2, 3)
    for k in (0, 1):
        for derivative in (jacobian, jacfwd, jacrev):
            close(derivative(product, k)(a, X), derivative(lambda a, x: a @ x, k)(a, X))
    second = hessian(lambda x: np.sum(product(a, x) ** 3))
    close(second(X), hessian(lambda x: np.sum((a @ x) ** 3))(X))
    assert "hess[:, i] = a_T @ (6.0 * dct * a_x)" in second.source


def test_a_derivative_in_a_rule() -> None:
    @sct.rule(vjp=lambda ct, y, x: ct * grad(lambda v: v ** 3)(x))
    def power(x):
        return x ** 3

    assert [grad(power)(2.0), hessian(power)(2.0), grad(grad(grad(power)))(2.0)] == [12.0, 12.0, 6.0]
    assert grad(lambda x: grad(power)(x) * x)(2.0) == 36.0


class Net:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return self.w * x

    def __add__(self, other):
        return Net(self.w + other.w)

    @staticmethod
    def square(x):
        return x * x

    @classmethod
    def cube(cls, x):
        return x ** 3


class Deep(Net):
    pass


sct.rule(Net.__call__, vjp=lambda ct, y, self, x: (Net(5.0 * ct), 7.0 * ct))
sct.rule(Net.__add__, vjp=lambda ct, y, a, b: (Net(11.0 * ct.w), Net(13.0 * ct.w)))
sct.rule(Net.square, vjp=lambda ct, y, x: 3.0 * ct)
sct.rule(Net.cube, vjp=lambda ct, y, x: 4.0 * ct)
NET = Net(2.0)


@pytest.mark.parametrize(("f", "slope"), [
    (NET, 7.0), (lambda x: Deep(3.0)(x), 7.0), (lambda w: Net(w)(1.0), 5.0), (lambda w: (Net(w) + Net(2.0)).w, 11.0),
    (lambda w: (NET + Deep(w)).w, 13.0), (lambda x: NET.square(x), 3.0), (lambda x: Net.cube(x), 4.0),
    (lambda x: NET.cube(x), 4.0), (lambda x: Deep.cube(x), 4.0), (lambda x: sum(map(Net.square, [x, x])), 6.0)])
def test_methods(f: Callable[..., Any], slope: float) -> None:
    assert grad(f)(1.0) == slope


def test_what_rule_takes() -> None:
    for arguments, what in (((NET.square, 3.0), "takes functions"), ((Net, lambda ct, y, x: ct), "takes functions"),
                            ((NET.__add__, lambda ct, y, x: ct), "not a method of one object")):
        with refused("SCT902", what):
            sct.rule(*arguments)
    with refused("SCT904", "neither a vjp nor a jvp"):
        sct.rule(math.hypot)

    def inside(x):
        return sct.rule(math.sin, vjp=lambda ct, y, x: 8.0 * ct)(x)

    with refused("SCT206", "`sct.rule` is not supported inside a differentiated function"):
        grad(inside)(1.0)
    assert grad(lambda x: math.sin(x))(0.5) == math.cos(0.5)
    assert grad(lambda x: math.hypot(x, 0.0))(0.5) == 1.0


def writes_unread(x):
    names = {"x": x}
    exec("x[0] = 5.0; y = 2.0 * x", names)
    return names["y"]


sct.rule(writes_unread, vjp=lambda ct, y, x: 2.0 * ct)


def test_functions_that_say_where_they_write_are_refused() -> None:
    def out(x):
        y = np.zeros(3)
        wright(0.5, 1.0, x, out=y)
        return np.sum(y)

    with refused("SCT302", "says where it writes"):
        grad(out)(X)
    with refused("SCT302", "says where it writes"):
        grad(lambda b: np.sum(lapack.dposv(np.eye(3), b, overwrite_b=True)[1]))(X)
    x = X.copy()
    with refused("SCT302", "`writes_unread`, which has a rule, writes to its arguments"):
        grad(lambda x: np.sum(writes_unread(x)))(x)
    assert same_value(x, X)


def test_numba_does_not_compile_functions_that_are_not_read() -> None:
    pytest.importorskip("numba")

    def f(x):
        return wright(0.5, 1.0, x) * x

    with pytest.warns(sct.SctWarning, match="does not compile scipy.special.wright_bessel"):
        close(grad(f, backend="numba")(0.5), grad(f)(0.5))


def test_math_is_used() -> None:
    @sct.rule(vjp=lambda ct, y, x: ct * math.cos(x))
    def sine(x):
        return math.sin(x)

    assert jacobian(sine)(0.5) == math.cos(0.5) == jacrev(sine)(0.5)


def test_a_rule_that_returns_none_on_one_path_is_refused():
    @sct.rule(vjp=lambda ct, y, x: 2.0 * ct if x > 0.0 else None)
    def doubled(x):
        return abs(x) * 2.0

    for x in (-1.0, 1.0):
        with pytest.raises(SctError, match="SCT406"):
            grad(doubled)(x)
        with pytest.raises(SctError, match="SCT406"):
            jvp(doubled, (x,), (1.0,))


CALLS: list[float] = []


@sct.rule(vjp=lambda ct, y, x: 2.0 * x * ct)
def counted_square(x):
    CALLS.append(1.0)
    return x * x


def test_a_function_with_a_rule_that_writes_outside_is_not_called_by_python() -> None:
    with refused("SCT302", "a write into `CALLS`"):
        grad(lambda x: counted_square(x) * x)(2.0)
    assert not CALLS
