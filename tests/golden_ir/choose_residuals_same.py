# choose residuals: a loop-invariant value is not kept but computed again, once

def mixed_grad(W: f64[n, n], x: f64[n], steps: int(__steps2)) -> tuple[f64[n, n], f64[n]]:
    def body(_: int, x_1: f64[n]) -> tuple[bool, f64[n], f64[n], f64[n], f64[n, n]]:
        _0: f64[n, n] = numpy.exp(W)
        _1: f64[n] = operator.matmul(_0, x_1)
        x_2: f64[n] = numpy.tanh(_1)
        return True, x_2, x_2, x_1, _0
    x_3, iterations, x_4, x_5, _2 = loop[f64[n], int, seq[f64[n]], seq[f64[n]], seq[f64[n, n]]](0, steps, 1, x, body=body, carries=1, counted=True, mirrors=(1,))
    dx: f64[n] = adj.expand_like(1.0, x_3)
    _3: f64[n, n] = adj.zeros_of(W)
    def body(__1: int, dx_1: f64[n], dW: f64[n, n], x_6: f64[n], x_7: f64[n], _4: f64[n, n]) -> tuple[bool, f64[n], f64[n, n]]:
        _5: f64[n] = adj.mul(x_6, x_6)
        _6: f64[n] = adj.sub(1.0, _5)
        _7: f64[n] = adj.mul(dx_1, _6)
        _8: f64[n, n] = adj.outer(_7, x_7)
        _9: f64[n, n] = adj.transpose(_4)
        dx_2: f64[n] = adj.matmul(_9, _7)
        _10: f64[n, n] = adj.mul(_8, _4)
        dW_1: f64[n, n] = adj.add(dW, _10)
        return True, dx_2, dW_1
    dx_3, dW_2, _11 = adj.loop[f64[n], f64[n, n], int](0, steps, 1, dx, _3, x_4, x_5, _2, body=body, carries=2, counted=True, mirrors=(1,), reverse=True)
    return dW_2, dx_3


# becomes

def mixed_grad(W: f64[n, n], x: f64[n], steps: int(__steps2)) -> tuple[f64[n, n], f64[n]]:
    def body(_: int, x_1: f64[n], _0: undef[f64[n, n]]) -> tuple[bool, f64[n], f64[n, n], f64[n], f64[n], f64[n, n]]:
        _1: f64[n, n] = numpy.exp(W)
        _2: f64[n] = operator.matmul(_1, x_1)
        x_2: f64[n] = numpy.tanh(_2)
        return True, x_2, _1, x_2, x_1, _1
    x_3, _3, iterations, x_4, x_5, _4 = loop[f64[n], undef[f64[n, n]], int, seq[f64[n]], seq[f64[n]], seq[f64[n, n]]](0, steps, 1, x, undef[f64[n, n]], body=body, carries=2, counted=True, mirrors=(1,))
    dx: f64[n] = adj.expand_like(1.0, x_3)
    _5: f64[n, n] = adj.zeros_of(W)
    def body(__1: int, dx_1: f64[n], dW: f64[n, n], x_2_1: f64[n], x_6: f64[n], x_7: f64[n], _6: f64[n, n], x_1_1: f64[n]) -> tuple[bool, f64[n], f64[n, n], f64[n]]:
        _7: f64[n, n] = adj.unwrap(_3)
        _8: f64[n] = adj.mul(x_2_1, x_2_1)
        _9: f64[n] = adj.sub(1.0, _8)
        _10: f64[n] = adj.mul(dx_1, _9)
        _11: f64[n, n] = adj.outer(_10, x_1_1)
        _12: f64[n, n] = adj.transpose(_7)
        dx_2: f64[n] = adj.matmul(_12, _10)
        _13: f64[n, n] = adj.mul(_11, _7)
        dW_1: f64[n, n] = adj.add(dW, _13)
        return True, dx_2, dW_1, x_1_1
    dx_3, dW_2, x_2_2, _14 = adj.loop[f64[n], f64[n, n], f64[n], int](0, steps, 1, dx, _5, x_3, x_4, x_5, _4, x_5, body=body, carries=3, counted=True, mirrors=(1,), reverse=True)
    return dW_2, dx_3
