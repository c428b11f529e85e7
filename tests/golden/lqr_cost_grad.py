import numpy as np


def lqr_cost_grad(gain, A, B, x, steps):
    # gain: f64[1, n], A: f64[n, n], B: f64[n, 1], x: f64[n], steps: int
    tape = []
    for _ in range(steps):
        neg_gain = -gain
        u = neg_gain @ x
        tape.append((x, u))
        x = A @ x + B @ u
    dx = np.zeros_like(x)
    dgain = np.zeros_like(gain)
    for _ in reversed(range(steps)):
        x, u = tape.pop()
        # cost += x @ x + 0.1 * (u @ u)
        du = B.T @ dx + 0.2 * u
        # u = -gain @ x
        dx = A.T @ dx + 2.0 * x + neg_gain.T @ du
        dgain -= np.outer(du, x)
    return dgain
