import math


def newton_minimum_grad(a, b):
    # a: float, b: float
    x = 0.0
    tape = []
    while abs(math.exp(a * x) * a - b) > 1e-12:
        exp_a_times_x = math.exp(a * x)
        tape.append((x, exp_a_times_x))
        dx_part = exp_a_times_x * a
        dx = dx_part - b
        dx_new = dx_part * a
        x -= dx / dx_new
    dx = 1.0
    da = 0.0
    db = 0.0
    while tape:
        x, exp_a_times_x = tape.pop()
        # return math.exp(a * x) - b * x
        dx_part = exp_a_times_x * a
        dx_new = dx_part * a
        dx1 = dx_part - b
        # x -= slope(x) / curvature(x)
        dx_over_dx = dx / dx_new
        # return math.exp(a * x) - b * x
        da_part = dx1 / dx_new * dx_over_dx * dx_part
        db += dx_over_dx
        da_term = dx_over_dx * exp_a_times_x
        dx_factor = a * (da_part - da_term)
        da += x * dx_factor + 2.0 * da_part - da_term
        dx += a * dx_factor
    return da, db
