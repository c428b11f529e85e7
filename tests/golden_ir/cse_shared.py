# cse: equal equations of the user's become one

def shared_grad(x: float, y: float) -> tuple[float, float]:
    def f(x_1: float, y_1: float) -> float:
        _0: float = operator.mul(x_1, y_1)
        a: float = math.sin(_0)
        _1: float = operator.mul(x_1, y_1)
        _2: float = math.cos(_1)
        _3: float = operator.mul(a, _2)
        _4: float = operator.add(_3, a)
        return _4
    _5, dx, dy = vjp[float, float, float](x, y, 1.0, body=f, seeded=(0,), wrt=(0, 1))
    return dx, dy


# becomes

def shared_grad(x: float, y: float) -> tuple[float, float]:
    def f(x_1: float, y_1: float) -> float:
        _0: float = operator.mul(x_1, y_1)
        a: float = math.sin(_0)
        _1: float = math.cos(_0)
        _2: float = operator.mul(a, _1)
        _3: float = operator.add(_2, a)
        return _3
    _4, dx, dy = vjp[float, float, float](x, y, 1.0, body=f, seeded=(0,), wrt=(0, 1))
    return dx, dy
