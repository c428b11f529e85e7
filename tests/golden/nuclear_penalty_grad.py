import numpy as np


def nuclear_penalty_grad(X, Y, penalty):
    # X: f64[n, m], Y: f64[n, m], penalty: float
    X_minus_Y = X - Y
    dX_factor, _, t = np.linalg.svd(X, full_matrices=False)
    dX_factor *= penalty
    dX = dX_factor @ t + X_minus_Y
    return dX
