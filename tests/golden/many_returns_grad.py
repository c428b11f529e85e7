import math


def many_returns_grad(x):
    # x: float
    if x < -1.0:
        return -1.0
    if x < 0.0:
        # return x * x
        dx = 2.0 * x
        return dx
    y = math.sqrt(x)
    if y < 1.0:
        # y = math.sqrt(x)
        dx = 0.5 / y if y else math.inf
        return dx
    # return math.log(x) + 1.0
    dx = 1.0 / x
    return dx
