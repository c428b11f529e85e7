import numpy as np


def entropy_grad(p):
    # p: f64[n]
    with np.errstate(divide="ignore", invalid="ignore"):
        log_p = np.log(p)
    # terms = p * np.log(p)
    dp = np.where(p > 0.0, -(log_p + 1.0), 0.0)
    return dp
