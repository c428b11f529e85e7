import numpy as np


def walrus_grad(x):
    # x: f64[n]
    k = 0
    tape = []
    while True:
        tape.append(k)
        x_k = x[k]
        square = x_k * x_k
        if not square < 2.0:
            break
        k += 1
        if k == len(x):
            break
    dx = np.zeros_like(x)
    while tape:
        k = tape.pop()
        x_k = x[k]
        square = x_k * x_k
        if square < 2.0:
            dx[k] += 2.0 * x_k
    return dx
