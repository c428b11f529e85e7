import numpy as np


def deblur_grad(signal, kernel, observed):
    # signal: f64[n], kernel: f64[m], observed: f64[n]
    # return np.sum((np.convolve(signal, kernel, mode="same") - observed) ...
    t = 2.0 * (np.convolve(signal, kernel, mode="same") - observed)
    m = kernel.shape[0]
    t1 = (m - 1) // 2
    t2 = np.zeros(m - 1 - t1)
    t = np.concatenate((np.zeros(t1), t, t2))
    dkernel = np.correlate(t, signal)
    return np.correlate(t, kernel), dkernel
