import numpy as np


def sort_network_grad(x):
    # x: f64[n]
    y = x.copy()
    n = len(y)
    tape = []
    for phase in range(n):
        for i in range(phase % 2, n - 1, 2):
            y_i = y[i]
            y_next = y[i + 1]
            y_i_above_y_next = y_i > y_next
            tape.append(y_i_above_y_next)
            if y_i_above_y_next:
                y[i] = y_next
                y[i + 1] = y_i
    dy = np.zeros_like(y)
    for k in reversed(range(len(y))):
        value = y[k]
        # total += k * value * value
        dy[k] = 2.0 * (k * value)
    for phase in reversed(range(n)):
        for i in reversed(range(phase % 2, n - 1, 2)):
            y_i_above_y_next = tape.pop()
            if y_i_above_y_next:
                # y[i], y[i + 1] = y[i + 1], y[i]
                dy_next = dy[i + 1]
                dy[i + 1] = 0.0
                dy_i = dy[i]
                dy[i] = dy_next
                dy[i + 1] += dy_i
    return dy
