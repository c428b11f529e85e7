def logistic_map_jvp(x, n, dx, dn):
    # x: float, n: int, dx: float
    v = x
    dv = dx
    for _ in range(n):
        scaled_v = 4.0 * v
        one_minus_v = 1.0 - v
        v = scaled_v * one_minus_v
        dv *= 4.0 * one_minus_v - scaled_v
    return v, dv
