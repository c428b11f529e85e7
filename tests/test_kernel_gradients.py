"""The gradients by hand against JAX: the kernel as a formula, or as the problem that it solves."""

from typing import Any

import numpy as np
import pytest

from benchmarks.kernel_gradients import BY_HAND
from benchmarks.kernel_table import KERNELS

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
jnp: Any = jax.numpy
SIZE = {k.name: k for k in KERNELS}


def gesummv(A, B, x, alpha, beta):
    y = alpha * A @ x + beta * B @ x
    return y @ y


def compute(array_1, array_2, a, b, c):
    return jnp.sum((jnp.clip(array_1, -0.8, 0.8) * a + array_2 * b + c) ** 2)


def covariance(data):
    return jnp.sum(jnp.cov(data, rowvar=False) ** 2)


def correlation(data):
    """The diagonal is 1; here, small deviations are taken as 1."""
    stddev = jnp.std(data, axis=0)
    scaled = (data - jnp.mean(data, axis=0)) / jnp.where(stddev <= 0.1, 1.0, stddev)
    c = scaled.T @ scaled / data.shape[0]
    return jnp.sum(c * c) - jnp.sum(jnp.diag(c) ** 2)


def trisolv(L, b):
    x = jax.scipy.linalg.solve_triangular(L, b, lower=True)
    return x @ x


def cholesky(A):
    """The kernel reads the lower triangle alone."""
    lower = jnp.tril(A)
    return jnp.sum(jnp.linalg.cholesky(lower + jnp.tril(A, -1).T, symmetrize_input=False) ** 2)


def lu(A):
    rest, total = A, 0.0
    while len(rest):
        factor = rest[1:, 0] / rest[0, 0]
        total += rest[0] @ rest[0] + factor @ factor
        rest = rest[1:, 1:] - jnp.outer(factor, rest[0, 1:])
    return total


def gramschmidt(A):
    Q, R = jnp.linalg.qr(A)
    signs = jnp.sign(jnp.diag(R))
    Q, R = Q * signs, R * signs[:, None]
    return jnp.sum(R * R) + jnp.sum(Q * jnp.cos(Q))


def durbin(r):
    """Yule and Walker's equations."""
    y = jnp.linalg.solve(jax.scipy.linalg.toeplitz(jnp.append(1.0, r[:-1])), -r)
    return y @ y


def floyd_warshall(path):
    for k in range(len(path)):
        path = jnp.minimum(path, path[:, k, None] + path[k])
    return jnp.sum(path * path)


def mlp(w1, b1, w2, b2, w3, b3, x):
    h = jax.nn.relu(jax.nn.relu(x @ w1 + b1) @ w2 + b2)
    return -jnp.sum(jnp.log(jax.nn.softmax(h @ w3 + b3)[:, 0]))


def conv2d_bias(x, weights, bias):
    y = jax.lax.conv_general_dilated(x, weights, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")) + bias
    return jnp.sum(y * y)


def lstm(main, extra, state, sequence):
    layers, b, total = len(main) // 2, sequence.shape[1], 0.0
    h, c = list(state[::2]), list(state[1::2])
    for t in range(len(sequence) - 1):
        x = sequence[t] * extra[0]
        for k in range(layers):
            w, bias = main[2 * k].reshape(4, b), main[2 * k + 1].reshape(4, b)
            f, o = (jax.nn.sigmoid(x * w[j] + bias[j]) for j in (0, 2))
            c[k] = c[k] * f + jax.nn.sigmoid(h[k] * w[1] + bias[1]) * jnp.tanh(h[k] * w[3] + bias[3])
            x = h[k] = o * jnp.tanh(c[k])
        y = x * extra[1] + extra[2]
        total += jnp.sum(sequence[t + 1] * (y - jnp.log(2.0 + jnp.sum(jnp.exp(y)))))
    return -total / ((len(sequence) - 1) * b)


FORMULAS = {f.__name__: f for f in (gesummv, compute, covariance, correlation, trisolv, cholesky, lu, gramschmidt,
                                    durbin, floyd_warshall, mlp, conv2d_bias, lstm)}


@pytest.mark.parametrize("name", BY_HAND)
def test_gradients_by_hand_are_those_of_jax(name: str) -> None:
    kernel = SIZE[name]
    args = kernel.args(np.random.default_rng(3), kernel.small + 1)
    _, gradients = BY_HAND[name](*args)
    active = [args[k] for k in kernel.argnums]
    rest = [x for k, x in enumerate(args) if k not in kernel.argnums]
    expected = jax.grad(FORMULAS[name], tuple(range(len(active))))(*active, *rest)
    for got, want in zip(gradients, expected, strict=True):
        want = np.tril(want) if name == "cholesky" else want
        np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-9 * float(np.max(np.abs(want))))
