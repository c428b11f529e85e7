def logistic_map_grad_jvp(x, n, dx, dn):
    # x: float, n: int, dx: float
    v = x
    dv = dx
    tape = []
    for _ in range(n):
        tape.append((v, dv))
        scaled_v = 4.0 * v
        one_minus_v = 1.0 - v
        v = scaled_v * one_minus_v
        dv *= 4.0 * one_minus_v - scaled_v
    dv_now = 1.0
    ddv = 0.0
    for _ in reversed(range(n)):
        v, dv_prev = tape.pop()
        # v = 4.0 * v * (1.0 - v)
        dv_factor = 4.0 - 8.0 * v
        ddv = ddv * dv_factor - 8.0 * (dv_prev * dv_now)
        dv_now *= dv_factor
    return dv_now, ddv
