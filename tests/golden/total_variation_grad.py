import numpy as np


def total_variation_grad(image, noisy, weight):
    # image: f64[n, m], noisy: f64[n, m], weight: float
    t = np.diff(image, axis=0)
    t1 = np.diff(image, axis=1)
    t2 = 0.5 / np.sqrt(t1 ** 2 + 0.01)
    t3 = 2.0 * weight
    t1 = np.diff(t3 * t2 * t1, prepend=0.0, append=0.0)
    t2 = 0.5 / np.sqrt(t ** 2 + 0.01)
    t = np.diff(t3 * t2 * t, axis=0, prepend=0.0, append=0.0)
    dimage = 2.0 * (image - noisy) - t1 - t
    return dimage
