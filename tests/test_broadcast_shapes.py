"""`np.broadcast_shapes` of shapes of differentiated arrays: its sizes are those of the arrays."""

from __future__ import annotations

import numpy as np
import pytest

from sct import SctError, grad, hvp, value_and_grad
from tests.oracle import same_value


def product(a, b):
    out = np.empty(np.broadcast_shapes(a.shape, b.shape))
    out[...] = a * b
    return out


def total(a, b):
    return np.sum(product(a, np.sin(b)) ** 2)


def line(x, n):
    rows = x.reshape(n, 3)
    q = rows[0]
    for row in rows[1:]:
        q = product(q, np.cos(row))
    return np.sum(q)


@pytest.mark.parametrize("shapes", [((3,), (3,)), ((4, 3), (3,)), ((4, 1), (1, 3)), ((2, 1, 3), (4, 1)), ((), (2,))])
def test_gradients(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    rng = np.random.default_rng(0)
    a, b = (rng.normal(size=shape) for shape in shapes)
    value, (da, db) = value_and_grad(total, argnums=(0, 1))(a, b)
    assert same_value(value, total(a, b))
    u, v = rng.normal(size=a.shape), rng.normal(size=b.shape)
    e = 1e-6
    slope = (total(a + e * u, b + e * v) - total(a - e * u, b - e * v)) / (2 * e)
    assert np.sum(da * u) + np.sum(db * v) == pytest.approx(slope, rel=1e-7)
    central = (grad(total)(a + e * u, b) - grad(total)(a - e * u, b)) / (2 * e)
    np.testing.assert_allclose(hvp(total, (a, b), (u,)), central, rtol=1e-6, atol=1e-8)


def test_a_loop_keeps_the_shape() -> None:
    for n in (4, 2, 1):
        x = np.linspace(0.2, 1.7, 3 * n)
        value, slope = value_and_grad(line)(x, n)
        assert same_value(value, line(x, n))
        numeric = [(line(x + e, n) - line(x - e, n)) / 2e-6 for e in 1e-6 * np.eye(3 * n)]
        np.testing.assert_allclose(slope, numeric, rtol=1e-6, atol=1e-9)


def test_the_emitted_code_reads_the_sizes_of_the_arrays() -> None:
    derivative = grad(total)
    derivative(np.ones((4, 3)), np.ones(3))
    assert "broadcast_shapes" not in derivative.source


def test_shapes_that_do_not_fit_raise_as_in_numpy() -> None:
    with pytest.raises((ValueError, SctError)):
        grad(total)(np.ones((4, 3)), np.ones(2))
