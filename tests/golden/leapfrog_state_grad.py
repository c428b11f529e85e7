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
        half_dt = 0.5 * dt
        sin_q = np.sin(q)
        p = p - half_dt * sin_q
        q_term = dt * p / mass
        q = q + q_term
        sin_q1 = np.sin(q)
        tape1.append((sin_q, p, q_term, sin_q1))
        p = p - half_dt * sin_q1
    # return np.sum(p**2 / mass) / 2.0 - np.sum(np.cos(q))
    dq = np.sin(q)
    dmass = -0.5 / mass * (p**2 / mass)
    dp = p / mass
    # p = p - 0.5 * dt * np.sin(q)
    half_dt = 0.5 * dt
    ddt = 0.0
    for _ in reversed(range(steps)):
        sin_q, p, q_term, sin_q1 = tape1.pop()
        q_prev = tape.pop()
        # p = p - 0.5 * dt * np.sin(q)
        dp_dot_sin_q = dp @ sin_q1
        dq -= half_dt * dp * np.cos(q)
        # q = q + dt * p / mass
        dq_over_mass = dq / mass
        dmass -= q_term * dq_over_mass
        dp += dt * dq_over_mass
        # p = p - 0.5 * dt * np.sin(q)
        dq -= half_dt * dp * np.cos(q_prev)
        ddt += dq_over_mass @ p - 0.5 * (dp_dot_sin_q + dp @ sin_q)
        q = q_prev
    dstate = np.zeros_like(state)
    dstate[n:] = dp
    dstate[:n] += dq
    return dstate, dmass, ddt
