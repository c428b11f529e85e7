# storage: updates in a loop are done in place

def scaled_grad(x: f64[n], k: float) -> tuple[f64[n], any_real]:
    y: f64[n] = ndarray.copy(x)
    _0: int(n) = builtins.len(x)
    def body(i: int, y_1: f64[n]) -> tuple[bool, f64[n]]:
        _1: int(__v0 - 1) = operator.sub(i, 1)
        _2: f64 = index(y_1, at[_1])
        _3: f64 = operator.mul(k, _2)
        _4: f64 = index(x, at[i])
        _5: f64 = operator.add(_3, _4)
        y_2: f64[n] = store(y_1, _5, at[i])
        return True, y_2
    y_3, iterations = loop[f64[n], int](1, _0, 1, y, body=body, carries=1, counted=True)
    _6: f64[n] = adj.zeros_of(y_3)
    dy: f64[n] = adj.store(_6, 1.0, at[-1])
    _7: f64[n] = adj.zeros_of(x)
    def body(i_1: int, dy_1: f64[n], dk: any_real, dx: f64[n]) -> tuple[bool, f64[n], f64, f64[n]]:
        _8: int(__v0 - 1) = operator.sub(i_1, 1)
        _9: f64 = adj.index(y_3, at[_8])
        _10: f64 = adj.index(dy_1, at[i_1])
        dy_2: f64[n] = adj.store(dy_1, 0.0, at[i_1])
        dx_1: f64[n] = adj.store(dx, _10, at[i_1])
        _11: f64 = adj.mul(_10, _9)
        _12: f64 = adj.mul(_10, k)
        dk_1: f64 = adj.add(dk, _11)
        dy_3: f64[n] = adj.add_at(dy_2, _12, at[_8])
        return True, dy_3, dk_1, dx_1
    dy_4, dk_2, dx_2, _13 = adj.loop[f64[n], any_real, f64[n], int](1, _0, 1, dy, 0.0, _7, body=body, carries=3, counted=True, reverse=True)
    dx_3: f64[n] = adj.add(dx_2, dy_4)
    return dx_3, dk_2


# becomes

def scaled_grad(x: f64[n], k: float) -> tuple[f64[n], any_real]:
    y: f64[n] = ndarray.copy(x)
    _0: int(n) = builtins.len(x)
    def body(i: int, y_1: f64[n]) -> tuple[bool, f64[n]]:
        _1: int(__v0 - 1) = operator.sub(i, 1)
        _2: f64 = index(y_1, at[_1])
        _3: f64 = operator.mul(k, _2)
        _4: f64 = index(x, at[i])
        _5: f64 = operator.add(_3, _4)
        y_2: f64[n] = store(y_1, _5, at[i], inplace=0)
        return True, y_2
    y_3, iterations = loop[f64[n], int](1, _0, 1, y, body=body, carries=1, counted=True)
    _6: f64[n] = adj.zeros_of(y_3)
    dy: f64[n] = adj.store(_6, 1.0, at[-1], inplace=0)
    _7: f64[n] = adj.zeros_of(x)
    def body(i_1: int, dy_1: f64[n], dk: any_real, dx: f64[n]) -> tuple[bool, f64[n], f64, f64[n]]:
        _8: int(__v0 - 1) = operator.sub(i_1, 1)
        _9: f64 = adj.index(y_3, at[_8])
        _10: f64 = adj.index(dy_1, at[i_1])
        dy_2: f64[n] = adj.store(dy_1, 0.0, at[i_1], inplace=0)
        dx_1: f64[n] = adj.store(dx, _10, at[i_1], inplace=0)
        _11: f64 = adj.mul(_10, _9)
        _12: f64 = adj.mul(_10, k)
        dk_1: f64 = adj.add(dk, _11)
        dy_3: f64[n] = adj.add_at(dy_2, _12, at[_8], inplace=0)
        return True, dy_3, dk_1, dx_1
    dy_4, dk_2, dx_2, _13 = adj.loop[f64[n], any_real, f64[n], int](1, _0, 1, dy, 0.0, _7, body=body, carries=3, counted=True, reverse=True)
    dx_3: f64[n] = adj.add(dx_2, dy_4)
    return dx_3, dk_2
