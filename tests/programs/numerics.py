"""Numerical methods."""

import math

import numpy as np


def horner(coefficients, x):
    value = 0.0
    for c in reversed(coefficients):
        value = value * x + c
    return value


def clenshaw(coefficients, x):
    """A Chebyshev series, three terms at a time."""
    b1 = b2 = 0.0
    for k in range(len(coefficients) - 1, 0, -1):
        b1, b2 = 2.0 * x * b1 - b2 + coefficients[k], b1
    return x * b1 - b2 + coefficients[0]


def cumulative_products(x):
    """The sum of all products of leading elements, by an array of them."""
    products = np.ones(len(x) + 1)
    for i in range(len(x)):
        products[i + 1] = products[i] * x[i]
    return np.sum(products[1:])


def moving_average(x, width):
    """A running sum that drops the oldest and takes in the newest."""
    running = np.sum(x[:width])
    total = (running / width) ** 2
    for i in range(width, len(x)):
        running += x[i] - x[i - width]
        total += (running / width) ** 2
    return total


def prefix_maximum(x):
    """Each element replaced by the largest so far, in place."""
    y = x.copy()
    for i in range(1, len(y)):
        if y[i] < y[i - 1]:
            y[i] = y[i - 1]
    return y @ y


def cholesky(A):
    """In place in the lower triangle; gives the log-determinant."""
    L = A.copy()
    n = len(L)
    total = 0.0
    for j in range(n):
        for k in range(j):
            L[j:, j] -= L[j, k] * L[j:, k]
        L[j, j] = np.sqrt(L[j, j])
        L[j + 1 :, j] /= L[j, j]
        total += 2.0 * np.log(L[j, j])
    return total


def gauss_seidel(A, b, sweeps):
    x = np.zeros_like(b)
    n = len(b)
    for _ in range(sweeps):
        for i in range(n):
            total = b[i]
            for j in range(n):
                if j != i:
                    total -= A[i, j] * x[j]
            x[i] = total / A[i, i]
    return x @ x


def conjugate_gradient(A, b, steps):
    x = np.zeros_like(b)
    r = b.copy()
    p = r.copy()
    squared = r @ r
    while squared > 1e-20 and steps > 0:
        q = A @ p
        alpha = squared / (p @ q)
        x += alpha * p
        r -= alpha * q
        new = r @ r
        p = r + new / squared * p
        squared = new
        steps -= 1
    return x @ x


def gram_schmidt(A):
    """Rows made orthonormal in place, through row views."""
    Q = A.copy()
    volume = 1.0
    for i in range(len(Q)):
        row = Q[i]
        for j in range(i):
            row -= (row @ Q[j]) * Q[j]
        length = np.sqrt(row @ row)
        row /= length
        volume *= length
    return volume


def power_iteration(A, x, steps):
    for _ in range(steps):
        x = A @ x
        x /= np.sqrt(np.sum(x * x))
    return x @ A @ x


def matrix_exponential(A, terms):
    """Scaled Taylor terms, squared twice."""
    n = len(A)
    term = np.zeros((n, n))
    for i in range(n):
        term[i, i] = 1.0
    total = term.copy()
    for k in range(1, terms):
        term = term @ A / (4.0 * k)
        total += term
    total = total @ total
    total = total @ total
    return np.sum(total)


def determinant(A):
    """Gaussian elimination with row swaps by the largest pivot."""
    U = A.copy()
    n = U.shape[0]
    value = 1.0
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(U[i, k]) > abs(U[pivot, k]):
                pivot = i
        if pivot != k:
            for j in range(n):
                U[k, j], U[pivot, j] = U[pivot, j], U[k, j]
            value = -value
        value *= U[k, k]
        for i in range(k + 1, n):
            factor = U[i, k] / U[k, k]
            U[i, k:] -= factor * U[k, k:]
    return value


def spline(knots, values, slopes, points):
    """A cubic Hermite spline, its interval found by a scan."""
    total = 0.0
    for x in points:
        k = 0
        while k < len(knots) - 2 and x > knots[k + 1]:
            k += 1
        h = knots[k + 1] - knots[k]
        t = (x - knots[k]) / h
        left = (1.0 + 2.0 * t) * (1.0 - t) ** 2 * values[k] + t * (1.0 - t) ** 2 * h * slopes[k]
        right = t * t * (3.0 - 2.0 * t) * values[k + 1] + t * t * (t - 1.0) * h * slopes[k + 1]
        total += left + right
    return total


def simpson(f, a, b, n):
    h = (b - a) / n
    total = f(a) + f(b)
    for k in range(1, n):
        total += (4.0 if k % 2 else 2.0) * f(a + k * h)
    return total * h / 3.0


