"""Loops that are tempting to keep too much of: shapes, what is the same in each trip, what is computed already."""

import math

import numpy as np


def relaxed(u, k):
    """Of the view, one element is read in an arm; only its shape would be needed again."""
    inner = u[1:-1]
    for i in range(k):
        inner += 0.1 * (u[2:] - 2 * inner + u[:-2])
        if i == 2:
            u[0] = inner[0] * 0.5
            u[-1] = inner[-2] * inner[1]
    return (u**2).sum()


def chosen_parts(u, m, k):
    """Elements of a view, by positions that are known at run time only."""
    total = 0.0
    for i in range(k):
        v = u[1:-1]
        total += (v[m] ** 2).sum() + v[i]
        u = u * 0.5
    return total


def rows_of_parts(A, k):
    total = 0.0
    for i in range(k):
        B = A[1:, :-1]
        row = B[i]
        total += row[0] * row[-1] + B[i, 1:] @ row[:-1]
        A = A * 1.1
    return total


def mixed(W, x, steps):
    """The exponential is the same in each trip; there may be none."""
    for _ in range(steps):
        x = np.tanh(np.exp(W) @ x)
    return x.sum()


def mixed_twice(W, x, rounds, steps):
    """It is the same in each trip of the inner loop."""
    for i in range(rounds):
        for _ in range(steps):
            x = np.tanh(np.exp(0.1 * i * W) @ x)
    return x.sum()


def smoothed_rows(A, xs):
    """The first trip is certain, so that the matrix may be made before the loop."""
    s = 0.0
    y = np.zeros(A.shape[0])
    for x in xs:
        y = np.tanh(np.exp(A) @ x + 0.5 * y)
        s += y @ np.cos(A)[0]
    return s


def selected(W, x, steps):
    """A test of what is the same in each trip."""
    for _ in range(steps):
        x = np.where(np.exp(W) > 1.0, np.sin(x) * x, np.linalg.inv(W) @ x)
    return x.sum()


def gaussian_scores(S, xs):
    """The inverse is part of the value and of the derivative of the determinant."""
    total = 0.0
    for x in xs:
        S = S + np.outer(x, x)
        total += x @ np.linalg.inv(S) @ x + math.log(np.linalg.det(S))
    return total


def scattered_views(x, parts, k):
    """A view of which parts are read: added up in place."""
    y = np.zeros(x.shape[0])
    for i in range(k):
        y[parts] = x[parts] * (i + 1)
        y[parts] += x[1]
        y[1:-1] *= 1.1
    return np.sum(y * y)


def _definite(rng, n):
    a = rng.normal(size=(n, n))
    return a @ a.T + n * np.eye(n)


def triangular_product(alpha, A, B):
    """The bounds of the inner loop are a size of what the outer loop writes."""
    B = B.copy()
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += np.dot(A[i + 1 :, i], B[i + 1 :, j])
    B *= alpha
    return np.sum(B * B)


def filter_state(b, a, y):
    """The parts of the coefficients and of the signal have sizes of their own in each iteration."""
    n, m = len(b), len(a)
    state = np.zeros(max(n, m) - 1)
    for k in range(n - 1):
        state[k] = np.sum(b[k + 1 :] * y[: n - 1 - k])
    for k in range(m - 1):
        state[k] -= np.sum(a[k + 1 :] * y[: m - 1 - k])
    return np.sum((state / a[0]) ** 2)


def until_large(x):
    """The iteration that leaves the loop adds nothing: it has no item on the tape."""
    total = 0.0
    k = 0
    while True:
        square = x[k] * x[k]
        if not square < 2.0:
            break
        total += square
        k += 1
        if k == len(x):
            break
    return total


INPUTS = {
    "until_large": lambda rng: (np.array([0.5, -0.3, 1.2, 1.9, 0.1]),),
    "filter_state": lambda rng: (rng.normal(size=3), rng.normal(size=4), rng.normal(size=5)),
    "triangular_product": lambda rng: (1.5, rng.normal(size=(3, 3)), rng.normal(size=(3, 4))),
    "relaxed": lambda rng: (rng.normal(size=8), 5),
    "chosen_parts": lambda rng: (rng.normal(size=8), np.array([1, 1, 4]), 3),
    "rows_of_parts": lambda rng: (rng.normal(size=(5, 5)), 3),
    "mixed": lambda rng: (0.3 * rng.normal(size=(3, 3)), rng.normal(size=3), 4),
    "mixed_twice": lambda rng: (rng.normal(size=(3, 3)), rng.normal(size=3), 3, 2),
    "smoothed_rows": lambda rng: (0.3 * rng.normal(size=(3, 3)), rng.normal(size=(4, 3))),
    "selected": lambda rng: (_definite(rng, 3), rng.normal(size=(3, 3)), 3),
    "gaussian_scores": lambda rng: (_definite(rng, 3), rng.normal(size=(4, 3))),
    "scattered_views": lambda rng: (rng.normal(size=6), np.array([4, 0, 2]), 3),
}
