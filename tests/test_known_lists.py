"""Loops over lists of known items, in one another, are loops where they come to many iterations."""

from __future__ import annotations

import itertools

import numpy as np

from sct import grad, hessian, value_and_grad


def partition_sum(p, n):
    spins = list(itertools.product([-1, 1], repeat=n))
    T = np.empty((len(spins), len(spins)))
    for a, s in enumerate(spins):
        within = 0.0
        for i in range(n):
            within += s[i] * s[(i + 1) % n]
        for b, t in enumerate(spins):
            between = sum(x * y for x, y in zip(s, t))
            T[a, b] = np.exp(p[0] * (between + 0.5 * within) + p[1] * sum(t))
    return np.trace(T @ T)


def axes_of_each_pair(x):
    orders = list(itertools.permutations(range(3)))
    total = 0.0
    for first in orders:
        for second in orders:
            total += np.transpose(x, first)[0, 1, 0] ** 2 * second[0]
    return total


def axes_after_the_loops(x):
    axes, total = [0, 1, 2, 0, 1, 2], 0.0
    for i in axes:
        for k in axes:
            total += x[0, 0, 0] * i * k
    return total + sum(np.sum(np.max(x, axis=k)) for k in axes)


def test_their_text_does_not_grow_with_the_list() -> None:
    p, lines = np.array([0.3, 0.1]), []
    for n in (3, 4):
        derivative = value_and_grad(partition_sum)
        value, gradient = derivative(p, n)
        slopes = [(partition_sum(p + e, n) - partition_sum(p - e, n)) / 2e-6 for e in 1e-6 * np.eye(2)]
        assert value == partition_sum(p, n) and derivative.validated is True
        np.testing.assert_allclose(gradient, slopes, rtol=1e-7)
        lines.append(len(derivative.source.splitlines()))
    assert max(lines) < 70
    curvature = [(grad(partition_sum)(p + e, 3) - grad(partition_sum)(p - e, 3)) / 2e-6 for e in 1e-6 * np.eye(2)]
    np.testing.assert_allclose(hessian(partition_sum)(p, 3), curvature, rtol=1e-6)


def test_items_that_must_be_known_are_known() -> None:
    x = np.arange(8.0).reshape(2, 2, 2)
    total = sum(np.transpose(x, axes)[0, 1, 0] for axes in itertools.permutations(range(3)))
    assert np.sum(grad(axes_of_each_pair)(x)) == 2.0 * 6.0 * total


def test_items_are_known_after_the_loops_that_do_not_write_to_them() -> None:
    x = np.array([[[2.0, 5.0], [3.0, 8.0]], [[7.0, 1.0], [4.0, 6.0]]])
    expected = 2.0 * sum((x == np.max(x, axis=k, keepdims=True)).astype(float) for k in range(3))
    expected[0, 0, 0] += 36.0
    np.testing.assert_array_equal(grad(axes_after_the_loops)(x), expected)