def bessel_integral(order, x):
    """A quadrature of a lambda that closes over the parameters."""
    return simpson(lambda t: math.cos(order * t - x * math.sin(t)), 0.0, math.pi, 20) / math.pi


def adaptive_quadrature(scale, digits):
    """Steps halved where two rules disagree, doubled where they agree."""
    x, h, total = 0.0, 0.25, 0.0
    while x < 1.0:
        if x + h > 1.0:
            h = 1.0 - x
        a, b, c = math.exp(-scale * x), math.exp(-scale * (x + 0.5 * h)), math.exp(-scale * (x + h))
        fine = h / 6.0 * (a + 4.0 * b + c)
        coarse = h / 2.0 * (a + c)
        if abs(fine - coarse) > 10.0**-digits and h > 1e-3:
            h *= 0.5
            continue
        total += fine
        x += h
        h *= 2.0
    return total


def geometric_mean(a, b):
    """The arithmetic-geometric mean."""
    while abs(a - b) > 1e-14:
        a, b = 0.5 * (a + b), math.sqrt(a * b)
    return a


def continued_fraction(x, depth):
    """The tangent, from the innermost fraction outwards."""
    value = 2.0 * depth + 1.0
    for k in reversed(range(depth)):
        value = 2 * k + 1 - x * x / value
    return x / value


def secant(a, x0, x1):
    """Solves x exp(x) = a; gives up after too many steps."""
    f0 = x0 * math.exp(x0) - a
    for _ in range(30):
        f1 = x1 * math.exp(x1) - a
        if abs(f1) < 1e-13:
            break
        x0, x1, f0 = x1, x1 - f1 * (x1 - x0) / (f1 - f0), f1
    else:
        raise ValueError("no root")
    return x1


def fixed_point(a, x):
    """Damped iteration for x = cos(a x)."""
    while True:
        new = 0.5 * (x + math.cos(a * x))
        if abs(new - x) < 1e-14:
            return new
        x = new


def fixed_point_slope(a, x):
    x = fixed_point(a, x)
    s = math.sin(a * x)
    return {0: -x * s / (1.0 + a * s), 1: 0.0}


def romberg(a, b, levels):
    """A triangular table, each row from the one before."""
    table = np.zeros((levels, levels))
    n, h = 1, b - a
    table[0, 0] = 0.5 * h * (math.exp(-a * a) + math.exp(-b * b))
    for i in range(1, levels):
        middle = 0.0
        for k in range(n):
            x = a + (k + 0.5) * h
            middle += math.exp(-x * x)
        table[i, 0] = 0.5 * (table[i - 1, 0] + h * middle)
        for j in range(1, i + 1):
            table[i, j] = table[i, j - 1] + (table[i, j - 1] - table[i - 1, j - 1]) / (4.0**j - 1.0)
        n, h = 2 * n, 0.5 * h
    return table[levels - 1, levels - 1]


def haar(x):
    """A wavelet transform in place, level by level."""
    y = x.copy()
    n = len(y)
    while n > 1:
        half = n // 2
        means = 0.5 * (y[0:n:2] + y[1:n:2])
        details = 0.5 * (y[0:n:2] - y[1:n:2])
        y[:half] = means
        y[half:n] = details
        n = half
    return np.sum(np.abs(y) ** 1.5)


def aitken(x, steps):
    """Interpolation at zero by Neville's scheme, in place."""
    y = np.cos(x)
    n = len(x)
    for level in range(1, min(n, steps + 1)):
        for i in range(n - level):
            y[i] = (x[i + level] * y[i] - x[i] * y[i + 1]) / (x[i + level] - x[i])
    return y[0]


