import math


def black_scholes_grad(spot, strike, rate, sigma, time):
    # spot: float, strike: float, rate: float, sigma: float, time: float
    t = spot / strike
    t1 = math.log(t) + (rate + 0.5 * sigma ** 2) * time
    t2 = math.sqrt(time)
    t3 = sigma * t2
    d1 = t1 / t3
    d2 = d1 - t3
    t1 = d1 / 1.4142135623730951
    t4 = d2 / 1.4142135623730951
    t5 = -0.39894228040143265 * (strike * math.exp(-rate * time))
    t4 = t5 * math.exp(-t4 * t4)
    t5 = 0.39894228040143265 * spot * math.exp(-t1 * t1)
    # d2 = d1 - sigma * math.sqrt(time)
    dd1 = t5 + t4
    # d1 = (math.log(spot / strike) + (rate + 0.5 * sigma**2) * time) / ...
    t3 = dd1 / t3
    dsigma = t3 * time * sigma - (t4 + d1 * t3) * t2
    dspot = 0.5 * (1.0 + math.erf(t1)) + t3 / t / strike
    return dspot, dsigma
