# scalar replacement: the inner loop adds to one element, whose subscript it computes, and to one of each column

def sums_grad(x: f64[n, m], dtotal: f64[n, m]) -> tuple[f64[n], f64[m]]:
    n: int(n) = builtins.len(x)
    m: int(m) = dim(x, axis=1)
    da: f64[n] = adj.zeros(n)
    db: f64[m] = adj.zeros(m)
    stop: int(n + 1) = operator.add(n, 1)
    def body(i: int, da_1: f64[n], db_1: f64[m]) -> tuple[bool, f64[n], f64[m]]:
        def body(j: int, da_2: f64[n], db_2: f64[m]) -> tuple[bool, f64[n], f64[m]]:
            k: int(__v0 - 1) = operator.sub(i, 1)
            g: f64 = adj.index(dtotal, at[k, j])
            positive: b1 = operator.gt(g, 0.0)
            def then() -> f64[n]:
                da_3: f64[n] = adj.add_at(da_2, g, at[k])
                return da_3
            def orelse() -> f64[n]:
                return da_2
            da_4: f64[n] = adj.cond(positive, then=then, orelse=orelse)
            db_3: f64[m] = adj.add_at(db_2, g, at[j])
            return True, da_4, db_3
        da_5, db_4, _0 = adj.loop[f64[n], f64[m], int](0, m, 1, da_1, db_1, body=body, carries=2, counted=True, reverse=True)
        return True, da_5, db_4
    da_6, db_5, _1 = adj.loop[f64[n], f64[m], int](1, stop, 1, da, db, body=body, carries=2, counted=True, reverse=True)
    return da_6, db_5


# becomes

def sums_grad(x: f64[n, m], dtotal: f64[n, m]) -> tuple[f64[n], f64[m]]:
    n: int(n) = builtins.len(x)
    m: int(m) = dim(x, axis=1)
    da: f64[n] = adj.zeros(n)
    db: f64[m] = adj.zeros(m)
    stop: int(n + 1) = operator.add(n, 1)
    def body(i: int, da_1: f64[n], db_1: f64[m]) -> tuple[bool, f64[n], f64[m]]:
        def body(j: int, _0: any_real, db_2: f64[m]) -> tuple[bool, any_real, f64[m]]:
            k: int(__v0 - 1) = operator.sub(i, 1)
            g: f64 = adj.index(dtotal, at[k, j])
            positive: b1 = operator.gt(g, 0.0)
            def then() -> f64:
                _1: f64 = adj.add(_0, g)
                return _1
            def orelse() -> any_real:
                return _0
            _2: any_real = adj.cond(positive, then=then, orelse=orelse)
            db_3: f64[m] = adj.add_at(db_2, g, at[j])
            return True, _2, db_3
        _3, db_4, _4 = adj.loop[any_real, f64[m], int](0, m, 1, 0.0, db_1, body=body, carries=2, counted=True, reverse=True)
        k_1: int(__v0 - 1) = operator.sub(i, 1)
        da_5: f64[n] = adj.add_at(da_1, _3, at[k_1])
        return True, da_5, db_4
    da_6, db_5, _5 = adj.loop[f64[n], f64[m], int](1, stop, 1, da, db, body=body, carries=2, counted=True, reverse=True)
    return da_6, db_5
