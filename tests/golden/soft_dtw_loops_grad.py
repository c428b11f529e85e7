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
            t1 = table[i, j + 1]
            t2 = table[i + 1, j]
            best = min(t, t1, t2)
            total = math.exp((best - t) / gamma)
            t = math.exp((best - t1) / gamma)
            total1 = total + t
            t1 = math.exp((best - t2) / gamma)
            tape.append((total, t, t1))
            total = total1 + t1
            table[i + 1, j + 1] = (x[i] - y[j]) ** 2 + best - gamma * math.log(total)
    dtable = np.zeros_like(table)
    dtable[n, m] = 1.0
    dx = np.zeros_like(x)
    for i in reversed(range(n)):
        for j in reversed(range(m)):
            total, t, t1 = tape.pop()
            total1 = total + t + t1
            t2 = table[i, j + 1]
            t3 = table[i, j]
            # table[i + 1, j + 1] = (x[i] - y[j]) ** 2 + best - gamma * ...
            t4 = dtable[i + 1, j + 1]
            dtable[i + 1, j + 1] = 0.0
            t5 = t4 * gamma / total1
            dx[i] += 2.0 * t4 * (x[i] - y[j])
            # total += math.exp((best - table[i + 1, j]) / gamma)
            t1 = t5 * t1 / gamma
            # total += math.exp((best - table[i, j + 1]) / gamma)
            t = t5 * t / gamma
            # total = math.exp((best - table[i, j]) / gamma)
            t5 = t5 * total / gamma
            dbest = t4 - t1 - t - t5
            if table[i + 1, j] < min(t3, t2):
                # best = min(table[i, j], table[i, j + 1], table[i + 1, j])
                t1 += dbest
            elif t2 < t3:
                # best = min(table[i, j], table[i, j + 1], table[i + 1, j])
                t += dbest
            else:
                # best = min(table[i, j], table[i, j + 1], table[i + 1, j])
                t5 += dbest
            # best = min(table[i, j], table[i, j + 1], table[i + 1, j])
            dtable[i + 1, j] += t1
            dtable[i, j + 1] += t
            dtable[i, j] += t5
    return dx
