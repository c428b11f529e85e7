import numpy as np


def conjugate_gradient_grad(A, b, steps):
    # A: f64[n, n], b: f64[n], steps: int
    x = np.zeros_like(b)
    r = b.copy()
    p = r.copy()
    squared = r @ r
    r_now = r
    tape = []
    while squared > 1e-20 and steps > 0:
        q = A @ p
        p_dot_q = p @ q
        alpha = squared / p_dot_q
        x += alpha * p
        r_now = r_now - alpha * q
        tape.append((squared, p, q, p_dot_q, r_now))
        new = r_now @ r_now
        p = r_now + new / squared * p
        steps -= 1
        squared = new
    # return x @ x
    dx = 2.0 * x
    dr = np.zeros_like(r_now)
    dp = np.zeros_like(p)
    dA = np.zeros_like(A)
    dsquared = 0.0
    new = squared
    while tape:
        squared, p, q, p_dot_q, r_now = tape.pop()
        # p = r + new / squared * p
        new_over_squared = new / squared
        alpha = squared / p_dot_q
        # p = r + new / squared * p
        dr += dp
        dnew_part = dp @ p / squared
        dnew = dsquared + dnew_part
        # new = r @ r
        dr += 2.0 * dnew * r_now
        # x += alpha * p
        dalpha = dx @ p - dr @ q
        # alpha = squared / (p @ q)
        dsquared_part = dalpha / p_dot_q
        dp_factor = alpha * dsquared_part
        dsquared = dsquared_part - new_over_squared * dnew_part
        dA_factor = alpha * dr + dp_factor * p
        # q = A @ p
        dA -= np.outer(dA_factor, p)
        dp = new_over_squared * dp + alpha * dx - dp_factor * q - A.T @ dA_factor
        new = squared
    # squared = r @ r
    dr += 2.0 * dsquared * r
    # p = r.copy()
    dr += dp
    return dA, dr
