import numpy as np


def until_large_grad(x):
    # x: f64[n]
    k = 0
    tape = []
    while True:
        x_k = x[k]
        square = x_k * x_k
        if not square < 2.0:
            break
        tape.append(k)
        k += 1
        if k == len(x):
            break
    dx = np.zeros_like(x)
    while tape:
        k = tape.pop()
        # square = x[k] * x[k]
        dx[k] += 2.0 * x[k]
    return dx
