import numpy as np


def _layer(W, h):
    a = W @ h
    b = np.tanh(a)
    return b * np.sin(b) + h


def _layer_vjp(W, h, dvalue):
    a = W @ h
    b = np.tanh(a)
    # return b * np.sin(b) + h
    db = (np.cos(b) * b + np.sin(b)) * dvalue
    # b = np.tanh(a)
    da = (1.0 - b * b) * db
    # a = W @ h
    dh = W.T @ da + dvalue
    return np.outer(da, h), dh


def layers_grad(W, h, n):
    # W: f64[n, n], h: f64[n], n: int
    tape = []
    for _ in range(n):
        tape.append(h)
        h = _layer(W, h)
    # return np.sum(_layer(W, h) ** 2)
    dW, dh = _layer_vjp(W, h, 2.0 * _layer(W, h))
    for _ in reversed(range(n)):
        h = tape.pop()
        # h = _layer(W, h)
        dW_h, dh = _layer_vjp(W, h, dh)
        dW += dW_h
    return dW, dh
