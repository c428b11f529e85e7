import numpy as np


def swap_grad(rates, fixed):
    # rates: f64[n], fixed: float
    t = 1.0 + 0.5 * rates
    drates = 1.0 / t
    factors = np.cumprod(drates)
    t1 = np.append(1.0, factors[:-1]) / factors
    forward = t1 - 1.0
    t2 = factors / factors
    t1 *= t2
    dfactors = 0.5 * (2.0 * forward - fixed) - t1
    dfactors[:-1] += t2[1:]
    if np.all(drates):
        # factors = np.cumprod(1.0 / (1.0 + 0.5 * rates))
        t1 = np.cumsum((dfactors * factors)[::-1])[::-1] / drates
    else:
        # factors = np.cumprod(1.0 / (1.0 + 0.5 * rates))
        t1 = np.where(np.eye(rates.shape[0], dtype=bool), 1.0, drates[None])
        t1 = np.triu(np.cumprod(t1, axis=-1)) @ dfactors
    # factors = np.cumprod(1.0 / (1.0 + 0.5 * rates))
    t1 /= t
    drates *= -0.5
    drates *= t1
    return drates
