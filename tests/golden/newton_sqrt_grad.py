def newton_sqrt_grad(a):
    # a: float
    x = a if a > 1.0 else 1.0
    tape = []
    while abs(x * x - a) > 1e-10:
        tape.append(x)
        x = 0.5 * (x + a / x)
    dx = 1.0
    da = 0.0
    while tape:
        x = tape.pop()
        # x = 0.5 * (x + a / x)
        dx *= 0.5
        dx_over_x = dx / x
        da += dx_over_x
        dx -= a / x * dx_over_x
    if a > 1.0:
        # x = a if a > 1.0 else 1.0
        da += dx
    return da
