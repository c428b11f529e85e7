import numpy as np


def mixture_nll_value_and_grad(logits, means, log_scales, xs):
    # logits: f64[n], means: f64[n], log_scales: f64[n], xs: f64[m]
    scales = np.exp(log_scales)
    z = (xs[:, None] - means) / scales
    exp_logits = np.exp(logits)
    sum_exp_logits = np.sum(exp_logits)
    joint = logits - np.log(sum_exp_logits) - log_scales - 0.5 * z**2
    top = np.max(joint, axis=1, keepdims=True)
    value_exp = np.exp(joint - top)
    value_sum = np.sum(value_exp, axis=1)
    value = -np.sum(top[:, 0] + np.log(value_sum))
    djoint = (-1.0 / value_sum)[:, None] * value_exp
    dtop = -np.sum(djoint, axis=1, keepdims=True)
    dtop[:, 0] -= 1.0
    # top = np.max(joint, axis=1, keepdims=True)
    joint_equals_top = joint == top
    djoint_part = dtop / np.sum(joint_equals_top, axis=1, keepdims=True)
    djoint += np.where(joint_equals_top, djoint_part, 0.0)
    # joint = logits - np.log(np.sum(np.exp(logits))) - log_scales - 0.5 * ...
    sum_djoint = np.sum(djoint, axis=0)
    dlogits = sum_djoint - np.sum(sum_djoint) / sum_exp_logits * exp_logits
    # z = (xs[:, None] - means) / scales
    dlog_scales_part = djoint * z / scales
    # scales = np.exp(log_scales)
    dlog_scales = np.sum(z * dlog_scales_part, axis=0) * scales - sum_djoint
    return value, (dlogits, np.sum(dlog_scales_part, axis=0), dlog_scales)
