def closures_jvp(x, y, dx, dy):
    # x: float, y: float, dx: float, dy: float
    t = x * y
    dt = dx * y + dy * x
    first = x * t
    t1 = y * x
    t2 = x * x
    t3 = dx * (t + 4.0 * x * t2) + (dt * (x + y) + dy * t1)
    return first + y * t1 + t2 * t2, t3
