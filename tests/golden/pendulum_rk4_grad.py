import math


def pendulum_grad(theta, omega, length, steps, dt):
    # theta: float, omega: float, length: float, steps: int, dt: float
    tape = []
    for _ in range(steps):
        t = -9.81 / length
        t1 = math.sin(theta)
        k1w = t * t1 - 0.1 * omega
        t2 = 0.5 * dt
        k2a = omega + t2 * k1w
        t3 = theta + t2 * omega
        t4 = math.sin(t3)
        k2w = t * t4 - 0.1 * k2a
        k3a = omega + t2 * k2w
        t2 = theta + t2 * k2a
        t5 = math.sin(t2)
        k3w = t * t5 - 0.1 * k3a
        k4a = omega + dt * k3w
        t6 = theta + dt * k3a
        t7 = math.sin(t6)
        tape.append((theta, t1, t3, t4, t2, t5, t6, t7))
        k4w = t * t7 - 0.1 * k4a
        t = dt / 6.0
        theta += t * (omega + 2.0 * k2a + 2.0 * k3a + k4a)
        omega += t * (k1w + 2.0 * k2w + 2.0 * k3w + k4w)
    # return theta ** 2 + omega ** 2
    domega = 2.0 * omega
    dtheta = 2.0 * theta
    # k2a = omega + 0.5 * dt * k1w
    t = 0.5 * dt
    dlength = 0.0
    for _ in reversed(range(steps)):
        theta, t1, t3, t4, t2, t5, t6, t7 = tape.pop()
        # theta += dt / 6.0 * (k1a + 2.0 * k2a + 2.0 * k3a + k4a)
        t8 = dt / 6.0
        # return -9.81 / length * math.sin(a) - 0.1 * w
        t9 = -9.81 / length
        # omega += dt / 6.0 * (k1w + 2.0 * k2w + 2.0 * k3w + k4w)
        dk4w = domega * t8
        dk3w = 2.0 * dk4w
        # theta += dt / 6.0 * (k1a + 2.0 * k2a + 2.0 * k3a + k4a)
        dk4a = dtheta * t8
        dk3a = 2.0 * dk4a
        # return -9.81 / length * math.sin(a) - 0.1 * w
        dk4a1 = dk4a - 0.1 * dk4w
        t8 = dk4w * t9 * math.cos(t6)
        # k4a = omega + dt * k3w
        dk3w1 = dk3w + dk4a1 * dt
        # return -9.81 / length * math.sin(a) - 0.1 * w
        dk3a1 = dk3a + t8 * dt - 0.1 * dk3w1
        t2 = dk3w1 * t9 * math.cos(t2)
        # k3a = omega + 0.5 * dt * k2w
        dk2w = dk3w + dk3a1 * t
        # return -9.81 / length * math.sin(a) - 0.1 * w
        dk2a = dk3a + t2 * t - 0.1 * dk2w
        t3 = dk2w * t9 * math.cos(t3)
        # k2w = acceleration(theta + 0.5 * dt * k1a, omega + 0.5 * dt * k1w)
        dtheta += t8 + t2 + t3
        # k2a = omega + 0.5 * dt * k1w
        domega += dk4a + dk4a1 + dk3a1 + t3 * t + dk2a
        dk1w = dk4w + dk2a * t
        # return -9.81 / length * math.sin(a) - 0.1 * w
        domega -= 0.1 * dk1w
        dtheta += dk1w * t9 * math.cos(theta)
        t1 = (dk4w * t7 + dk3w1 * t5 + dk2w * t4 + dk1w * t1) / length
        dlength -= t9 * t1
    return dtheta, domega, dlength
