"""Derivatives of functions of libraries that are not written in Python: `grad(np.sin)`."""

from __future__ import annotations

import functools
import math
import operator
import pickle

import numpy as np
import pytest
import scipy.special

import sct
from sct import SctError

X = np.array([0.3, 0.7, 1.1])


@pytest.mark.parametrize("f, args", [
    (np.sin, (0.3,)), (np.sin, (X,)), (np.hypot, (X, 1.0 + X)), (np.sum, (X,)), (np.append, (X, 2.0)),
    (np.append, (np.ones((2, 2)), np.ones((1, 2)), 0)), (np.gradient, (X,)), (np.dot, (X, X)), (math.hypot, (3.0, 4.0)),
    (math.exp, (0.2,)), (operator.mul, (2.0, X)), (scipy.special.gamma, (X,)), (np.linalg.inv, (np.eye(2) + 0.1,)),
    (functools.partial(np.sum, axis=0), (np.ones((2, 3)),)), (functools.partial(np.power, 2.0), (X,)),
])
def test_agrees_with_differences(f, args) -> None:
    wrt = tuple(k for k, x in enumerate(args) if not isinstance(x, int))
    sct.check_grads(f, args, argnums=wrt, order=2)


def test_keywords_reach_the_function() -> None:
    m = np.arange(6.0).reshape(2, 3) ** 1.5
    np.testing.assert_allclose(sct.jacobian(np.sum)(m, axis=0), sct.jacobian(lambda m: np.sum(m, axis=0))(m))
    assert sct.grad(np.sum)(m, keepdims=False).shape == m.shape


def test_derivatives_of_derivatives() -> None:
    def slope(x):
        return sct.grad(np.sin)(x) * sct.vjp(scipy.special.gamma, x)[1](1.0)[0]

    sct.check_grads(slope, (0.4,), order=2)
    assert sct.grad(sct.grad(np.sin))(0.3) == -np.sin(0.3)
    np.testing.assert_allclose(sct.hessian(np.prod)(X), [[0.0, 1.1, 0.7], [1.1, 0.0, 0.3], [0.7, 0.3, 0.0]])


def test_what_is_emitted_calls_the_function() -> None:
    derivative = sct.value_and_grad(math.sin)
    derivative(0.2)
    assert derivative.source == '''import math


def sin_value_and_grad(x):
    # x: float
    dx = math.cos(x)
    return math.sin(x), dx
'''.replace("    dx =", "    # return math.sin(x)\n    dx =")
    assert pickle.loads(pickle.dumps(derivative))(0.2) == derivative(0.2)
    assert derivative.__name__ == "sin"


@pytest.mark.parametrize("f", [str.upper, [].append, print, np.vectorize])
def test_what_has_no_derivative_is_refused(f) -> None:
    with pytest.raises(SctError):
        sct.grad(f)(X)


def test_a_pullback_has_a_cotangent_for_each_primal() -> None:
    def scaled(x, factor=2.0):
        return x * factor

    def of_the_pullback(x):
        cotangents = sct.vjp(scaled, x)[1](1.0)
        return cotangents[0] * len(cotangents) * x

    assert sct.vjp(scaled, 0.7)[1](1.0) == (2.0,)
    assert sct.vjp(scaled, 0.7, 3.0)[1](1.0) == (3.0, 0.7)
    assert sct.value_and_grad(of_the_pullback)(0.7) == (1.4, 2.0)
