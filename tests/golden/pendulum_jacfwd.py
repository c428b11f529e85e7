import math


def pendulum_jacfwd(theta, omega, length, steps, dt):
    # theta: float, omega: float, length: float, steps: int, dt: float
    domega = 0.0
    dtheta = 1.0
    for _ in range(steps):
        t = -9.81 / length
        k1w = t * math.sin(theta) - 0.1 * omega
        dk1w = dtheta * math.cos(theta) * t - 0.1 * domega
        t1 = 0.5 * dt
        k2a = omega + t1 * k1w
        dk2a = domega + dk1w * t1
        t2 = theta + t1 * omega
        # return -9.81 / length * math.sin(a) - 0.1 * w
        t3 = (dtheta + domega * t1) * math.cos(t2) * t
        k2w = t * math.sin(t2) - 0.1 * k2a
        dk2w = t3 - 0.1 * dk2a
        k3a = omega + t1 * k2w
        dk3a = domega + dk2w * t1
        t2 = theta + t1 * k2a
        # return -9.81 / length * math.sin(a) - 0.1 * w
        t1 = (dtheta + dk2a * t1) * math.cos(t2) * t
        k3w = t * math.sin(t2) - 0.1 * k3a
        dk3w = t1 - 0.1 * dk3a
        k4a = omega + dt * k3w
        dk4a = domega + dk3w * dt
        t1 = theta + dt * k3a
        # return -9.81 / length * math.sin(a) - 0.1 * w
        t2 = (dtheta + dk3a * dt) * math.cos(t1) * t
        k4w = t * math.sin(t1) - 0.1 * k4a
        t = dt / 6.0
        theta += t * (omega + 2.0 * k2a + 2.0 * k3a + k4a)
        dtheta += (domega + 2.0 * dk2a + 2.0 * dk3a + dk4a) * t
        # omega += dt / 6.0 * (k1w + 2.0 * k2w + 2.0 * k3w + k4w)
        t1 = (dk1w + 2.0 * dk2w + 2.0 * dk3w + t2 - 0.1 * dk4a) * t
        omega += t * (k1w + 2.0 * k2w + 2.0 * k3w + k4w)
        domega += t1
    return 2.0 * dtheta * theta + 2.0 * domega * omega
