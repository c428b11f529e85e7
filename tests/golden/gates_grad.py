import numpy as np


def gates_grad(x, h, W):
    # x: f64[n], h: f64[m], W: f64[8, m + n]
    t = np.concatenate((x, h))
    t1 = W @ t
    i = t1[:2]
    f = t1[2:4]
    g = t1[4:6]
    o = t1[6:]
    t2 = np.tanh(g)
    t3 = np.exp(-i)
    t4 = 1.0 + t3
    t5 = t2 / t4
    t6 = np.exp(-f)
    t7 = 1.0 + t6
    t8 = 0.3 / t7
    c = t5 + t8
    t9 = np.tanh(c)
    t10 = np.exp(-o)
    t11 = 1.0 + t10
    dc = (1.0 - t9 * t9) / t11
    # c = np.tanh(g) / (1.0 + np.exp(-i)) + 0.3 / (1.0 + np.exp(-f))
    t8 *= dc / t7
    dg = dc / t4
    t5 *= dg
    dg *= 1.0 - t2 * t2
    t1 = np.zeros_like(t1)
    t1[6:] = t9 / t11 / t11 * t10
    t1[4:6] += dg
    t1[2:4] += t8 * t6
    t1[:2] += t5 * t3
    return (W.T @ t1)[:x.shape[0]], np.outer(t1, t)
