import math

import numpy as np


def accel_forward(q, m):
    n = len(m)
    a = np.zeros_like(q)
    tape = []
    for i in range(n):
        tape1 = []
        for j in range(n):
            a_part = sqrt_r2 = r2 = d = None
            if i != j:
                d = q[j] - q[i]
                r2 = d @ d + 0.01
                sqrt_r2 = math.sqrt(r2)
                a_part = m[j] * d / (r2 * sqrt_r2)
                a[i] += a_part
            tape1.append((a_part, sqrt_r2, r2, d))
        tape.append(tape1)
    return a, tape


def accel_backward(m, residuals, da, dq, dm):
    n = len(m)
    for i in reversed(range(n)):
        tape = residuals[i]
        for j in reversed(range(n)):
            a_part, sqrt_r2, r2, d = tape[j]
            if i != j:
                # a[i] += m[j] * d / (r2 * math.sqrt(r2))
                dm_factor = da[i] / (r2 * sqrt_r2)
                dd_factor = (
                    a_part
                    @ dm_factor
                    * (sqrt_r2 + r2 * (0.5 / sqrt_r2 if sqrt_r2 else math.inf))
                )
                dm[j] += dm_factor @ d
                dd = m[j] * dm_factor - 2.0 * dd_factor * d
                dq[i] -= dd
                dq[j] += dd
    return dq, dm


def orbits_grad(q, p, m, dt, steps):
    # q: f64[n, m], p: f64[n, m], m: f64[n], dt: float, steps: int
    a, residuals = accel_forward(q, m)
    tape = []
    for _ in range(steps):
        half_dt = 0.5 * dt
        p = p + half_dt * a
        q = q + dt * p
        a, a_residuals = accel_forward(q, m)
        tape.append(a_residuals)
        p = p + half_dt * a
    dq = np.zeros_like(q)
    dq[0] = 2.0 * q[0]
    dp = np.zeros_like(p)
    da = np.zeros_like(a)
    dm = np.zeros_like(m)
    # p = p + 0.5 * dt * a
    half_dt = 0.5 * dt
    for _ in reversed(range(steps)):
        a_residuals = tape.pop()
        # p = p + 0.5 * dt * a
        da += half_dt * dp
        # a = accel(q, m)
        dq, dm = accel_backward(m, a_residuals, da, dq, dm)
        # q = q + dt * p
        dp += dt * dq
        # p = p + 0.5 * dt * a
        da = half_dt * dp
    # a = accel(q, m)
    dq, dm = accel_backward(m, residuals, da, dq, dm)
    return dq, dp, dm
