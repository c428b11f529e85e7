import math

import numpy as np


def american_tree_grad(spot, strike, rate, sigma, steps):
    # spot: float, strike: float, rate: float, sigma: float, steps: int
    dt = 1.0 / steps
    up = math.exp(sigma * math.sqrt(dt))
    down = 1.0 / up
    p = (math.exp(rate * dt) - down) / (up - down)
    discount = math.exp(-rate * dt)
    v = np.zeros(steps + 1)
    tape = []
    for j in range(steps + 1):
        t = up ** (steps - 2 * j)
        tape.append(t)
        v[j] = max(strike - spot * t, 0.0)
    tape1 = []
    for i in range(steps - 1, -1, -1):
        for j in range(i + 1):
            hold = discount * (p * v[j] + (1.0 - p) * v[j + 1])
            t = up ** (i - 2 * j)
            tape1.append((hold, t))
            exercise = strike - spot * t
            v[j] = max(hold, exercise)
    dv = np.zeros_like(v)
    dv[0] = 1.0
    # hold = discount * (p * v[j] + (1.0 - p) * v[j + 1])
    t = 1.0 - p
    dspot = 0.0
    dstrike = 0.0
    for i in reversed(range(steps - 1, -1, -1)):
        for j in reversed(range(i + 1)):
            hold, t1 = tape1.pop()
            exercise = strike - spot * t1
            # v[j] = max(hold, exercise)
            t2 = dv[j]
            if exercise > hold:
                # exercise = strike - spot * up ** (i - 2 * j)
                dstrike += t2
                dspot -= t2 * t1
                # hold = discount * (p * v[j] + (1.0 - p) * v[j + 1])
                dv[j] = 0.0
            else:
                # hold = discount * (p * v[j] + (1.0 - p) * v[j + 1])
                t1 = t2 * discount
                dv[j] = t1 * p
                dv[j + 1] += t1 * t
    for j in reversed(range(steps + 1)):
        t = tape.pop()
        # v[j] = max(strike - spot * up ** (steps - 2 * j), 0.0)
        t1 = dv[j]
        if not 0.0 > strike - spot * t:
            # v[j] = max(strike - spot * up ** (steps - 2 * j), 0.0)
            dstrike += t1
            dspot -= t1 * t
        # v[j] = max(strike - spot * up ** (steps - 2 * j), 0.0)
        dv[j] = 0.0
    return dspot, dstrike
