import numpy as np


def spread_forward(depth, v, acc):
    if depth == 0:
        acc[0] += v * v
        return acc, None
    acc_depth = acc[depth]
    acc[depth] = acc_depth * v
    acc, residuals = spread_forward(depth - 1, 0.5 * v, acc)
    v_plus_acc_first = v + acc[0]
    acc, acc_residuals = spread_forward(depth - 1, v_plus_acc_first, acc)
    return acc, (v_plus_acc_first, acc_residuals, residuals, acc_depth)


def spread_backward(depth, v, residuals, dvalue, dacc):
    if depth == 0:
        # acc[0] += v * v
        dv = dvalue + 2.0 * dacc[0] * v
        return dv, dacc
    v_plus_acc_first, residuals, residuals1, acc_depth = residuals
    dv, dacc = spread_backward(depth - 1, v_plus_acc_first, residuals, dvalue, dacc)
    dacc[0] += dv
    t, dacc = spread_backward(depth - 1, 0.5 * v, residuals1, dvalue, dacc)
    # acc[depth] *= v
    dacc_depth = dacc[depth]
    dv += 0.5 * t + dacc_depth * acc_depth
    dacc[depth] = dacc_depth * v
    return dv, dacc


def run_spread_grad(v, acc):
    # v: float, acc: f64[n]
    acc1 = np.copy(acc)
    _, residuals = spread_forward(3, v, acc1)
    dacc = np.ones_like(acc)
    return spread_backward(3, v, residuals, 1.0, dacc)
