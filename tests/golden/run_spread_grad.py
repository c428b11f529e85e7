import numpy as np


def spread_forward(depth, v, acc):
    if depth == 0:
        acc[0] += v * v
        return acc, None
    t = acc[depth]
    acc[depth] = t * v
    t1 = 0.5 * v
    acc, residuals = spread_forward(depth - 1, t1, acc)
    t2 = v + acc[0]
    acc, residuals1 = spread_forward(depth - 1, t2, acc)
    residuals = depth - 1, t2, residuals1, t1, residuals, t
    return acc, residuals


def spread_backward(depth, v, residuals, dvalue, dacc):
    if depth == 0:
        # acc[0] += v * v
        dv = dvalue + 2.0 * dacc[0] * v
        return dv, dacc
    t, t1, residuals, t2, residuals1, t3 = residuals
    dv, dacc = spread_backward(t, t1, residuals, dvalue, dacc)
    dacc[0] += dv
    t1, dacc = spread_backward(t, t2, residuals1, dvalue, dacc)
    # acc[depth] *= v
    t2 = dacc[depth]
    dv += 0.5 * t1 + t2 * t3
    dacc[depth] = t2 * v
    return dv, dacc


def run_spread_grad(v, acc):
    # v: float, acc: f64[n]
    acc1 = np.copy(acc)
    _, residuals = spread_forward(3, v, acc1)
    dacc = np.ones_like(acc)
    dv, dacc = spread_backward(3, v, residuals, 1.0, dacc)
    return dv, dacc
