import numpy as np


def mixed_grad(W, x, steps):
    # W: f64[n, n], x: f64[n], steps: int
    tape = []
    for _ in range(steps):
        tape.append(x)
        exp_W = np.exp(W)
        x = np.tanh(exp_W @ x)
    # return x.sum()
    dx = np.ones_like(x)
    dW = np.zeros_like(W)
    for _ in reversed(range(steps)):
        x_prev = tape.pop()
        # x = np.tanh(np.exp(W) @ x)
        dx_factor = (1.0 - x * x) * dx
        dx = exp_W.T @ dx_factor
        dW += np.outer(dx_factor, x_prev) * exp_W
        x = x_prev
    return dW, dx
