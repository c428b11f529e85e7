# simplify for printing: signs and factors in the order in which they are printed

def vector_jvp(x: f64[n], dx: f64[n]) -> tuple[any_real, any_real]:
    _0: int(n) = builtins.len(x)
    def body(i: int, s: any_real, ds: any_real) -> tuple[bool, f64, f64]:
        _1: f64 = index(x, at[i])
        _2: f64 = adj.index(dx, at[i])
        _3: f64 = operator.mul(_1, _1)
        _4: f64 = adj.mul(_2, _1)
        _5: f64 = adj.mul(2.0, _4)
        s_1: f64 = operator.add(s, _3)
        ds_1: f64 = adj.add(ds, _5)
        return True, s_1, ds_1
    s_2, ds_2, iterations = loop[any_real, any_real, int](0, _0, 1, 0.0, 0.0, body=body, carries=2, counted=True)
    return s_2, ds_2


# becomes

def vector_jvp(x: f64[n], dx: f64[n]) -> tuple[any_real, any_real]:
    _0: int(n) = builtins.len(x)
    def body(i: int, s: any_real, ds: any_real) -> tuple[bool, f64, f64]:
        _1: f64 = index(x, at[i])
        _2: f64 = adj.index(dx, at[i])
        _3: f64 = operator.mul(_1, _1)
        _4: f64 = adj.mul(_2, _1)
        _5: f64 = adj.mul(2.0, _2)
        _6: f64 = adj.mul(_5, _1)
        s_1: f64 = operator.add(s, _3)
        ds_1: f64 = adj.add(ds, _6)
        return True, s_1, ds_1
    s_2, ds_2, iterations = loop[any_real, any_real, int](0, _0, 1, 0.0, 0.0, body=body, carries=2, counted=True)
    return s_2, ds_2
