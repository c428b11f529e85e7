import numpy as np


def drawdown_grad(returns, fee):
    # returns: f64[n], fee: float
    t = 1.0 + returns - fee
    wealth = np.cumprod(t)
    peak = np.maximum.accumulate(wealth)
    t1 = (peak - wealth) / peak
    t2 = t1 == np.max(t1)
    t3 = 1.0 / np.sum(t2) / peak
    t1 *= t3
    dwealth = np.where(t2, -t3, 0.0)
    t3 -= t1
    dwealth[-1] += 1.0 / wealth[-1]
    # peak = np.maximum.accumulate(wealth)
    n = returns.shape[0]
    t4 = np.where(wealth == peak, np.arange(n), 0)
    np.add.at(dwealth, np.maximum.accumulate(t4), np.where(t2, t3, 0.0))
    if np.all(t):
        return np.cumsum((dwealth * wealth)[::-1])[::-1] / t
    # wealth = np.cumprod(1.0 + returns - fee)
    t = np.where(np.eye(n, dtype=bool), 1.0, t[None])
    return np.triu(np.cumprod(t, axis=-1)) @ dwealth
