import numpy as np


def broadcast_shapes_grad(x, y, z):
    # x: f64[n], y: f64[m], z: float
    t = x[:, None]
    t1 = y[None, :]
    grid = t * t1 + z
    t2 = grid > 0.0
    grid = np.where(t2, grid, 0.1 * grid)
    t3 = 1.0 + np.sum(grid ** 2, axis=1, keepdims=True)
    t4 = grid / t3
    t5 = grid == np.max(grid)
    t3 = np.ones_like(t4) / t3
    dgrid = np.where(t5, 1.0 / np.sum(t5), 0.0) + t3
    t3 = 2.0 * np.sum(t4 * t3, axis=1, keepdims=True)
    dgrid -= t3 * grid
    # grid = np.where(grid > 0.0, grid, 0.1 * grid)
    dgrid = np.where(t2, dgrid, 0.1 * dgrid)
    # grid = x[:, None] * y[None, :] + z
    dz = np.sum(dgrid)
    dy = np.sum(dgrid * t, axis=0)
    dx = np.sum(dgrid * t1, axis=1)
    return dx, dy, dz
