import numpy as np


def elman_grad(params, xs, ys):
    # params: {"W": f64[n, n], "U": f64[n, m], "b": f64[n], "V": f64[m, n]},
    # xs: f64[k, m], ys: f64[k, m]
    W = params["W"]
    U = params["U"]
    b = params["b"]
    V = params["V"]
    h = np.zeros(W.shape[0])
    k = len(xs)
    hs = np.empty((k, W.shape[0]))
    tape = []
    for i in range(k):
        hs[i] = h
        x = xs[i]
        y = ys[i]
        h = np.tanh(W @ h + U @ x + b)
        e = V @ h - y
        tape.append(e)
    dh = np.zeros_like(h)
    rows = np.empty((k, W.shape[0]))
    des = np.empty((k, U.shape[1]))
    hs_now = np.empty((k, W.shape[0]))
    for i in reversed(range(k)):
        e = tape.pop()
        hs_now[i] = h
        # loss += e @ e
        de = 2.0 * e
        des[i] = de
        # e = params["V"] @ h - y
        dh += V.T @ de
        # h = np.tanh(params["W"] @ h + params["U"] @ x + params["b"])
        rows_part = (1.0 - h * h) * dh
        rows[i] = rows_part
        dh = W.T @ rows_part
        h = hs[i]
    db = np.sum(rows, axis=0)
    dV = des.T @ hs_now
    dU = rows.T @ xs
    dW = rows.T @ hs
    return {"W": dW, "U": dU, "b": db, "V": dV}
