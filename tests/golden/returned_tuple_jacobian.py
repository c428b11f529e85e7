import numpy as np


def returned_tuple_jacobian(x, y):
    # x: f64[n], y: f64[n]
    z = x * y
    count = len(x)
    jac_x = np.empty(count)
    jac_x_now = np.empty((len(z[1:]), count))
    jac_mean = np.empty(count)
    for i in range(count):
        dx = np.zeros_like(x)
        dx[i] = 1.0
        # z = x * y
        dz = dx * y
        jac_x[i] = np.sum(dz)
        jac_x_now[:, i] = dz[1:]
        jac_mean[i] = np.mean(dx)
    return jac_x, jac_x_now, {"mean": jac_mean, "count": None}
