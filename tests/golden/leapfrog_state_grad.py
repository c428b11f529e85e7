import numpy as np


def leapfrog_state_grad(state, mass, dt, steps):
    # state: f64[2 * m], mass: f64[m], dt: float, steps: int
    n = len(mass)
    q = state[:n]
    p = state[n:]
    tape = []
    tape1 = []
    for _ in range(steps):
        tape.append(q)
        t = 0.5 * dt
        t1 = np.sin(q)
        p = p - t * t1
        t2 = dt * p / mass
        q = q + t2
        t3 = np.sin(q)
        tape1.append((t1, p, t2, t3))
        p = p - t * t3
    # return np.sum(p**2 / mass) / 2.0 - np.sum(np.cos(q))
    dq = np.sin(q)
    dmass = -p ** 2 / mass * (0.5 / mass)
    dp = p / mass
    # p = p - 0.5 * dt * np.sin(q)
    t = 0.5 * dt
    ddt = 0.0
    for _ in reversed(range(steps)):
        t1, p, t2, t3 = tape1.pop()
        q1 = tape.pop()
        # p = p - 0.5 * dt * np.sin(q)
        t4 = dp @ t3
        dq -= t * dp * np.cos(q)
        # q = q + dt * p / mass
        t3 = dq / mass
        dmass -= t2 * t3
        dp += dt * t3
        # p = p - 0.5 * dt * np.sin(q)
        dq -= t * dp * np.cos(q1)
        ddt += t3 @ p - 0.5 * (t4 + dp @ t1)
        q = q1
    dstate = np.zeros_like(state)
    dstate[n:] = dp
    dstate[:n] += dq
    return dstate, dmass, ddt
