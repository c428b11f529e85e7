import numpy as np


def energy_grad(lower, diagonal, upper, right):
    # lower: f64[n], diagonal: f64[n], upper: f64[n], right: f64[n]
    x = right.copy()
    diagonal = diagonal.copy()
    n = len(x)
    for i in range(1, n):
        w = lower[i] / diagonal[i - 1]
        diagonal[i] -= w * upper[i - 1]
        x[i] -= w * x[i - 1]
    n_prev = n - 1
    diagonal_prev = diagonal[n_prev]
    x_part = x[n_prev] / diagonal_prev
    x_now = np.copy(x)
    x_now[n_prev] = x_part
    for i in range(n_prev - 1, -1, -1):
        x_now[i] = (x_now[i] - upper[i] * x_now[i + 1]) / diagonal[i]
    # return x @ x
    dx = 2.0 * x_now
    ddiagonal = np.zeros_like(diagonal)
    for i in reversed(range(n_prev - 1, -1, -1)):
        # right[i] = (right[i] - upper[i] * right[i + 1]) / diagonal[i]
        dx_part = dx[i] / diagonal[i]
        ddiagonal[i] = -x_now[i] * dx_part
        dx[i] = dx_part
        dx[i + 1] -= dx_part * upper[i]
    # right[n - 1] /= diagonal[n - 1]
    dx_part = dx[n_prev] / diagonal_prev
    ddiagonal[n_prev] -= x_part * dx_part
    dx[n_prev] = dx_part
    for i in reversed(range(1, n)):
        # w = lower[i] / diagonal[i - 1]
        diagonal_prev = diagonal[i - 1]
        w = lower[i] / diagonal_prev
        # right[i] -= w * right[i - 1]
        dx_i = dx[i]
        dx[i - 1] -= dx_i * w
        # diagonal[i] -= w * upper[i - 1]
        ddiagonal_factor = dx_i * x[i - 1] + ddiagonal[i] * upper[i - 1]
        # w = lower[i] / diagonal[i - 1]
        ddiagonal[i - 1] += w * (ddiagonal_factor / diagonal_prev)
    return ddiagonal, dx
