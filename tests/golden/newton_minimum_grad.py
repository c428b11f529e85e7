import math


def newton_minimum_grad(a, b):
    # a: float, b: float
    x = 0.0
    tape = []
    while abs(math.exp(a * x) * a - b) > 1e-12:
        t = math.exp(a * x)
        tape.append((x, t))
        t *= a
        dx = t - b
        dx1 = t * a
        x -= dx / dx1
    dx = 1.0
    da = 0.0
    db = 0.0
    while tape:
        x, t = tape.pop()
        # return math.exp(a * x) - b * x
        t1 = t * a
        dx1 = t1 * a
        dx2 = t1 - b
        # x -= slope(x) / curvature(x)
        t2 = dx / dx1
        # return math.exp(a * x) - b * x
        t1 *= dx2 / dx1 * t2
        db += t2
        t *= t2
        t2 = a * (t1 - t)
        da += x * t2 + 2.0 * t1 - t
        dx += a * t2
    return da, db
