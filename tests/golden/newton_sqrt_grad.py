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
        t = dx / x
        da += t
        dx -= a / x * t
    if a > 1.0:
        # x = a if a > 1.0 else 1.0
        da += dx
    return da
