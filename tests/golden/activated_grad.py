import numpy as np


def activated_grad(x, weights, names):
    # x: f64[n], weights: [float, float], names: [str, str]
    weights_0 = weights[0]
    weights_1 = weights[1]
    names_0 = names[0]
    names_1 = names[1]
    z = weights_0 * x
    names_0_is_relu = names_0 == "relu"
    if names_0_is_relu:
        x_now = np.maximum(z, 0.0)
    else:
        names_0_is_tanh = names_0 == "tanh"
        x_now = np.tanh(z) if names_0_is_tanh else z
    z1 = weights_1 * x_now
    if names_1 == "relu":
        # return np.maximum(z, 0.0)
        dz = np.where(z1 >= 0.0, 1.0, 0.0)
    elif names_1 == "tanh":
        tanh_z = np.tanh(z1)
        dz = 1.0 - tanh_z * tanh_z
    else:
        # return np.sum(x)
        dz = np.ones_like(z1)
    # x = activation(weight * x, name)
    dz_now = weights_1 * dz
    dweights_1 = dz @ x_now
    if names_0_is_relu:
        # return np.maximum(z, 0.0)
        dz_now = np.where(z >= 0.0, dz_now, 0.0)
    elif names_0_is_tanh:
        # return np.tanh(z)
        dz_now = (1.0 - x_now * x_now) * dz_now
    # x = activation(weight * x, name)
    dweights_0 = dz_now @ x
    return weights_0 * dz_now, [dweights_0, dweights_1]
