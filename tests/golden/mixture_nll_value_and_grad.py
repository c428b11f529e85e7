import numpy as np


def mixture_nll_value_and_grad(logits, means, log_scales, xs):
    # logits: f64[n], means: f64[n], log_scales: f64[n], xs: f64[m]
    scales = np.exp(log_scales)
    z = (xs[:, None] - means) / scales
    t = np.exp(logits)
    t1 = np.sum(t)
    joint = logits - np.log(t1) - log_scales - 0.5 * z ** 2
    top = np.max(joint, axis=1, keepdims=True)
    djoint = np.exp(joint - top)
    t2 = np.sum(djoint, axis=1)
    value = -np.sum(top[:, 0] + np.log(t2))
    djoint *= (-1.0 / t2)[:, None]
    dtop = -np.sum(djoint, axis=1, keepdims=True)
    dtop[:, 0] -= 1.0
    # top = np.max(joint, axis=1, keepdims=True)
    t3 = joint == top
    t2 = dtop / np.sum(t3, axis=1, keepdims=True)
    djoint += np.where(t3, t2, 0.0)
    # joint = logits - np.log(np.sum(np.exp(logits))) - log_scales - 0.5 * ...
    t2 = np.sum(djoint, axis=0)
    t *= np.sum(t2) / t1
    dlogits = t2 - t
    # z = (xs[:, None] - means) / scales
    t = djoint * z / scales
    # scales = np.exp(log_scales)
    dlog_scales = np.sum(z * t, axis=0) * scales - t2
    return value, (dlogits, np.sum(t, axis=0), dlog_scales)
