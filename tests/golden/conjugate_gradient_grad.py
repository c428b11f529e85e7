import numpy as np


def conjugate_gradient_grad(A, b, steps):
    # A: f64[n, n], b: f64[n], steps: int
    x = np.zeros_like(b)
    r = b.copy()
    p = r.copy()
    squared = r @ r
    r1 = r
    tape = []
    while squared > 1e-20 and steps > 0:
        q = A @ p
        t = p @ q
        alpha = squared / t
        x = x + alpha * p
        r1 = r1 - alpha * q
        tape.append((squared, p, q, t, r1))
        new = r1 @ r1
        p = r1 + new / squared * p
        steps -= 1
        squared = new
    # return x @ x
    dx = 2.0 * x
    dr = np.zeros_like(r1)
    dp = np.zeros_like(p)
    dA = np.zeros_like(A)
    dsquared = 0.0
    new = squared
    while tape:
        squared, p, q, t, r1 = tape.pop()
        # p = r + new / squared * p
        t1 = new / squared
        alpha = squared / t
        # p = r + new / squared * p
        dr += dp
        t2 = dp @ p / squared
        dnew = dsquared + t2
        # new = r @ r
        dr += 2.0 * dnew * r1
        # x += alpha * p
        dalpha = dx @ p - dr @ q
        # alpha = squared / (p @ q)
        t = dalpha / t
        t3 = alpha * t
        dsquared = t - t1 * t2
        t4 = alpha * dr + t3 * p
        # q = A @ p
        dA -= np.outer(t4, p)
        dp = t1 * dp + alpha * dx - t3 * q - A.T @ t4
        new = squared
    # squared = r @ r
    dr += 2.0 * dsquared * r
    # p = r.copy()
    dr += dp
    return dA, dr
