import math

import numpy as np


def american_put_grad(spot, strike, sigma, steps):
    # spot: float, strike: float, sigma: float, steps: int
    dt = 1.0 / steps
    t = math.sqrt(dt)
    up = math.exp(sigma * t)
    t1 = math.exp(0.05 * dt)
    t2 = 1.0 / up
    t3 = up - t2
    p = (t1 - t2) / t3
    t4 = np.arange(-steps, steps + 1.0, 2.0)
    t5 = up ** t4
    t6 = strike - spot * t5
    values = np.maximum(t6, 0.0)
    tape = []
    for level in range(steps - 1, -1, -1):
        for k in range(level + 1):
            t7 = math.exp(-0.05 * dt)
            t1 = values[k + 1]
            t8 = values[k]
            held = t7 * (p * t1 + (1.0 - p) * t8)
            t9 = up ** (2 * k - level)
            exercised = strike - spot * t9
            t10 = held > exercised
            tape.append((t1, t8, t9, t10))
            values[k] = held if t10 else exercised
    dvalues = np.zeros_like(values)
    dvalues[0] = 1.0
    # held = math.exp(-0.05 * dt) * (p * values[k + 1] + (1.0 - p) * ...
    t1 = 1.0 - p
    dp = 0.0
    dup = 0.0
    dspot = 0.0
    for level in reversed(range(steps - 1, -1, -1)):
        for k in reversed(range(level + 1)):
            t8, t9, t11, t10 = tape.pop()
            t12 = 2 * k - level
            # values[k] = held if held > exercised else exercised
            t13 = dvalues[k]
            dvalues[k] = 0.0
            if t10:
                # held = math.exp(-0.05 * dt) * (p * values[k + 1] + (1.0 - p) * ...
                t10 = t13 * t7
                dvalues[k] += t10 * t1
                dp += t10 * (t8 - t9)
                dvalues[k + 1] += t10 * p
            else:
                # exercised = strike - spot * up ** (2 * k - level)
                dspot -= t13 * t11
                t8 = t12 * up ** max(t12 - 1, 0)
                t9 = t8 if t12 >= 1 else t12 * t11 / up if up else 0.0
                dup -= t13 * spot * t9
    # values = np.maximum(strike - spot * up ** np.arange(-steps, steps + ...
    t10 = t6 >= 0.0
    t8 = np.where(t6 == 0.0, 0.5 * dvalues, dvalues)
    t5 *= t8
    dspot -= np.sum(np.where(t10, t5, 0.0))
    t8 *= spot
    t4 = t8 * t4 * up ** np.where(t4 == 0, 1, t4 - 1)
    # p = (math.exp(0.05 * dt) - 1.0 / up) / (up - 1.0 / up)
    t1 = dp / t3
    t3 = p * t1
    dup -= np.sum(np.where(t10, t4, 0.0)) + t3
    dup -= t2 * ((t3 - t1) / up)
    return dspot, dup * up * t
