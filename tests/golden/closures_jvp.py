def closures_jvp(x, y, dx, dy):
    # x: float, y: float, dx: float, dy: float
    x_times_y = x * y
    first = x * x_times_y
    y_times_x = y * x
    x_sq = x * x
    t = (dx * y + dy * x) * (x + y) + dy * y_times_x
    t += dx * (x_times_y + 4.0 * x * x_sq)
    return first + y * y_times_x + x_sq * x_sq, t
