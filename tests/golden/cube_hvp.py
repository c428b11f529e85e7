def cube_grad_jvp(x, dx):
    # x: float, dx: float
    # return x * x * x
    dx_new = 3.0 * (x * x)
    ddx = 6.0 * dx * x
    return dx_new, ddx
