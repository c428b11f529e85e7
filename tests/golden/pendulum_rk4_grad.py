import math


def pendulum_grad(theta, omega, length, steps, dt):
    # theta: float, omega: float, length: float, steps: int, dt: float
    tape = []
    for _ in range(steps):
        over_length = -9.81 / length
        sin_theta = math.sin(theta)
        k1w = over_length * sin_theta - 0.1 * omega
        half_dt = 0.5 * dt
        k2a = omega + half_dt * k1w
        a = theta + half_dt * omega
        sin_a = math.sin(a)
        k2w = over_length * sin_a - 0.1 * k2a
        k3a = omega + half_dt * k2w
        a1 = theta + half_dt * k2a
        sin_a1 = math.sin(a1)
        k3w = over_length * sin_a1 - 0.1 * k3a
        k4a = omega + dt * k3w
        a2 = theta + dt * k3a
        sin_a2 = math.sin(a2)
        tape.append((theta, sin_theta, a, sin_a, a1, sin_a1, a2, sin_a2))
        k4w = over_length * sin_a2 - 0.1 * k4a
        scaled_dt = dt / 6.0
        theta += scaled_dt * (omega + 2.0 * k2a + 2.0 * k3a + k4a)
        omega += scaled_dt * (k1w + 2.0 * k2w + 2.0 * k3w + k4w)
    # return theta ** 2 + omega ** 2
    domega = 2.0 * omega
    dtheta = 2.0 * theta
    # k2a = omega + 0.5 * dt * k1w
    half_dt = 0.5 * dt
    dlength = 0.0
    for _ in reversed(range(steps)):
        theta, sin_theta, a, sin_a, a1, sin_a1, a2, sin_a2 = tape.pop()
        # theta += dt / 6.0 * (k1a + 2.0 * k2a + 2.0 * k3a + k4a)
        scaled_dt = dt / 6.0
        # return -9.81 / length * math.sin(a) - 0.1 * w
        over_length = -9.81 / length
        # omega += dt / 6.0 * (k1w + 2.0 * k2w + 2.0 * k3w + k4w)
        dk4w = domega * scaled_dt
        dk3w = 2.0 * dk4w
        # theta += dt / 6.0 * (k1a + 2.0 * k2a + 2.0 * k3a + k4a)
        dk4a = dtheta * scaled_dt
        dk3a = 2.0 * dk4a
        # return -9.81 / length * math.sin(a) - 0.1 * w
        dk4a_new = dk4a - 0.1 * dk4w
        da = dk4w * over_length * math.cos(a2)
        # k4a = omega + dt * k3w
        dk3w_new = dk3w + dk4a_new * dt
        # return -9.81 / length * math.sin(a) - 0.1 * w
        dk3a_new = dk3a + da * dt - 0.1 * dk3w_new
        da_new = dk3w_new * over_length * math.cos(a1)
        # k3a = omega + 0.5 * dt * k2w
        dk2w = dk3w + dk3a_new * half_dt
        # return -9.81 / length * math.sin(a) - 0.1 * w
        dk2a = dk3a + da_new * half_dt - 0.1 * dk2w
        da1 = dk2w * over_length * math.cos(a)
        # k2w = acceleration(theta + 0.5 * dt * k1a, omega + 0.5 * dt * k1w)
        dtheta += da + da_new + da1
        # k2a = omega + 0.5 * dt * k1w
        domega += dk4a + dk4a_new + dk3a_new + da1 * half_dt + dk2a
        dk1w = dk4w + dk2a * half_dt
        # return -9.81 / length * math.sin(a) - 0.1 * w
        domega -= 0.1 * dk1w
        dtheta += dk1w * over_length * math.cos(theta)
        dlength_factor = (
            dk4w * sin_a2 + dk3w_new * sin_a1 + dk2w * sin_a + dk1w * sin_theta
        ) / length
        dlength -= over_length * dlength_factor
    return dtheta, domega, dlength
