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
        twice_n = 2 * n
        exp_neg_z_from_n = np.exp(-z[n:twice_n])
        sigmoid_z_from_n = 1.0 / (1.0 + exp_neg_z_from_n)
        exp_neg_z_upto_n = np.exp(-z[:n])
        sigmoid_z_upto_n = 1.0 / (1.0 + exp_neg_z_upto_n)
        scaled_n = 3 * n
        c_tanh = np.tanh(z[scaled_n:])
        c = sigmoid_z_from_n * c + sigmoid_z_upto_n * c_tanh
        exp_neg_z_part = np.exp(-z[twice_n:scaled_n])
        h_factor = 1.0 / (1.0 + exp_neg_z_part)
        tanh_c = np.tanh(c)
        tape1.append(
            (
                exp_neg_z_from_n,
                sigmoid_z_from_n,
                exp_neg_z_upto_n,
                sigmoid_z_upto_n,
                c_tanh,
                exp_neg_z_part,
                h_factor,
                tanh_c,
            )
        )
        h = h_factor * tanh_c
    # return np.sum(h * h)
    dh = 2.0 * h
    dc = np.zeros_like(c)
    dxs = np.zeros_like(xs)
    dzs = np.empty((p, W.shape[0]))
    for i in reversed(range(p)):
        (
            exp_neg_z_from_n,
            sigmoid_z_from_n,
            exp_neg_z_upto_n,
            sigmoid_z_upto_n,
            c_tanh,
            exp_neg_z_part,
            h_factor,
            tanh_c,
        ) = tape1.pop()
        c = tape.pop()
        twice_n = 2 * n
        scaled_n = 3 * n
        # h = sigmoid(z[2 * n : 3 * n]) * np.tanh(c)
        dc_factor = dh * h_factor
        dc += (1.0 - tanh_c * tanh_c) * dc_factor
        # return 1.0 / (1.0 + np.exp(-x))
        dc_factor *= tanh_c
        dz = np.zeros_like(b)
        dz[twice_n:scaled_n] = dc_factor * h_factor * exp_neg_z_part
        # c = sigmoid(z[n : 2 * n]) * c + sigmoid(z[:n]) * np.tanh(z[3 * n :])
        dz_factor = dc * sigmoid_z_upto_n
        dz[scaled_n:] += (1.0 - c_tanh * c_tanh) * dz_factor
        # return 1.0 / (1.0 + np.exp(-x))
        dz_factor *= c_tanh
        # c = sigmoid(z[n : 2 * n]) * c + sigmoid(z[:n]) * np.tanh(z[3 * n :])
        dz[:n] += dz_factor * sigmoid_z_upto_n * exp_neg_z_upto_n
        dc *= sigmoid_z_from_n
        dz[n:twice_n] += dc * c * sigmoid_z_from_n * exp_neg_z_from_n
        dzs[i] = dz
        # z = W @ x + U @ h + b
        dh = U.T @ dz
        dxs[i] = W.T @ dz
    db = np.sum(dzs, axis=0)
    dU = dzs.T @ hs
    dW = dzs.T @ xs
    return dW, dU, db, dxs, dh, dc
