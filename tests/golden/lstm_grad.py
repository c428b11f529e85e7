import numpy as np


def lstm_grad(W, U, b, xs, h, c):
    # W: f64[4 * k, m], U: f64[4 * k, k], b: f64[4 * k], xs: f64[p, m], h: f64[k],
    # c: f64[k]
    n = len(h)
    p = len(xs)
    hs = np.empty((p, U.shape[1]))
    tape = []
    tape1 = []
    for i in range(p):
        tape.append(c)
        hs[i] = h
        x = xs[i]
        z = W @ x + U @ h + b
        t = 2 * n
        t1 = np.exp(-z[n:t])
        t2 = 1.0 + t1
        t3 = 1.0 / t2
        t4 = np.exp(-z[:n])
        t5 = 1.0 + t4
        t6 = 1.0 / t5
        t7 = 3 * n
        t8 = np.tanh(z[t7:])
        c = t3 * c + t6 * t8
        t7 = np.exp(-z[t:t7])
        t9 = 1.0 + t7
        t10 = 1.0 / t9
        t11 = np.tanh(c)
        tape1.append((t1, t2, t3, t4, t5, t6, t8, t7, t9, t10, t11))
        h = t10 * t11
    # return np.sum(h * h)
    dh = 2.0 * h
    dc = np.zeros_like(c)
    dxs = np.zeros_like(xs)
    dzs = np.empty((p, W.shape[0]))
    for i in reversed(range(p)):
        t1, t2, t3, t4, t5, t6, t8, t7, t9, t10, t11 = tape1.pop()
        c = tape.pop()
        t = 2 * n
        t12 = 3 * n
        # h = sigmoid(z[2 * n : 3 * n]) * np.tanh(c)
        dc += dh * t10 * (1.0 - t11 * t11)
        dz = np.zeros_like(b)
        dz[t:t12] = dh * t11 / t9 * t10 * t7
        # c = sigmoid(z[n : 2 * n]) * c + sigmoid(z[:n]) * np.tanh(z[3 * n :])
        dz[t12:] += dc * t6 * (1.0 - t8 * t8)
        dz[:n] += dc * t8 / t5 * t6 * t4
        t4 = dc * c
        dc *= t3
        dz[n:t] += t4 / t2 * t3 * t1
        dzs[i] = dz
        # z = W @ x + U @ h + b
        dh = U.T @ dz
        dxs[i] = W.T @ dz
    db = np.sum(dzs, axis=0)
    dU = dzs.T @ hs
    dW = dzs.T @ xs
    return dW, dU, db, dxs, dh, dc
