"""The evaluations that are timed, as JAX users write them: under `jit`, in double precision, loops as scans."""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.gradbench import adjustment, hand, mixture, programs, recurrent

jax.config.update("jax_enable_x64", True)


def compiled(function: Any, *arguments: Any) -> Any:
    """The call of `function` under `jit`, which waits for its results; the arguments are on the device."""
    run, on_device = jax.jit(function), jax.device_put(arguments)
    return lambda: jax.block_until_ready(run(*on_device))


def log_sum_exp(x):
    return jax.scipy.special.logsumexp(x)


def least_squares(n):
    def objective(x):
        t = jnp.linspace(-1.0, 1.0, n)
        powers = t[:, None] ** jnp.arange(len(x))
        return 0.5 * jnp.sum((jnp.sign(t) - powers @ x) ** 2)

    return objective


def last_of_ode(steps):
    def slope(x, y):
        return jnp.concatenate((x[:1], x[1:] * y[:-1]))

    def objective(x):
        h = 2.0 / steps

        def step(y, _):
            k1 = slope(x, y)
            k2 = slope(x, y + 0.5 * h * k1)
            k3 = slope(x, y + 0.5 * h * k2)
            k4 = slope(x, y + h * k3)
            return y + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4), None

        return jax.lax.scan(step, jnp.zeros_like(x), None, length=steps)[0][-1]

    return objective


def determinant(A):
    def minors(row, columns):
        if row == len(A) - 1:
            return A[row, columns[0]]
        return sum((-1) ** k * A[row, columns[k]] * minors(row + 1, columns[:k] + columns[k + 1 :])
                   for k in range(len(columns)))

    return minors(0, list(range(len(A))))


def kmeans(centroids, points):
    return jnp.sum(jnp.min(jnp.sum((points[:, None, :] - centroids[None, :, :]) ** 2, axis=2), axis=1))


def kmeans_step(centroids, points):
    gradient, diagonal = jax.jvp(lambda c: jax.grad(kmeans)(c, points), (centroids,), (jnp.ones_like(centroids),))
    return gradient / diagonal


def log_posterior(gamma, m):
    def objective(params, x):
        alpha, mu, q, l = params
        (n, d), k = x.shape, len(alpha)
        columns, rows = np.triu_indices(d, 1)
        Q = jnp.zeros((k, d, d)).at[:, rows, columns].set(l).at[:, np.arange(d), np.arange(d)].set(jnp.exp(q))
        scaled = jnp.einsum("kij,nkj->nki", Q, x[:, None, :] - mu)
        terms = alpha + jnp.sum(q, axis=1) - 0.5 * jnp.sum(scaled**2, axis=2)
        likelihood = jnp.sum(jax.scipy.special.logsumexp(terms, axis=1)) - n * jax.scipy.special.logsumexp(alpha)
        prior = 0.5 * gamma**2 * (jnp.sum(jnp.exp(q) ** 2) + jnp.sum(l**2)) - m * jnp.sum(q)
        freedom = d + m + 1
        log_gamma = 0.25 * d * (d - 1) * math.log(math.pi)
        log_gamma += sum(math.lgamma(0.5 * freedom + 0.5 * (1 - j)) for j in range(1, d + 1))
        constant = freedom * d * (math.log(gamma) - 0.5 * math.log(2.0)) - log_gamma
        return likelihood - 0.5 * n * d * math.log(2.0 * math.pi) + prior - k * constant

    return objective


def recurrent_loss(params, state, sequence):
    main, extra = params

    def cell(x, layer):
        weight, bias, hidden, old = layer
        weight, bias = weight.reshape(4, -1), bias.reshape(4, -1)
        forget = jax.nn.sigmoid(x * weight[0] + bias[0])
        ingate = jax.nn.sigmoid(hidden * weight[1] + bias[1])
        outgate = jax.nn.sigmoid(x * weight[2] + bias[2])
        change = jnp.tanh(hidden * weight[3] + bias[3])
        new = old * forget + ingate * change
        x = outgate * jnp.tanh(new)
        return x, (x, new)

    def step(state, pair):
        x, target = pair
        x, state = jax.lax.scan(cell, x * extra[0], (main[::2], main[1::2], *state))
        y = x * extra[1] + extra[2]
        return state, jnp.sum(target * (y - jnp.log(jnp.sum(jnp.exp(y)) + 2.0)))

    _, terms = jax.lax.scan(step, (state[::2], state[1::2]), (sequence[:-1], sequence[1:]))
    return -jnp.sum(terms) / sequence[1:].size


def project(cam, X):
    axis, X = cam[:3], X - cam[3:6]
    theta = jnp.sqrt(jnp.sum(axis * axis))
    w = axis / theta
    X = X * jnp.cos(theta) + jnp.cross(w, X) * jnp.sin(theta) + w * (jnp.dot(w, X) * (1.0 - jnp.cos(theta)))
    p = X[:2] / X[2]
    rsq = jnp.sum(p * p)
    return p * (1.0 + cam[9] * rsq + cam[10] * rsq * rsq) * cam[6] + cam[7:9]


