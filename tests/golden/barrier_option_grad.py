import math


def barrier_option_grad(spot, sigma, shocks, rate, strike, barrier):
    # spot: float, sigma: float, shocks: f64[n], rate: float, strike: float, barrier: float
    days = 0
    total = 0.0
    tape = []
    trips = 0
    for i in range(len(shocks)):
        trips += 1
        shock = shocks[i]
        t = (rate - 0.5 * sigma * sigma) * 0.003968253968253968
        t1 = math.sqrt(0.003968253968253968)
        t = math.exp(t + sigma * t1 * shock)
        tape.append((t, spot, t1))
        spot *= t
        if spot < barrier:
            break
        total += spot
        days += 1
    t2 = days + 1
    mean = total / t2
    if mean > strike:
        dmean = 1.0
    else:
        dmean = 0.01
    dtotal = dmean / t2
    dspot = 0.0
    dsigma = 0.0
    for i in reversed(range(trips)):
        t, spot1, t1 = tape.pop()
        shock1 = shocks[i]
        if not spot < barrier:
            dspot += dtotal
        t3 = dspot * t
        t = dspot * spot1 * t * (shock1 * t1 - 0.003968253968253968 * sigma)
        dsigma += t
        dspot = t3
        spot = spot1
    return dspot, dsigma
