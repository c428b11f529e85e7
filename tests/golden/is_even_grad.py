import math


def is_even_forward(x, n):
    if n == 0:
        return x, None
    t = n - 1
    t1 = t == 0
    if t1:
        t2 = 2.0 * x
        t3 = None
        residuals = None
    else:
        t3, residuals = is_even_forward(x, t - 1)
        t2 = x * t3
    return math.sin(t2), (t2, t1, t3, residuals)


def is_even_backward(x, residuals, dvalue):
    if residuals is None:
        return dvalue
    t, t1, t2, residuals = residuals
    # return math.sin(is_odd(x, n - 1))
    t = dvalue * math.cos(t)
    if t1:
        # return 2.0 * x
        dx = 2.0 * t
        return dx
    # return x * is_even(x, n - 1)
    dx = t * t2 + is_even_backward(x, residuals, t * x)
    return dx


def is_even_grad(x, n):
    # x: float, n: int
    _, residuals = is_even_forward(x, n)
    dx = is_even_backward(x, residuals, 1.0)
    return dx
