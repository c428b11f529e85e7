import numpy as np


def broadcast_shapes_grad(x, y, z):
    # x: f64[n], y: f64[m], z: float
    grid = x[:, None] * y[None, :] + z
    grid_positive = grid > 0.0
    grid = np.where(grid_positive, grid, 0.1 * grid)
    one_plus_sum_grid_sq = 1.0 + np.sum(grid**2, axis=1, keepdims=True)
    t = grid / one_plus_sum_grid_sq
    dgrid_mask = grid == np.max(grid)
    dgrid_part = np.ones_like(t) / one_plus_sum_grid_sq
    dgrid = np.where(dgrid_mask, 1.0 / np.sum(dgrid_mask), 0.0) + dgrid_part
    dgrid_factor = 2.0 * np.sum(t * dgrid_part, axis=1, keepdims=True)
    dgrid -= dgrid_factor * grid
    # grid = np.where(grid > 0.0, grid, 0.1 * grid)
    dgrid = np.where(grid_positive, dgrid, 0.1 * dgrid)
    # grid = x[:, None] * y[None, :] + z
    dz = np.sum(dgrid)
    dy = dgrid.T @ x
    dx = dgrid @ y
    return dx, dy, dz
