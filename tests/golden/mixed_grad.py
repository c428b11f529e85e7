import numpy as np


def mixed_grad(W, x, steps):
    # W: f64[n, n], x: f64[n], steps: int
    tape = []
    for _ in range(steps):
        tape.append(x)
        t = np.exp(W)
        x = np.tanh(t @ x)
    # return x.sum()
    dx = np.ones_like(x)
    dW = np.zeros_like(W)
    for _ in reversed(range(steps)):
        x1 = tape.pop()
        # x = np.tanh(np.exp(W) @ x)
        t1 = (1.0 - x * x) * dx
        dx = t.T @ t1
        dW += np.outer(t1, x1) * t
        x = x1
    return dW, dx
