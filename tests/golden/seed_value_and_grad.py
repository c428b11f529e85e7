import math


def seed_value_and_grad(x1, x2):
    # x1: float, x2: float
    value = math.log(x1) + x1 * x2 - math.sin(x2)
    dx2 = x1 - math.cos(x2)
    dx1 = x2 + 1.0 / x1
    return value, (dx1, dx2)
