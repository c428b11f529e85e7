# dead stores: an element that later iterations do not read

def rows_grad(x: f64[n], y: f64[n]) -> f64[n]:
    _0: int(n) = builtins.len(x)
    def body(i: int, dx: f64[n], dy: f64[n]) -> tuple[bool, f64[n], f64[n]]:
        _1: f64 = adj.index(dx, at[i])
        dx_1: f64[n] = adj.store(dx, 0.0, at[i])
        _2: f64[_1] = adj.index(y, at[:i])
        _3: f64[_1] = adj.mul(_1, _2)
        dx_2: f64[n] = adj.add_at(dx_1, _3, at[:i])
        dy_1: f64[n] = adj.add_at(dy, _1, at[i])
        return True, dx_2, dy_1
    dx_3, dy_2, _4 = adj.loop[f64[n], f64[n], int](0, _0, 1, x, y, body=body, carries=2, counted=True, reverse=True)
    return dy_2


# becomes

def rows_grad(x: f64[n], y: f64[n]) -> f64[n]:
    _0: int(n) = builtins.len(x)
    def body(i: int, dx: f64[n], dy: f64[n]) -> tuple[bool, f64[n], f64[n]]:
        _1: f64 = adj.index(dx, at[i])
        _2: f64[_1] = adj.index(y, at[:i])
        _3: f64[_1] = adj.mul(_1, _2)
        dx_2: f64[n] = adj.add_at(dx, _3, at[:i])
        dy_1: f64[n] = adj.add_at(dy, _1, at[i])
        return True, dx_2, dy_1
    dx_3, dy_2, _4 = adj.loop[f64[n], f64[n], int](0, _0, 1, x, y, body=body, carries=2, counted=True, reverse=True)
    return dy_2
