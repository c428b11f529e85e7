# sink: what one arm alone needs is computed there

def exits_jvp(x: f64[n], limit: float, dx: f64[n], dlimit: float) -> tuple[any_real, any_real]:
    _0: int(n) = builtins.len(x)
    def body(_1: int, s: any_real, ds: any_real) -> tuple[bool, any_real, any_real]:
        v: f64 = index(x, at[_1])
        dv: f64 = adj.index(dx, at[_1])
        _2: any_bool = operator.gt(s, limit)
        def then() -> tuple[int, any_real, any_real]:
            return 3, s, ds
        def orelse() -> tuple[int, f64, f64]:
            _3: f64 = operator.mul(v, v)
            _4: f64 = adj.mul(dv, v)
            _5: f64 = adj.mul(2.0, dv)
            _6: f64 = adj.mul(_5, v)
            s_1: f64 = operator.add(s, _3)
            ds_1: f64 = adj.add(ds, _6)
            return 0, s_1, ds_1
        _7, s_2, ds_2 = cond[int, any_real, any_real](_2, then=then, orelse=orelse)
        _8: bool = operator.lt(_7, 2)
        return _8, s_2, ds_2
    s_3, ds_3, iterations = loop[any_real, any_real, int](0, _0, 1, 0.0, 0.0, body=body, carries=2, counted=True)
    return s_3, ds_3


# becomes

def exits_jvp(x: f64[n], limit: float, dx: f64[n], dlimit: float) -> tuple[any_real, any_real]:
    _0: int(n) = builtins.len(x)
    def body(_1: int, s: any_real, ds: any_real) -> tuple[bool, any_real, any_real]:
        v: f64 = index(x, at[_1])
        _2: any_bool = operator.gt(s, limit)
        def then() -> tuple[int, any_real, any_real]:
            return 3, s, ds
        def orelse() -> tuple[int, f64, f64]:
            dv: f64 = adj.index(dx, at[_1])
            _3: f64 = operator.mul(v, v)
            _4: f64 = adj.mul(dv, v)
            _5: f64 = adj.mul(2.0, dv)
            _6: f64 = adj.mul(_5, v)
            s_1: f64 = operator.add(s, _3)
            ds_1: f64 = adj.add(ds, _6)
            return 0, s_1, ds_1
        _7, s_2, ds_2 = cond[int, any_real, any_real](_2, then=then, orelse=orelse)
        _8: bool = operator.lt(_7, 2)
        return _8, s_2, ds_2
    s_3, ds_3, iterations = loop[any_real, any_real, int](0, _0, 1, 0.0, 0.0, body=body, carries=2, counted=True)
    return s_3, ds_3
