"""Numbers of NumPy's narrow dtypes: `np.float16(x)`, `np.int32(n)`, made by calling the dtype."""

from __future__ import annotations

import numpy as np
import pytest

from sct import grad, jvp, value_and_grad


def scaled(x):
    return np.sum(x * np.float16(2))


def converted(x):
    return np.float16(x[0]) * x[1]


def of_small_ints(x):
    return np.sum(x[np.int32(1)] * np.int16(x.shape[0])) + x[np.uint8(0)] * np.uint64(2)


def at_a_converted_index(x):
    return x[np.int8(x[0])]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("f, slope", [
    (scaled, [2.0, 2.0, 2.0]), (converted, [2.0, 1.5, 0.0]), (of_small_ints, [2.0, 3.0, 0.0]),
    (at_a_converted_index, [0.0, 1.0, 0.0])])
def test_value_and_gradient(f, slope, dtype) -> None:
    x = np.array([1.5, 2.0, 3.0], dtype)
    value, gradient = value_and_grad(f)(x)
    expected = f(x)
    assert value == expected and type(value) is type(expected)
    assert gradient.dtype == dtype
    np.testing.assert_array_equal(gradient, slope)
    assert jvp(f, (x,), (np.ones(3, dtype),))[1] == np.sum(slope)


def test_in_half_precision() -> None:
    x = np.array([1.0, 2.0, 0.5], np.float16)
    for f in (lambda x: np.mean(np.exp(x)), lambda x: np.sqrt(np.sum(x ** 2)), lambda x: x @ x, np.prod, np.var,
              lambda x: np.sum(np.cumsum(x) * x), lambda x: np.linalg.norm(x), lambda x: np.max(x) * x[0]):
        value, gradient = value_and_grad(f)(x)
        assert value == f(x) and value.dtype == gradient.dtype == np.float16
        np.testing.assert_allclose(gradient, grad(f)(x.astype(float)), rtol=4e-3, atol=2e-3)
