import numpy as np


def aliased_update_grad(x, y):
    # x: f64[n], y: f64[n]
    z = y.copy()
    z += x
    # return np.sum(y * z)
    dz = 2.0 * z
    dz_copy = np.copy(dz)
    return dz, dz_copy
