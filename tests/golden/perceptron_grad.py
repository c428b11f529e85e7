import numpy as np


def perceptron_grad(layers, x):
    # layers: [(f64[n, m], f64[m]), (f64[m, k], f64[k])], x: f64[p, n]
    layers_0 = layers[0]
    layers_1 = layers[1]
    layers_1_0 = layers_1[0]
    x1 = x @ layers_0[0] + layers_0[1]
    scaled_x = 0.1 * x1
    x2 = np.maximum(x1, scaled_x)
    x3 = x2 @ layers_1_0 + layers_1[1]
    # return np.mean(x**2)
    dx = 2.0 / (x3**2).size * x3
    # x = x @ W + b
    dlayers_1_1 = np.sum(dx, axis=0)
    dx_layers_1_0_T = dx @ layers_1_0.T
    dlayers_1_0 = x2.T @ dx
    # x = np.maximum(x, 0.1 * x)
    dx = np.where(x1 >= scaled_x, dx_layers_1_0_T, 0.1 * dx_layers_1_0_T)
    # x = x @ W + b
    dlayers_0_1 = np.sum(dx, axis=0)
    dlayers_0_0 = x.T @ dx
    return [(dlayers_0_0, dlayers_0_1), (dlayers_1_0, dlayers_1_1)]
