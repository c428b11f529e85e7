import math


def tree_forward(x, depth):
    if depth == 0:
        return math.sin(x), None
    t = 0.5 * x
    t1, residuals = tree_forward(t, depth - 1)
    t2 = x + 0.1
    t3, residuals1 = tree_forward(t2, depth - 1)
    residuals = t2, residuals1, t1, t, residuals
    return t1 * x + t3, residuals


def tree_backward(x, residuals, dvalue):
    if residuals is None:
        # return math.sin(x)
        dx = dvalue * math.cos(x)
        return dx
    t, residuals, t1, t2, residuals1 = residuals
    # return tree(0.5 * x, depth - 1) * x + tree(x + 0.1, depth - 1)
    t2 = 0.5 * tree_backward(t2, residuals1, dvalue * x)
    dx = tree_backward(t, residuals, dvalue) + dvalue * t1 + t2
    return dx


def tree_grad(x, depth):
    # x: float, depth: int
    _, residuals = tree_forward(x, depth)
    dx = tree_backward(x, residuals, 1.0)
    return dx
