import numpy as np


def mixed_twice_grad(W, x, rounds, steps):
    # W: f64[n, n], x: f64[n], rounds: int, steps: int
    x_now = x
    tape = []
    x_tape = []
    for i in range(rounds):
        for _ in range(steps):
            x_tape.append(x_now)
            x_now = np.tanh(np.exp(0.1 * i * W) @ x_now)
        tape.append(x_now)
    # return x.sum()
    dx = np.ones_like(x)
    dW = np.zeros_like(W)
    for i in reversed(range(rounds)):
        x_now = tape.pop()
        # x = np.tanh(np.exp(0.1 * i * W) @ x)
        scaled_i = 0.1 * i
        dx_part = np.exp(scaled_i * W)
        for _ in reversed(range(steps)):
            x = x_tape.pop()
            # x = np.tanh(np.exp(0.1 * i * W) @ x)
            dx_factor = (1.0 - x_now * x_now) * dx
            dx = dx_part.T @ dx_factor
            dW += scaled_i * np.outer(dx_factor, x) * dx_part
            x_now = x
    return dW, dx
