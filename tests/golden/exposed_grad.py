import numpy as np


def exposed_grad(image, gain, bias, target):
    # image: f64[n, m], gain: float, bias: float, target: f64[n, m]
    out = gain * image + bias
    out_negative = out < 0.0
    out[out_negative] = 0.0
    out_above = out > 1.0
    out[out_above] = 1.0
    # return np.sum((out - target) ** 2)
    dout_part = 2.0 * (out - target)
    # out[out < 0.0] = 0.0
    dout_mask = out_negative | out_above
    dout = np.where(dout_mask, 0.0, dout_part)
    # out = gain * image + bias
    dbias = np.sum(dout)
    dgain_part = np.where(dout_mask, 0.0, dout_part * image)
    dout_part *= gain
    dgain = np.sum(dgain_part)
    return np.where(dout_mask, 0.0, dout_part), dgain, dbias
