import numpy as np


def batch_norm_grad(x, scale, shift, eps):
    # x: f64[n, m], scale: f64[m], shift: f64[m], eps: float
    mean = x.mean(axis=0)
    centred = x - mean
    variance = (centred ** 2).mean(axis=0)
    t = np.sqrt(variance + eps)
    t1 = scale * centred / t
    t2 = t1 + shift
    dcentred = 3.0 * t2 * t2
    dshift = np.sum(dcentred, axis=0)
    dcentred /= t
    t = np.sum(t1 * dcentred, axis=0) * (0.5 / t)
    t1 = dcentred * centred
    dcentred *= scale
    dscale = np.sum(t1, axis=0)
    # variance = (centred**2).mean(axis=0)
    n = x.shape[0]
    dcentred -= 2.0 * (t / n) * centred
    # mean = x.mean(axis=0)
    dx = dcentred - np.sum(dcentred, axis=0) / n
    return dx, dscale, dshift
