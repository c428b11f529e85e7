"""Lists of arrays whose items are read and written at run-time positions: what the cotangents of the items share.

An update of an item in place must not reach another item, an array of the caller, or a value that is read later.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees

from sct import check_grads, grad, vjp

G = np.array([0.5, 0.6, 0.7])


def argument_and_global(u, w, n):
    xs = [u * 1.0, w]
    total = 0.0
    for t in range(n):
        total = total + xs[t % 2][1] * xs[(t + 1) % 2][0]
    return total + xs[1] @ G + xs[0] @ w


def one_array_many_times(u, w, n):
    xs = [u] * n
    total = 0.0
    for t in range(n):
        total = total + xs[t][1] * t
    return total + xs[0] @ w + xs[n - 1] @ G


def joined(u, w, n):
    xs = [u, w] * n
    ys = xs[:n] + xs[n:]
    total = 0.0
    for t in range(n):
        total = total + xs[t][1] * ys[2 * t][2]
    return total + ys[0] @ w + xs[n - 1] @ G


def nested(u, w, n):
    xs = [[u * 1.0, w * 2.0], [w, u]]
    total = 0.0
    for t in range(n):
        total = total + xs[t % 2][(t + 1) % 2][1] * t
    return total + xs[0][1] @ w + xs[1][0] @ G


def two_buffers(u, w, n):
    xs = [u * w, np.zeros_like(u)]
    for t in range(n):
        source, target = xs[t % 2], xs[(t + 1) % 2]
        target[1:] = source[:-1] - 0.5 * source[1:]
    return np.sum(xs[0] * xs[1]) + xs[0] @ w


def replaced(u, w, n):
    xs = [u * 1.0, u * 2.0]
    for t in range(n):
        xs[t % 2] = xs[(t + 1) % 2] * xs[t % 2] + G
    total = 0.0
    for t in range(n):
        total = total + xs[t % 2][1]
    return total + xs[0] @ w


def history(u, w, n):
    xs = [u]
    for _ in range(n):
        xs.append(np.sin(xs[-1]) * w)
    total = 0.0
    for i in range(n):
        total += xs[i][0] * xs[n - i][1]
    return total + xs[n] @ w


def the_same_item_again(u, w, n):
    xs = [u * 1.0]
    for _ in range(n):
        xs.append(xs[-1])
    total = 0.0
    for i in range(n):
        total += xs[i][0] * xs[n - i][1]
    ys = xs if n > 2 else [w, u]
    for i in range(2):
        total += ys[i][1] * ys[1 - i][0]
    return total + xs[n] @ w + ys[1] @ G


def sum_of_items(u, w, n):
    xs = [u * 1.0, u * w]
    total = 0.0
    for t in range(n):
        total = total + xs[t % 2][1]
    return np.sum((xs[0] + xs[1]) ** 2) + total


def sum_in_a_loop(u, w, n):
    xs = []
    for t in range(n):
        xs.append(u * t)
    total = 0.0
    for t in range(n):
        total = total + xs[t][1]
    y = np.zeros(3)
    for x in xs:
        y = y + x
    return np.sum(y**2) + total


def run_time_keys(u, w, n):
    xs = {}
    for i in range(n):
        xs[i] = u * i
    ys = dict(xs)
    total = 0.0
    for t in range(n):
        total = total + xs[t][1] + ys[t][0] * w[1]
    return total + xs[0] @ w + ys[1] @ G


def rotated(u, w, n):
    xs = [u, u, w]
    for _ in range(n):
        xs[0], xs[1], xs[2] = xs[1], xs[2], xs[0]
    return xs[0] @ w


def leapfrog(u, w, n):
    level = {"old": u, "now": u, "new": 0.0 * u}
    for _ in range(n):
        level["new"] = 2.0 * level["now"] - level["old"] + 0.1 * w * np.roll(level["now"], 1)
        level["old"], level["now"], level["new"] = level["now"], level["new"], level["old"]
    return level["now"] @ w


def multistep(u, w, n):
    slope = np.sin(u)
    slopes, y = [slope, slope, slope], u
    for _ in range(n):
        y = y + 0.1 * (23.0 * slopes[0] - 16.0 * slopes[1] + 5.0 * slopes[2]) / 12.0
        slopes[2] = slopes[1]
        slopes[1] = slopes[0]
        slopes[0] = np.sin(y) * w
    return y @ w


def sum_of_rows(u, w, n):
    xs = [np.exp(u)]
    for _ in range(n):
        xs.append(u)
    return np.sum(np.array(xs).sum(axis=0) ** 2) + u @ w


PROGRAMS = [sum_of_rows, argument_and_global, one_array_many_times, joined, nested, two_buffers, replaced, history,
            leapfrog, multistep, rotated, the_same_item_again, sum_of_items, sum_in_a_loop, run_time_keys]
U, W = np.array([0.3, -0.7, 1.1]), np.array([0.9, 0.4, -0.6])


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_program(f: Callable[..., Any]) -> None:
    u, w, g = U.copy(), W.copy(), G.copy()
    both, derivative = grad(f, (0, 1)), grad(lambda w, u, n: f(u, w, n))
    for n in (2, 3, 5):
        agrees(f, u, w, n)
        agrees(lambda w, u, n: f(u, w, n), w, u, n)
        first = both(u, w, n)
        np.testing.assert_array_equal(first, both(u, w, n))
        np.testing.assert_allclose(first[1], derivative(w, u, n), atol=1e-14)
        np.testing.assert_array_equal((u, w, G), (U, W, g))
    check_grads(lambda u, w: f(u, w, 3), (u, w), order=2)


def first(a, b):
    return a


def read_around_a_loop_that_writes(u, w, n):
    xs, history, zeros = [u, u, u], [u], np.zeros(3)
    for t in range(n):
        history.append(first(zeros, history[t]))
    while t < n:
        item = xs[t % 3]
        for _ in range(3):
            xs[1] = history[0]
        t += 1
    return xs[1] @ w + item @ xs[2]


def test_a_list_that_grows_in_a_loop_around_another() -> None:
    for n in (2, 4):
        agrees(read_around_a_loop_that_writes, U, W, n)


def items_and_total(u, n):
    xs = [u, u * 2.0]
    total = 0.0
    for t in range(n):
        total = total + xs[t % 2][1]
    return xs[0], total


def test_a_pullback_leaves_its_cotangent_as_it_is() -> None:
    ct = np.ones(3)
    _, pullback = vjp(items_and_total, U, 3)
    for _ in range(2):
        np.testing.assert_array_equal(pullback((ct, 1.0))[0], [1.0, 5.0, 1.0])
    np.testing.assert_array_equal(ct, np.ones(3))


def test_an_array_is_copied_where_it_becomes_an_item() -> None:
    f = grad(argument_and_global)
    f(U, W, 3)
    assert "dxs[1] = np.copy(G)" in f.source, f.source


def last_layer(u, n, w):
    layers = [u]
    for k in range(n):
        layers.append(np.sin(layers[k]))
    return layers[n] @ w


def test_a_gradient_that_is_an_item_is_no_array_of_the_caller() -> None:
    """Without a step, the gradient is `w`, which the list of cotangents holds."""
    for n in (0, 2):
        for derivative in (grad(last_layer), lambda u, n, w: vjp(last_layer, u, n, w)[1](1.0)[0]):
            slope, w = derivative(U, n, W), W.copy()
            slope += 1.0
            np.testing.assert_array_equal(w, W)


def against_one_array(xs, w):
    total = 0.0
    for x in xs:
        total += x @ w
    return total


def against_its_double(xs, w):
    v, total = 2.0 * w, 0.0
    for i in range(len(xs)):
        total += xs[i] @ v[::-1]
    return total


def test_the_items_of_a_gradient_are_arrays_of_their_own() -> None:
    xs = [U * k for k in range(6)]
    for f in (against_one_array, against_its_double):
        slopes, w = grad(f)(xs, W), W.copy()
        expected = [s.copy() for s in slopes]
        slopes[0] += 1.0
        np.testing.assert_array_equal(w, W)
        np.testing.assert_array_equal(slopes[1:], expected[1:])
