import numpy as np


def duplicate_indices_grad(x, index):
    # x: f64[n], index: i64[n]
    y = np.zeros(4)
    y[index] = x ** 2
    y[index] += x
    t = index % 3
    t1 = x[t]
    dy = 2.0 * y
    # y[index] += x
    t2 = np.full_like(y, 0, dtype=np.int64)
    n = x.size
    t3 = np.arange(n)
    t2[index] = t3
    t4 = np.where(t2[index] == t3, dy[index], 0.0)
    dy[index] = 0.0
    dx = np.copy(t4)
    np.add.at(dx, t, 3.0 * t1 * t1)
    np.add.at(dy, index, t4)
    # y[index] = x**2
    t = np.full_like(y, 0, dtype=np.int64)
    t2 = np.arange(n)
    t[index] = t2
    dx += np.where(t[index] == t2, 2.0 * dy[index] * x, 0.0)
    return dx
