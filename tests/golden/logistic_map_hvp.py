def logistic_map_grad_jvp(x, n, dx, dn):
    # x: float, n: int, dx: float
    v = x
    dv = dx
    tape = []
    for _ in range(n):
        tape.append((v, dv))
        t = 4.0 * v
        t1 = 1.0 - v
        v = t * t1
        dv *= 4.0 * t1 - t
    dv1 = 1.0
    ddv = 0.0
    for _ in reversed(range(n)):
        v, dv2 = tape.pop()
        # v = 4.0 * v * (1.0 - v)
        t = 4.0 - 8.0 * v
        ddv = ddv * t - 8.0 * (dv2 * dv1)
        dv1 *= t
    return dv1, ddv
