"""Sizes that follow from one another: parts of one array, each as long as another argument."""

import numpy as np


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def lstm(W, U, b, xs, h, c):
    """The gates are the quarters of one vector."""
    n = len(h)
    for x in xs:
        z = W @ x + U @ h + b
        c = sigmoid(z[n : 2 * n]) * c + sigmoid(z[:n]) * np.tanh(z[3 * n :])
        h = sigmoid(z[2 * n : 3 * n]) * np.tanh(c)
    return np.sum(h * h)


def lstm_by_quarters(W, xs, h, c):
    n = W.shape[0] // 4
    for x in xs:
        z = W @ np.concatenate((x, h))
        c = sigmoid(z[n : 2 * n]) * c + sigmoid(z[:n]) * np.tanh(z[3 * n : 4 * n])
        h = sigmoid(z[2 * n : 3 * n]) * np.tanh(c)
    return np.sum(h * h)


def hmm_forward(log_start, log_step, log_emit, seen):
    alpha = log_start + log_emit[:, seen[0]]
    for k in range(1, len(seen)):
        paths = alpha[:, None] + log_step
        top = np.max(paths, axis=0)
        alpha = top + np.log(np.sum(np.exp(paths - top), axis=0)) + log_emit[:, seen[k]]
    return np.log(np.sum(np.exp(alpha)))


def conv1d(x, w, target):
    n = len(x) - len(w) + 1
    y = np.zeros(n)
    for j in range(len(w)):
        y += w[j] * x[j : j + n]
    return np.sum((y - target) ** 2)


def variable_diffusion(u, k, steps):
    for _ in range(steps):
        u = u.copy()
        u[1:-1] += 0.1 * k * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def staggered(u, p, steps):
    """Velocities between the pressures."""
    u, p = u.copy(), p.copy()
    for _ in range(steps):
        u[1:-1] -= 0.1 * (p[1:] - p[:-1])
        p -= 0.1 * (u[1:] - u[:-1])
    return np.sum(p**2)


def leapfrog_state(state, mass, dt, steps):
    n = len(mass)
    q, p = state[:n], state[n:]
    for _ in range(steps):
        p = p - 0.5 * dt * np.sin(q)
        q = q + dt * p / mass
        p = p - 0.5 * dt * np.sin(q)
    return np.sum(p**2 / mass) / 2.0 - np.sum(np.cos(q))


def red_black(u, f, sweeps):
    u = u.copy()
    for _ in range(sweeps):
        u[1:-1:2] = 0.5 * (u[:-2:2] + u[2::2] - f[1:-1:2])
        u[2:-1:2] = 0.5 * (u[1:-2:2] + u[3::2] - f[2:-1:2])
    return np.sum(u**2)


def haar(x, w):
    mean, detail = (x[::2] + x[1::2]) / 2.0, (x[::2] - x[1::2]) / 2.0
    return np.sum(mean**3) + np.sum(w * detail**2)


def window_sums(x, w):
    k = len(w)
    total = 0.0
    for i in range(len(x) - k + 1):
        total += np.tanh(np.sum(x[i : i + k] * w))
    return total


def autocorrelation(x, lags):
    total = 0.0
    for k in range(1, lags):
        total += np.sum(x[:-k] * x[k:]) ** 2
    return total


def unpacked_layers(p, X, target, hidden):
    d = X.shape[1]
    W = p[: d * hidden].reshape(d, hidden)
    b = p[d * hidden : d * hidden + hidden]
    v = p[d * hidden + hidden : -1]
    return np.mean((np.tanh(X @ W + b) @ v + p[-1] - target) ** 2)


def unpacked_affine(p, x, target, n, m):
    W = p[: n * m].reshape(n, m)
    b = p[n * m :]
    return np.sum((W @ x + b - target) ** 2)


def coupling(x, W, V):
    """A flow: one half of x moves the other."""
    n = len(x) // 2
    a, b = x[:n], x[n:]
    s = np.tanh(W @ a)
    y = np.concatenate((a, b * np.exp(s) + V @ a))
    return np.sum(y**2) - np.sum(s)


def slopes_between(xs, ys, w):
    return np.sum(w * (np.diff(ys) / np.diff(xs)) ** 2)


def upsampled(x):
    y = np.zeros(2 * len(x))
    y[::2] = x
    y[1::2] = 0.5 * (x + np.roll(x, -1))
    return np.sum(y**3)


INPUTS = {
    "lstm": lambda rng: (rng.normal(size=(12, 2)), rng.normal(size=(12, 3)), rng.normal(size=12),
                         rng.normal(size=(4, 2)), rng.normal(size=3), rng.normal(size=3)),
    "lstm_by_quarters": lambda rng: (rng.normal(size=(12, 5)), rng.normal(size=(4, 2)), rng.normal(size=3),
                                     rng.normal(size=3)),
    "hmm_forward": lambda rng: (rng.normal(size=3), rng.normal(size=(3, 3)), rng.normal(size=(3, 5)),
                                np.array([0, 2, 4, 1])),
    "conv1d": lambda rng: (rng.normal(size=9), rng.normal(size=3), rng.normal(size=7)),
    "variable_diffusion": lambda rng: (rng.normal(size=8), rng.uniform(0.1, 1.0, 6), 3),
    "staggered": lambda rng: (rng.normal(size=8), rng.normal(size=7), 3),
    "leapfrog_state": lambda rng: (rng.normal(size=8), rng.uniform(1.0, 2.0, 4), 0.1, 3),
    "red_black": lambda rng: (rng.normal(size=9), rng.normal(size=9), 3),
    "haar": lambda rng: (rng.normal(size=8), rng.normal(size=4)),
    "window_sums": lambda rng: (rng.normal(size=9), rng.normal(size=3)),
    "autocorrelation": lambda rng: (rng.normal(size=9), 4),
    "unpacked_layers": lambda rng: (rng.normal(size=13), rng.normal(size=(5, 2)), rng.normal(size=5), 3),
    "unpacked_affine": lambda rng: (rng.normal(size=15), rng.normal(size=4), rng.normal(size=3), 3, 4),
    "coupling": lambda rng: (rng.normal(size=8), rng.normal(size=(4, 4)), rng.normal(size=(4, 4))),
    "slopes_between": lambda rng: (np.arange(6.0) + rng.uniform(0.0, 0.5, 6), rng.normal(size=6), rng.normal(size=5)),
    "upsampled": lambda rng: (rng.normal(size=4),),
}
