import math

import numpy as np


def accel_forward(q, m):
    n = len(m)
    a = np.zeros_like(q)
    tape = []
    for i in range(n):
        tape1 = []
        for j in range(n):
            if i != j:
                d = q[j] - q[i]
                r2 = d @ d + 0.01
                t = math.sqrt(r2)
                t1 = m[j] * d / (r2 * t)
                a[i] += t1
            else:
                t1 = None
                t = None
                r2 = None
                d = None
            tape1.append((t1, t, r2, d))
        tape.append(tape1)
    return a, tape


def accel_backward(m, residuals, da, dq, dm):
    n = len(m)
    for i in reversed(range(n)):
        tape = residuals[i]
        for j in reversed(range(n)):
            t, t1, r2, d = tape[j]
            if i != j:
                # a[i] += m[j] * d / (r2 * math.sqrt(r2))
                t2 = da[i] / (r2 * t1)
                t3 = t @ t2 * (t1 + r2 * (0.5 / t1 if t1 else math.inf))
                dm[j] += t2 @ d
                dd = m[j] * t2 - 2.0 * t3 * d
                dq[i] -= dd
                dq[j] += dd
    return dq, dm


def orbits_grad(q, p, m, dt, steps):
    # q: f64[n, m], p: f64[n, m], m: f64[n], dt: float, steps: int
    a, residuals = accel_forward(q, m)
    tape = []
    for _ in range(steps):
        t = 0.5 * dt
        p = p + t * a
        q = q + dt * p
        a, residuals1 = accel_forward(q, m)
        tape.append(residuals1)
        p = p + t * a
    dq = np.zeros_like(q)
    dq[0] = 2.0 * q[0]
    dp = np.zeros_like(p)
    da = np.zeros_like(a)
    dm = np.zeros_like(m)
    # p = p + 0.5 * dt * a
    t = 0.5 * dt
    for _ in reversed(range(steps)):
        residuals1 = tape.pop()
        # p = p + 0.5 * dt * a
        da += t * dp
        # a = accel(q, m)
        dq, dm = accel_backward(m, residuals1, da, dq, dm)
        # q = q + dt * p
        dp += dt * dq
        # p = p + 0.5 * dt * a
        da = t * dp
    # a = accel(q, m)
    dq, dm = accel_backward(m, residuals, da, dq, dm)
    return dq, dp, dm
