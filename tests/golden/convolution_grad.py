import math

import numpy as np


def convolution_grad(image, kernel):
    # image: f64[n, m], kernel: f64[k, p]
    n = image.shape[0]
    m = image.shape[1]
    p = kernel.shape[0]
    q = kernel.shape[1]
    out = np.zeros((n - p + 1, m - q + 1))
    for a in range(p):
        image_end = a + n - p + 1
        for b in range(q):
            out += kernel[a, b] * image[a:image_end, b : b + m - q + 1]
    tanh_out = np.tanh(out)
    dout_part = tanh_out.size
    dout = (1.0 / dout_part if dout_part else math.nan) * (1.0 - tanh_out * tanh_out)
    dkernel = np.zeros_like(kernel)
    dimage = np.zeros_like(image)
    for a in reversed(range(p)):
        dimage_end = a + n - p + 1
        for b in reversed(range(q)):
            b_plus_m_minus_q = b + m - q
            dkernel_part = np.sum(dout * image[a:dimage_end, b : b_plus_m_minus_q + 1])
            dimage[a:dimage_end, b : b_plus_m_minus_q + 1] += kernel[a, b] * dout
            dkernel[a, b] += dkernel_part
    return dimage, dkernel
