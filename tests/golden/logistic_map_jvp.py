def logistic_map_jvp(x, n, dx, dn):
    # x: float, n: int, dx: float
    v = x
    dv = dx
    for _ in range(n):
        t = 4.0 * v
        t1 = 1.0 - v
        v = t * t1
        dv *= 4.0 * t1 - t
    return v, dv
