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
        x1 = tape.pop()
        W = Ws[i]
        # x = np.tanh(W @ x)
        t = (1.0 - x * x) * dx
        dx = W.T @ t
        dWs[i] = np.outer(t, x1)
        x = x1
    return dx, dWs
