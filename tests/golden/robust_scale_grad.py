import numpy as np


def robust_scale_grad(x):
    # x: f64[n, m]
    center = np.median(x, axis=0, keepdims=True)
    x_minus_center = x - center
    abs_x_minus_center = np.abs(x_minus_center)
    ravel_x = np.ravel(x)
    dx_part = np.percentile(np.arange(ravel_x.shape[0]), 30.0)
    dx_part_index = int(dx_part)
    argsort_ravel_x = np.argsort(ravel_x, kind="stable")
    dx_part1 = dx_part - dx_part_index
    dravel_x = np.zeros_like(ravel_x)
    dravel_x[argsort_ravel_x[dx_part_index]] = 1.0 - dx_part1
    dravel_x[argsort_ravel_x[int(np.ceil(dx_part))]] += dx_part1
    n = x.shape[0]
    argsort_x_start = (n - 1) // 2
    dx_term = n // 2
    dx_part2 = np.argsort(abs_x_minus_center, axis=0, kind="stable")[
        argsort_x_start : dx_term + 1
    ]
    dx_part3 = (np.ones(x.shape[1]) / dx_part2.shape[0])[None]
    m = x.shape[1]
    dx_part4 = np.zeros_like(abs_x_minus_center)
    dx_part4[dx_part2, np.arange(m)[None]] = dx_part3
    dx_part4 *= np.sign(x_minus_center)
    # center = np.median(x, axis=0, keepdims=True)
    dx_index = np.argsort(x, axis=0, kind="stable")[argsort_x_start : dx_term + 1]
    dx_part3 = -np.sum(dx_part4, axis=0, keepdims=True) / dx_index.shape[0]
    dx = np.zeros_like(x)
    dx[dx_index, np.arange(m)[None]] = dx_part3
    dx = dravel_x.reshape(x.shape) + dx_part4 + dx
    return dx
