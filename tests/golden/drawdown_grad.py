import math

import numpy as np


def drawdown_grad(returns):
    # returns: f64[n]
    peak = 1.0
    wealth = 1.0
    worst = 0.0
    tape = []
    for r in returns:
        tape.append((peak, wealth))
        wealth *= 1.0 + r
        peak = max(peak, wealth)
        worst += (1.0 - wealth / peak) ** 2
    t = math.sqrt(worst)
    dworst = 0.5 / t if t else math.inf
    dreturns = np.zeros_like(returns)
    # worst += (1.0 - wealth / peak) ** 2
    t = 2.0 * dworst
    dpeak = 0.0
    dwealth = 0.0
    for i in reversed(range(len(returns))):
        peak1, wealth1 = tape.pop()
        # worst += (1.0 - wealth / peak) ** 2
        t1 = wealth / peak
        r = returns[i]
        t2 = t * (1.0 - t1) / peak
        dpeak += t1 * t2
        if wealth > peak1:
            # peak = max(peak, wealth)
            dwealth += dpeak
            dpeak = 0.0
        # peak = max(peak, wealth)
        dwealth1 = dwealth - t2
        # wealth *= 1.0 + r
        dwealth = dwealth1 * (r + 1.0)
        dreturns[i] = dwealth1 * wealth1
        peak = peak1
        wealth = wealth1
    return dreturns
