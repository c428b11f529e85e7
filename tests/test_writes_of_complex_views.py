"""Writes into slices of complex arrays, which are views of them."""

from __future__ import annotations

import numpy as np
import pytest

from sct import SctError, check_grads, vjp

X = np.array([1.0 + 1.0j, 2.0 - 1.0j, -0.3 + 0.5j])


def item(x):
    z = x * 1.0
    v = z[1:]
    v[0] = 2.0
    return z * z


def part_of_a_part(x):
    z = x * 1.0
    z[1:][:1] = x[0] * x[1]
    return z * z


def part(x):
    z = x * 1.0
    v = z[1:]
    v[:1] = x[2]
    v[0] *= x[0]
    return z * z


def masked(x):
    z = x * 1.0
    v = z[1:]
    v[v.real > 0.0] = 0.0
    return z * z


def copied(x):
    z = x * 1.0
    np.copyto(z[1:2], x[:1])
    return z * z


def out(x):
    z = x * 1.0
    np.add(x[:2], x[1:], out=z[1:3])
    return z * z


def by_steps(x):
    z = x * 1.0
    v = z[::2]
    np.multiply(v, 1j, out=v)
    return z * z


def in_a_loop(x):
    z = x * 1.0
    v = z[1:]
    for k in range(len(v)):
        v[k] = v[k - 1] * x[k]
    return z * z


def of_a_column(x):
    z = np.stack([x, x * x])
    column = z[:, 1]
    column[0] = x[2] * x[0]
    return z * z


@pytest.mark.parametrize("dtype", [np.complex128, np.complex64])
@pytest.mark.parametrize("f", [item, part_of_a_part, part, masked, copied, out, by_steps, in_a_loop, of_a_column])
def test_writes_through_a_view(f, dtype):
    x = X.astype(dtype)
    value, _ = vjp(f, x)
    assert value.dtype == dtype and value.tobytes() == f(x).tobytes()
    check_grads(f, (X,))
    if f is not by_steps:
        check_grads(f, (X.real.copy(),))


def test_a_complex_number_is_no_item_of_a_real_view():
    with pytest.raises(SctError, match="cannot cast"):
        vjp(by_steps, X.real.copy())
