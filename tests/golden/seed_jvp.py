import math


def seed_jvp(x1, x2, dx1, dx2):
    # x1: float, x2: float, dx1: float, dx2: float
    value_term = math.log(x1) + x1 * x2
    t = dx2 * (x1 - math.cos(x2)) + (dx1 / x1 + dx1 * x2)
    return value_term - math.sin(x2), t
