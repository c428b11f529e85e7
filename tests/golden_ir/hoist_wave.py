# hoist: what every trip of the backward loop computes is computed before it

def wave_grad(x: f64[n], k: float, n: int(__n2)) -> tuple[f64[n], any_real]:
    def body(i: int) -> tuple[bool, f64]:
        _0: f64[n] = operator.mul(x, x)
        _1: f64 = numpy.sum(_0)
        return True, _1
    iterations, _2 = loop[int, seq[f64]](0, n, 1, body=body, carries=0, counted=True)
    _3: f64[n] = adj.zeros_of(x)
    def body(i_1: int, dx: f64[n], dk: any_real, _4: f64) -> tuple[bool, f64[n], f64]:
        dk_1: f64 = adj.add(dk, _4)
        _5: float = adj.mul(2.0, k)
        _6: f64[n] = adj.mul(_5, x)
        dx_1: f64[n] = adj.add(dx, _6)
        return True, dx_1, dk_1
    dx_2, dk_2, _7 = adj.loop[f64[n], any_real, int](0, n, 1, _3, 0.0, _2, body=body, carries=2, counted=True, reverse=True)
    return dx_2, dk_2


# becomes

def wave_grad(x: f64[n], k: float, n: int(__n2)) -> tuple[f64[n], any_real]:
    def body(i: int) -> tuple[bool, f64]:
        _0: f64[n] = operator.mul(x, x)
        _1: f64 = numpy.sum(_0)
        return True, _1
    iterations, _2 = loop[int, seq[f64]](0, n, 1, body=body, carries=0, counted=True)
    _3: f64[n] = adj.zeros_of(x)
    _4: float = adj.mul(2.0, k)
    _5: f64[n] = adj.mul(_4, x)
    def body(i_1: int, dx: f64[n], dk: any_real, _6: f64) -> tuple[bool, f64[n], f64]:
        dk_1: f64 = adj.add(dk, _6)
        dx_1: f64[n] = adj.add(dx, _5)
        return True, dx_1, dk_1
    dx_2, dk_2, _7 = adj.loop[f64[n], any_real, int](0, n, 1, _3, 0.0, _2, body=body, carries=2, counted=True, reverse=True)
    return dx_2, dk_2
