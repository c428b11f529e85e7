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
            table_i_j = table[i, j]
            table_i_next = table[i, j + 1]
            table_next_j = table[i + 1, j]
            best = min(table_i_j, table_i_next, table_next_j)
            total = math.exp((best - table_i_j) / gamma)
            total_exp = math.exp((best - table_i_next) / gamma)
            total1 = total + total_exp
            total_exp1 = math.exp((best - table_next_j) / gamma)
            tape.append((total, total_exp, total_exp1))
            total = total1 + total_exp1
            table[i + 1, j + 1] = (x[i] - y[j]) ** 2 + best - gamma * math.log(total)
    dtable = np.zeros_like(table)
    dtable[n, m] = 1.0
    dx = np.zeros_like(x)
    for i in reversed(range(n)):
        dx_part = 0.0
        for j in reversed(range(m)):
            total, total_exp, total_exp1 = tape.pop()
            total1 = total + total_exp + total_exp1
            # table[i + 1, j + 1] = (x[i] - y[j]) ** 2 + best - gamma * ...
            dtable_next_next = dtable[i + 1, j + 1]
            dtable_factor = dtable_next_next * gamma / total1
            dx_part += 2.0 * dtable_next_next * (x[i] - y[j])
            # best = min(table[i, j], table[i, j + 1], table[i + 1, j])
            dtable[i + 1, j] += dtable_factor * total_exp1 / gamma
            dtable[i, j + 1] += dtable_factor * total_exp / gamma
            dtable[i, j] += dtable_factor * total / gamma
        # table[i + 1, j + 1] = (x[i] - y[j]) ** 2 + best - gamma * ...
        dx[i] = dx_part
    return dx
