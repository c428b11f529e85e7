# distribute: rows of an outer product that a loop does not read are added behind it, those that it reads stay

def f(L: f64[n, n], x: f64[n], dx: f64[n]) -> tuple[f64[n, n], f64[n, n], f64[n]]:
    dL: f64[n, n] = adj.zeros_of(L)
    n: int(n) = dim(x)
    def body(i: int, dL_1: f64[n, n], dM: f64[n, n], dx_1: f64[n]) -> tuple[bool, f64[n, n], f64[n, n], f64[n]]:
        d: f64 = adj.index(dx_1, at[i])
        L_i: f64 = adj.index(L, at[i, i])
        g: f64 = adj.div(d, L_i)
        row: f64[n] = adj.index(L, at[i])
        _0: f64[slice_len(n, 0, __v0)] = adj.index(x, at[:i])
        _1: f64[slice_len(n, 0, __v0)] = adj.mul(g, _0)
        dL_2: f64[n, n] = adj.add_at(dL_1, _1, at[i, :i])
        m: f64 = adj.index(dM, at[0, i])
        _2: f64[n] = adj.mul(g, x)
        dM_1: f64[n, n] = adj.add_at(dM, _2, at[i])
        h: f64 = adj.mul(g, m)
        dx_2: f64[n] = adj.store(dx_1, h, at[i])
        return True, dL_2, dM_1, dx_2
    dL_3, dM_2, dx_3, iterations = adj.loop[f64[n, n], f64[n, n], f64[n], int](0, n, 1, dL, L, dx, body=body, carries=3, counted=True, reverse=True)
    return dL_3, dM_2, dx_3


# becomes

def f(L: f64[n, n], x: f64[n], dx: f64[n]) -> tuple[f64[n, n], f64[n, n], f64[n]]:
    dL: f64[n, n] = adj.zeros_of(L)
    n: int(n) = dim(x)
    _0: f64[n] = adj.empty(n)
    def body(i: int, dL_1: f64[n, n], dM: f64[n, n], dx_1: f64[n], _1: f64[n]) -> tuple[bool, f64[n, n], f64[n, n], f64[n], f64[n]]:
        d: f64 = adj.index(dx_1, at[i])
        L_i: f64 = adj.index(L, at[i, i])
        g: f64 = adj.div(d, L_i)
        row: f64[n] = adj.index(L, at[i])
        _2: f64[slice_len(n, 0, __v0)] = adj.index(x, at[:i])
        _3: f64[slice_len(n, 0, __v0)] = adj.mul(g, _2)
        m: f64 = adj.index(dM, at[0, i])
        _4: f64[n] = adj.mul(g, x)
        dM_1: f64[n, n] = adj.add_at(dM, _4, at[i])
        h: f64 = adj.mul(g, m)
        dx_2: f64[n] = adj.store(dx_1, h, at[i])
        _5: f64[n] = adj.store(_1, g, at[i])
        return True, dL_1, dM_1, dx_2, _5
    dL_3, dM_2, dx_3, _6, iterations = adj.loop[f64[n, n], f64[n, n], f64[n], f64[n], int](0, n, 1, dL, L, dx, _0, body=body, carries=4, counted=True, reverse=True)
    _7: f64[n, n] = adj.outer(_6, x)
    dL_3_1: f64[n, n] = adj.tril(_7, k=-1)
    return dL_3_1, dM_2, dx_3
