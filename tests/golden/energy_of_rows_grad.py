import math

import numpy as np


def energy_of_rows_grad(x, rows):
    # x: f64[n], rows: f64[m, n]
    tape = [math.exp(row @ x) for row in rows]
    drows = np.zeros_like(rows)
    dx = np.zeros_like(x)
    for i in reversed(range(len(rows))):
        exp_row_dot_x = tape.pop()
        row = rows[i]
        # total += math.exp(row @ x)
        dx += exp_row_dot_x * row
        drows[i] = exp_row_dot_x * x
    return dx, drows
