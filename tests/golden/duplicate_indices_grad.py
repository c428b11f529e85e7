import numpy as np


def duplicate_indices_grad(x, index):
    # x: f64[n], index: i64[n]
    y = np.zeros(4)
    y[index] = x**2
    y[index] += x
    x_index = index % 3
    x_x_index = x[x_index]
    dy = 2.0 * y
    # y[index] += x
    full_y = np.full_like(y, 0, dtype=np.int64)
    n = x.size
    dx_part = np.arange(n)
    full_y[index] = dx_part
    masked_dy_index = np.where(full_y[index] == dx_part, dy[index], 0.0)
    dy[index] = 0.0
    dx = np.copy(masked_dy_index)
    np.add.at(dx, x_index, 3.0 * x_x_index * x_x_index)
    np.add.at(dy, index, masked_dy_index)
    # y[index] = x**2
    full_y = np.full_like(y, 0, dtype=np.int64)
    dx_part = np.arange(n)
    full_y[index] = dx_part
    dx += np.where(full_y[index] == dx_part, 2.0 * dy[index] * x, 0.0)
    return dx
