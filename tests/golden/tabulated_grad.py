import numpy as np


def tabulated_grad(values, points, x):
    # values: f64[n], points: f64[n], x: f64[n]
    # return np.sum(np.interp(x, points, values) ** 2) + np.interp(5.0, ...
    n = values.shape[0]
    points_index = np.clip(np.searchsorted(points, 5.0, side="right") - 1, 0, n - 2)
    points_index_next = points_index + 1
    dvalues_term = points[points_index]
    dvalues_part = np.clip(
        (5.0 - dvalues_term) / (points[points_index_next] - dvalues_term), 0.0, 1.0
    )
    twice_interp_x = 2.0 * np.interp(x, points, values)
    points_index1 = np.clip(np.searchsorted(points, x, side="right") - 1, 0, n - 2)
    points_index_next1 = points_index1 + 1
    dvalues_term1 = points[points_index1]
    dvalues_den = points[points_index_next1] - dvalues_term1
    dvalues_part1 = np.clip((x - dvalues_term1) / dvalues_den, 0.0, 1.0)
    t = (
        (values[points_index_next1] - values[points_index1])
        / dvalues_den
        * twice_interp_x
    )
    t = np.where((x >= points[0]) & (x <= points[-1]), t, 0.0)
    dvalues = np.zeros_like(values)
    np.add.at(dvalues, points_index1, (1.0 - dvalues_part1) * twice_interp_x)
    twice_interp_x *= dvalues_part1
    np.add.at(dvalues, points_index_next1, twice_interp_x)
    dvalues[points_index] += 1.0 - dvalues_part
    dvalues[points_index_next] += dvalues_part
    return dvalues, t
