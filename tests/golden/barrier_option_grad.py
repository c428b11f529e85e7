import math


def barrier_option_grad(spot, sigma, shocks, rate, strike, barrier):
    # spot: float, sigma: float, shocks: f64[n], rate: float, strike: float,
    # barrier: float
    days = 0
    total = 0.0
    tape = []
    trips = 0
    for shock in shocks:
        trips += 1
        t = (rate - 0.5 * sigma * sigma) * 0.003968253968253968
        t = math.exp(t + sigma * 0.06299407883487121 * shock)
        tape.append((spot, t))
        spot *= t
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
    t = 0.003968253968253968 * sigma
    dspot = 0.0
    dsigma = 0.0
    for i in reversed(range(trips)):
        spot1, t1 = tape.pop()
        shock = shocks[i]
        if not spot < barrier:
            # total += spot
            dspot += dtotal
        # spot *= math.exp((rate - 0.5 * sigma * sigma) * dt + sigma * ...
        dspot *= t1
        t1 = dspot * spot1 * (0.06299407883487121 * shock - t)
        dsigma += t1
        spot = spot1
    return dspot, dsigma
