# choose residuals: an element that is never overwritten is read again, not kept

def vector_grad(x: f64[n]) -> f64[n]:
    _0: int(n) = builtins.len(x)
    def body(i: int) -> tuple[bool, f64]:
        _1: f64 = index(x, at[i])
        return True, _1
    iterations, _2 = loop[int, seq[f64]](0, _0, 1, body=body, carries=0, counted=True, mirrors=(1,))
    _3: f64[n] = adj.zeros_of(x)
    def body(i_1: int, dx: f64[n], _4: f64) -> tuple[bool, f64[n]]:
        _5: f64 = adj.mul(2.0, _4)
        dx_1: f64[n] = adj.add_at(dx, _5, at[i_1])
        return True, dx_1
    dx_2, _6 = adj.loop[f64[n], int](0, _0, 1, _3, _2, body=body, carries=1, counted=True, mirrors=(1,), reverse=True)
    return dx_2


# becomes

def vector_grad(x: f64[n]) -> f64[n]:
    _0: int(n) = builtins.len(x)
    def body(i: int) -> tuple[bool, f64]:
        _1: f64 = index(x, at[i])
        return True, _1
    iterations, _2 = loop[int, seq[f64]](0, _0, 1, body=body, carries=0, counted=True, mirrors=(1,))
    _3: f64[n] = adj.zeros_of(x)
    def body(i_1: int, dx: f64[n], _4: f64) -> tuple[bool, f64[n]]:
        _5: f64 = adj.index(x, at[i_1])
        _6: f64 = adj.mul(2.0, _5)
        dx_1: f64[n] = adj.add_at(dx, _6, at[i_1])
        return True, dx_1
    dx_2, _7 = adj.loop[f64[n], int](0, _0, 1, _3, _2, body=body, carries=1, counted=True, mirrors=(1,), reverse=True)
    return dx_2
