import numpy as np


def returned_tuple_jacobian(x, y):
    # x: f64[n], y: f64[n]
    z = x * y
    n = len(x)
    jac_x = np.empty(n)
    jac_x1 = np.empty((len(z[1:]), n))
    jac_x2 = np.empty(n)
    for i in range(n):
        dx = np.zeros_like(x)
        dx[i] = 1.0
        # z = x * y
        dz = dx * y
        jac_x[i] = np.sum(dz)
        jac_x1[:, i] = dz[1:]
        jac_x2[i] = np.mean(dx)
    return jac_x, jac_x1, {"mean": jac_x2, "count": None}
