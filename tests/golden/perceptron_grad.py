import numpy as np


def perceptron_grad(layers, x):
    # layers: [(f64[n, m], f64[m]), (f64[m, k], f64[k])], x: f64[p, n]
    t = layers[0]
    t1 = layers[1]
    layers_1_0 = t1[0]
    x1 = x @ t[0] + t[1]
    t2 = 0.1 * x1
    x2 = np.maximum(x1, t2)
    x3 = x2 @ layers_1_0 + t1[1]
    # return np.mean(x**2)
    dx = 2.0 / (x3 ** 2).size * x3
    # x = x @ W + b
    dlayers_1_1 = np.sum(dx, axis=0)
    t3 = dx @ layers_1_0.T
    dlayers_1_0 = x2.T @ dx
    # x = np.maximum(x, 0.1 * x)
    t3 = np.where(x1 == t2, 0.5 * t3, t3)
    dx = np.where(x1 >= t2, t3, 0.0)
    t3 *= 0.1
    dx += np.where(t2 >= x1, t3, 0.0)
    # x = x @ W + b
    dlayers_0_1 = np.sum(dx, axis=0)
    dlayers_0_0 = x.T @ dx
    return [(dlayers_0_0, dlayers_0_1), (dlayers_1_0, dlayers_1_1)]
