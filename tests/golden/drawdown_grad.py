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
    sqrt_worst = math.sqrt(worst)
    dworst = 0.5 / sqrt_worst if sqrt_worst else math.inf
    dreturns = np.zeros_like(returns)
    # worst += (1.0 - wealth / peak) ** 2
    twice_dworst = 2.0 * dworst
    dpeak = 0.0
    dwealth = 0.0
    for i in reversed(range(len(returns))):
        peak_prev, wealth_prev = tape.pop()
        # worst += (1.0 - wealth / peak) ** 2
        wealth_over_peak = wealth / peak
        r = returns[i]
        dwealth_part = twice_dworst * (1.0 - wealth_over_peak) / peak
        dpeak += wealth_over_peak * dwealth_part
        if wealth > peak_prev:
            # peak = max(peak, wealth)
            dwealth += dpeak
            dpeak = 0.0
        # peak = max(peak, wealth)
        dwealth_new = dwealth - dwealth_part
        # wealth *= 1.0 + r
        dwealth = dwealth_new * (r + 1.0)
        dreturns[i] = dwealth_new * wealth_prev
        peak = peak_prev
        wealth = wealth_prev
    return dreturns
