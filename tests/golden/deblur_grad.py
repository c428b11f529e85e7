import numpy as np


def deblur_grad(signal, kernel, observed):
    # signal: f64[n], kernel: f64[m], observed: f64[n]
    # return np.sum((np.convolve(signal, kernel, mode="same") - observed) ...
    dkernel_part = 2.0 * (np.convolve(signal, kernel, mode="same") - observed)
    m = kernel.shape[0]
    dkernel_size = (m - 1) // 2
    dkernel_part1 = np.zeros(m - 1 - dkernel_size)
    dkernel_part = np.concatenate((np.zeros(dkernel_size), dkernel_part, dkernel_part1))
    dkernel = np.correlate(dkernel_part, signal)
    return np.correlate(dkernel_part, kernel), dkernel
