import numpy as np


def wrap_smoothed_grad(x, kernel):
    # x: f64[n], kernel: f64[m]
    m = kernel.size
    half = m // 2
    wide = np.pad(x, half, mode="wrap")
    out = np.zeros_like(x)
    for k in range(m):
        out += kernel[k] * wide[k : k + x.size]
    # return np.sum((out - x) ** 2)
    twice_out_minus_x = 2.0 * (out - x)
    dkernel = np.zeros_like(kernel)
    dwide = np.zeros_like(wide)
    for k in reversed(range(m)):
        k_plus_n = k + x.size
        dwide[k:k_plus_n] += kernel[k] * twice_out_minus_x
        dkernel[k] = twice_out_minus_x @ wide[k:k_plus_n]
    # wide = np.pad(x, half, mode=mode)
    dx = -twice_out_minus_x
    np.add.at(dx, np.pad(np.arange(x.shape[0]), half, mode="wrap"), dwide)
    return dx, dkernel
