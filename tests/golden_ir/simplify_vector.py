# simplify: two sums of one element become twice the product

def vector_grad(x: f64[n]) -> f64[n]:
    _0: int(n) = builtins.len(x)
    def body(i: int, s: any_real) -> tuple[bool, f64, f64]:
        _1: f64 = index(x, at[i])
        _2: f64 = operator.mul(_1, _1)
        s_1: f64 = operator.add(s, _2)
        return True, s_1, _1
    s_2, iterations, _3 = loop[any_real, int, seq[f64]](0, _0, 1, 0.0, body=body, carries=1, counted=True)
    _4: f64[n] = adj.zeros_of(x)
    def body(i_1: int, dx: f64[n], _5: f64) -> tuple[bool, f64[n]]:
        _6: f64 = adj.mul(1.0, _5)
        _7: f64 = adj.mul(1.0, _5)
        _8: f64 = adj.add(_6, _7)
        dx_1: f64[n] = adj.add_at(dx, _8, at[i_1])
        return True, dx_1
    dx_2, _9 = adj.loop[f64[n], int](0, _0, 1, _4, _3, body=body, carries=1, counted=True, reverse=True)
    return dx_2


# becomes

def vector_grad(x: f64[n]) -> f64[n]:
    _0: int(n) = builtins.len(x)
    def body(i: int, s: any_real) -> tuple[bool, f64, f64]:
        _1: f64 = index(x, at[i])
        _2: f64 = operator.mul(_1, _1)
        s_1: f64 = operator.add(s, _2)
        return True, s_1, _1
    s_2, iterations, _3 = loop[any_real, int, seq[f64]](0, _0, 1, 0.0, body=body, carries=1, counted=True)
    _4: f64[n] = adj.zeros_of(x)
    def body(i_1: int, dx: f64[n], _5: f64) -> tuple[bool, f64[n]]:
        _6: f64 = adj.mul(2.0, _5)
        dx_1: f64[n] = adj.add_at(dx, _6, at[i_1])
        return True, dx_1
    dx_2, _7 = adj.loop[f64[n], int](0, _0, 1, _4, _3, body=body, carries=1, counted=True, reverse=True)
    return dx_2
