import numpy as np


def entropy_grad(p):
    # p: f64[n]
    with np.errstate(divide="ignore", invalid="ignore"):
        log_p = np.log(p)
    # terms = p * np.log(p)
    dp = np.where(p > 0.0, -(p / p + log_p), 0.0)
    return dp
