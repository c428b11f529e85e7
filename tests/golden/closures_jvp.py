def closures_jvp(x, y, dx, dy):
    # x: float, y: float, dx: float, dy: float
    t = x * y
    first = x * t
    t1 = y * x
    t2 = x * x
    t3 = (dx * y + dy * x) * (x + y) + dy * t1
    t = dx * (t + 4.0 * x * t2) + t3
    return first + y * t1 + t2 * t2, t
