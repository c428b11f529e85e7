import math


def tree_forward(x, depth):
    if depth == 0:
        return math.sin(x), None
    t, residuals = tree_forward(0.5 * x, depth - 1)
    t1, residuals1 = tree_forward(x + 0.1, depth - 1)
    return t * x + t1, (residuals1, t, residuals)


def tree_backward(x, residuals, dvalue):
    if residuals is None:
        # return math.sin(x)
        dx = dvalue * math.cos(x)
        return dx
    residuals, t, residuals1 = residuals
    # return tree(0.5 * x, depth - 1) * x + tree(x + 0.1, depth - 1)
    dx = tree_backward(x + 0.1, residuals, dvalue) + dvalue * t
    dx += 0.5 * tree_backward(0.5 * x, residuals1, dvalue * x)
    return dx


def tree_grad(x, depth):
    # x: float, depth: int
    _, residuals = tree_forward(x, depth)
    return tree_backward(x, residuals, 1.0)
