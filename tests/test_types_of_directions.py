"""Tangents and cotangents inside a function are numbers of the kinds that they are outside of it."""

import itertools

import numpy as np
import pytest

from sct import grad, jvp, value_and_grad, vjp

PRIMALS = [2.0, np.float64(2.0), np.float32(2.0), 2, 2.0 + 1.0j, np.complex128(2.0 + 1.0j), np.complex64(2.0 + 1.0j)]
DIRECTIONS = [np.float64(1.5), 1, np.array(1.5)]


def cube(x):
    return x * x * x


def tangent(x, v):
    return jvp(cube, (x,), (v,))[1]


def cotangent(x, v):
    return vjp(cube, x)[1](v)[0]


def along_one(x, v):
    return jvp(cube, (x,), (1.0,))[1]


def of_one(x, v):
    return vjp(cube, x)[1](1.0)[0]


@pytest.mark.parametrize("derivative", [tangent, cotangent, along_one, of_one])
@pytest.mark.parametrize("x, v", [*itertools.product(PRIMALS, DIRECTIONS)], ids=lambda x: repr(x))
def test_numbers_have_the_type_that_they_have_outside(derivative, x, v):
    expected = derivative(x, v)
    value, pullback = vjp(derivative, x, v)
    assert type(value) is type(expected)
    np.testing.assert_allclose(value, expected, rtol=1e-6)
    along = v if derivative in (tangent, cotangent) else 1.0
    np.testing.assert_allclose(value, 3.0 * complex(x) ** 2 * float(along), rtol=1e-6)
    np.testing.assert_allclose(pullback(1.0)[0], 6.0 * complex(x) * float(along), rtol=1e-6)


def test_a_tangent_of_numpy_in_a_container_of_numbers_of_python():
    def f(weights, direction):
        return jvp(lambda w: [w["a"] ** 2, w["b"][0] * w["a"]], (weights,), (direction,))[1]
    weights, direction = {"a": 3.0, "b": [2.0, 1.0]}, {"a": np.float64(0.5), "b": [np.float64(2.0), np.float64(0.0)]}
    value, pullback = vjp(f, weights, direction)
    assert value == f(weights, direction) == [3.0, 7.0]
    assert [type(v) for v in value] == [float, float]
    assert pullback([1.0, 1.0])[0] == {"a": 3.0, "b": [0.5, 0.0]}


@pytest.mark.parametrize("f, x, expected", [
    (lambda x: x * x, 3, 6.0), (lambda x: x * x * x, 3, 27.0), (lambda x: x + x, 3, 2.0), (lambda x: -x * x, 3, -6.0)])
def test_the_gradient_of_an_int_is_a_float(f, x, expected):
    for gradient in (grad(f)(x), value_and_grad(f)(x)[1], value_and_grad(lambda x: grad(f)(x))(x)[0]):
        assert type(gradient) is float and gradient == expected


def product(xs):
    return np.dot(xs[0], xs[1])


def backward(xv):
    return vjp(product, xv[0])[1](xv[1])[0]


def forward(xv):
    return jvp(product, (xv[0],), (xv[1],))[1]


@pytest.mark.parametrize("inner, x", [
    (backward, ((1.5, 0.3), 2.0)), (backward, ((1.5, 0.3), np.float64(2.0))),
    (forward, ((1.5, 0.3), (2.0, np.float64(1.0))))])
@pytest.mark.parametrize("w", [0.5, np.float64(0.5)])
def test_cotangents_of_derivatives_have_the_type_that_their_values_turn_out_to_have(inner, x, w):
    def f(x, w):
        value, pullback = vjp(inner, x)
        return pullback((w, w) if isinstance(value, tuple) else w)[0]
    expected = f(x, w)
    value, _ = vjp(f, x, w)
    assert repr(value) == repr(expected)
