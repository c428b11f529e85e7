import numpy as np


def leapfrog_energy_vjp(q, p, steps):
    # q: f64[n], p: f64[n], steps: int
    tape = []
    for _ in range(steps):
        t = 0.05 * q
        t1 = 1.0 + q @ q
        p = p - t * t1
        q1 = q + 0.1 * p
        t2 = 0.05 * q1
        t3 = 1.0 + q1 @ q1
        p = p - t2 * t3
        q = np.copy(q)
        tape.append((t, t1, t2, t3, q))
        q = q1
    q1 = np.copy(q)
    p1 = np.copy(p)

    def pullback(dy):
        # return 0.5 * p @ p + 0.5 * q @ q
        dq = dy * q1
        dp = dy * p1
        q2 = q1
        for i in reversed(range(steps)):
            t, t1, t2, t3, q3 = tape[i]
            # p = p - 0.05 * q * (1.0 + q @ q)
            dq -= 2.0 * (dp @ t2) * q2
            dq -= 0.05 * t3 * dp
            # q = q + 0.1 * p
            dp += 0.1 * dq
            # p = p - 0.05 * q * (1.0 + q @ q)
            dq -= 2.0 * (dp @ t) * q3
            dq -= 0.05 * t1 * dp
            q2 = q3
        return dq, dp, 0.0

    return 0.5 * p @ p + 0.5 * q @ q, pullback
