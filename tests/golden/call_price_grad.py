import math

import numpy as np


def call_price_grad(spot, vol, rate, strike, maturity, z):
    # spot: float, vol: float, rate: float, strike: float, maturity: float, z: f64[n]
    drift = (rate - 0.5 * vol ** 2) * maturity
    t = math.sqrt(maturity)
    t1 = np.exp(drift + vol * t * z)
    terminal = spot * t1
    t2 = terminal - strike
    # return math.exp(-rate * maturity) * np.mean(payoff)
    t3 = math.exp(-rate * maturity) / z.shape[0]
    # payoff = np.maximum(terminal - strike, 0.0)
    t4 = t2 >= 0.0
    # terminal = spot * np.exp(drift + vol * math.sqrt(maturity) * z)
    t1 = np.where(t2 == 0.0, 0.5 * t3, t3) * t1
    dspot = np.sum(np.where(t4, t1, 0.0))
    t1 *= spot
    ddrift = np.sum(np.where(t4, t1, 0.0))
    t1 *= z
    # drift = (rate - 0.5 * vol ** 2) * maturity
    dvol = np.sum(np.where(t4, t1, 0.0)) * t - ddrift * maturity * vol
    return dspot, dvol
