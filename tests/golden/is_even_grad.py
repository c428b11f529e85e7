import math


def is_even_forward(x, n):
    if n == 0:
        return x, None
    n -= 1
    n_is_zero = n == 0
    if n_is_zero:
        residuals_part = 2.0 * x
        residuals_part1 = None
        residuals = None
    else:
        residuals_part1, residuals = is_even_forward(x, n - 1)
        residuals_part = x * residuals_part1
    return (
        math.sin(residuals_part),
        (residuals_part, n_is_zero, residuals_part1, residuals),
    )


def is_even_backward(x, residuals, dvalue):
    if residuals is None:
        return dvalue
    residuals_part, n_is_zero, residuals_part1, residuals = residuals
    # return math.sin(is_odd(x, n - 1))
    dx_factor = dvalue * math.cos(residuals_part)
    if n_is_zero:
        # return 2.0 * x
        dx = 2.0 * dx_factor
        return dx
    # return x * is_even(x, n - 1)
    dx = dx_factor * residuals_part1 + is_even_backward(x, residuals, dx_factor * x)
    return dx


def is_even_grad(x, n):
    # x: float, n: int
    _, residuals = is_even_forward(x, n)
    return is_even_backward(x, residuals, 1.0)
