# scatter to store: an element to which one iteration contributes is assigned

def vector_grad(x: f64[n]) -> f64[n]:
    _0: int(n) = builtins.len(x)
    _1: f64[n] = adj.zeros_of(x)
    def body(i: int, dx: f64[n]) -> tuple[bool, f64[n]]:
        _2: f64 = adj.index(x, at[i])
        _3: f64 = adj.mul(2.0, _2)
        dx_1: f64[n] = adj.add_at(dx, _3, at[i])
        return True, dx_1
    dx_2, _4 = adj.loop[f64[n], int](0, _0, 1, _1, body=body, carries=1, counted=True, reverse=True)
    return dx_2


# becomes

def vector_grad(x: f64[n]) -> f64[n]:
    _0: int(n) = builtins.len(x)
    _1: f64[n] = adj.zeros_of(x)
    def body(i: int, dx: f64[n]) -> tuple[bool, f64[n]]:
        _2: f64 = adj.index(x, at[i])
        _3: f64 = adj.mul(2.0, _2)
        dx_1: f64[n] = adj.store(dx, _3, at[i])
        return True, dx_1
    dx_2, _4 = adj.loop[f64[n], int](0, _0, 1, _1, body=body, carries=1, counted=True, reverse=True)
    return dx_2
