import numpy as np


def last_residuals_grad(A, b, steps, rate):
    # A: f64[n, n], b: f64[n], steps: int, rate: float
    x = np.zeros(len(b))
    tape = []
    for sweep in range(2):
        for _ in range(steps):
            tape.append(x)
            r = b - A @ x
            if sweep == 1:
                r = 0.5 * r
            x = x + rate * r
        change = rate * r
    # return np.sum(r * r) + np.sum(np.sin(change))
    dchange = np.cos(change)
    dr = 2.0 * r
    dx = np.zeros_like(x)
    dA = np.zeros_like(A)
    db = np.zeros_like(b)
    for sweep in reversed(range(2)):
        # change = rate * r
        dr_new = rate * dchange
        dr = dr_new + dr
        for _ in reversed(range(steps)):
            x = tape.pop()
            # x = x + rate * r
            dr += rate * dx
            if sweep == 1:
                # r = 0.5 * r
                dr *= 0.5
            # r = b - A @ x
            db += dr
            dA -= np.outer(dr, x)
            dx -= A.T @ dr
            dr = np.zeros_like(b)
        dchange = np.zeros_like(b)
    return dA, db
