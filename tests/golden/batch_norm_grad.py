import numpy as np


def batch_norm_grad(x, scale, shift, eps):
    # x: f64[n, m], scale: f64[m], shift: f64[m], eps: float
    mean = x.mean(axis=0)
    centred = x - mean
    variance = (centred**2).mean(axis=0)
    sqrt_variance_plus_eps = np.sqrt(variance + eps)
    t = scale * centred / sqrt_variance_plus_eps
    t1 = t + shift
    dcentred = 3.0 * t1 * t1
    dshift = np.sum(dcentred, axis=0)
    dcentred /= sqrt_variance_plus_eps
    dcentred_factor = np.sum(t * dcentred, axis=0) * (0.5 / sqrt_variance_plus_eps)
    dscale_part = dcentred * centred
    dcentred *= scale
    dscale = np.sum(dscale_part, axis=0)
    # variance = (centred**2).mean(axis=0)
    n = x.shape[0]
    dcentred -= 2.0 * (dcentred_factor / n) * centred
    # mean = x.mean(axis=0)
    dx = dcentred - np.sum(dcentred, axis=0) / n
    return dx, dscale, dshift
