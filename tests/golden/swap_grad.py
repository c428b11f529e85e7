import numpy as np


def swap_grad(rates, fixed):
    # rates: f64[n], fixed: float
    factors_arg = 1.0 / (1.0 + 0.5 * rates)
    factors = np.cumprod(factors_arg)
    forward_term = np.append(1.0, factors[:-1]) / factors
    forward = forward_term - 1.0
    dfactors = 0.5 * (2.0 * forward - fixed) - forward_term
    dfactors[:-1] += 1.0
    # factors = np.cumprod(1.0 / (1.0 + 0.5 * rates))
    if np.all(factors_arg):
        drates_part = np.cumsum((dfactors * factors)[::-1])[::-1] / factors_arg
    else:
        drates_part = np.where(
            np.eye(rates.shape[0], dtype=bool), 1.0, factors_arg[None]
        )
        drates_part = np.triu(np.cumprod(drates_part, axis=-1)) @ dfactors
    # factors = np.cumprod(1.0 / (1.0 + 0.5 * rates))
    drates_part *= -0.5
    drates = drates_part * factors_arg * factors_arg
    return drates
