"""Values that validation compares: numbers, whatever the bytes beside them are."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from sct import grad, jvp, vjp
from sct.validation.compare import same

FACTOR = np.float64(0.7)


def padded(x: np.ndarray) -> np.ndarray:
    """The same numbers with other bytes of padding."""
    copy = x.copy()
    used = np.finfo(np.longdouble).nmant // 8 + 3
    copy.view(np.uint8).reshape(-1, np.dtype(np.longdouble).itemsize)[:, used:] ^= 7
    return copy


X = np.array([0.1, -0.0, np.inf, 3.0], np.longdouble)


@pytest.mark.skipif(np.dtype(np.longdouble).itemsize < 16 or np.finfo(np.longdouble).nmant > 64, reason="no padding")
def test_padding_is_not_compared():
    z = X + 1j * X[::-1].astype(np.clongdouble)
    assert same(X, padded(X)) and same(X[0], padded(X)[0])
    assert same(z, padded(z)) and same(z[::2], padded(z)[::2])
    record = np.zeros(4, [("x", np.longdouble), ("k", int)])
    other = record.copy()
    other["x"] = padded(record["x"])
    assert same(record, other)
    other["k"][1] = 2
    assert not same(record, other)


@pytest.mark.parametrize("dtype", [np.float64, np.longdouble, np.complex128, np.clongdouble])
def test_numbers_are_compared_by_value_and_sign(dtype):
    x = np.array([0.0, np.nan, 1.0], dtype)
    assert same(x, x.copy()) and same(x, np.array([0.0, -np.nan, 1.0], dtype))
    assert not same(x, np.array([-0.0, np.nan, 1.0], dtype))
    assert not same(x, np.array([0.0, 1.0, np.nan], dtype))
    assert not same(x, np.array([0.0, np.nan, np.nextafter(np.float32(1.0), np.float32(2.0))], dtype))


def test_the_sign_of_an_imaginary_zero():
    assert not same(np.array([1.0 + 0.0j]), np.array([complex(1.0, -0.0)]))


@pytest.mark.parametrize("dtype", [np.longdouble, np.clongdouble])
@pytest.mark.parametrize("f", [lambda x: np.outer(x, x), lambda x: x * x[::-1], lambda x: (x[0], [x * 2.0])])
def test_functions_of_longdouble(f, dtype):
    x = np.array([0.1, 0.2, 0.3], dtype) / 3
    assert same(vjp(f, x)[0], f(x)) and same(jvp(f, (x,), (x,))[0], f(x))


def variance(y, z):
    return np.real(scipy.stats.norm(y, z).var() * FACTOR)


@pytest.mark.parametrize("x", [0.5, np.float64(0.5)])
@pytest.mark.parametrize("f", [lambda x: grad(variance)(x, 2.0), lambda x: [grad(variance)(x, 2.0), x],
                               lambda x: grad(variance)(x, 2.0) + x, lambda x: vjp(variance, x, 2.0)[1](1.0)])
def test_an_inner_derivative_that_is_zero(f, x):
    value, _ = jvp(f, (x,), (1.0,))
    assert np.array_equal(value, f(x))


def test_a_float_is_told_from_an_int_and_an_array():
    assert same(np.float64(0.0), 0.0, alike=(float,)) and not same(0.0, 0, alike=(float,))
    assert same(1j, np.complex128(1j), alike=(float, complex)) and not same(1.0, 1.0 + 0j, alike=(float, complex))
    assert not same(np.array(0.0), 0.0, alike=(float,)) and not same(0.0, -0.0, alike=(float,))
    assert not same(np.float64(0.0), 0.0)
