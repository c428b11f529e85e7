import math

import numpy as np


def call_price_grad(spot, vol, rate, strike, maturity, z):
    # spot: float, vol: float, rate: float, strike: float, maturity: float, z: f64[n]
    drift = (rate - 0.5 * vol**2) * maturity
    sqrt_maturity = math.sqrt(maturity)
    terminal_exp = np.exp(drift + vol * sqrt_maturity * z)
    terminal = spot * terminal_exp
    # return math.exp(-rate * maturity) * np.mean(payoff)
    dspot_factor = math.exp(-rate * maturity) / z.shape[0]
    # payoff = np.maximum(terminal - strike, 0.0)
    dspot_mask = terminal - strike >= 0.0
    # terminal = spot * np.exp(drift + vol * math.sqrt(maturity) * z)
    dspot_part = dspot_factor * terminal_exp
    dspot = np.sum(np.where(dspot_mask, dspot_part, 0.0))
    dspot_part *= spot
    ddrift = np.sum(np.where(dspot_mask, dspot_part, 0.0))
    dspot_part *= z
    # drift = (rate - 0.5 * vol ** 2) * maturity
    dvol = (
        np.sum(np.where(dspot_mask, dspot_part, 0.0)) * sqrt_maturity
        - ddrift * maturity * vol
    )
    return dspot, dvol
