# batch reductions: a sum of outer products becomes one matrix product after the loop

def layer_grad(W: f64[n, m], xs: f64[k, m]) -> f64[n, m]:
    _0: int(k) = builtins.len(xs)
    def body(_1: int) -> tuple[bool, f64[n]]:
        x: f64[m] = index(xs, at[_1])
        y: f64[n] = operator.matmul(W, x)
        return True, y
    iterations, y_1 = loop[int, seq[f64[n]]](0, _0, 1, body=body, carries=0, counted=True)
    _2: f64[n, m] = adj.zeros_of(W)
    def body(_3: int, dW: f64[n, m], y_2: f64[n]) -> tuple[bool, f64[n, m]]:
        x_1: f64[m] = adj.index(xs, at[_3])
        dy: f64[n] = adj.mul(2.0, y_2)
        _4: f64[n, m] = adj.outer(dy, x_1)
        dW_1: f64[n, m] = adj.add(dW, _4)
        return True, dW_1
    dW_2, _5 = adj.loop[f64[n, m], int](0, _0, 1, _2, y_1, body=body, carries=1, counted=True, reverse=True)
    return dW_2


# becomes

def layer_grad(W: f64[n, m], xs: f64[k, m]) -> f64[n, m]:
    _0: int(k) = builtins.len(xs)
    def body(_1: int) -> tuple[bool, f64[n]]:
        x: f64[m] = index(xs, at[_1])
        y: f64[n] = operator.matmul(W, x)
        return True, y
    iterations, y_1 = loop[int, seq[f64[n]]](0, _0, 1, body=body, carries=0, counted=True)
    _2: f64[n, m] = adj.zeros_of(W)
    _3: int(n) = adj.dim(W)
    _4: f64[k, n] = adj.empty(_0, _3)
    def body(_5: int, dW: f64[n, m], dys: f64[k, n], y_2: f64[n]) -> tuple[bool, f64[n, m], f64[k, n]]:
        x_1: f64[m] = adj.index(xs, at[_5])
        dy: f64[n] = adj.mul(2.0, y_2)
        _6: f64[k, n] = adj.store(dys, dy, at[_5])
        _7: f64[n, m] = adj.outer(dy, x_1)
        dW_1: f64[n, m] = adj.add(dW, _7)
        return True, dW, _6
    dW_2, dys_1, _8 = adj.loop[f64[n, m], f64[k, n], int](0, _0, 1, _2, _4, y_1, body=body, carries=2, counted=True, reverse=True)
    _9: f64[n, k] = adj.transpose(dys_1)
    dW_2_1: f64[n, m] = adj.matmul(_9, xs)
    return dW_2_1
