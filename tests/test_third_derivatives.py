"""Third derivatives of smooth programs with loops and branches, by nestings of forward and reverse mode.

Each program runs in three of the eight nestings, in turn; with SCT_ALL_NESTINGS=1 in all of them.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hyperdual import along

from sct import grad, jvp

PROGRAMS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
X = np.array([0.6, 1.3, 0.4, 0.9])
Y = np.array([1.4, 0.3, 0.8, 0.5])


def program(*points: Any) -> Callable[[Any], Any]:
    """Registers a function with the points at which it is differentiated: they take different branches."""
    def register(f: Any) -> Any:
        PROGRAMS.append((f, points))
        return f

    return register


# -- of one number ------------------------------------------------------------------------------------------------


@program(0.3, 0.7)
def logistic_map(x):
    for _ in range(4):
        x = 3.6 * x * (1.0 - x)
    return x


@program(2.0, 0.5)
def newton_root(a):
    x = a if a > 1.0 else 1.0
    for _ in range(6):
        x = 0.5 * (x + a / x)
    return x


@program(0.5, 1.5)
def piecewise(x):
    if x < 1.0:
        return np.sin(x) * x * x
    return np.exp(-x) / x


@program(0.2, 1.1)
def until_large(x):
    n = 0
    y = x
    while y < 5.0 and n < 20:
        y = y * (1.0 + x) + np.sin(y)
        n += 1
    return y * x


@program(0.4)
def continued_fraction(x):
    y = 1.0 + 0.0 * x
    for k in range(6, 0, -1):
        y = k + x / y
    return y


@program(0.7, 1.9)
def exponential_series(x):
    term, total = 1.0 + 0.0 * x, 1.0 + 0.0 * x
    for k in range(1, 30):
        term = term * x / k
        if term < 1e-9:
            break
        total = total + term
    return total


@program(0.5, 2.5)
def power_of_power(x):
    y = x
    for _ in range(2):
        y = x ** y
    return y


@program(0.3, 1.2)
def recursive_power(x):
    def power(v, n):
        if n == 0:
            return 1.0 + 0.0 * v
        half = power(v, n // 2)
        return half * half * v if n % 2 else half * half

    return power(np.tanh(x), 5)


@program(0.8)
def runge_kutta(k):
    y, h = 1.0 + 0.0 * k, 0.1
    for _ in range(5):
        a = -k * y * y
        b = -k * (y + 0.5 * h * a) ** 2
        y = y + h * b
    return y


@program(0.6, 3.0)
def smooth_steps(x):
    y = np.arctan(x)
    for k in range(3):
        y = np.log(1.0 + y * y) if k % 2 == 0 else np.sqrt(1.0 + y)
    return y


# -- of vectors ------------------------------------------------------------------------------------------------------


@program(X, Y)
def rosenbrock(x):
    s = 0.0
    for i in range(len(x) - 1):
        s = s + 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return s


@program(X, Y)
def branching_sum(x):
    s = 0.0
    for v in x:
        s = s + (np.sin(v) * v if v > 0.7 else v ** 3 - v * s)
    return s


@program(X, Y)
def first_order_recurrence(x):
    y = np.zeros_like(x)
    y[0] = x[0]
    for t in range(1, len(x)):
        y[t] = np.tanh(y[t - 1] * x[t] + x[t - 1])
    return np.sum(y * y)


@program(X)
def products_in_place(x):
    y = x.copy()
    for i in range(1, len(y)):
        y[i] *= y[i - 1]
        y[i - 1] = np.exp(-y[i - 1])
    return np.sum(y)


@program(X, Y)
def heat(u):
    u = u.copy()
    for _ in range(3):
        u[1:-1] = u[1:-1] + 0.2 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1]
    return np.sum(u * u * u)


@program(X)
def log_likelihood(p):
    mu, sigma = p[0], np.exp(p[1])
    total = 0.0
    for d in (0.3, 1.2, -0.4, 0.8):
        z = (d - mu) / sigma
        total = total - 0.5 * z * z - np.log(sigma) + np.tanh(p[2] * d) * p[3]
    return total


@program(X, Y)
def softmax_cross_entropy(z):
    e = np.exp(z)
    p = e / np.sum(e)
    loss = 0.0
    for k, weight in enumerate((0.1, 0.4, 0.2, 0.3)):
        loss = loss - weight * np.log(p[k])
    return loss


@program(X)
def two_layers(w):
    h = np.tanh(w[:2] * 0.7 + w[2])
    out = 0.0
    for k in range(2):
        out = out + h[k] * w[3] + np.sin(h[k])
    return out * out


@program(X, Y)
def pairwise_energy(x):
    e = 0.0
    for i in range(len(x)):
        for j in range(i):
            r2 = (x[i] - x[j]) ** 2 + 0.5
            e = e + 1.0 / r2 ** 3 - 1.0 / r2
    return e


@program(X, Y)
def determinant_by_elimination(x):
    a = np.outer(x, x[::-1]) + np.eye(4) * 2.0 + np.outer(x[::-1], x * x)
    d = 1.0
    for k in range(4):
        d = d * a[k, k]
        for i in range(k + 1, 4):
            a[i] = a[i] - a[i, k] / a[k, k] * a[k]
    return d


@program(X)
def power_iteration(x):
    a = np.outer(x, x) + np.eye(4)
    v = x.copy()
    for _ in range(3):
        v = a @ v
        v = v / np.sqrt(np.sum(v * v))
    return np.sum(v * (a @ v))


@program(X, Y)
def cumulative_and_masked(x):
    y = np.cumsum(x * x)
    s = 0.0
    for k in range(len(y)):
        if k % 2 == 0:
            continue
        s = s + np.log(y[k]) * x[k]
    return s


@program(X, Y)
def selected(x):
    y = np.where(x > 0.7, np.sin(x) * x, x * x * x)
    return np.sum(y) * y[0]


@program(X)
def list_of_states(x):
    states = [x[0]]
    for v in x[1:]:
        states.append(np.sin(states[-1]) * v + states[0])
    return sum(s * s for s in states)


@program(X)
def dictionary_of_parts(x):
    parts = {"a": x[0] * x[1], "b": np.exp(x[2])}
    for _ in range(3):
        parts["a"] = parts["a"] * parts["b"] / (1.0 + parts["a"])
        parts["b"] = parts["b"] + x[3] * parts["a"]
    return parts["a"] * parts["b"]


@program(X, Y)
def early_exit(x):
    s = 0.0
    for i in range(len(x)):
        s = s + x[i] ** 3
        if s > 2.0:
            return s * x[i]
    return np.cos(s)


@program(X)
def helper_with_loop(x):
    def horner(coefficients, at):
        y = 0.0
        for c in coefficients:
            y = y * at + c
        return y

    return horner(x, x[0]) * horner(x[::-1], np.sin(x[1]))


@program(X, Y)
def swap_and_mix(x):
    a, b = x[0], x[1]
    for k in range(4):
        a, b = b * x[2], a + np.sin(b) * x[3]
        if a > b:
            a, b = b, a
    return a * a + b


@program(X)
def derivative_inside(x):
    def energy(q):
        return np.sum(q ** 4) + q[0] * np.sin(q[1])

    q = x
    for _ in range(2):
        q = q - 0.05 * (4.0 * q ** 3)
    return energy(q) * energy(x)


@program(X)
def matrix_loop(x):
    m = x.reshape(2, 2)
    p = np.eye(2)
    for _ in range(3):
        p = p @ m + 0.1 * m.T
    return np.trace(p) + np.sum(p * p)


@program(X, Y)
def norms_and_quotients(x):
    s = 0.0
    for k in range(1, len(x)):
        head = x[:k]
        r = np.sqrt(np.sum(head * head) + 1.0)
        s = s + x[k] / r if k != 2 else s * r
    return s


# -- the nestings ------------------------------------------------------------------------------------------------------


def forward(f, v):
    return lambda x: jvp(f, (x,), (v,))[1]


def reverse(f, v):
    return lambda x: np.sum(grad(f)(x) * v)


def test_thirty_programs() -> None:
    assert len(PROGRAMS) >= 30


NESTINGS = list(itertools.product((forward, reverse), repeat=3))


def chosen(k):
    """All forward, all reverse, and one that has both."""
    return NESTINGS if os.environ.get("SCT_ALL_NESTINGS") else [NESTINGS[0], NESTINGS[1 + k % 6], NESTINGS[-1]]


@pytest.mark.filterwarnings("ignore:.*does not depend on", "ignore:.*was compiled for more than")
@pytest.mark.parametrize(("f", "points", "k"), [(*each, k) for k, each in enumerate(PROGRAMS)],
                         ids=[f.__name__ for f, _ in PROGRAMS])
def test_nestings_agree(f, points, k) -> None:
    for innermost, middle, outermost in chosen(k):
        for n, x in enumerate(points):
            rng = np.random.default_rng(n)
            u, v, w = (rng.normal(size=np.shape(x)) if np.ndim(x) else float(rng.normal()) for _ in range(3))
            before = np.copy(x)
            third = outermost(middle(innermost(f, u), v), w)(x)
            name = " of ".join(mode.__name__ for mode in (outermost, middle, innermost))
            np.testing.assert_allclose(third, along(f, x, u, v, w), rtol=1e-8, atol=1e-9, err_msg=name)
            assert np.array_equal(x, before)
