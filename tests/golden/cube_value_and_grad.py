def cube_value_and_grad(x):
    # x: float
    t = x * x
    dx = 3.0 * t
    return t * x, dx
