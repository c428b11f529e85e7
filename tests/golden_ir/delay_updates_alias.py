# delay updates: an element is overwritten after it is read

def alias_grad(x: f64[n]) -> f64[n]:
    _0: f64 = index(x, at[1])
    _1: f64 = operator.mul(2.0, _0)
    x_1: f64[n] = store(x, _1, at[0])
    dx: f64[n] = adj.mul(2.0, x_1)
    _2: f64 = adj.index(dx, at[0])
    dx_1: f64[n] = adj.store(dx, 0.0, at[0])
    _3: f64 = adj.mul(2.0, _2)
    dx_2: f64[n] = adj.add_at(dx_1, _3, at[1])
    return dx_2


# becomes

def alias_grad(x: f64[n]) -> f64[n]:
    _0: f64 = index(x, at[1])
    _1: f64 = operator.mul(2.0, _0)
    x_1: f64[n] = store(x, _1, at[0])
    dx: f64[n] = adj.mul(2.0, x_1)
    _2: f64 = adj.index(dx, at[0])
    _3: f64 = adj.mul(2.0, _2)
    dx_1: f64[n] = adj.store(dx, 0.0, at[0])
    dx_2: f64[n] = adj.add_at(dx_1, _3, at[1])
    return dx_2
