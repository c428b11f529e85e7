import numpy as np


def drawdown_grad(returns, fee):
    # returns: f64[n], fee: float
    wealth_arg = 1.0 + returns - fee
    wealth = np.cumprod(wealth_arg)
    peak = np.maximum.accumulate(wealth)
    t = (peak - wealth) / peak
    dwealth_mask = t == np.max(t)
    dpeak_part = 1.0 / np.sum(dwealth_mask) / peak
    dwealth = np.where(dwealth_mask, -dpeak_part, 0.0)
    dpeak_part -= t * dpeak_part
    dwealth[-1] += 1.0 / wealth[-1]
    # peak = np.maximum.accumulate(wealth)
    n = returns.shape[0]
    dwealth_part = np.where(wealth == peak, np.arange(n), 0)
    np.add.at(
        dwealth,
        np.maximum.accumulate(dwealth_part),
        np.where(dwealth_mask, dpeak_part, 0.0),
    )
    if np.all(wealth_arg):
        return np.cumsum((dwealth * wealth)[::-1])[::-1] / wealth_arg
    # wealth = np.cumprod(1.0 + returns - fee)
    t = np.where(np.eye(n, dtype=bool), 1.0, wealth_arg[None])
    return np.triu(np.cumprod(t, axis=-1)) @ dwealth
