import numpy as np


def tabulated_grad(values, points, x):
    # values: f64[n], points: f64[n], x: f64[n]
    # return np.sum(np.interp(x, points, values) ** 2) + np.interp(5.0, ...
    n = values.shape[0]
    t = np.clip(np.searchsorted(points, 5.0, side="right") - 1, 0, n - 2)
    t1 = t + 1
    t2 = points[t]
    t2 = np.clip((5.0 - t2) / (points[t1] - t2), 0.0, 1.0)
    dvalues = np.zeros_like(values)
    dvalues[t] = 1.0 - t2
    dvalues[t1] += t2
    t3 = 2.0 * np.interp(x, points, values)
    t4 = np.clip(np.searchsorted(points, x, side="right") - 1, 0, n - 2)
    t5 = t4 + 1
    t6 = points[t4]
    t7 = points[t5] - t6
    t6 = np.clip((x - t6) / t7, 0.0, 1.0)
    t7 = (values[t5] - values[t4]) / t7 * t3
    t7 = np.where((x >= points[0]) & (x <= points[-1]), t7, 0.0)
    t8 = np.zeros_like(values)
    np.add.at(t8, t4, (1.0 - t6) * t3)
    t3 *= t6
    np.add.at(t8, t5, t3)
    dvalues += t8
    return dvalues, t7