def error_blocks(cams, points, w, feat):
    def error(row, feat):
        return row[14] * (project(row[:11], row[11:14]) - feat)

    rows = jnp.concatenate((cams, points, w[:, None]), axis=1)
    return jax.vmap(jax.jacrev(error))(rows, feat)


def hand_errors(theta, shifts, us, points, correspondences, model):
    def rotation(axis):
        n = jnp.sqrt(jnp.sum(axis * axis))
        x, y, z = axis / n
        s, c = jnp.sin(n), jnp.cos(n)
        return jnp.array([
            [x * x + (1 - x * x) * c, x * y * (1 - c) - z * s, x * z * (1 - c) + y * s],
            [x * y * (1 - c) + z * s, y * y + (1 - y * y) * c, y * z * (1 - c) - x * s],
            [x * z * (1 - c) - y * s, z * y * (1 - c) + x * s, z * z + (1 - z * z) * c],
        ])

    def euler(angles):
        (cx, cz, cy), (sx, sz, sy) = jnp.cos(angles), jnp.sin(angles)
        return jnp.array([
            [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx, 0.0],
            [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx, 0.0],
            [-sy, cy * sx, cy * cx, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ])

    bones = len(model["parents"])
    angles, at = jnp.zeros((bones, 3)), 6
    for finger in range(5):
        angles = angles.at[2 + 4 * finger, :2].set(theta[at : at + 2])
        angles = angles.at[3 + 4 * finger, 0].set(theta[at + 2]).at[4 + 4 * finger, 0].set(theta[at + 3])
        at += 4
    relatives = jnp.asarray(model["base_relatives"]) @ jax.vmap(euler)(angles)
    absolutes: list[Any] = []
    for i, parent in enumerate(model["parents"]):
        absolutes.append(relatives[i] if parent == -1 else absolutes[parent] @ relatives[i])
    transforms = (jnp.stack(absolutes) @ model["inverse_base_absolutes"])[:, :3, :]
    positions = jnp.einsum("vb,bij,vj->vi", model["weights"], transforms, model["base_positions"])
    if model["is_mirrored"]:
        positions = positions.at[:, 0].multiply(-1.0)
    positions = positions @ rotation(theta[:3]).T + theta[3:6]
    if us is None:
        return (points - positions[correspondences]).ravel()
    u, v = (us + shifts).T
    a, b, c = model["triangles"][correspondences].T
    return (points - (u[:, None] * positions[a] + v[:, None] * positions[b]
                      + (1.0 - u - v)[:, None] * positions[c])).ravel()


def hand_jacobian(fields: dict[str, Any]) -> Any:
    args = hand.arguments(fields)
    if args[0] is hand.simple:
        theta, points, correspondences, model = args[2:]
        return compiled(jax.jacfwd(lambda t: hand_errors(t, None, None, points, correspondences, model)), theta)
    shifts_and_theta, us, points, correspondences, model = args[2:]
    return compiled(jax.jacfwd(lambda t: hand_errors(t[2:], t[:2], us, points, correspondences, model)),
                    shifts_and_theta)


def mixture_jacobian(fields: dict[str, Any]) -> Any:
    *params, x, gamma, m = mixture.arguments(fields)
    return compiled(jax.grad(log_posterior(gamma, m)), tuple(params), x)


def recurrent_jacobian(fields: dict[str, Any]) -> Any:
    main, extra, state, sequence = recurrent.arguments(fields)
    return compiled(jax.grad(recurrent_loss), (main, extra), state, sequence)


def adjustment_blocks(fields: dict[str, Any]) -> Any:
    cam, X, w, feat = adjustment.observed(*adjustment.arguments(fields))
    return compiled(error_blocks, cam.T, X.T, w, feat.T)


CALLS: dict[tuple[str, str], Any] = {
    ("lse", "gradient"): lambda f: compiled(jax.grad(log_sum_exp), programs.vector(f)),
    ("llsq", "gradient"): lambda f: compiled(jax.grad(least_squares(f["n"])), programs.vector(f)),
    ("ode", "gradient"): lambda f: compiled(jax.grad(last_of_ode(f["s"])), programs.vector(f)),
    ("det", "gradient"): lambda f: compiled(jax.grad(determinant), programs.matrix(f)),
    ("kmeans", "dir"): lambda f: compiled(kmeans_step, *programs.clouds(f)),
    ("gmm", "jacobian"): mixture_jacobian,
    ("lstm", "jacobian"): recurrent_jacobian,
    ("ba", "jacobian"): adjustment_blocks,
    ("ht", "jacobian"): hand_jacobian,
}
"""For each function that is timed: what turns the fields of an input into the call that is timed."""
