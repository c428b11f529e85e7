# initial zeros: a cotangent that an iteration writes into starts as an array

def last_grad(x: f64[n], k: int) -> f64:
    _0: int(n) = builtins.len(x)
    def body(_1: int, dx: f64[n]) -> tuple[bool, f64[n]]:
        dx_1: f64[n] = adj.neg(dx)
        dx_2: f64[n] = adj.add_at(dx_1, 1.0, at[_1])
        return True, dx_2
    dx_3, _2 = adj.loop[f64[n], int](k, _0, 1, lit[f64[n]](0.0), body=body, carries=1, counted=True, reverse=True)
    _3: f64 = adj.sum(dx_3)
    return _3


# becomes

def last_grad(x: f64[n], k: int) -> f64:
    _0: int(n) = builtins.len(x)
    dx: f64[n] = adj.zeros_of(x)
    def body(_1: int, dx_1: f64[n]) -> tuple[bool, f64[n]]:
        dx_1_1: f64[n] = adj.neg(dx_1)
        dx_2: f64[n] = adj.add_at(dx_1_1, 1.0, at[_1])
        return True, dx_2
    dx_3, _2 = adj.loop[f64[n], int](k, _0, 1, dx, body=body, carries=1, counted=True, reverse=True)
    _3: f64 = adj.sum(dx_3)
    return _3
