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
            b = R[i, j + 1]
            c = R[i + 1, j]
            low = min(a, b, c)
            total_exp = math.exp((low - a) / gamma)
            total_exp1 = math.exp((low - b) / gamma)
            total_exp2 = math.exp((low - c) / gamma)
            tape.append((total_exp, total_exp1, total_exp2))
            total = total_exp + total_exp1 + total_exp2
            R[i + 1, j + 1] = (x[i] - y[j]) ** 2 + low - gamma * math.log(total)
    dR = np.zeros_like(R)
    dR[n, m] = 1.0
    dx = np.zeros_like(x)
    for i in reversed(range(n)):
        dx_part = 0.0
        for j in reversed(range(m)):
            total_exp, total_exp1, total_exp2 = tape.pop()
            total = total_exp + total_exp1 + total_exp2
            # R[i + 1, j + 1] = (x[i] - y[j]) ** 2 + low - gamma * math.log(total)
            dR_next_next = dR[i + 1, j + 1]
            dR_factor = dR_next_next * gamma / total
            dx_part += 2.0 * dR_next_next * (x[i] - y[j])
            # a, b, c = R[i, j], R[i, j + 1], R[i + 1, j]
            dR[i + 1, j] += dR_factor * total_exp2 / gamma
            dR[i, j + 1] += dR_factor * total_exp1 / gamma
            dR[i, j] += dR_factor * total_exp / gamma
        # R[i + 1, j + 1] = (x[i] - y[j]) ** 2 + low - gamma * math.log(total)
        dx[i] = dx_part
    return dx
