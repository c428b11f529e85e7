import numpy as np


def normal_nll_hessian(mean, scale, xs):
    # mean: float, scale: float, xs: f64[n]
    z = (xs - mean) / scale
    dz = (np.zeros_like(z / scale) - 1.0) / scale
    ddmean = -np.sum(dz / scale)
    return ddmean
