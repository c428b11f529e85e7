import numpy as np


def miss_value_and_grad(throw, target):
    # throw: f64[n], target: float
    vx = throw[0]
    vy = throw[1]
    x = 0.0
    y = 1.5
    tape = []
    y_tape = []
    for _ in range(1000):
        tape.append((vx, vy))
        drag_factor = (vx * vx + vy * vy) ** 0.5
        drag = 0.02 * drag_factor
        vx -= 0.02 * drag * vx
        vy -= 0.02 * (9.81 + drag * vy)
        y1 = y + 0.02 * vy
        y_negative = y1 < 0.0
        y_tape.append((y, drag_factor, y_negative))
        if y_negative:
            x -= vx * y / vy
            break
        x += 0.02 * vx
        y = y1
    x_minus_target = x - target
    dx = 2.0 * x_minus_target
    dvx = 0.0
    dvy = 0.0
    dy = 0.0
    while y_tape:
        y, drag_factor, y_negative = y_tape.pop()
        vx_prev, vy_prev = tape.pop()
        if y_negative:
            # x -= vx * y / vy
            dx_over_vy = dx / vy
            dvy += vx * y / vy * dx_over_vy
            dvx -= dx_over_vy * y
            dy -= dx_over_vy * vx
        else:
            # x += dt * vx
            dvx += 0.04 * x_minus_target
            dvy += 0.02 * dy
        # vx -= dt * drag * vx
        ddrag = -0.02 * dvy * vy_prev - 0.02 * dvx * vx_prev
        # drag = 0.02 * (vx * vx + vy * vy) ** 0.5
        dvy_factor = ddrag * (0.01 / drag_factor)
        dvy = dvy * (1.0 - 0.0004 * drag_factor) + 2.0 * dvy_factor * vy_prev
        dvx = dvx * (1.0 - 0.0004 * drag_factor) + 2.0 * dvy_factor * vx_prev
        vy = vy_prev
        vx = vx_prev
    dthrow = np.zeros_like(throw)
    dthrow[1] = dvy
    dthrow[0] = dvx
    return x_minus_target**2, dthrow
