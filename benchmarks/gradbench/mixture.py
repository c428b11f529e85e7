"""gmm: the log posterior of a mixture of Gaussians with a Wishart prior, after ADBench."""

import math
from functools import partial
from typing import Any

import numpy as np

from sct import grad


def log_sum_exp(x, axis):
    top = np.max(x, axis=axis, keepdims=True)
    return np.squeeze(top, axis=axis) + np.log(np.sum(np.exp(x - top), axis=axis))


def square_roots(q, l):
    """The lower triangular square roots of the inverse covariances: their diagonals are `exp(q)`."""
    k, d = q.shape
    columns, rows = np.triu_indices(d, 1)  # the triangles are given column by column
    Q = np.zeros((k, d, d))
    Q[:, rows, columns] = l
    Q[:, np.arange(d), np.arange(d)] = np.exp(q)
    return Q


def log_wishart_prior(gamma, m, q, l):
    k, d = q.shape
    n = d + m + 1
    squares = np.sum(np.exp(q) ** 2) + np.sum(l**2)
    log_gamma = 0.25 * d * (d - 1) * math.log(math.pi)
    log_gamma += sum(math.lgamma(0.5 * n + 0.5 * (1 - j)) for j in range(1, d + 1))
    constant = n * d * (math.log(gamma) - 0.5 * math.log(2.0)) - log_gamma
    return 0.5 * gamma**2 * squares - m * np.sum(q) - k * constant


def log_posterior(alpha, mu, q, l, x, gamma, m):
    n, d = x.shape
    Q = square_roots(q, l)
    scaled = np.einsum("kij,nkj->nki", Q, x[:, None, :] - mu, optimize=True)
    terms = alpha + np.sum(q, axis=1) - 0.5 * np.sum(scaled**2, axis=2)
    likelihood = np.sum(log_sum_exp(terms, axis=1)) - n * log_sum_exp(alpha, axis=0)
    return likelihood - 0.5 * n * d * math.log(2.0 * math.pi) + log_wishart_prior(gamma, m, q, l)


log_posterior_grad = grad(log_posterior, argnums=(0, 1, 2, 3), backend="numba")


def arguments(fields: dict[str, Any]) -> tuple[Any, ...]:
    alpha, mu, q, l, x = (np.array(fields[name], float) for name in ("alpha", "mu", "q", "l", "x"))
    return alpha, mu, q, l.reshape(len(q), -1), x, float(fields["gamma"]), fields["m"]


def jacobian(*args: Any) -> dict[str, np.ndarray]:
    return dict(zip(("alpha", "mu", "q", "l"), log_posterior_grad(*args), strict=True))


EVAL = {
    "objective": lambda fields: partial(log_posterior, *arguments(fields)),
    "jacobian": lambda fields: partial(jacobian, *arguments(fields)),
}
