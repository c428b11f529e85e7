import numpy as np


def spline_energy_grad(y, x, data, smooth):
    # y: f64[n], x: f64[n], data: f64[n], smooth: float
    h = x[1:] - x[:-1]
    slope = (y[1:] - y[:-1]) / h
    bend = slope[1:] - slope[:-1]
    # return np.sum((y - data) ** 2) + smooth * np.sum(bend ** 2 / (h[1:] ...
    dbend = 2.0 * (smooth / (h[1:] + h[:-1])) * bend
    dy = 2.0 * (y - data)
    dslope = np.zeros_like(slope)
    dslope[:-1] = -dbend
    dslope[1:] += dbend
    # slope = (y[1:] - y[:-1]) / h
    dslope_over_h = dslope / h
    dy[:-1] -= dslope_over_h
    dy[1:] += dslope_over_h
    return dy
