import math

import numpy as np


def soft_dtw_grad(x, y, gamma):
    # x: f64[n], y: f64[m], gamma: float
    n = len(x)
    m = len(y)
    R = np.full((n + 1, m + 1), 10000000000.0)
    R[0, 0] = 0.0
    tape = []
    for i in range(n):
        for j in range(m):
            a = R[i, j]
            t = j + 1
            b = R[i, t]
            t1 = i + 1
            c = R[t1, j]
            low = min(a, b, c)
            t2 = math.exp((low - a) / gamma)
            t3 = math.exp((low - b) / gamma)
            t4 = math.exp((low - c) / gamma)
            tape.append((t4, t3, t2))
            total = t2 + t3 + t4
            t2 = (x[i] - y[j]) ** 2 + low - gamma * math.log(total)
            R[t1, t] = t2
    dR = np.zeros_like(R)
    dR[n, m] = 1.0
    dx = np.zeros_like(x)
    for i in reversed(range(n)):
        for j in reversed(range(m)):
            t2, t3, t4 = tape.pop()
            t = i + 1
            t1 = j + 1
            total1 = t4 + t3 + t2
            b = R[i, t1]
            a = R[i, j]
            c = R[t, j]
            t5 = dR[t, t1]
            dR[t, t1] = 0.0
            t6 = t5 * gamma / total1
            dx[i] += 2.0 * t5 * (x[i] - y[j])
            t2 = t6 * t2 / gamma
            t3 = t6 * t3 / gamma
            t4 = t6 * t4 / gamma
            dlow = t5 - t2 - t3 - t4
            t6 = b < a
            t7 = c < min(a, b)
            t5 = 0.0 if t7 else dlow
            da = t4 + (0.0 if t6 else t5)
            db = t3 + (t5 if t6 else 0.0)
            dc = t2 + (dlow if t7 else 0.0)
            dR[t, j] += dc
            dR[i, t1] += db
            dR[i, j] += da
    return dx
