import numpy as np


def robust_scale_grad(x):
    # x: f64[n, m]
    center = np.median(x, axis=0, keepdims=True)
    t = x - center
    t1 = np.abs(t)
    t2 = np.ravel(x)
    t3 = np.percentile(np.arange(t2.shape[0]), 30.0)
    t4 = int(t3)
    t5 = np.argsort(t2, kind="stable")
    t6 = t3 - t4
    t2 = np.zeros_like(t2)
    t2[t5[t4]] = 1.0 - t6
    t2[t5[int(np.ceil(t3))]] += t6
    n = x.shape[0]
    t4 = (n - 1) // 2
    t6 = n // 2
    t5 = np.argsort(t1, axis=0, kind="stable")[t4:t6 + 1]
    t7 = (np.ones(x.shape[1]) / t5.shape[0])[None]
    m = x.shape[1]
    t1 = np.zeros_like(t1)
    t1[t5, np.arange(m)[None]] = t7
    t1 *= np.sign(t)
    # center = np.median(x, axis=0, keepdims=True)
    t5 = np.argsort(x, axis=0, kind="stable")[t4:t6 + 1]
    t = -np.sum(t1, axis=0, keepdims=True) / t5.shape[0]
    t7 = np.zeros_like(x)
    t7[t5, np.arange(m)[None]] = t
    dx = np.reshape(t2, x.shape) + t1 + t7
    return dx
