import math


def barrier_option_grad(spot, sigma, shocks, rate, strike, barrier):
    # spot: float, sigma: float, shocks: f64[n], rate: float, strike: float,
    # barrier: float
    days = 0
    total = 0.0
    tape = []
    for shock in shocks:
        spot_term = (rate - 0.5 * sigma * sigma) * 0.003968253968253968
        spot_exp = math.exp(spot_term + sigma * 0.06299407883487121 * shock)
        tape.append((spot, spot_exp))
        spot *= spot_exp
        if spot < barrier:
            break
        total += spot
        days += 1
    mean = total / (days + 1)
    if mean > strike:
        dmean = 1.0
    else:
        dmean = 0.01
    # mean = total / (days + 1)
    dtotal = dmean / (days + 1)
    # spot *= math.exp((rate - 0.5 * sigma * sigma) * dt + sigma * ...
    scaled_sigma = 0.003968253968253968 * sigma
    dspot = 0.0
    dsigma = 0.0
    for i in reversed(range(len(tape))):
        spot_prev, spot_exp = tape.pop()
        shock = shocks[i]
        if not spot < barrier:
            # total += spot
            dspot += dtotal
        # spot *= math.exp((rate - 0.5 * sigma * sigma) * dt + sigma * ...
        dspot *= spot_exp
        dsigma_term = dspot * spot_prev * (0.06299407883487121 * shock - scaled_sigma)
        dsigma += dsigma_term
        spot = spot_prev
    return dspot, dsigma
