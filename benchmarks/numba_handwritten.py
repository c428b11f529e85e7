"""Programs of element loops, each with the gradient that one writes by hand for Numba.

Both are plain Python that `njit` takes as it is.  A hand-written gradient returns the
value and the gradients, saves no more than it must, and keeps it in arrays.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Rng = np.random.Generator


def lu(A):
    A = A.copy()
    n = A.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
    total = 0.0
    for k in range(n):
        total += math.log(abs(A[k, k]))
    return total


def lu_grad(A):
    A = A.copy()
    n = A.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
    total = 0.0
    dA = np.zeros_like(A)
    for k in range(n):
        total += math.log(abs(A[k, k]))
        dA[k, k] = 1.0 / A[k, k]
    for k in range(n - 1, -1, -1):
        for i in range(n - 1, k, -1):
            factor = A[i, k]
            dfactor = dA[i, k]
            for j in range(k + 1, n):
                dfactor -= dA[i, j] * A[k, j]
                dA[k, j] -= dA[i, j] * factor
            t = dfactor / A[k, k]
            dA[i, k] = t
            dA[k, k] -= t * factor
    return total, dA


def seidel(u, sweeps):
    u = u.copy()
    n, m = u.shape
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                u[i, j] = 0.2 * (u[i - 1, j] + u[i, j - 1] + u[i + 1, j] + u[i, j + 1] - 0.1 * u[i, j] ** 3)
    return np.sum(u * u)


def seidel_grad(u, sweeps):
    u = u.copy()
    n, m = u.shape
    tape = np.empty(sweeps * max(n - 2, 0) * max(m - 2, 0))
    at = 0
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                old = u[i, j]
                tape[at] = old
                at += 1
                u[i, j] = 0.2 * (u[i - 1, j] + u[i, j - 1] + u[i + 1, j] + u[i, j + 1] - 0.1 * old**3)
    value = np.sum(u * u)
    du = 2.0 * u
    for _ in range(sweeps):
        for i in range(n - 2, 0, -1):
            for j in range(m - 2, 0, -1):
                t = 0.2 * du[i, j]
                at -= 1
                du[i - 1, j] += t
                du[i, j - 1] += t
                du[i + 1, j] += t
                du[i, j + 1] += t
                du[i, j] = -0.3 * t * tape[at] ** 2
    return value, du


def thomas(a, b, c, d):
    n = len(d)
    b = b.copy()
    d = d.copy()
    for i in range(1, n):
        w = a[i] / b[i - 1]
        b[i] -= w * c[i - 1]
        d[i] -= w * d[i - 1]
    d[n - 1] /= b[n - 1]
    for i in range(n - 2, -1, -1):
        d[i] = (d[i] - c[i] * d[i + 1]) / b[i]
    return np.sum(d * d)


def thomas_grad(a, b, c, d):
    n = len(d)
    b = b.copy()
    x = d.copy()
    ws = np.empty(n)
    for i in range(1, n):
        w = a[i] / b[i - 1]
        b[i] -= w * c[i - 1]
        x[i] -= w * x[i - 1]
        ws[i] = w
    y = x.copy()
    x[n - 1] /= b[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = (x[i] - c[i] * x[i + 1]) / b[i]
    value = np.sum(x * x)
    da, db, dc = np.zeros_like(a), np.zeros_like(b), np.zeros_like(c)
    dx = 2.0 * x
    for i in range(n - 1):
        t = dx[i] / b[i]
        dx[i] = t
        db[i] = -t * x[i]
        dc[i] = -t * x[i + 1]
        dx[i + 1] -= t * c[i]
    t = dx[n - 1] / b[n - 1]
    dx[n - 1] = t
    db[n - 1] = -t * x[n - 1]
    for i in range(n - 1, 0, -1):
        w = ws[i]
        t = -(dx[i] * y[i - 1] + db[i] * c[i - 1]) / b[i - 1]
        dx[i - 1] -= dx[i] * w
        dc[i - 1] -= db[i] * w
        da[i] = t
        db[i - 1] -= t * w
    return value, da, db, dc, dx


def logistic_map(x, n):
    v = x
    for _ in range(n):
        v = 3.0 * v * (1.0 - v)
    return v


def logistic_map_grad(x, n):
    tape = np.empty(n)
    v = x
    for i in range(n):
        tape[i] = v
        v = 3.0 * v * (1.0 - v)
    dv = 1.0
    for i in range(n - 1, -1, -1):
        dv *= 3.0 - 6.0 * tape[i]
    return v, dv


def recurrence(x, a):
    h = x
    for i in range(len(a)):
        h = math.tanh(a[i] * h + 0.1)
    return h


def recurrence_grad(x, a):
    n = len(a)
    tape = np.empty(n)
    h = x
    for i in range(n):
        tape[i] = h
        h = math.tanh(a[i] * h + 0.1)
    value = h
    dh = 1.0
    da = np.empty(n)
    for i in range(n - 1, -1, -1):
        t = dh * (1.0 - h * h)
        h = tape[i]
        da[i] = t * h
        dh = t * a[i]
    return value, dh, da


def soft_dtw(x, y, gamma):
    n, m = len(x), len(y)
    R = np.full((n + 1, m + 1), 1e10)
    R[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            a, b, c = R[i, j], R[i, j + 1], R[i + 1, j]
            low = min(a, b, c)
            total = math.exp((low - a) / gamma) + math.exp((low - b) / gamma) + math.exp((low - c) / gamma)
            R[i + 1, j + 1] = (x[i] - y[j]) ** 2 + low - gamma * math.log(total)
    return R[n, m]


def soft_dtw_grad(x, y, gamma):
    n, m = len(x), len(y)
    R = np.full((n + 1, m + 1), 1e10)
    R[0, 0] = 0.0
    weights = np.empty((n, m, 3))
    for i in range(n):
        for j in range(m):
            a, b, c = R[i, j], R[i, j + 1], R[i + 1, j]
            low = min(a, b, c)
            ea, eb, ec = math.exp((low - a) / gamma), math.exp((low - b) / gamma), math.exp((low - c) / gamma)
            total = ea + eb + ec
            weights[i, j, 0], weights[i, j, 1], weights[i, j, 2] = ea / total, eb / total, ec / total
            R[i + 1, j + 1] = (x[i] - y[j]) ** 2 + low - gamma * math.log(total)
    dR = np.zeros_like(R)
    dR[n, m] = 1.0
    dx = np.zeros_like(x)
    for i in range(n - 1, -1, -1):
        for j in range(m - 1, -1, -1):
            t = dR[i + 1, j + 1]
            dx[i] += 2.0 * t * (x[i] - y[j])
            dR[i, j] += t * weights[i, j, 0]
            dR[i, j + 1] += t * weights[i, j, 1]
            dR[i + 1, j] += t * weights[i, j, 2]
    return R[n, m], dx


@dataclass(frozen=True)
class Program:
    """A function, its hand-written gradient in `argnums`, and its inputs of a size."""

    function: Callable[..., Any]
    gradient: Callable[..., Any]
    argnums: int | tuple[int, ...]
    inputs: Callable[[Rng, int], tuple[Any, ...]]
    small: int
    large: int

    @property
    def name(self) -> str:
        return self.function.__name__


def _matrix(rng: Rng, n: int) -> tuple[Any, ...]:
    return (rng.normal(size=(n, n)) + 2.0 * n * np.eye(n),)


def _tridiagonal(rng: Rng, n: int) -> tuple[Any, ...]:
    return rng.normal(size=n), 4.0 + rng.random(n), rng.normal(size=n), rng.normal(size=n)


PROGRAMS = (
    Program(lu, lu_grad, 0, _matrix, 5, 150),
    Program(seidel, seidel_grad, 0, lambda rng, n: (rng.normal(size=(n, n + 1)), 3 + n // 10), 5, 150),
    Program(thomas, thomas_grad, (0, 1, 2, 3), _tridiagonal, 6, 20000),
    Program(logistic_map, logistic_map_grad, 0, lambda rng, n: (0.2, n), 4, 50000),
    Program(recurrence, recurrence_grad, (0, 1), lambda rng, n: (0.3, rng.normal(size=n)), 5, 20000),
    Program(soft_dtw, soft_dtw_grad, 0, lambda rng, n: (rng.normal(size=n), rng.normal(size=n + 1), 0.7), 4, 150),
)
