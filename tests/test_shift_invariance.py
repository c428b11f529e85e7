"""Maxima that only guard against overflow take no derivative; those that change the result do."""

import math
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses

from sct import grad, hvp, jvp


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def of_rows(x):
    return np.sum(softmax(x) ** 3)


def of_columns(x):
    m = x.max(axis=0)
    e = np.exp(x - m)
    return np.sum((e / e.sum(axis=0)) ** 3)


def of_all(x):
    e = np.exp(x - x.max())
    return np.sum((e / e.sum()) ** 3)


def log_sum_exp(x):
    m = np.max(x, axis=1)
    return np.sum(np.sin(m + np.log(np.sum(np.exp(x - m[:, None]), axis=1))))


def smooth_minimum(x):
    t = 0.7
    m = np.min(x, axis=1)
    return np.sum(np.sin(m - t * np.log(np.mean(np.exp((m[:, np.newaxis] - x) / t), axis=1))))


def at_temperature(x):
    t = np.sum(x * x)
    m = np.max(x, axis=1).reshape(-1, 1)
    e = np.exp((x - m) / t)
    lse = m / t + np.log(np.sum(e, axis=1, keepdims=True))
    return np.sum(lse * lse) + np.sum((e / e.sum(axis=1, keepdims=True)) ** 2)


def log_softmax(x):
    z = x - np.max(x, axis=1, keepdims=True)
    return np.sum((z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))) * x)


def masked(x):
    e = np.where(x > -0.5, np.exp(x - np.max(x, axis=1, keepdims=True)), 0.0)
    return np.sum((e / np.sum(e, axis=1, keepdims=True)) ** 3)


def mean_weighted(x):
    e = np.exp(x.T - x.T.max(axis=0))
    return np.sum((e.T @ np.arange(1.0, len(e) + 1.0) / e.sum(axis=0)) ** 2)


def in_a_loop(x):
    total = 0.0
    for row in x:
        e = np.exp(row - np.max(row))
        total += np.max(e / np.sum(e)) ** 2
    return total


def of_two(x):
    a, b = x[0], x[1]
    m = np.maximum(a, b)
    return np.sum(np.sin(m + np.log(np.exp(a - m) + np.exp(b - m))))


