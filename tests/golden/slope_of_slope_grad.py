import numpy as np


def slope_of_slope_grad(x):
    # x: float
    t = x * x + x
    t1 = x + x + 1.0
    t2 = np.cos(t)
    # return Dual(self.value * other.value, self.slope * other.value + ...
    t = (t2 - x * t1 * np.sin(t)) * (2.0 * x + 1.0)
    dx = t + (t2 * t1 + 2.0 * x * t2)
    return dx
