import numpy as np


def nuclear_penalty_grad(X, Y, penalty):
    # X: f64[n, m], Y: f64[n, m], penalty: float
    t = X - Y
    t2, _, t1 = np.linalg.svd(X, full_matrices=False)
    t2 *= penalty
    dX = t2 @ t1 + t
    return dX
