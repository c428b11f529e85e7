import math


def pendulum_jacfwd(theta, omega, length, steps, dt):
    # theta: float, omega: float, length: float, steps: int, dt: float
    domega = 0.0
    dtheta = 1.0
    for _ in range(steps):
        over_length = -9.81 / length
        k1w = over_length * math.sin(theta) - 0.1 * omega
        dk1w = dtheta * math.cos(theta) * over_length - 0.1 * domega
        half_dt = 0.5 * dt
        k2a = omega + half_dt * k1w
        dk2a = domega + dk1w * half_dt
        a = theta + half_dt * omega
        da = dtheta + domega * half_dt
        k2w = over_length * math.sin(a) - 0.1 * k2a
        dk2w = da * math.cos(a) * over_length - 0.1 * dk2a
        k3a = omega + half_dt * k2w
        dk3a = domega + dk2w * half_dt
        a = theta + half_dt * k2a
        da = dtheta + dk2a * half_dt
        k3w = over_length * math.sin(a) - 0.1 * k3a
        dk3w = da * math.cos(a) * over_length - 0.1 * dk3a
        k4a = omega + dt * k3w
        dk4a = domega + dk3w * dt
        a = theta + dt * k3a
        da = dtheta + dk3a * dt
        k4w = over_length * math.sin(a) - 0.1 * k4a
        scaled_dt = dt / 6.0
        theta += scaled_dt * (omega + 2.0 * k2a + 2.0 * k3a + k4a)
        dtheta += (domega + 2.0 * dk2a + 2.0 * dk3a + dk4a) * scaled_dt
        # omega += dt / 6.0 * (k1w + 2.0 * k2w + 2.0 * k3w + k4w)
        domega_term = dk1w + 2.0 * dk2w + 2.0 * dk3w + da * math.cos(a) * over_length
        omega += scaled_dt * (k1w + 2.0 * k2w + 2.0 * k3w + k4w)
        domega += (domega_term - 0.1 * dk4a) * scaled_dt
    return 2.0 * dtheta * theta + 2.0 * domega * omega
