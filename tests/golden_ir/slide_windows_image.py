# slide windows: the gradients of a correlation of an image, over the places in its windows

def f(x: f64[n, m], w: f64[k, p], dy: f64[n - k + 1, m - p + 1]) -> tuple[f64[n, m], f64[k, p]]:
    K: int(k) = dim(w)
    L: int(p) = dim(w, axis=1)
    H: int(n - k + 1) = dim(dy)
    W: int(m - p + 1) = dim(dy, axis=1)
    dx: f64[n, m] = adj.zeros_of(x)
    dw: f64[k, p] = adj.zeros_of(w)
    def body(i: int, dx_1: f64[n, m], dw_1: f64[k, p]) -> tuple[bool, f64[n, m], f64[k, p]]:
        def body(j: int, dx_2: f64[n, m], dw_2: f64[k, p]) -> tuple[bool, f64[n, m], f64[k, p]]:
            _0: int(__v0 + k) = operator.add(i, K)
            _1: int(__v1 + p) = operator.add(j, L)
            _2: f64 = adj.index(dy, at[i, j])
            _3: f64[k, p] = adj.index(x, at[i:_0, j:_1])
            _4: f64[k, p] = adj.mul(_2, _3)
            dw_3: f64[k, p] = adj.add(dw_2, _4)
            _5: f64[k, p] = adj.mul(_2, w)
            dx_3: f64[n, m] = adj.add_at(dx_2, _5, at[i:_0, j:_1])
            return True, dx_3, dw_3
        dx_4, dw_4, iterations = adj.loop[f64[n, m], f64[k, p], int](0, W, 1, dx_1, dw_1, body=body, carries=2, counted=True, reverse=True)
        return True, dx_4, dw_4
    dx_5, dw_5, iterations_1 = adj.loop[f64[n, m], f64[k, p], int](0, H, 1, dx, dw, body=body, carries=2, counted=True, reverse=True)
    return dx_5, dw_5


# becomes

def f(x: f64[n, m], w: f64[k, p], dy: f64[n - k + 1, m - p + 1]) -> tuple[f64[n, m], f64[k, p]]:
    K: int(k) = dim(w)
    L: int(p) = dim(w, axis=1)
    H: int(n - k + 1) = dim(dy)
    W: int(m - p + 1) = dim(dy, axis=1)
    dx: f64[n, m] = adj.zeros_of(x)
    dw: f64[k, p] = adj.zeros_of(w)
    def body(a: int, dx_2: f64[n, m], dw_2: f64[k, p]) -> tuple[bool, f64[n, m], f64[k, p]]:
        def body(b: int, dx_2_1: f64[n, m], dw_2_1: f64[k, p]) -> tuple[bool, f64[n, m], f64[k, p]]:
            _0: int(__v0 + n - k + 1) = adj.add(a, H)
            _1: int(__v1 + m - p + 1) = adj.add(b, W)
            _2: f64 = adj.index(w, at[a, b])
            _3: f64[n - k + 1, m - p + 1] = adj.mul(_2, dy)
            _4: f64[n, m] = adj.add_at(dx_2_1, _3, at[a:_0, b:_1])
            _5: f64[n - k + 1, m - p + 1] = adj.index(x, at[a:_0, b:_1])
            _6: f64[n - k + 1, m - p + 1] = adj.mul(dy, _5)
            _7: f64 = adj.sum(_6)
            _8: f64[k, p] = adj.store(dw_2_1, _7, at[a, b])
            return True, _4, _8
        dx_4, dw_4, iterations = adj.loop[f64[n, m], f64[k, p], int](0, L, 1, dx_2, dw_2, body=body, carries=2, counted=True)
        return True, dx_4, dw_4
    dx_5, dw_5, iterations_1 = adj.loop[f64[n, m], f64[k, p], int](0, K, 1, dx, dw, body=body, carries=2, counted=True)
    return dx_5, dw_5
