"""The small evaluations: hello, lse, llsq, ode, det, kmeans."""

from functools import partial
from typing import Any

import numpy as np

from sct import grad, jvp


def square(x):
    return x * x


def log_sum_exp(x):
    top = np.max(x)
    return np.log(np.sum(np.exp(x - top))) + top


def least_squares(x, n):
    t = np.linspace(-1.0, 1.0, n)
    residual = np.sign(t) - np.vander(t, len(x), increasing=True) @ x
    return 0.5 * np.sum(residual**2)


def slope(x, y):
    return np.concatenate((x[:1], x[1:] * y[:-1]))


def ode(x, steps):
    """Runge-Kutta over [0, 2], of fourth order."""
    y, h = np.zeros_like(x), 2.0 / steps
    for _ in range(steps):
        k1 = slope(x, y)
        k2 = slope(x, y + 0.5 * h * k1)
        k3 = slope(x, y + 0.5 * h * k2)
        k4 = slope(x, y + h * k3)
        y = y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return y


def last_of_ode(x, steps):
    return ode(x, steps)[-1]


def determinant(A):
    """By expansion along the first row."""
    n = A.shape[0]
    if n == 1:
        return A[0, 0]
    total, sign = 0.0, 1.0
    for j in range(n):
        minor = np.concatenate((A[1:, :j], A[1:, j + 1 :]), axis=1)
        total += sign * A[0, j] * determinant(minor)
        sign = -sign
    return total


def kmeans(centroids, points):
    squared = np.sum((points[:, None, :] - centroids[None, :, :]) ** 2, axis=2)
    return np.sum(np.min(squared, axis=1))


kmeans_grad = grad(kmeans, backend="numba")


def kmeans_step(centroids, points):
    """The direction of Newton: the Hessian is diagonal, so its diagonal is its product with ones."""
    gradient, diagonal = jvp(kmeans_grad, (centroids, points), (np.ones_like(centroids), None), backend="numba")
    return gradient / diagonal


def vector(fields: dict[str, Any], name: str = "x") -> np.ndarray:
    return np.array(fields[name], float)


def matrix(fields: dict[str, Any]) -> np.ndarray:
    return vector(fields, "A").reshape(fields["ell"], fields["ell"])


def clouds(fields: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    return vector(fields, "centroids"), vector(fields, "points")


square_grad, log_sum_exp_grad, least_squares_grad = grad(square), grad(log_sum_exp), grad(least_squares)
ode_grad, determinant_grad = grad(last_of_ode, backend="numba"), grad(determinant)


def determinant_grad_in_a_row(A):
    return determinant_grad(A).ravel()



EVALS = {
    "hello": {"square": lambda x: partial(square, float(x)), "double": lambda x: partial(square_grad, float(x))},
    "lse": {
        "primal": lambda f: partial(log_sum_exp, vector(f)),
        "gradient": lambda f: partial(log_sum_exp_grad, vector(f)),
    },
    "llsq": {
        "primal": lambda f: partial(least_squares, vector(f), f["n"]),
        "gradient": lambda f: partial(least_squares_grad, vector(f), f["n"]),
    },
    "ode": {
        "primal": lambda f: partial(ode, vector(f), f["s"]),
        "gradient": lambda f: partial(ode_grad, vector(f), f["s"]),
    },
    "det": {
        "primal": lambda f: partial(determinant, matrix(f)),
        "gradient": lambda f: partial(determinant_grad_in_a_row, matrix(f)),
    },
    "kmeans": {"cost": lambda f: partial(kmeans, *clouds(f)), "dir": lambda f: partial(kmeans_step, *clouds(f))},
}
