import math


def pendulum_grad(angle, speed, k, steps):
    # angle: float, speed: float, k: float, steps: int
    tape = []
    for _ in range(steps):
        t = -k
        t1 = math.sin(angle)
        a1 = t * t1 - 0.1 * speed
        s2 = speed + 0.01 * a1
        t2 = angle + 0.01 * speed
        t3 = math.sin(t2)
        a2 = t * t3 - 0.1 * s2
        s3 = speed + 0.01 * a2
        t4 = angle + 0.01 * s2
        t5 = math.sin(t4)
        a3 = t * t5 - 0.1 * s3
        s4 = speed + 0.02 * a3
        t6 = angle + 0.02 * s3
        t7 = math.sin(t6)
        tape.append((angle, t1, t2, t3, t4, t5, t6, t7))
        a4 = t * t7 - 0.1 * s4
        angle += 0.0033333333333333335 * (speed + 2.0 * s2 + 2.0 * s3 + s4)
        speed += 0.0033333333333333335 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
    dangle = 0.0
    dspeed = 0.0
    dk = 0.0
    for _ in reversed(range(steps)):
        angle1, t1, t2, t3, t4, t5, t6, t7 = tape.pop()
        # total += angle * angle
        dangle += 2.0 * angle
        # speed = speed + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        da4 = 0.0033333333333333335 * dspeed
        da3 = 0.006666666666666667 * dspeed
        # angle = angle + h / 6.0 * (speed + 2.0 * s2 + 2.0 * s3 + s4)
        ds4 = 0.0033333333333333335 * dangle
        ds3 = 0.006666666666666667 * dangle
        # a4 = -k * math.sin(angle + h * s3) - 0.1 * s4
        ds4_1 = ds4 - 0.0003333333333333334 * dspeed
        t = da4 * k * math.cos(t6)
        # s4 = speed + h * a3
        da3_1 = da3 + 0.02 * ds4_1
        # a3 = -k * math.sin(angle + 0.5 * h * s2) - 0.1 * s3
        ds3_1 = ds3 - 0.02 * t - 0.1 * da3_1
        t4 = da3_1 * k * math.cos(t4)
        # s3 = speed + 0.5 * h * a2
        dspeed += ds4 + ds4_1 + ds3_1
        da2 = da3 + 0.01 * ds3_1
        # a2 = -k * math.sin(angle + 0.5 * h * speed) - 0.1 * s2
        ds2 = ds3 - 0.01 * t4 - 0.1 * da2
        t2 = da2 * k * math.cos(t2)
        dangle -= t + t4 + t2
        # s2 = speed + 0.5 * h * a1
        da1 = da4 + 0.01 * ds2
        # a1 = -k * math.sin(angle) - 0.1 * speed
        dspeed += ds2 - 0.01 * t2 - 0.1 * da1
        dangle -= da1 * k * math.cos(angle1)
        dk -= da4 * t7 + da3_1 * t5 + da2 * t3 + da1 * t1
        angle = angle1
    return dangle, dspeed, dk
