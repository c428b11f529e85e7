import numpy as np


def spread_forward(depth, v, acc):
    if depth == 0:
        acc[0] += v * v
        return acc, None
    t = acc[depth]
    acc[depth] = t * v
    acc, residuals = spread_forward(depth - 1, 0.5 * v, acc)
    t1 = v + acc[0]
    acc, residuals1 = spread_forward(depth - 1, t1, acc)
    return acc, (t1, residuals1, residuals, t)


def spread_backward(depth, v, residuals, dvalue, dacc):
    if depth == 0:
        # acc[0] += v * v
        dv = dvalue + 2.0 * dacc[0] * v
        return dv, dacc
    t, residuals, residuals1, t1 = residuals
    dv, dacc = spread_backward(depth - 1, t, residuals, dvalue, dacc)
    dacc[0] += dv
    t, dacc = spread_backward(depth - 1, 0.5 * v, residuals1, dvalue, dacc)
    # acc[depth] *= v
    t2 = dacc[depth]
    dv += 0.5 * t + t2 * t1
    dacc[depth] = t2 * v
    return dv, dacc


def run_spread_grad(v, acc):
    # v: float, acc: f64[n]
    acc1 = np.copy(acc)
    _, residuals = spread_forward(3, v, acc1)
    dacc = np.ones_like(acc)
    dv, dacc = spread_backward(3, v, residuals, 1.0, dacc)
    return dv, dacc
