def cube_value_and_grad(x):
    # x: float
    x_sq = x * x
    dx = 3.0 * x_sq
    return x_sq * x, dx
