"""Loops over lists of known items, in one another, are loops where they come to many iterations."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

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


class Node:
    def __init__(self, at: Any, fixed: str = "") -> None:
        self.at, self.fixed = at, set(fixed)


class Bar:
    def __init__(self, first: Any, second: Any, area: Any) -> None:
        self.first, self.second, self.area = first, second, area


def truss(areas: Any, height: Any) -> Any:
    nodes = [Node(0.0, "xy"), Node(2.0 * height, "y"), Node(height ** 2)]
    bars = []
    for (i, j), area in zip([(0, 1), (1, 2), (0, 2), (0, 1), (1, 2), (2, 0)], areas):
        bars.append(Bar(nodes[i], nodes[j], area))
    free = sum(1 for node in nodes for axis in "xy" if axis not in node.fixed)
    return free * sum(b.area * (b.first.at - b.second.at) ** 2 for b in bars)


def test_a_list_whose_items_must_be_known_beside_one_of_unknown_length() -> None:
    derivative = value_and_grad(truss, argnums=(0, 1))
    for areas in ([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.1, 0.2, 0.3, 0.4], [], [1.0] * 9):
        value, (d_areas, d_height) = derivative(areas, 1.2)
        assert value == truss(areas, 1.2)
        lengths = [(0.0, 2.4), (2.4, 1.44), (0.0, 1.44)] * 2
        expected = [3 * (p - q) ** 2 for p, q in lengths][:len(areas)]
        assert d_areas == pytest.approx([*expected, *[0.0] * (len(areas) - len(expected))])
        step = 1e-6
        assert d_height == pytest.approx((truss(areas, 1.2 + step) - truss(areas, 1.2 - step)) / (2 * step), abs=1e-6)


def of_all_leaves(parameters: Any) -> Any:
    total, stack = 0.0, [parameters]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            stack.extend(node.values())
        else:
            total += np.sum(node ** 2)
    return total


def test_a_work_list_of_dicts_in_dicts() -> None:
    parameters = {"a": {"W": np.ones((2, 2)), "b": np.ones(2)}, "c": 2.0 * np.ones(3)}
    value, gradient = value_and_grad(of_all_leaves)(parameters)
    assert value == of_all_leaves(parameters) == 18.0
    assert np.array_equal(gradient["a"]["W"], 2.0 * np.ones((2, 2)))
    assert np.array_equal(gradient["c"], 4.0 * np.ones(3))
    assert value_and_grad(of_all_leaves)({"a": np.ones(2)})[0] == 2.0
