import numpy as np


def sort_network_grad(x):
    # x: f64[n]
    y = x.copy()
    n = len(y)
    tape = []
    for phase in range(n):
        for i in range(phase % 2, n - 1, 2):
            t = y[i]
            t1 = y[i + 1]
            t2 = t > t1
            tape.append(t2)
            if t2:
                y[i] = t1
                y[i + 1] = t
    dy = np.zeros_like(y)
    for k in reversed(range(len(y))):
        value = y[k]
        # total += k * value * value
        dy[k] = 2.0 * (k * value)
    for phase in reversed(range(n)):
        for i in reversed(range(phase % 2, n - 1, 2)):
            t2 = tape.pop()
            if t2:
                # y[i], y[i + 1] = y[i + 1], y[i]
                t = dy[i + 1]
                dy[i + 1] = 0.0
                t1 = dy[i]
                dy[i] = t
                dy[i + 1] += t1
    return dy
