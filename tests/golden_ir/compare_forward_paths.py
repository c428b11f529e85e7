# compare forward: the mask that chooses the shorter path is on the tape, not the paths

def floyd_grad(d: f64[n, n]) -> f64[n, n]:
    d_1: f64[n, n] = ndarray.copy(d)
    _0: int(n) = builtins.len(d_1)
    def body(k: int, d_2: f64[n, n]) -> tuple[bool, f64[n, n], f64[n, n], f64[n, n]]:
        _1: f64[n] = index(d_2, at[:, k])
        _2: f64[n, 1] = index(_1, at[:, None])
        _3: f64[n] = index(d_2, at[k])
        _4: f64[n, n] = operator.add(_2, _3)
        d_3: f64[n, n] = numpy.minimum(d_2, _4)
        return True, d_3, d_2, _4
    d_4, iterations, d_5, _5 = loop[f64[n, n], int, seq[f64[n, n]], seq[f64[n, n]]](0, _0, 1, d_1, body=body, carries=1, counted=True, mirrors=(1,))
    dd: f64[n, n] = adj.expand_like(1.0, d)
    def body(k_1: int, dd_1: f64[n, n], d_6: f64[n, n], _6: f64[n, n]) -> tuple[bool, f64[n, n]]:
        _7: b1[n, n] = adj.le(d_6, _6)
        _8: f64[n, n] = adj.where(_7, dd_1, 0.0)
        _9: f64[n, n] = adj.where(_7, 0.0, dd_1)
        _10: f64[n] = adj.sum(_9, axis=0)
        dd_2: f64[n, n] = adj.add_at(_8, _10, at[k_1])
        _11: f64[n] = adj.sum(_9, axis=1)
        dd_3: f64[n, n] = adj.add_at(dd_2, _11, at[:, k_1])
        return True, dd_3
    dd_4, _12 = adj.loop[f64[n, n], int](0, _0, 1, dd, d_5, _5, body=body, carries=1, counted=True, mirrors=(1,), reverse=True)
    return dd_4


# becomes

def floyd_grad(d: f64[n, n]) -> f64[n, n]:
    d_1: f64[n, n] = ndarray.copy(d)
    _0: int(n) = builtins.len(d_1)
    def body(k: int, d_2: f64[n, n]) -> tuple[bool, f64[n, n], b1[n, n]]:
        _1: f64[n] = index(d_2, at[:, k])
        _2: f64[n, 1] = index(_1, at[:, None])
        _3: f64[n] = index(d_2, at[k])
        _4: f64[n, n] = operator.add(_2, _3)
        mask: b1[n, n] = adj.le(d_2, _4)
        d_3: f64[n, n] = numpy.minimum(d_2, _4)
        return True, d_3, mask
    d_4, iterations, _5 = loop[f64[n, n], int, seq[b1[n, n]]](0, _0, 1, d_1, body=body, carries=1, counted=True, mirrors=(1,))
    dd: f64[n, n] = adj.expand_like(1.0, d)
    def body(k_1: int, dd_1: f64[n, n], mask_1: b1[n, n]) -> tuple[bool, f64[n, n]]:
        _6: f64[n, n] = adj.where(mask_1, dd_1, 0.0)
        _7: f64[n, n] = adj.where(mask_1, 0.0, dd_1)
        _8: f64[n] = adj.sum(_7, axis=0)
        dd_2: f64[n, n] = adj.add_at(_6, _8, at[k_1])
        _9: f64[n] = adj.sum(_7, axis=1)
        dd_3: f64[n, n] = adj.add_at(dd_2, _9, at[:, k_1])
        return True, dd_3
    dd_4, _10 = adj.loop[f64[n, n], int](0, _0, 1, dd, _5, body=body, carries=1, counted=True, mirrors=(1,), reverse=True)
    return dd_4
