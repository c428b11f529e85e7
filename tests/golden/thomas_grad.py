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
    n_prev = n - 1
    b_prev = b[n_prev]
    d_prev_over_b_prev = d[n_prev] / b_prev
    d_now = np.copy(d)
    d_now[n_prev] = d_prev_over_b_prev
    for i in range(n_prev - 1, -1, -1):
        d_now[i] = (d_now[i] - c[i] * d_now[i + 1]) / b[i]
    # return np.sum(d * d)
    dd = 2.0 * d_now
    dc = np.zeros_like(c)
    db = np.zeros_like(b)
    for i in reversed(range(n_prev - 1, -1, -1)):
        # d[i] = (d[i] - c[i] * d[i + 1]) / b[i]
        dd_i_over_b_i = dd[i] / b[i]
        db[i] = -d_now[i] * dd_i_over_b_i
        dc[i] = -dd_i_over_b_i * d_now[i + 1]
        dd[i] = dd_i_over_b_i
        dd[i + 1] -= dd_i_over_b_i * c[i]
    # d[n - 1] /= b[n - 1]
    dd_part = dd[n_prev] / b_prev
    db[n_prev] -= d_prev_over_b_prev * dd_part
    dd[n_prev] = dd_part
    da = np.zeros_like(a)
    for i in reversed(range(1, n)):
        # w = a[i] / b[i - 1]
        b_prev = b[i - 1]
        w = a[i] / b_prev
        # d[i] -= w * d[i - 1]
        dd_i = dd[i]
        dd[i - 1] -= dd_i * w
        # b[i] -= w * c[i - 1]
        db_i = db[i]
        db_factor = dd_i * d[i - 1] + db_i * c[i - 1]
        dc[i - 1] -= db_i * w
        # w = a[i] / b[i - 1]
        db_part = db_factor / b_prev
        db[i - 1] += w * db_part
        da[i] = -db_part
    return da, db, dc, dd
