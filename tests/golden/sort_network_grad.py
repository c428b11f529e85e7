import numpy as np


def sort_network_grad(x):
    # x: f64[n]
    y = x.copy()
    n = len(y)
    tape = []
    for phase in range(n):
        for i in range(phase % 2, n - 1, 2):
            t = y[i]
            t1 = i + 1
            t2 = y[t1]
            t3 = t > t2
            tape.append(t3)
            if t3:
                y[i] = t2
                y[t1] = t
    dy = np.zeros_like(y)
    for k in reversed(range(len(y))):
        value = y[k]
        # total += k * value * value
        dy[k] = 2.0 * (k * value)
    for phase in reversed(range(n)):
        for i in reversed(range(phase % 2, n - 1, 2)):
            t3 = tape.pop()
            t1 = i + 1
            if t3:
                # y[i], y[i + 1] = y[i + 1], y[i]
                t = dy[t1]
                dy[t1] = 0.0
                t2 = dy[i]
                dy[i] = t
                dy[t1] += t2
    return dy
