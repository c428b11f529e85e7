# expand: a jvp equation becomes the function and its tangents

def product_jvp(x: float, y: float, dx: float, dy: float) -> tuple[float, float]:
    def f(x_1: float, y_1: float) -> float:
        _0: float = operator.mul(x_1, y_1)
        return _0
    _1, _2 = jvp[float, float](x, y, dx, dy, body=f, wrt=(0, 1))
    return _1, _2


# becomes

def product_jvp(x: float, y: float, dx: float, dy: float) -> tuple[float, float]:
    _0: float = operator.mul(x, y)
    _1: float = adj.mul(dx, y)
    _2: float = adj.mul(dy, x)
    _3: float = adj.add(_1, _2)
    return _0, _3
