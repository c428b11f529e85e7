import numpy as np


def net_grad(params, x):
    # params: list[{"W1": f64[n, m], "W2": f64[m, n], "g": f64[n]}], x: f64[k, n]
    W1 = [row["W1"] for row in params]
    W2 = [row["W2"] for row in params]
    g = [row["g"] for row in params]
    x_now = x
    tape = []
    for W1_1, W2_1, g1 in zip(W1, W2, g):
        m = np.mean(x_now, axis=-1, keepdims=True)
        x_minus_m = x_now - m
        v = np.mean(x_minus_m**2, axis=-1, keepdims=True)
        sqrt_shifted_v = np.sqrt(v + 1e-05)
        y_factor = x_minus_m / sqrt_shifted_v
        y = y_factor * g1
        y_W1 = y @ W1_1
        mask = y_W1 >= 0.0
        h = np.maximum(y_W1, 0.0)
        tape.append((x_minus_m, sqrt_shifted_v, y_factor, y, mask, h))
        x_now = x_now + h @ W2_1
    # return np.mean(x ** 2)
    dx = 2.0 / x.size * x_now
    dW1 = [np.zeros_like(v) for v in W1]
    dW2 = [np.zeros_like(v) for v in W2]
    dg = [np.zeros_like(v) for v in g]
    for i in reversed(range(len(W1))):
        x_minus_m, sqrt_shifted_v, y_factor, y, mask, h = tape.pop()
        W2_1 = W2[i]
        W1_1 = W1[i]
        g1 = g[i]
        # return x + h @ W2
        dW2_new = h.T @ dx
        # h = np.maximum(y @ W1, 0.0)
        masked_dx_W2_T = np.where(mask, dx @ W2_1.T, 0.0)
        dg_factor = masked_dx_W2_T @ W1_1.T
        # y = (x - m) / np.sqrt(v + 1e-5) * g
        dx_part = dg_factor * g1 / sqrt_shifted_v
        dx_factor = np.sum(y_factor * dx_part, axis=1, keepdims=True) * (
            0.5 / sqrt_shifted_v
        )
        # v = np.mean((x - m) ** 2, axis=-1, keepdims=True)
        n = x.shape[1]
        dx_part -= 2.0 * (dx_factor / n) * x_minus_m
        dx += dx_part
        # m = np.mean(x, axis=-1, keepdims=True)
        dx -= np.sum(dx_part, axis=1, keepdims=True) / n
        # y = (x - m) / np.sqrt(v + 1e-5) * g
        dg[i] = np.sum(dg_factor * y_factor, axis=0)
        dW2[i] = dW2_new
        # h = np.maximum(y @ W1, 0.0)
        dW1[i] = y.T @ masked_dx_W2_T
    return [{"W1": v0, "W2": v1, "g": v2} for v0, v1, v2 in zip(dW1, dW2, dg)]
