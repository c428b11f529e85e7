import numpy as np


def leapfrog_energy_vjp(q, p, steps):
    # q: f64[n], p: f64[n], steps: int
    tape = []
    for _ in range(steps):
        scaled_q = 0.05 * q
        one_plus_q_dot_q = 1.0 + q @ q
        p = p - scaled_q * one_plus_q_dot_q
        q1 = q + 0.1 * p
        scaled_q1 = 0.05 * q1
        one_plus_q_dot_q1 = 1.0 + q1 @ q1
        p -= scaled_q1 * one_plus_q_dot_q1
        q = np.copy(q)
        tape.append((scaled_q, one_plus_q_dot_q, scaled_q1, one_plus_q_dot_q1, q))
        q = q1
    q_copy = np.copy(q)
    p_copy = np.copy(p)

    def pullback(dy):
        # return 0.5 * p @ p + 0.5 * q @ q
        dq = dy * q_copy
        dp = dy * p_copy
        q_now = q_copy
        for i in reversed(range(steps)):
            scaled_q, one_plus_q_dot_q, scaled_q1, one_plus_q_dot_q1, q_prev = tape[i]
            # p = p - 0.05 * q * (1.0 + q @ q)
            dq -= 2.0 * (dp @ scaled_q1) * q_now
            dq -= 0.05 * one_plus_q_dot_q1 * dp
            # q = q + 0.1 * p
            dp += 0.1 * dq
            # p = p - 0.05 * q * (1.0 + q @ q)
            dq -= 2.0 * (dp @ scaled_q) * q_prev
            dq -= 0.05 * one_plus_q_dot_q * dp
            q_now = q_prev
        return dq, dp

    return 0.5 * p @ p + 0.5 * q @ q, pullback
