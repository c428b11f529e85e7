import numpy as np


def block_forward(x, W1, W2, g):
    m = np.mean(x, axis=-1, keepdims=True)
    x_minus_m = x - m
    v = np.mean(x_minus_m**2, axis=-1, keepdims=True)
    sqrt_shifted_v = np.sqrt(v + 1e-05)
    y_factor = x_minus_m / sqrt_shifted_v
    y = y_factor * g
    y_W1 = y @ W1
    h = np.maximum(y_W1, 0.0)
    return x + h @ W2, (x_minus_m, sqrt_shifted_v, y_factor, y, y_W1, h)


def block_backward(x, W1, W2, g, residuals, dvalue):
    x_minus_m, sqrt_shifted_v, y_factor, y, y_W1, h = residuals
    # return x + h @ W2
    dW2 = h.T @ dvalue
    # h = np.maximum(y @ W1, 0.0)
    masked_dvalue_W2_T = np.where(y_W1 >= 0.0, dvalue @ W2.T, 0.0)
    dg_factor = masked_dvalue_W2_T @ W1.T
    dW1 = y.T @ masked_dvalue_W2_T
    # y = (x - m) / np.sqrt(v + 1e-5) * g
    dg = np.sum(dg_factor * y_factor, axis=0)
    dx_part = dg_factor * g / sqrt_shifted_v
    dx_factor = np.sum(y_factor * dx_part, axis=1, keepdims=True) * (
        0.5 / sqrt_shifted_v
    )
    # v = np.mean((x - m) ** 2, axis=-1, keepdims=True)
    n = x.shape[1]
    dx_part -= 2.0 * (dx_factor / n) * x_minus_m
    # m = np.mean(x, axis=-1, keepdims=True)
    dx = dvalue + dx_part - np.sum(dx_part, axis=1, keepdims=True) / n
    return dx, dW1, dW2, dg


def net_grad(params, x):
    # params: [{"W1": f64[n, m], "W2": f64[m, n], "g": f64[n]}, {"W1": f64[n, m], "W2": f64[m, n], "g":
    #     f64[n]}, {"W1": f64[n, m], "W2": f64[m, n], "g": f64[n]}],
    # x: f64[k, n]
    params_0 = params[0]
    W1 = params_0["W1"]
    W2 = params_0["W2"]
    g = params_0["g"]
    params_1 = params[1]
    W1_1 = params_1["W1"]
    W2_1 = params_1["W2"]
    g1 = params_1["g"]
    params_2 = params[2]
    W1_2 = params_2["W1"]
    W2_2 = params_2["W2"]
    g2 = params_2["g"]
    x1, residuals = block_forward(x, W1, W2, g)
    x2, x_residuals = block_forward(x1, W1_1, W2_1, g1)
    x3, residuals1 = block_forward(x2, W1_2, W2_2, g2)
    # return np.mean(x ** 2)
    dx = 2.0 / x.size * x3
    # x = block(x, p["W1"], p["W2"], p["g"])
    dx, dW1, dW2, dg = block_backward(x2, W1_2, W2_2, g2, residuals1, dx)
    dx, dW1_x, dW2_x, dg_x = block_backward(x1, W1_1, W2_1, g1, x_residuals, dx)
    _, dW1_1, dW2_1, dg1 = block_backward(x, W1, W2, g, residuals, dx)
    return [
        {"W1": dW1_1, "W2": dW2_1, "g": dg1},
        {"W1": dW1_x, "W2": dW2_x, "g": dg_x},
        {"W1": dW1, "W2": dW2, "g": dg},
    ]
