"""Ten models as users write them, and loops over the elements of arrays; their gradients are goldens."""

import math

import numpy as np


def pid_cost(kp: float, ki: float, kd: float, target: float, steps: int) -> float:
    dt = 0.05
    position = 0.0
    velocity = 0.0
    integral = 0.0
    previous = target
    cost = 0.0
    for _ in range(steps):
        error = target - position
        integral += error * dt
        derivative = (error - previous) / dt
        force = kp * error + ki * integral + kd * derivative
        if force > 5.0:
            force = 5.0
        elif force < -5.0:
            force = -5.0
        velocity += (force - 0.4 * velocity) * dt
        position += velocity * dt
        cost += (error ** 2 + 0.01 * force ** 2) * dt
        previous = error
    return cost


def epidemic(beta: float, gamma: float, infected: np.ndarray) -> float:
    s, i, r = 0.99, 0.01, 0.0
    loss = 0.0
    for observed in infected:
        new = beta * s * i
        recovered = gamma * i
        s -= new
        i += new - recovered
        r += recovered
        loss += (i - observed) ** 2
    return loss / len(infected)


def call_price(spot: float, vol: float, rate: float, strike: float, maturity: float, z: np.ndarray) -> float:
    drift = (rate - 0.5 * vol ** 2) * maturity
    terminal = spot * np.exp(drift + vol * math.sqrt(maturity) * z)
    payoff = np.maximum(terminal - strike, 0.0)
    return math.exp(-rate * maturity) * np.mean(payoff)


def kalman_matrix(q: float, F: np.ndarray, H: np.ndarray, R: np.ndarray, ys: np.ndarray) -> float:
    n = F.shape[0]
    m = np.zeros(n)
    P = np.eye(n)
    ll = 0.0
    for y in ys:
        m = F @ m
        P = F @ P @ F.T + q * np.eye(n)
        S = H @ P @ H.T + R
        e = y - H @ m
        K = P @ H.T @ np.linalg.inv(S)
        m = m + K @ e
        P = P - K @ H @ P
        ll -= 0.5 * (e @ np.linalg.solve(S, e) + math.log(np.linalg.det(S)))
    return -ll


def kmeans_loss(centers: np.ndarray, points: np.ndarray) -> float:
    total = 0.0
    for p in points:
        best = np.inf
        for c in centers:
            d = np.sum((p - c) ** 2)
            if d < best:
                best = d
        total += best
    return total / len(points)


def spline_energy(y: np.ndarray, x: np.ndarray, data: np.ndarray, smooth: float) -> float:
    h = x[1:] - x[:-1]
    slope = (y[1:] - y[:-1]) / h
    bend = slope[1:] - slope[:-1]
    return np.sum((y - data) ** 2) + smooth * np.sum(bend ** 2 / (h[1:] + h[:-1]))


def pendulum(theta: float, omega: float, length: float, steps: int, dt: float) -> float:
    def acceleration(a, w):
        return -9.81 / length * math.sin(a) - 0.1 * w

    for _ in range(steps):
        k1a = omega
        k1w = acceleration(theta, omega)
        k2a = omega + 0.5 * dt * k1w
        k2w = acceleration(theta + 0.5 * dt * k1a, omega + 0.5 * dt * k1w)
        k3a = omega + 0.5 * dt * k2w
        k3w = acceleration(theta + 0.5 * dt * k2a, omega + 0.5 * dt * k2w)
        k4a = omega + dt * k3w
        k4w = acceleration(theta + dt * k3a, omega + dt * k3w)
        theta += dt / 6.0 * (k1a + 2.0 * k2a + 2.0 * k3a + k4a)
        omega += dt / 6.0 * (k1w + 2.0 * k2w + 2.0 * k3w + k4w)
    return theta ** 2 + omega ** 2


def mlp(params: dict, x: np.ndarray, labels: np.ndarray) -> float:
    h = np.maximum(x @ params["W1"] + params["b1"], 0.0)
    logits = h @ params["W2"] + params["b2"]
    logits = logits - np.max(logits, axis=1, keepdims=True)
    logp = logits - np.log(np.sum(np.exp(logits), axis=1, keepdims=True))
    return -np.mean(logp[np.arange(len(x)), labels])


def softmax_regression(W: np.ndarray, X: np.ndarray, Y: np.ndarray, reg: float) -> float:
    scores = X @ W
    shifted = scores - scores.max(axis=1, keepdims=True)
    e = np.exp(shifted)
    p = e / e.sum(axis=1, keepdims=True)
    return -np.sum(Y * np.log(p)) / len(X) + reg * np.sum(W * W)


def ar2(phi1: float, phi2: float, sigma: float, y: np.ndarray) -> float:
    n = len(y)
    ll = 0.0
    for t in range(2, n):
        e = y[t] - phi1 * y[t - 1] - phi2 * y[t - 2]
        ll += -0.5 * math.log(2.0 * math.pi * sigma ** 2) - e ** 2 / (2.0 * sigma ** 2)
    return -ll


