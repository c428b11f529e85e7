"""Sizes that are computed: what is found to be equal at one call is asked at the next.

Each program is called through one derivative with arguments of many sizes, equal ones, ones that are equal by
chance and ones of size 1 among them: the gradient is that of central differences, or NumPy's error is raised.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import sct
from sct.frontend import trace


def halves(x, y):
    n = len(x) // 2
    return np.sum(x[:n] * np.sin(x[n:])) + np.sum(y)


def half_and_other(x, y):
    n = len(x) // 2
    a, b = x[:n] * y, x[n:] * y
    return np.sum(a * b) + np.sum(a) ** 2


def stored_halves(x, y):
    n = len(y)
    z = np.zeros(len(x))
    z[:n] = y**2
    z[n:] = x[n:] * x[0]
    return np.sum(z * x)


def every_other(x, y):
    return np.sum(x[::2] * y) + np.sum(x[1::2] * y)


def pairs(x, y):
    return np.sum((x[::2] - x[1::2]) ** 2) * np.sum(y)


def inner(x, y):
    return np.sum((x[2:] - 2.0 * x[1:-1] + x[:-2]) * y)


def tails(x, y):
    return np.sum(x[-3:] * y[1:]) + np.sum(x[:3] * y[1:])


def gates(x, y):
    n = len(y)
    return np.sum(np.tanh(x[:n]) * y + x[n:2 * n] * np.exp(x[2 * n:]))


def windows(x, y):
    k, total = len(y), 0.0
    for i in range(len(x) - k + 1):
        total += np.sin(np.sum(x[i:i + k] * y))
    return total


def windows_too_far(x, y):
    k, total = len(y), 0.0
    for i in range(len(x)):
        total += np.sin(np.sum(x[i:i + k] * y[0]))
    return total


def windows_that_end_early(x, y):
    total = 0.0
    for i in range(len(x)):
        total += np.sin(np.sum(x[i:i + 2] * y))
    return total


def lags(x, y):
    total = np.sum(y)
    for k in range(1, len(y)):
        total += np.sum(x[:-k] * x[k:]) ** 2
    return total


def backwards(x, y):
    k, total = len(y), 0.0
    for i in range(len(x) - 1, k - 2, -1):
        total += np.sum(x[i - k + 1:i + 1] * y) ** 2
    return total


def correlated(x, y):
    n, k = len(x), len(y)
    z = np.zeros(n - k + 1)
    for j in range(k):
        z += y[j] * x[j:j + n - k + 1]
    return np.sum(z**2)


def unpacked(x, y):
    n = len(y)
    W = x[:n * n].reshape(n, n)
    return np.sum((W @ y + x[n * n:]) ** 2)


def rows(x, y):
    return np.sum(x.reshape(-1, 2)[:, 0] * y)


def joined(x, y):
    return np.sum(np.concatenate((x, y)) * np.concatenate((y, x))) + np.sum(np.concatenate((x, x)) * y)


def one_of_two(x, y):
    z = x[:2] if y[0] > 0.0 else x[1:]
    return np.sum(z * z) + np.sum(z * y)


def reshaped(x, y, k):
    return np.sum(x.reshape(3, k) * y) + np.sum(x.reshape(k, 2)[:, 0])


def split_at(x, y, k):
    return np.sum(x[:k] * y) + np.sum(x[k:] ** 2)


def stored_up_to(x, y, k):
    z = np.zeros(len(x))
    z[:k] = y * y[0]
    return np.sum(z * x) + np.sum((x[k:2 * k] * y) ** 2)


def steps_of(x, y, k):
    total = 0.0
    for i in range(0, len(x), k):
        total += np.sum(np.sin(x[i:i + k]) * y)
    return total


def parts(x, y, k):
    n = len(x) // k
    return np.sum(x[:n] * y) + np.sum(x[n:2 * n] * y)


def batches(x, y, k):
    total = 0.0
    for i in range(len(x) // k):
        total += np.sum(np.sin(x[i * k:(i + 1) * k]) * y)
    return total


def counted(x, y, k):
    return np.sum(np.arange(k) * x) + np.sum(np.arange(0, len(x), k) * y)


def pyramid(x, y, k):
    """Both shrink by one element in each iteration, to a single one, and at last to none."""
    a, b = np.sum(x) * np.arange(k + 2.0), np.sum(y) * np.arange(k + 2.0)
    for _ in range(k):
        a = a[:-1] + a[1:]
        b = b[:-1]
        a += b
    return np.sum(a)


PROGRAMS = (halves, half_and_other, stored_halves, every_other, pairs, inner, tails, gates, windows, windows_too_far,
            windows_that_end_early, lags, backwards, correlated, unpacked, rows, joined, one_of_two)
SIZES = (*itertools.product((5, 4, 1, 2, 3, 8, 6, 0, 12), (3, 2, 1, 4, 0, 5)),)


def numbers(n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(100 * n + m)
    return rng.uniform(0.2, 1.0, n), rng.uniform(0.2, 1.0, m)


def differences(f: Callable[..., Any], args: Sequence[Any]) -> Iterator[np.ndarray]:
    for k, x in enumerate(args):
        found = np.zeros(np.shape(x))
        for at in np.ndindex(np.shape(x)):
            ends = []
            for h in (1e-5, -1e-5):
                moved = [np.copy(a) for a in args]
                moved[k][at] += h
                ends.append(f(*moved))
            found[at] = (ends[0] - ends[1]) / 2e-5
        yield found


def outcome(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except (ValueError, IndexError, ZeroDivisionError) as error:
        return type(error)


def agrees(f: Callable[..., Any], shared: Callable[..., Any], args: Sequence[Any], *more: int) -> None:
    plain, got = outcome(lambda: f(*args, *more)), outcome(lambda: shared(*args, *more))
    where = str((*map(len, args), *more))
    if isinstance(plain, type) or isinstance(got, type):
        assert got is plain, where
        return
    assert np.array_equal(got[0], plain), where
    for made, known in zip(got[1], differences(lambda *xs: f(*xs, *more), args)):
        np.testing.assert_allclose(made, known, rtol=1e-6, atol=1e-8, err_msg=where)


@pytest.mark.filterwarnings("ignore::sct.SctWarning")
@pytest.mark.parametrize("turn", (1, -1))
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_one_derivative_for_arguments_of_all_sizes(f: Callable[..., Any], turn: int) -> None:
    shared = sct.value_and_grad(lambda x, y: f(x, y), argnums=(0, 1))
    for n, m in SIZES[::turn]:
        agrees(f, shared, numbers(n, m))


def power_of_two(x, y, k):
    """A part of the Hamiltonian of `k` spins."""
    if k < 0:
        return x[0] * 2**k
    h = np.zeros((2**k, 2**k))
    for s in range(2**k):
        for i in range(k):
            if s >> i & 1:
                h[s, s ^ (1 << i)] += x[i % 2] * y[0]
    return np.sum(h * h) + x[0]


def power_in_a_loop(x, y, k):
    s = 0.0
    while k >= 0:
        s += np.ones(2**k) @ np.ones(3**k - 2**k * (k > 0)) if k < 1 else x[0] * 2**k * y[0]
        k -= 1
    return s + x[0] * 3**k


@pytest.mark.filterwarnings("ignore::sct.SctWarning")
@pytest.mark.parametrize("turn", (1, -1))
@pytest.mark.parametrize("f", (reshaped, power_of_two, power_in_a_loop, split_at, stored_up_to, steps_of, parts,
                               batches, counted, pyramid), ids=lambda f: f.__name__)
def test_an_int_that_is_a_size(f: Callable[..., Any], turn: int) -> None:
    shared = sct.value_and_grad(lambda x, y, k: f(x, y, k), argnums=(0, 1))
    for n, m, k in [*itertools.product((6, 3, 1, 4, 12, 0), (2, 1, 3, 4), (2, -1, 1, 0, 3, -2, 4))][::turn]:
        agrees(f, shared, numbers(n, m), k)


def added_in_place(x, y, k):
    a = np.zeros(1)
    a += x[:k]
    return a[0] * y[0]


def test_what_is_added_in_place_and_broadcast_to_more_raises() -> None:
    for ks in ((1, 2, 1), (2, 1)):
        shared = sct.value_and_grad(lambda x, y, k: added_in_place(x, y, k), argnums=(0, 1))
        for k in ks:
            agrees(added_in_place, shared, numbers(3, 2), k)


def test_what_follows_is_not_asked() -> None:
    """Of the quarters of a vector it is asked how long it is, not where each of them ends."""
    rng = np.random.default_rng(0)
    args = rng.normal(size=9), rng.normal(size=3)
    asked = [[guard.text for guard in trace(f, args).guards if "memory" not in guard.text] for f in (gates, windows)]
    assert asked == [["3 * m == n"], []]


def replaced_by_another_size(x, y, k):
    a = x
    for _ in range(k):
        a = y * a[0]
    return np.sum(a * x[0])


def halved(x, y, k):
    a = x[:k]
    while len(a) > 1:
        a = a[1:] + a[:-1]
    return np.sum(a * y[0])


@pytest.mark.parametrize("f", (replaced_by_another_size, halved), ids=lambda f: f.__name__)
def test_sizes_that_differ_are_not_taken_as_equal(f: Callable[..., Any]) -> None:
    for ks in ((3, 1, 2), (1, 3)):
        shared = sct.value_and_grad(lambda x, y, k: f(x, y, k), argnums=(0, 1))
        for k in ks:
            agrees(f, shared, numbers(4, 2), k)


def layers(x, weights, residual=True):
    h = x
    for w in weights:
        a = np.tanh(h @ w)
        if residual and a.shape == h.shape:
            a += h
        h = a
    return np.sum(h ** 2)


def test_shapes_that_are_compared() -> None:
    """A path that only equal shapes take is not there where they differ."""
    rng = np.random.default_rng(0)
    of = sct.value_and_grad(layers)
    for rows, *widths in ((5, 3, 3, 3, 1), (5, 3, 1), (4, 1, 1, 2), (1, 3, 3), (2, 2, 3, 3), (3, 3, 3, 3, 3)):
        x = rng.normal(size=(rows, widths[0]))
        weights = [rng.normal(size=size) for size in itertools.pairwise(widths)]
        for residual in (True, False):
            value, slope = of(x, weights, residual)
            assert value == layers(x, weights, residual)
            direction = rng.normal(size=x.shape)
            ahead, back = (layers(x + step * direction, weights, residual) for step in (1e-6, -1e-6))
            np.testing.assert_allclose(np.sum(slope * direction), (ahead - back) / 2e-6, rtol=1e-6, atol=1e-8)
