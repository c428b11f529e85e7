import math


def pendulum_grad(angle, speed, k, steps):
    # angle: float, speed: float, k: float, steps: int
    tape = []
    for _ in range(steps):
        neg_k = -k
        sin_angle = math.sin(angle)
        a1 = neg_k * sin_angle - 0.1 * speed
        s2 = speed + 0.01 * a1
        a2_arg = angle + 0.01 * speed
        a2_sin = math.sin(a2_arg)
        a2 = neg_k * a2_sin - 0.1 * s2
        s3 = speed + 0.01 * a2
        a3_arg = angle + 0.01 * s2
        a3_sin = math.sin(a3_arg)
        a3 = neg_k * a3_sin - 0.1 * s3
        s4 = speed + 0.02 * a3
        a4_arg = angle + 0.02 * s3
        a4_sin = math.sin(a4_arg)
        tape.append((angle, sin_angle, a2_arg, a2_sin, a3_arg, a3_sin, a4_arg, a4_sin))
        a4 = neg_k * a4_sin - 0.1 * s4
        angle += 0.0033333333333333335 * (speed + 2.0 * s2 + 2.0 * s3 + s4)
        speed += 0.0033333333333333335 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
    dangle = 0.0
    dspeed = 0.0
    dk = 0.0
    for _ in reversed(range(steps)):
        (
            angle_prev,
            sin_angle,
            a2_arg,
            a2_sin,
            a3_arg,
            a3_sin,
            a4_arg,
            a4_sin,
        ) = tape.pop()
        # total += angle * angle
        dangle += 2.0 * angle
        # speed = speed + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        da4 = 0.0033333333333333335 * dspeed
        da3 = 0.006666666666666667 * dspeed
        # angle = angle + h / 6.0 * (speed + 2.0 * s2 + 2.0 * s3 + s4)
        ds4 = 0.0033333333333333335 * dangle
        ds3 = 0.006666666666666667 * dangle
        # a4 = -k * math.sin(angle + h * s3) - 0.1 * s4
        ds4_new = ds4 - 0.0003333333333333334 * dspeed
        dangle_part = da4 * k * math.cos(a4_arg)
        # s4 = speed + h * a3
        da3_new = da3 + 0.02 * ds4_new
        # a3 = -k * math.sin(angle + 0.5 * h * s2) - 0.1 * s3
        ds3_new = ds3 - 0.02 * dangle_part - 0.1 * da3_new
        dangle_part1 = da3_new * k * math.cos(a3_arg)
        # s3 = speed + 0.5 * h * a2
        dspeed += ds4 + ds4_new + ds3_new
        da2 = da3 + 0.01 * ds3_new
        # a2 = -k * math.sin(angle + 0.5 * h * speed) - 0.1 * s2
        ds2 = ds3 - 0.01 * dangle_part1 - 0.1 * da2
        dangle_part2 = da2 * k * math.cos(a2_arg)
        dangle -= dangle_part + dangle_part1 + dangle_part2
        # s2 = speed + 0.5 * h * a1
        da1 = da4 + 0.01 * ds2
        # a1 = -k * math.sin(angle) - 0.1 * speed
        dspeed += ds2 - 0.01 * dangle_part2 - 0.1 * da1
        dangle -= da1 * k * math.cos(angle_prev)
        dk -= da4 * a4_sin + da3_new * a3_sin + da2 * a2_sin + da1 * sin_angle
        angle = angle_prev
    return dangle, dspeed, dk
