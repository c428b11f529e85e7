import numpy as np


def thomas_grad(a, b, c, d):
    # a: f64[n], b: f64[n], c: f64[n], d: f64[n]
    n = len(d)
    b = b.copy()
    d = d.copy()
    for i in range(1, n):
        w = a[i] / b[i - 1]
        b[i] -= w * c[i - 1]
        d[i] -= w * d[i - 1]
    t = n - 1
    t1 = b[t]
    t2 = d[t] / t1
    d1 = np.copy(d)
    d1[t] = t2
    for i in range(t - 1, -1, -1):
        d1[i] = (d1[i] - c[i] * d1[i + 1]) / b[i]
    # return np.sum(d * d)
    dd = 2.0 * d1
    dc = np.zeros_like(c)
    db = np.zeros_like(b)
    for i in reversed(range(t - 1, -1, -1)):
        # d[i] = (d[i] - c[i] * d[i + 1]) / b[i]
        t3 = dd[i] / b[i]
        db[i] = -d1[i] * t3
        dc[i] = -t3 * d1[i + 1]
        dd[i] = t3
        dd[i + 1] -= t3 * c[i]
    # d[n - 1] /= b[n - 1]
    t1 = dd[t] / t1
    db[t] -= t2 * t1
    dd[t] = t1
    da = np.zeros_like(a)
    for i in reversed(range(1, n)):
        # w = a[i] / b[i - 1]
        t1 = b[i - 1]
        w = a[i] / t1
        # d[i] -= w * d[i - 1]
        t2 = dd[i]
        dd[i - 1] -= t2 * w
        # b[i] -= w * c[i - 1]
        t3 = db[i]
        t2 = t2 * d[i - 1] + t3 * c[i - 1]
        dc[i - 1] -= t3 * w
        # w = a[i] / b[i - 1]
        t1 = t2 / t1
        db[i - 1] += w * t1
        da[i] = -t1
    return da, db, dc, dd
