import math


def thrown_grad(state, params, steps):
    # state: (float, float), params: (float, float), steps: int
    v = state[1]
    drag = params[0]
    dt = params[1]
    tape = []
    for _ in range(steps):
        tape.append(v)
        w = abs(v)
        neg_drag = -drag
        k1_1 = neg_drag * v * w
        k2_0 = v + 0.5 * dt * k1_1
        k2_1 = neg_drag * k2_0 * w
        v += dt * k2_1
    # k2 = (v + 0.5 * dt * k1[1], acceleration(v + 0.5 * dt * k1[1], abs(v)))
    half_dt = 0.5 * dt
    dv = 0.0
    ddrag = 0.0
    ddt = 0.0
    for _ in reversed(range(steps)):
        v = tape.pop()
        w = abs(v)
        # return -drag * v * w
        drag_times_v = drag * v
        k2_0 = v - half_dt * drag_times_v * w
        # x, v = x + dt * k2[0], v + dt * k2[1]
        dv_times_dt = dv * dt
        ddt += k2_0 * (1.0 - dv * drag * w)
        # return -drag * v * w
        dk2_0_factor = dv_times_dt * w
        dk2_0 = dt - dk2_0_factor * drag
        # k2 = (v + 0.5 * dt * k1[1], acceleration(v + 0.5 * dt * k1[1], abs(v)))
        dk1_1 = dk2_0 * half_dt
        ddt -= 0.5 * (drag_times_v * dk2_0) * w
        # return -drag * v * w
        dk1_1_times_w = dk1_1 * w
        dv_factor = dv_times_dt * drag * k2_0 + dk1_1 * drag_times_v
        ddrag -= dk2_0_factor * k2_0 + dk1_1_times_w * v
        # k1 = (v, acceleration(v, abs(v)))
        dv_term = dv_factor * (math.copysign(1.0, v) if v else 0.0)
        dv += dk2_0 - dk1_1_times_w * drag - dv_term
    return (1.0, dv), (ddrag, ddt)
