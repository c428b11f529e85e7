# vectorize: a backward loop over the rows of a matrix is one outer product

def syrk_grad(A: f64[n, n], x: f64[n]) -> f64[n, n]:
    _0: int(n) = builtins.len(x)
    _1: f64[n, n] = adj.zeros_of(A)
    def body(i: int, dy: f64[n], dA: f64[n, n]) -> tuple[bool, f64[n], f64[n, n]]:
        _2: f64 = adj.index(dy, at[i])
        dy_1: f64[n] = adj.store(dy, 0.0, at[i])
        _3: f64[n] = adj.mul(_2, x)
        dA_1: f64[n, n] = adj.add_at(dA, _3, at[i])
        return True, dy_1, dA_1
    dy_2, dA_2, _4 = adj.loop[f64[n], f64[n, n], int](0, _0, 1, x, _1, body=body, carries=2, counted=True, mirrors=(1,), reverse=True)
    return dA_2


# becomes

def syrk_grad(A: f64[n, n], x: f64[n]) -> f64[n, n]:
    _0: int(n) = builtins.len(x)
    _1: f64[n, n] = adj.zeros_of(A)
    dy_2: f64[n] = adj.zeros_of(x)
    dA_2: f64[n, n] = adj.outer(x, x)
    return dA_2
