import numpy as np


def slope_of_slope_grad(x):
    # x: float
    x_sq_plus_x = x * x + x
    x_plus_x_plus_one = x + x + 1.0
    cos_x_sq_plus_x = np.cos(x_sq_plus_x)
    # return Dual(self.value * other.value, self.slope * other.value + ...
    dx_term = (cos_x_sq_plus_x - x * x_plus_x_plus_one * np.sin(x_sq_plus_x)) * (
        2.0 * x + 1.0
    )
    dx = dx_term + (cos_x_sq_plus_x * x_plus_x_plus_one + 2.0 * x * cos_x_sq_plus_x)
    return dx
