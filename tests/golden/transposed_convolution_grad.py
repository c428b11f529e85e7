import numpy as np


def transposed_convolution_grad(x, w, stride):
    # x: f64[n], w: f64[m], stride: int
    n = len(x)
    m = len(w)
    out = np.zeros((n - 1) * stride + m)
    for i in range(n):
        for j in range(m):
            out[i * stride + j] += x[i] * w[j]
    # return np.sum(out * out)
    dout = 2.0 * out
    dx = np.zeros_like(x)
    dw = np.zeros_like(w)
    for i in reversed(range(n)):
        dx_part = 0.0
        for j in reversed(range(m)):
            # out[i * stride + j] += x[i] * w[j]
            dout_part = dout[i * stride + j]
            dw[j] += dout_part * x[i]
            dx_part += dout_part * w[j]
        dx[i] = dx_part
    return dx, dw
