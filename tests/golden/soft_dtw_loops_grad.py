import math

import numpy as np


def soft_dtw_grad(x, y, gamma):
    # x: f64[n], y: f64[m], gamma: float
    n = len(x)
    m = len(y)
    table = np.full((n + 1, m + 1), 10000000000.0)
    table[0, 0] = 0.0
    tape = []
    for i in range(n):
        for j in range(m):
            t = table[i, j]
            t1 = j + 1
            t2 = table[i, t1]
            t3 = i + 1
            t4 = table[t3, j]
            best = min(t, t2, t4)
            total = math.exp((best - t) / gamma)
            t = math.exp((best - t2) / gamma)
            total1 = total + t
            t2 = math.exp((best - t4) / gamma)
            tape.append((t2, t, total))
            total = total1 + t2
            t = (x[i] - y[j]) ** 2 + best - gamma * math.log(total)
            table[t3, t1] = t
    dtable = np.zeros_like(table)
    dtable[n, m] = 1.0
    dx = np.zeros_like(x)
    for i in reversed(range(n)):
        for j in reversed(range(m)):
            t, t2, total = tape.pop()
            t1 = i + 1
            t3 = j + 1
            total2 = total + t2 + t
            t4 = table[i, t3]
            t5 = table[i, j]
            t6 = dtable[t1, t3]
            dtable[t1, t3] = 0.0
            t7 = t6 * gamma / total2
            dx[i] += 2.0 * t6 * (x[i] - y[j])
            t = t7 * t / gamma
            t2 = t7 * t2 / gamma
            t7 = t7 * total / gamma
            dbest = t6 - t - t2 - t7
            t6 = t4 < t5
            t8 = table[t1, j] < min(t5, t4)
            t4 = 0.0 if t8 else dbest
            dtable[t1, j] += t + (dbest if t8 else 0.0)
            dtable[i, t3] += t2 + (t4 if t6 else 0.0)
            dtable[i, j] += t7 + (0.0 if t6 else t4)
    return dx
