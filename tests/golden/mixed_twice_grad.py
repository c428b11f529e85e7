import numpy as np


def mixed_twice_grad(W, x, rounds, steps):
    # W: f64[n, n], x: f64[n], rounds: int, steps: int
    x1 = x
    tape = []
    tape1 = []
    for i in range(rounds):
        for _ in range(steps):
            tape1.append(x1)
            x1 = np.tanh(np.exp(0.1 * i * W) @ x1)
        tape.append(x1)
    # return x.sum()
    dx = np.ones_like(x)
    dW = np.zeros_like(W)
    for i in reversed(range(rounds)):
        x1 = tape.pop()
        # x = np.tanh(np.exp(0.1 * i * W) @ x)
        t = 0.1 * i
        t1 = np.exp(t * W)
        for _ in reversed(range(steps)):
            x = tape1.pop()
            # x = np.tanh(np.exp(0.1 * i * W) @ x)
            t2 = (1.0 - x1 * x1) * dx
            dx = t1.T @ t2
            dW += t * np.outer(t2, x) * t1
            x1 = x
    return dW, dx
