# dce: the value goes where only the gradient is returned

def layered_grad(x: f64[n], y: f64[n]) -> tuple[f64[n], f64[n]]:
    _0: f64[n] = operator.mul(x, y)
    _1: f64[n] = numpy.tanh(_0)
    _2: f64[n] = operator.pow(_1, 2)
    _3: f64 = numpy.sum(_2)
    _4: f64[n] = adj.mul(2.0, _1)
    _5: f64[n] = adj.mul(_1, _1)
    _6: f64[n] = adj.sub(1.0, _5)
    _7: f64[n] = adj.mul(_4, _6)
    _8: f64[n] = adj.mul(_7, y)
    dy: f64[n] = adj.mul(_7, x)
    return _8, dy


# becomes

def layered_grad(x: f64[n], y: f64[n]) -> tuple[f64[n], f64[n]]:
    _0: f64[n] = operator.mul(x, y)
    _1: f64[n] = numpy.tanh(_0)
    _2: f64[n] = adj.mul(2.0, _1)
    _3: f64[n] = adj.mul(_1, _1)
    _4: f64[n] = adj.sub(1.0, _3)
    _5: f64[n] = adj.mul(_2, _4)
    _6: f64[n] = adj.mul(_5, y)
    dy: f64[n] = adj.mul(_5, x)
    return _6, dy