def hmm(logA: np.ndarray, logpi: np.ndarray, loglik: np.ndarray) -> float:
    alpha = logpi + loglik[0]
    for t in range(1, len(loglik)):
        m = np.max(alpha)
        alpha = np.log(np.exp(alpha - m) @ np.exp(logA)) + m + loglik[t]
    m = np.max(alpha)
    return m + math.log(np.sum(np.exp(alpha - m)))


def energy_of_rows(x: np.ndarray, rows: np.ndarray) -> float:
    total = 0.0
    for row in rows:
        total += math.exp(row @ x)
    return total


def gains(x: np.ndarray, k: float) -> float:
    s = 1.0
    for v in x:
        s += k * math.sin(s * v)
    return s


def pairs(x: np.ndarray, y: np.ndarray) -> float:
    s = 0.0
    for v, w in zip(x, y):
        s += math.sin(v * w) * s + w
    return s


def weighted(x: np.ndarray, k: float) -> float:
    s = 0.0
    for i, v in enumerate(x):
        s = k * s * v + i
    return s


def smear(x: np.ndarray, k: float) -> float:
    """The loop writes what it has still to read."""
    u = x.copy()
    s = 0.0
    for v in u:
        u[-1] += k * v
        s += v * v * u[0]
    return s


def pascal(rows: np.ndarray) -> float:
    """The rows are views: what a trip writes, the next reads."""
    table = rows.copy()
    for i, row in enumerate(table):
        row[1:] += row[:-1] * i
        table[-1] += 0.5 * row
    return np.sum(table**2)


def elman(params: dict, xs: np.ndarray, ys: np.ndarray) -> float:
    """A recurrent net, of which each weight is used in each trip."""
    h = np.zeros(params["W"].shape[0])
    loss = 0.0
    for x, y in zip(xs, ys):
        h = np.tanh(params["W"] @ h + params["U"] @ x + params["b"])
        e = params["V"] @ h - y
        loss += e @ e
    return loss


def settled(W: np.ndarray, h: np.ndarray, n: int) -> float:
    """As many trips as it takes: no matrix for what they leave."""
    for _ in range(n):
        h = np.tanh(W @ h)
        if h @ h < 0.01:
            break
    return h @ h


def either(x: np.ndarray, y: np.ndarray, k: int) -> float:
    """A factor that only one path makes scales an array of the other pass."""
    u = y
    w = 2.0
    if k:
        pass
    else:
        u = math.cos(w) * x
    return u.sum()


INPUTS = {
    "pid_cost": lambda rng: (2.0, 0.5, 0.3, 1.0, 20),
    "epidemic": lambda rng: (0.5, 0.2, 0.1 * np.abs(rng.normal(size=8))),
    "call_price": lambda rng: (100.0, 0.2, 0.01, 105.0, 1.0, rng.normal(size=30)),
    "kmeans_loss": lambda rng: (rng.normal(size=(3, 2)), rng.normal(size=(10, 2))),
    "kalman_matrix": lambda rng: (0.1, rng.normal(size=(2, 2)), rng.normal(size=(1, 2)), np.eye(1),
                                  rng.normal(size=(6, 1))),
    "spline_energy": lambda rng: (rng.normal(size=6), np.cumsum(np.abs(rng.normal(size=6)) + 0.1), rng.normal(size=6),
                                  0.1),
    "pendulum": lambda rng: (0.5, 0.1, 1.0, 10, 0.01),
    "mlp": lambda rng: (
        {"W1": rng.normal(size=(4, 5)), "b1": rng.normal(size=5), "W2": rng.normal(size=(5, 3)),
         "b2": rng.normal(size=3)}, rng.normal(size=(7, 4)), rng.integers(0, 3, 7)),
    "softmax_regression": lambda rng: (rng.normal(size=(4, 3)), rng.normal(size=(6, 4)),
                                       np.eye(3)[rng.integers(0, 3, 6)], 0.01),
    "ar2": lambda rng: (0.5, 0.2, 1.0, rng.normal(size=20)),
    "hmm": lambda rng: (rng.normal(size=(3, 3)), rng.normal(size=3), rng.normal(size=(6, 3))),
    "energy_of_rows": lambda rng: (0.5 * rng.normal(size=3), rng.normal(size=(4, 3))),
    "gains": lambda rng: (rng.normal(size=5), 0.3),
    "pairs": lambda rng: (rng.normal(size=5), rng.normal(size=5)),
    "elman": lambda rng: (
        {"W": rng.normal(size=(3, 3)), "U": rng.normal(size=(3, 2)), "b": rng.normal(size=3),
         "V": rng.normal(size=(2, 3))}, rng.normal(size=(5, 2)), rng.normal(size=(5, 2))),
    "settled": lambda rng: (0.4 * rng.normal(size=(3, 3)), rng.normal(size=3), 9),
    "either": lambda rng: (rng.normal(size=3), rng.normal(size=3), 0),
    "smear": lambda rng: (rng.normal(size=5), 0.3),
    "pascal": lambda rng: (rng.normal(size=(4, 3)),),
    "weighted": lambda rng: (rng.normal(size=5), 0.3),
}
