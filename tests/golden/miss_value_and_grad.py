import numpy as np


def miss_value_and_grad(throw, target):
    # throw: f64[n], target: float
    vx = throw[0]
    vy = throw[1]
    x = 0.0
    y = 1.5
    tape = []
    tape1 = []
    for _ in range(1000):
        tape.append((vx, vy))
        t = (vx * vx + vy * vy) ** 0.5
        drag = 0.02 * t
        vx -= 0.02 * drag * vx
        vy -= 0.02 * (9.81 + drag * vy)
        y1 = y + 0.02 * vy
        t1 = y1 < 0.0
        tape1.append((y, t, t1))
        if t1:
            x -= vx * y / vy
            break
        x += 0.02 * vx
        y = y1
    t = x - target
    dx = 2.0 * t
    dvx = 0.0
    dvy = 0.0
    dy = 0.0
    while tape1:
        y, t2, t1 = tape1.pop()
        vx1, vy1 = tape.pop()
        if t1:
            # x -= vx * y / vy
            t3 = dx / vy
            dvy += vx * y / vy * t3
            dvx -= t3 * y
            dy -= t3 * vx
        else:
            # x += dt * vx
            dvx += 0.04 * t
            dvy += 0.02 * dy
        # vx -= dt * drag * vx
        ddrag = -0.02 * dvy * vy1 - 0.02 * dvx * vx1
        # drag = 0.02 * (vx * vx + vy * vy) ** 0.5
        t3 = 0.02 * ddrag * (0.5 / t2)
        dvy = dvy * (1.0 - 0.0004 * t2) + 2.0 * t3 * vy1
        dvx = dvx * (1.0 - 0.0004 * t2) + 2.0 * t3 * vx1
        vy = vy1
        vx = vx1
    dthrow = np.zeros_like(throw)
    dthrow[1] = dvy
    dthrow[0] = dvx
    return t ** 2, dthrow
