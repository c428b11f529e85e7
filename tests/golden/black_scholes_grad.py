import math


def black_scholes_grad(spot, strike, rate, sigma, time):
    # spot: float, strike: float, rate: float, sigma: float, time: float
    spot_over_strike = spot / strike
    d1_factor = math.log(spot_over_strike) + (rate + 0.5 * sigma**2) * time
    sqrt_time = math.sqrt(time)
    d1_den = sigma * sqrt_time
    d1 = d1_factor / d1_den
    d2 = d1 - d1_den
    scaled_d1 = d1 / 1.4142135623730951
    scaled_d2 = d2 / 1.4142135623730951
    dd1_factor = -0.39894228040143265 * (strike * math.exp(-rate * time))
    dd1_term = dd1_factor * math.exp(-scaled_d2 * scaled_d2)
    dd1_term1 = 0.39894228040143265 * spot * math.exp(-scaled_d1 * scaled_d1)
    # d2 = d1 - sigma * math.sqrt(time)
    dd1 = dd1_term1 + dd1_term
    # d1 = (math.log(spot / strike) + (rate + 0.5 * sigma**2) * time) / ...
    dsigma_factor = dd1 / d1_den
    dsigma = dsigma_factor * time * sigma - (dd1_term + d1 * dsigma_factor) * sqrt_time
    dspot = (
        0.5 * (1.0 + math.erf(scaled_d1)) + dsigma_factor / spot_over_strike / strike
    )
    return dspot, dsigma
