import numpy as np


def block_forward(x, W1, W2, g):
    m = np.mean(x, axis=-1, keepdims=True)
    t = x - m
    v = np.mean(t ** 2, axis=-1, keepdims=True)
    t1 = np.sqrt(v + 1e-05)
    t2 = t / t1
    y = t2 * g
    t3 = y @ W1
    h = np.maximum(t3, 0.0)
    return x + h @ W2, (t, t1, t2, y, t3, h)


def block_backward(x, W1, W2, g, residuals, dvalue):
    t, t1, t2, y, t3, h = residuals
    # return x + h @ W2
    t4 = dvalue @ W2.T
    dW2 = h.T @ dvalue
    # h = np.maximum(y @ W1, 0.0)
    t3 = np.where(t3 >= 0.0, np.where(t3 == 0.0, 0.5 * t4, t4), 0.0)
    t4 = t3 @ W1.T
    dW1 = y.T @ t3
    # y = (x - m) / np.sqrt(v + 1e-5) * g
    dg = np.sum(t4 * t2, axis=0)
    t3 = t4 * g / t1
    t1 = np.sum(t2 * t3, axis=1, keepdims=True) * (0.5 / t1)
    # v = np.mean((x - m) ** 2, axis=-1, keepdims=True)
    n = x.shape[1]
    t3 -= 2.0 * (t1 / n) * t
    # m = np.mean(x, axis=-1, keepdims=True)
    dx = dvalue + t3 - np.sum(t3, axis=1, keepdims=True) / n
    return dx, dW1, dW2, dg


def net_grad(params, x):
    # params: [{"W1": f64[n, m], "W2": f64[m, n], "g": f64[n]}, {"W1": f64[n, m], "W2": f64[m, n], "g":
    #     f64[n]}, {"W1": f64[n, m], "W2": f64[m, n], "g": f64[n]}],
    # x: f64[k, n]
    t = params[0]
    W1 = t["W1"]
    W2 = t["W2"]
    g = t["g"]
    t = params[1]
    W1_1 = t["W1"]
    W2_1 = t["W2"]
    g1 = t["g"]
    t = params[2]
    W1_2 = t["W1"]
    W2_2 = t["W2"]
    g2 = t["g"]
    x1, residuals = block_forward(x, W1, W2, g)
    x2, residuals1 = block_forward(x1, W1_1, W2_1, g1)
    x3, residuals2 = block_forward(x2, W1_2, W2_2, g2)
    # return np.mean(x ** 2)
    dx = 2.0 / x.size * x3
    # x = block(x, p["W1"], p["W2"], p["g"])
    dx, dW1, dW2, dg = block_backward(x2, W1_2, W2_2, g2, residuals2, dx)
    dx, dW1_1, dW2_1, dg1 = block_backward(x1, W1_1, W2_1, g1, residuals1, dx)
    _, dW1_2, dW2_2, dg2 = block_backward(x, W1, W2, g, residuals, dx)
    return [{"W1": dW1_2, "W2": dW2_2, "g": dg2}, {"W1": dW1_1, "W2": dW2_1, "g": dg1},
        {"W1": dW1, "W2": dW2, "g": dg}]
