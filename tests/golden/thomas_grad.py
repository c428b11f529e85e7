import numpy as np


def thomas_grad(a, b, c, d):
    # a: f64[n], b: f64[n], c: f64[n], d: f64[n]
    n = len(d)
    b = b.copy()
    d = d.copy()
    for i in range(1, n):
        t = i - 1
        w = a[i] / b[t]
        b[i] -= w * c[t]
        d[i] -= w * d[t]
    t = n - 1
    t1 = d[t]
    t2 = b[t]
    t1 /= t2
    d1 = np.copy(d)
    d1[t] = t1
    t3 = t - 1
    for i in range(t3, -1, -1):
        d1[i] = (d1[i] - c[i] * d1[i + 1]) / b[i]
    dd = 2.0 * d1
    dc = np.zeros_like(c)
    db = np.zeros_like(b)
    for i in reversed(range(t3, -1, -1)):
        t3 = i + 1
        t4 = dd[i] / b[i]
        db[i] -= d1[i] * t4
        dc[i] -= t4 * d1[t3]
        dd[i] = t4
        dd[t3] -= t4 * c[i]
    t2 = dd[t] / t2
    db[t] -= t1 * t2
    dd[t] = t2
    da = np.zeros_like(a)
    for i in reversed(range(1, n)):
        t = i - 1
        t1 = b[t]
        w1 = a[i] / t1
        t2 = dd[i]
        dd[t] -= t2 * w1
        t4 = db[i]
        dc[t] -= t4 * w1
        t1 = (t2 * d[t] + t4 * c[t]) / t1
        db[t] += w1 * t1
        da[i] -= t1
    return da, db, dc, dd
