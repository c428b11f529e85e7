# simplify for printing: signs and factors in the order in which they are printed

def weights_grad(w: float, x: float, n: int(__n2)) -> tuple[float, float]:
    def body(i: int, s: float) -> tuple[bool, float, float, float]:
        _0: float = math.sin(w)
        _1: float = operator.mul(_0, x)
        _2: float = operator.mul(_1, s)
        s_1: float = operator.add(s, _2)
        return True, s_1, s, _0
    s_2, iterations, s_3, _3 = loop[float, int, seq[float], seq[float]](0, n, 1, 0.0, body=body, carries=1, counted=True)
    def body(i_1: int, ds: float, dw: float, dx: float, s_4: float, _4: float) -> tuple[bool, float, float, float]:
        _5: float = adj.operator.mul(_4, x)
        _6: float = adj.mul(ds, s_4)
        _7: float = adj.mul(ds, _5)
        ds_1: float = adj.add(ds, _7)
        _8: float = adj.mul(_6, x)
        _9: float = adj.mul(_6, _4)
        dx_1: float = adj.add(dx, _9)
        _10: float = adj.math.cos(w)
        _11: float = adj.mul(_8, _10)
        dw_1: float = adj.add(dw, _11)
        return True, ds_1, dw_1, dx_1
    ds_2, dw_2, dx_2, _12 = adj.loop[float, float, float, int](0, n, 1, 1.0, 0.0, 0.0, s_3, _3, body=body, carries=3, counted=True, reverse=True)
    return dw_2, dx_2


# becomes

def weights_grad(w: float, x: float, n: int(__n2)) -> tuple[float, float]:
    def body(i: int, s: float) -> tuple[bool, float, float, float]:
        _0: float = math.sin(w)
        _1: float = operator.mul(_0, x)
        _2: float = operator.mul(_1, s)
        s_1: float = operator.add(s, _2)
        return True, s_1, s, _0
    s_2, iterations, s_3, _3 = loop[float, int, seq[float], seq[float]](0, n, 1, 0.0, body=body, carries=1, counted=True)
    def body(i_1: int, ds: float, dw: float, dx: float, s_4: float, _4: float) -> tuple[bool, float, float, float]:
        _5: float = adj.operator.mul(_4, x)
        _6: float = adj.mul(ds, s_4)
        _7: float = adj.mul(ds, _4)
        _8: float = adj.mul(_7, x)
        ds_1: float = adj.add(ds, _8)
        _9: float = adj.mul(_6, x)
        _10: float = adj.mul(_6, _4)
        dx_1: float = adj.add(dx, _10)
        _11: float = adj.math.cos(w)
        _12: float = adj.mul(_9, _11)
        dw_1: float = adj.add(dw, _12)
        return True, ds_1, dw_1, dx_1
    ds_2, dw_2, dx_2, _13 = adj.loop[float, float, float, int](0, n, 1, 1.0, 0.0, 0.0, s_3, _3, body=body, carries=3, counted=True, reverse=True)
    return dw_2, dx_2
