import numpy as np


def curvature_grad(x, v):
    # x: f64[n], v: f64[n]
    t = np.exp(x)
    t1 = v * t
    t2 = np.sum(x * x)
    t3 = 2.0 * np.sum(t1) + 2.0 * (v @ t)
    t4 = t2 * v + 2.0 * (v @ x) + 2.0 * v @ x
    t5 = t3 * x + 4.0 * np.sum(t) * v + t2 * t1
    dv = t * t4 + t5
    t4 *= v
    t = (t4 + 2.0 * (v @ v)) * t
    dx = t3 * v + 2.0 * (v @ t1) * x + t
    return dx, dv
