# expand: a vjp equation becomes the function and its reverse

def product_grad(x: float, y: float) -> tuple[float, float]:
    def f(x_1: float, y_1: float) -> float:
        _0: float = operator.mul(x_1, y_1)
        return _0
    _1, dx, dy = vjp[float, float, float](x, y, 1.0, body=f, seeded=(0,), wrt=(0, 1))
    return dx, dy


# becomes

def product_grad(x: float, y: float) -> tuple[float, float]:
    _0: float = operator.mul(x, y)
    return y, x
