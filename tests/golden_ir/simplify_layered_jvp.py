# simplify: adjoint arithmetic by the rules of real numbers; the user's stays

def layered_jvp(x: f64[n], y: f64[n], dx: f64[n], dy: f64[n]) -> tuple[f64, f64]:
    _0: f64[n] = operator.mul(x, y)
    _1: f64[n] = adj.mul(dx, y)
    _2: f64[n] = adj.mul(dy, x)
    _3: f64[n] = adj.add(_1, _2)
    _4: f64[n] = numpy.tanh(_0)
    _5: f64[n] = adj.mul(_4, _4)
    _6: f64[n] = adj.sub(1.0, _5)
    _7: f64[n] = adj.mul(_3, _6)
    _8: f64[n] = operator.pow(_4, 2)
    _9: f64[n] = adj.mul(2.0, _4)
    _10: f64[n] = adj.mul(_7, _9)
    _11: f64 = numpy.sum(_8)
    _12: f64 = adj.sum(_10)
    return _11, _12


# becomes

def layered_jvp(x: f64[n], y: f64[n], dx: f64[n], dy: f64[n]) -> tuple[f64, f64]:
    _0: f64[n] = operator.mul(x, y)
    _1: f64[n] = adj.mul(dx, y)
    _2: f64[n] = adj.mul(dy, x)
    _3: f64[n] = adj.add(_1, _2)
    _4: f64[n] = numpy.tanh(_0)
    _5: f64[n] = adj.mul(_4, _4)
    _6: f64[n] = adj.sub(1.0, _5)
    _7: f64[n] = adj.mul(_3, _6)
    _8: f64[n] = operator.pow(_4, 2)
    _9: f64[n] = adj.mul(2.0, _4)
    _10: f64[n] = adj.mul(_7, _9)
    _11: f64 = numpy.sum(_8)
    _12: f64 = adj.matmul(_7, _9)
    return _11, _12
