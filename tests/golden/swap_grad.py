import numpy as np


def swap_grad(rates, fixed):
    # rates: f64[n], fixed: float
    drates_den = 1.0 + 0.5 * rates
    drates = 1.0 / drates_den
    factors = np.cumprod(drates)
    forward_term = np.append(1.0, factors[:-1]) / factors
    forward = forward_term - 1.0
    dfactors_part = factors / factors
    forward_term *= dfactors_part
    dfactors = 0.5 * (2.0 * forward - fixed) - forward_term
    dfactors[:-1] += dfactors_part[1:]
    # factors = np.cumprod(1.0 / (1.0 + 0.5 * rates))
    if np.all(drates):
        drates_part = np.cumsum((dfactors * factors)[::-1])[::-1] / drates
    else:
        drates_part = np.where(np.eye(rates.shape[0], dtype=bool), 1.0, drates[None])
        drates_part = np.triu(np.cumprod(drates_part, axis=-1)) @ dfactors
    # factors = np.cumprod(1.0 / (1.0 + 0.5 * rates))
    drates_part /= drates_den
    drates *= -0.5
    drates *= drates_part
    return drates
