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
        for b in range(q):
            out += kernel[a, b] * image[a:a + n - p + 1, b:b + m - q + 1]
    t = np.tanh(out)
    t1 = t.size
    dout = (1.0 / t1 if t1 else math.nan) * (1.0 - t * t)
    dkernel = np.zeros_like(kernel)
    dimage = np.zeros_like(image)
    for a in reversed(range(p)):
        for b in reversed(range(q)):
            t1 = b + m - q
            t2 = a + n - p
            t3 = np.sum(dout * image[a:t2 + 1, b:t1 + 1])
            dimage[a:t2 + 1, b:t1 + 1] += kernel[a, b] * dout
            dkernel[a, b] += t3
    return dimage, dkernel
