import math

import numpy as np


def recurrent_grad(params, xs):
    # params: {"W": f64[3, 3], "U": f64[3, m], "b": f64[3]}, xs: f64[k, m]
    W = params["W"]
    U = params["U"]
    b = params["b"]
    h = np.zeros(3)
    k = len(xs)
    segment = math.isqrt(k) + 1
    tape = []
    for first in range(0, k, segment):
        tape.append(h)
        last = min(first + segment, k)
        for i in range(first, last):
            x = xs[i]
            h = np.tanh(W @ h + U @ x + b)
    dh = np.zeros_like(h)
    dxs = np.zeros_like(xs)
    dW = np.zeros_like(W)
    dU = np.zeros_like(U)
    db = np.zeros_like(b)
    for first in reversed(range(0, k, segment)):
        h = tape.pop()
        last = min(first + segment, k)
        h_tape = []
        for i in range(first, last):
            h_tape.append(h)
            x = xs[i]
            h = np.tanh(W @ h + U @ x + b)
        for i in reversed(range(first, last)):
            h_prev = h_tape.pop()
            x = xs[i]
            # loss += np.sum(h * h)
            dh += 2.0 * h
            # h = np.tanh(params["W"] @ h + params["U"] @ x + params["b"])
            one_minus_h_sq_times_dh = (1.0 - h * h) * dh
            db += one_minus_h_sq_times_dh
            dU += np.outer(one_minus_h_sq_times_dh, x)
            dh = W.T @ one_minus_h_sq_times_dh
            dW += np.outer(one_minus_h_sq_times_dh, h_prev)
            dxs[i] += U.T @ one_minus_h_sq_times_dh
            h = h_prev
    return {"W": dW, "U": dU, "b": db}, dxs
