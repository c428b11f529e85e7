# dce: what nothing reads goes; effects stay

def dead_grad(x: float, y: float) -> tuple[float, float]:
    def f(x_1: float, y_1: float) -> float:
        z: f64 = numpy.exp(y_1)
        _0: object = print_(x_1)
        w: float = operator.mul(x_1, y_1)
        _1: float = operator.mul(x_1, x_1)
        return _1
    _2, dx, dy = vjp[float, float, float](x, y, 1.0, body=f, seeded=(0,), wrt=(0, 1))
    return dx, dy


# becomes

def dead_grad(x: float, y: float) -> tuple[float, float]:
    def f(x_1: float, y_1: float) -> float:
        _0: object = print_(x_1)
        _1: float = operator.mul(x_1, x_1)
        return _1
    _2, dx, dy = vjp[float, float, float](x, y, 1.0, body=f, seeded=(0,), wrt=(0, 1))
    return dx, dy
