import numpy as np


def exposed_grad(image, gain, bias, target):
    # image: f64[n, m], gain: float, bias: float, target: f64[n, m]
    out = gain * image + bias
    t = out < 0.0
    out[t] = 0.0
    t1 = out > 1.0
    out[t1] = 1.0
    # return np.sum((out - target) ** 2)
    t2 = 2.0 * (out - target)
    # out[out < 0.0] = 0.0
    t = t | t1
    dout = np.where(t, 0.0, t2)
    # out = gain * image + bias
    dbias = np.sum(dout)
    t3 = np.where(t, 0.0, t2 * image)
    t2 *= gain
    dgain = np.sum(t3)
    return np.where(t, 0.0, t2), dgain, dbias
