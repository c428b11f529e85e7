# prune: what no call of a function reads is no result of it

def power_vjp(x: float, n: int) -> any_real:
    _0: bool = operator.eq(n, 0)
    def then() -> tuple[float, undef[float], undef[int], undef[residuals[power]]]:
        return 1.0, undef[float], undef[int], undef[residuals[power]]
    def orelse() -> tuple[float, float, int, residuals[power]]:
        _1: int(__v0 - 1) = operator.sub(n, 1)
        _2, residuals = call[float, residuals[power]](x, _1, callee='power_forward', types=(T[float], T[residuals[power]]))
        _3: float = operator.mul(x, _2)
        return _3, _2, _1, residuals
    _4, _5, _6, residuals_1 = cond[float, undef[float], undef[int], undef[residuals[power]]](_0, then=then, orelse=orelse)
    dvalue: any_real = adj.boundary(_4, buffers=(), of='power', params=(0, 1), types=(T[any_real],))
    def then() -> float:
        return 0.0
    def orelse() -> any_real:
        _7: float = adj.unwrap(_5)
        _8: int = adj.unwrap(_6)
        _9: residuals[power] = adj.unwrap(residuals_1)
        _10: any_real = adj.mul(dvalue, _7)
        _11: any_real = adj.mul(dvalue, x)
        _12: any_real = adj.call(x, _8, _9, _11, callee='power_backward', types=(T[any_real],))
        dx: any_real = adj.add(_10, _12)
        return dx
    dx_1: any_real = adj.cond(_0, then=then, orelse=orelse)
    return dx_1
def power_grad(x: float, n: int(__n1)) -> any_real:
    _0, residuals = call[float, residuals[power]](x, n, callee='power_forward', types=(T[float], T[residuals[power]]))
    dx: any_real = adj.call(x, n, residuals, 1.0, callee='power_backward', types=(T[any_real],))
    return dx


# becomes

def power_vjp(x: float, n: int) -> any_real:
    _0: bool = operator.eq(n, 0)
    def then() -> tuple[float, undef[float], undef[residuals[power]]]:
        return 1.0, undef[float], undef[residuals[power]]
    def orelse() -> tuple[float, float, residuals[power]]:
        _1: int(__v0 - 1) = operator.sub(n, 1)
        _2, residuals = call[float, residuals[power]](x, _1, callee='power_forward', types=(T[float], T[residuals[power]]))
        _3: float = operator.mul(x, _2)
        return _3, _2, residuals
    _4, _5, residuals_1 = cond[float, undef[float], undef[residuals[power]]](_0, then=then, orelse=orelse)
    dvalue: any_real = adj.boundary(_4, buffers=(), of='power', params=(0,), types=(T[any_real],))
    def then() -> float:
        return 0.0
    def orelse() -> any_real:
        _6: float = adj.unwrap(_5)
        _7: residuals[power] = adj.unwrap(residuals_1)
        _8: any_real = adj.mul(dvalue, _6)
        _9: any_real = adj.mul(dvalue, x)
        _10: any_real = adj.call(x, _7, _9, callee='power_backward', types=(T[any_real],))
        dx: any_real = adj.add(_8, _10)
        return dx
    dx_1: any_real = adj.cond(_0, then=then, orelse=orelse)
    return dx_1
def power_grad(x: float, n: int(__n1)) -> any_real:
    _0, residuals = call[float, residuals[power]](x, n, callee='power_forward', types=(T[float], T[residuals[power]]))
    dx: any_real = adj.call(x, residuals, 1.0, callee='power_backward', types=(T[any_real],))
    return dx
