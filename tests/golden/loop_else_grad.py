import numpy as np


def loop_else_grad(x, limit):
    # x: f64[n], limit: float
    total = 0.0
    done = False
    iterations = 0
    for value in x:
        iterations += 1
        if value > limit:
            total += value**3
            done = True
            break
        total += value
    if done:
        dtotal = 1.0
    else:
        # total *= total
        dtotal = 2.0 * total
    dx = np.zeros_like(x)
    for i in reversed(range(iterations)):
        value = x[i]
        if value > limit:
            # total += value**3
            dvalue = 3.0 * (value * value) * dtotal
        else:
            dvalue = dtotal
        dx[i] = dvalue
    return dx
