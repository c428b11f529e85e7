# choose residuals: the inverse that the forward pass has computed is kept and used

def gaussian_scores_grad(S: f64[n, n], xs: f64[m, n]) -> tuple[f64[n, n], f64[m, n]]:
    _0: int(m) = builtins.len(xs)
    def body(_1: int, S_1: f64[n, n]) -> tuple[bool, f64[n, n], f64[n, n], f64[n], f64[n], f64[n, n]]:
        x: f64[n] = index(xs, at[_1])
        _2: f64[n, n] = numpy.outer(x, x)
        S_2: f64[n, n] = operator.add(S_1, _2)
        _3: f64[n, n] = numpy.linalg.inv(S_2)
        _4: f64[n] = operator.matmul(x, _3)
        return True, S_2, S_2, x, _4, _3
    S_3, iterations, S_4, x_1, _5, _6 = loop[f64[n, n], int, seq[f64[n, n]], seq[f64[n]], seq[f64[n]], seq[f64[n, n]]](0, _0, 1, S, body=body, carries=1, counted=True, mirrors=(1,))
    _7: f64[n, n] = adj.zeros_of(S_3)
    _8: f64[m, n] = adj.zeros_of(xs)
    def body(_9: int, dS: f64[n, n], dxs: f64[m, n], S_5: f64[n, n], x_2: f64[n], _10: f64[n], _11: f64[n, n]) -> tuple[bool, f64[n, n], f64[m, n]]:
        _12: f64[n, n] = adj.inv(S_5)
        _13: f64[n, n] = adj.transpose(_12)
        dS_1: f64[n, n] = adj.add(dS, _13)
        _14: f64[n, n] = adj.outer(x_2, x_2)
        _15: f64[n] = adj.matmul(_11, x_2)
        dx: f64[n] = adj.add(_10, _15)
        _16: f64[n, n] = adj.transpose(_11)
        _17: f64[n, n] = adj.matmul(_16, _14)
        _18: f64[n, n] = adj.matmul(_17, _16)
        dS_2: f64[n, n] = adj.sub(dS_1, _18)
        _19: f64[n] = adj.matmul(dS_2, x_2)
        _20: f64[n] = adj.matmul(x_2, dS_2)
        dx_1: f64[n] = adj.add(dx, _19)
        dx_2: f64[n] = adj.add(dx_1, _20)
        dxs_1: f64[m, n] = adj.add_at(dxs, dx_2, at[_9])
        return True, dS_2, dxs_1
    dS_3, dxs_2, _21 = adj.loop[f64[n, n], f64[m, n], int](0, _0, 1, _7, _8, S_4, x_1, _5, _6, body=body, carries=2, counted=True, mirrors=(1,), reverse=True)
    return dS_3, dxs_2


# becomes

def gaussian_scores_grad(S: f64[n, n], xs: f64[m, n]) -> tuple[f64[n, n], f64[m, n]]:
    _0: int(m) = builtins.len(xs)
    def body(_1: int, S_1: f64[n, n]) -> tuple[bool, f64[n, n], f64[n, n], f64[n], f64[n], f64[n, n], f64[n, n]]:
        x: f64[n] = index(xs, at[_1])
        _2: f64[n, n] = numpy.outer(x, x)
        S_2: f64[n, n] = operator.add(S_1, _2)
        _3: f64[n, n] = numpy.linalg.inv(S_2)
        _4: f64[n] = operator.matmul(x, _3)
        return True, S_2, S_2, x, _4, _3, _2
    S_3, iterations, S_4, x_1, _5, _6, _7 = loop[f64[n, n], int, seq[f64[n, n]], seq[f64[n]], seq[f64[n]], seq[f64[n, n]], seq[f64[n, n]]](0, _0, 1, S, body=body, carries=1, counted=True, mirrors=(1,))
    _8: f64[n, n] = adj.zeros_of(S_3)
    _9: f64[m, n] = adj.zeros_of(xs)
    def body(_10: int, dS: f64[n, n], dxs: f64[m, n], S_5: f64[n, n], x_2: f64[n], _11: f64[n], _12: f64[n, n], _13: f64[n, n], _14: f64[n], _15: f64[n, n]) -> tuple[bool, f64[n, n], f64[m, n]]:
        x_3: f64[n] = adj.index(xs, at[_10])
        _16: f64[n, n] = adj.transpose(_13)
        dS_1: f64[n, n] = adj.add(dS, _16)
        _17: f64[n] = adj.matmul(_13, x_3)
        dx: f64[n] = adj.add(_14, _17)
        _18: f64[n, n] = adj.transpose(_13)
        _19: f64[n, n] = adj.matmul(_18, _15)
        _20: f64[n, n] = adj.matmul(_19, _18)
        dS_2: f64[n, n] = adj.sub(dS_1, _20)
        _21: f64[n] = adj.matmul(dS_2, x_3)
        _22: f64[n] = adj.matmul(x_3, dS_2)
        dx_1: f64[n] = adj.add(dx, _21)
        dx_2: f64[n] = adj.add(dx_1, _22)
        dxs_1: f64[m, n] = adj.add_at(dxs, dx_2, at[_10])
        return True, dS_2, dxs_1
    dS_3, dxs_2, _23 = adj.loop[f64[n, n], f64[m, n], int](0, _0, 1, _8, _9, S_4, x_1, _5, _6, _6, _5, _7, body=body, carries=2, counted=True, mirrors=(1,), reverse=True)
    return dS_3, dxs_2
