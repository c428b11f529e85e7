# choose residuals: one carry of a while loop is kept, the rest is computed again

def newton_grad(x: float) -> float:
    def test(x_1: float) -> bool:
        _0: float = operator.mul(x_1, x_1)
        _1: bool = operator.gt(_0, 2.0)
        return _1
    def body(x_2: float) -> tuple[bool, float, float, float, float]:
        _2: float = operator.mul(x_2, x_2)
        _3: float = operator.sub(_2, 2.0)
        _4: float = operator.mul(2.0, x_2)
        _5: float = operator.truediv(_3, _4)
        x_3: float = operator.sub(x_2, _5)
        return True, x_3, _4, _5, x_2
    x_4, iterations, _6, _7, x_5 = loop[float, int, seq[float], seq[float], seq[float]](x, test=test, body=body, carries=1, mirrors=(1,), tested=True)
    def body(_8: int, dx: float, _9: float, _10: float, x_6: float) -> tuple[bool, float]:
        _11: float = adj.div(dx, _9)
        _12: float = adj.mul(2.0, _10)
        _13: float = adj.mul(2.0, x_6)
        _14: float = adj.sub(_12, _13)
        _15: float = adj.mul(_11, _14)
        dx_1: float = adj.add(_15, dx)
        return True, dx_1
    dx_2, _16 = adj.loop[float, int](0, iterations, 1, 1.0, _6, _7, x_5, body=body, carries=1, counted=True, mirrors=(1,), reverse=True)
    return dx_2


# becomes

def newton_grad(x: float) -> float:
    def test(x_1: float) -> bool:
        _0: float = operator.mul(x_1, x_1)
        _1: bool = operator.gt(_0, 2.0)
        return _1
    def body(x_2: float) -> tuple[bool, float, float, float, float]:
        _2: float = operator.mul(x_2, x_2)
        _3: float = operator.sub(_2, 2.0)
        _4: float = operator.mul(2.0, x_2)
        _5: float = operator.truediv(_3, _4)
        x_3: float = operator.sub(x_2, _5)
        return True, x_3, _4, _5, x_2
    x_4, iterations, _6, _7, x_5 = loop[float, int, seq[float], seq[float], seq[float]](x, test=test, body=body, carries=1, mirrors=(1,), tested=True)
    def body(_8: int, dx: float, _9: float, _10: float, x_6: float, _11: float, _12: float) -> tuple[bool, float]:
        _13: float = adj.div(dx, _11)
        _14: float = adj.mul(2.0, _12)
        _15: float = adj.sub(_14, _11)
        _16: float = adj.mul(_13, _15)
        dx_1: float = adj.add(_16, dx)
        return True, dx_1
    dx_2, _17 = adj.loop[float, int](0, iterations, 1, 1.0, _6, _7, x_5, _6, _7, body=body, carries=1, counted=True, mirrors=(1,), reverse=True)
    return dx_2