def in_place(x):
    p = np.exp(x - x.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    return np.sum(p ** 3)


def shifted_in_place(x):
    e = x * 1.0
    e -= e.max()
    e[...] = np.exp(e)
    e /= np.sum(e)
    return np.sum(e * e)


STOPPED = [of_rows, of_columns, of_all, log_sum_exp, smooth_minimum, at_temperature, log_softmax, masked, mean_weighted,
           in_a_loop, of_two, in_place, shifted_in_place]


def not_normalized(x):
    return np.sum(np.exp(x - np.max(x, axis=1, keepdims=True)))


def twice_the_maximum(x):
    m = np.max(x, axis=1)
    return np.sum(2.0 * m + np.log(np.sum(np.exp(x - m[:, None]), axis=1)))


def of_the_other_axis(x):
    e = np.exp(x - np.max(x, axis=0))
    return np.sum((e / np.sum(e, axis=1, keepdims=True)) ** 3)


def transposed(x):
    e = np.exp(x - np.max(x, axis=1))
    return np.sum((e / np.sum(e, axis=1, keepdims=True)) ** 3)


def shifted_by_another(x):
    m = np.max(x, axis=1, keepdims=True)
    e = np.exp(x - m[::-1])
    return np.sum((e / np.exp(x.sum(axis=1, keepdims=True) - m)) ** 2)


def another_power(x):
    m = np.max(x, axis=1, keepdims=True)
    e = np.exp(x - m)
    return np.sum(e**2 / np.sum(e, axis=1, keepdims=True))


def floored(x):
    m = np.max(x, axis=1, keepdims=True)
    e = np.exp(x - m) + 0.1
    return np.sum((e / np.sum(e, axis=1, keepdims=True)) ** 3)


def another_scale(x):
    t = np.sum(x * x)
    m = np.max(x, axis=1, keepdims=True)
    return np.sum(m + np.log(np.sum(np.exp((x - m) / t), axis=1, keepdims=True)))


def read_in_a_branch(x):
    m = np.max(x)
    e = np.exp(x - m)
    s = e / np.sum(e)
    if m > 0.0:
        return np.sum(s * s) * m
    return np.sum(s * s)


def counted_in_the_sum(x):
    m = np.max(x, axis=1, keepdims=True)
    return np.sum(np.sum(x - m, axis=1) + 2.0 * m[:, 0])


def start_of_a_loop(x):
    m = np.max(x)
    e = np.exp(x - m)
    total = m
    for v in x[0]:
        total = total * v
    return np.sum((e / np.sum(e)) ** 2) + total


def in_a_try(x):
    m = np.max(x)
    e = np.exp(x - m)
    try:
        low = math.sqrt(m)
    except ValueError:
        low = 0.0
    return np.sum((e / np.sum(e)) ** 2) + low


def in_a_list(x):
    m = np.max(x)
    e = np.exp(x - m)
    seen = [m]
    for v in x[0]:
        seen.append(v * seen[-1])
    return np.sum((e / np.sum(e)) ** 2) + sum(seen)


def returned_by_a_helper(x):
    s, m = with_maximum(x)
    return np.sum(s * s) + m * m


def overwritten_in_part(x):
    p = np.exp(x - x.max(axis=1, keepdims=True))
    p[0] = p[1]
    p[1] /= p[1].sum()
    return np.sum(p[1] ** 3) + np.sum(p[0] ** 3)


def with_maximum(x):
    m = np.max(x)
    e = np.exp(x - m)
    return e / np.sum(e), m


KEPT = [start_of_a_loop, in_a_try, in_a_list, returned_by_a_helper, not_normalized, twice_the_maximum,
        of_the_other_axis, transposed, shifted_by_another, another_power, floored, another_scale, read_in_a_branch,
        counted_in_the_sum, overwritten_in_part]


def square() -> Any:
    return np.random.default_rng(3).normal(size=(3, 3))


@pytest.mark.parametrize("f", STOPPED + KEPT)
def test_derivatives(f: Callable[..., Any]) -> None:
    x, d = square(), np.random.default_rng(4).normal(size=(3, 3))
    agrees(f, x)
    np.testing.assert_allclose(jvp(f, (x,), (d,))[1], np.sum(grad(f)(x) * d), rtol=1e-10, atol=1e-12)
    eps = 1e-5
    slope = (grad(f)(x + eps * d) - grad(f)(x - eps * d)) / (2.0 * eps)
    np.testing.assert_allclose(hvp(f, (x,), (d,)), slope, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("f", STOPPED)
def test_a_shift_takes_no_derivative(f: Callable[..., Any]) -> None:
    df = grad(f)
    df(square())
    assert "stop_gradient" in df.ir("expanded")


@pytest.mark.parametrize("f", KEPT)
def test_a_maximum_that_counts_takes_one(f: Callable[..., Any]) -> None:
    df = grad(f)
    df(square())
    assert "stop_gradient" not in df.ir("expanded")


def packed(x):
    m = np.max(x)
    e = np.exp(x - m)
    return np.sum((e / np.sum(e)) ** 2) + struct.unpack("d", struct.pack("d", m))[0]


def test_an_opaque_call_of_a_maximum_is_refused() -> None:
    refuses(packed, square(), code="SCT401")


@pytest.mark.parametrize("f", [of_rows, log_sum_exp])
@pytest.mark.parametrize("x", [np.zeros((0, 3)), np.ones((1, 1)), np.full((2, 3), 2.0), np.array([[900.0, -900.0]]),
                               np.array([[-np.inf, 1.0, 2.0]]), square().astype(np.float32)])
def test_sizes_ties_and_infinities(f: Callable[..., Any], x: Any) -> None:
    """The derivative is that of the function with the largest element as a constant."""
    dx = grad(f)(x)
    assert dx.dtype == x.dtype and dx.shape == x.shape
    e = np.exp(x - x.max(axis=1, keepdims=True))
    s = e / e.sum(axis=1, keepdims=True)
    if f is of_rows:
        expected = 3.0 * s * (s**2 - np.sum(s**3, axis=1, keepdims=True))
    else:
        expected = s * np.cos(x.max(axis=1, keepdims=True) + np.log(e.sum(axis=1, keepdims=True)))
    np.testing.assert_allclose(dx, expected, rtol=1e-5 if x.dtype == np.float32 else 1e-12, atol=1e-7)
