import numpy as np


def layers_grad(x, Ws):
    # x: f64[n], Ws: list[f64[n, n]]
    tape = []
    for W in Ws:
        tape.append(x)
        x = np.tanh(W @ x)
    # return np.sum(x**2)
    dx = 2.0 * x
    dWs = [np.zeros_like(v) for v in Ws]
    for i in reversed(range(len(Ws))):
        x_prev = tape.pop()
        W = Ws[i]
        # x = np.tanh(W @ x)
        dx_factor = (1.0 - x * x) * dx
        dx = W.T @ dx_factor
        dWs[i] = np.outer(dx_factor, x_prev)
        x = x_prev
    return dx, dWs
