import numpy as np


def smooth_grad(x, width):
    # x: f64[n], width: int
    x = x.copy()
    t = len(x) - width
    tape = []
    for i in range(width, t):
        t1 = x[i - width:i + width + 1]
        tape.append(np.copy(t1))
        x[i] = np.sum(t1) / (2 * width + 1)
    dx = x ** 3
    dx *= 4.0
    for i in reversed(range(width, t)):
        t1 = tape.pop()
        t2 = dx[i]
        dx[i] = 0.0
        t2 /= 2 * width + 1
        dx[i - width:i + width + 1] += np.full_like(t1, t2)
    return dx