def multigrid(u, f, cycles):
    """Smoothing, and a correction from a grid of every other point."""
    u = u.copy()
    n = len(u)
    for _ in range(cycles):
        u[1:-1] = 0.5 * (u[:-2] + u[2:] + f[1:-1])
        residual = f[1:-1] + u[:-2] - 2.0 * u[1:-1] + u[2:]
        coarse = np.zeros(n // 2 + 1)
        coarse[1:-1] = residual[1::2]
        coarse[1:-1] = 0.5 * (coarse[:-2] + coarse[2:]) + coarse[1:-1]
        u[::2] += 0.5 * coarse
    return u @ u


def sort_network(x):
    """An odd-even sort by swaps, weighted by position."""
    y = x.copy()
    n = len(y)
    for phase in range(n):
        for i in range(phase % 2, n - 1, 2):
            if y[i] > y[i + 1]:
                y[i], y[i + 1] = y[i + 1], y[i]
    total = 0.0
    for k, value in enumerate(y):
        total += k * value * value
    return total


def mandelbrot(re, im, limit):
    """Escape time with a smooth end; the orbit is two floats."""
    x = y = 0.0
    for k in range(limit):
        x, y = x * x - y * y + re, 2.0 * x * y + im
        squared = x * x + y * y
        if squared > 100.0:
            return k + 1.0 - math.log(math.log(squared)) / math.log(2.0)
    return float(limit)


def _definite(rng, n):
    factor = rng.normal(size=(n, n))
    return factor @ factor.T + n * np.eye(n)


def settled_ranks(links, damping, digits):
    """The rank of a page, iterated until it settles; the loop returns what it has assigned last."""
    n = links.shape[0]
    ranks = np.full(n, 1.0 / n)
    while True:
        new = damping * links @ ranks + (1.0 - damping) / n
        if np.max(np.abs(new - ranks)) < 10.0**-digits:
            return new[0] ** 2
        ranks = new


def last_residuals(A, b, steps, rate):
    """Steepest descent; what the loops assigned last is read after them."""
    x = np.zeros(len(b))
    for sweep in range(2):
        for _ in range(steps):
            r = b - A @ x
            if sweep == 1:
                r = 0.5 * r
            x = x + rate * r
        change = rate * r
    return np.sum(r * r) + np.sum(np.sin(change))


INPUTS = {
    "settled_ranks": lambda rng: ((lambda a: a / a.sum(axis=0))(0.1 + rng.random((4, 4))), 0.6, 3),
    "last_residuals": lambda rng: (np.eye(3) + 0.3 * rng.normal(size=(3, 3)), rng.normal(size=3), 3, 0.4),
    "horner": lambda rng: (rng.normal(size=5), 0.7),
    "clenshaw": lambda rng: (rng.normal(size=5), 0.3),
    "cumulative_products": lambda rng: (rng.normal(size=5),),
    "moving_average": lambda rng: (rng.normal(size=8), 3),
    "prefix_maximum": lambda rng: (rng.normal(size=7),),
    "cholesky": lambda rng: (_definite(rng, 4),),
    "gauss_seidel": lambda rng: (_definite(rng, 3), rng.normal(size=3), 4),
    "conjugate_gradient": lambda rng: (_definite(rng, 3), rng.normal(size=3), 2),
    "gram_schmidt": lambda rng: (rng.normal(size=(3, 4)),),
    "power_iteration": lambda rng: (_definite(rng, 3), rng.normal(size=3), 5),
    "matrix_exponential": lambda rng: (rng.normal(size=(3, 3)), 8),
    "determinant": lambda rng: (rng.normal(size=(4, 4)),),
    "spline": lambda rng: (
        np.array([0.0, 0.7, 1.5, 2.0]),
        rng.normal(size=4),
        rng.normal(size=4),
        np.array([0.3, 1.1, 1.9, 0.9]),
    ),
    "bessel_integral": lambda rng: (1.3, 2.1),
    "adaptive_quadrature": lambda rng: (2.3, 3),
    "geometric_mean": lambda rng: (1.0, 3.0),
    "continued_fraction": lambda rng: (0.8, 8),
    "secant": lambda rng: (2.0, 0.5, 1.0),
    "fixed_point": lambda rng: (0.8, 0.4),
    "romberg": lambda rng: (0.2, 1.4, 4),
    "haar": lambda rng: (rng.normal(size=8),),
    "aitken": lambda rng: (np.array([-0.9, -0.2, 0.4, 1.1]), 3),
    "multigrid": lambda rng: (rng.normal(size=9), rng.normal(size=9), 2),
    "sort_network": lambda rng: (rng.normal(size=6),),
    "mandelbrot": lambda rng: (0.4, 0.5, 50),
}

GRADIENTS = {
    "horner": lambda c, x: {
        0: x ** np.arange(len(c)),
        1: np.sum(np.arange(1, len(c)) * c[1:] * x ** np.arange(len(c) - 1)),
    },
    "cumulative_products": lambda x: {
        0: np.array([sum(np.prod(np.delete(x[: k + 1], i)) for k in range(i, len(x))) for i in range(len(x))])
    },
    "prefix_maximum": lambda x: {
        0: np.array([2.0 * v * np.sum(np.maximum.accumulate(x) == v) for v in x]),
    },
    "determinant": lambda A: {0: np.linalg.det(A) * np.linalg.inv(A).T},
    "continued_fraction": lambda x, depth: {0: 1.0 / math.cos(x) ** 2},
    "fixed_point": fixed_point_slope,
}
