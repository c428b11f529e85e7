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
        v_factor = up ** (steps - 2 * j)
        tape.append(v_factor)
        v[j] = max(strike - spot * v_factor, 0.0)
    hold_tape = []
    for i in range(steps - 1, -1, -1):
        for j in range(i + 1):
            hold = discount * (p * v[j] + (1.0 - p) * v[j + 1])
            exercise_factor = up ** (i - 2 * j)
            hold_tape.append((hold, exercise_factor))
            exercise = strike - spot * exercise_factor
            v[j] = max(hold, exercise)
    dv = np.zeros_like(v)
    dv[0] = 1.0
    # hold = discount * (p * v[j] + (1.0 - p) * v[j + 1])
    one_minus_p = 1.0 - p
    dspot = 0.0
    dstrike = 0.0
    for i in reversed(range(steps - 1, -1, -1)):
        for j in reversed(range(i + 1)):
            hold, exercise_factor = hold_tape.pop()
            exercise = strike - spot * exercise_factor
            # v[j] = max(hold, exercise)
            dv_j = dv[j]
            if exercise > hold:
                # exercise = strike - spot * up ** (i - 2 * j)
                dstrike += dv_j
                dspot -= dv_j * exercise_factor
                # hold = discount * (p * v[j] + (1.0 - p) * v[j + 1])
                dv[j] = 0.0
            else:
                # hold = discount * (p * v[j] + (1.0 - p) * v[j + 1])
                dv_factor = dv_j * discount
                dv[j] = dv_factor * p
                dv[j + 1] += dv_factor * one_minus_p
    for j in reversed(range(steps + 1)):
        v_factor = tape.pop()
        if not 0.0 > strike - spot * v_factor:
            # v[j] = max(strike - spot * up ** (steps - 2 * j), 0.0)
            dv_j = dv[j]
            dstrike += dv_j
            dspot -= dv_j * v_factor
    return dspot, dstrike
