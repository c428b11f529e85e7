# dead arguments: a param that is only forwarded in recursive calls is dead, and so is a residual

def power_vjp(x: float, c: float, n: int) -> any_real:
    _0: bool = operator.eq(n, 0)
    def then() -> tuple[float, undef[float], undef[float], undef[int], undef[residuals[power]]]:
        return 1.0, undef[float], undef[float], undef[int], undef[residuals[power]]
    def orelse() -> tuple[float, float, float, int, residuals[power]]:
        _1: float = operator.mul(2.0, c)
        _2: int(__v0 - 1) = operator.sub(n, 1)
        _3, residuals = call[float, residuals[power]](x, _1, _2, callee='power_forward', types=(T[float], T[residuals[power]]))
        _4: float = operator.mul(x, _3)
        return _4, _3, _1, _2, residuals
    _5, _6, _7, _8, residuals_1 = cond[float, undef[float], undef[float], undef[int], undef[residuals[power]]](_0, then=then, orelse=orelse)
    dvalue: any_real = adj.boundary(_5, buffers=(), of='power', params=(0, 1, 2), types=(T[any_real],))
    def then() -> float:
        return 0.0
    def orelse() -> any_real:
        _9: float = adj.unwrap(_6)
        _10: float = adj.unwrap(_7)
        _11: int = adj.unwrap(_8)
        _12: residuals[power] = adj.unwrap(residuals_1)
        _13: any_real = adj.mul(dvalue, _9)
        _14: any_real = adj.mul(dvalue, x)
        _15: any_real = adj.call(x, _10, _11, _12, _14, callee='power_backward', types=(T[any_real],))
        dx: any_real = adj.add(_13, _15)
        return dx
    dx_1: any_real = adj.cond(_0, then=then, orelse=orelse)
    return dx_1
def power_grad(x: float, c: float, n: int(__n2)) -> any_real:
    _0, residuals = call[float, residuals[power]](x, c, n, callee='power_forward', types=(T[float], T[residuals[power]]))
    dx: any_real = adj.call(x, c, n, residuals, 1.0, callee='power_backward', types=(T[any_real],))
    return dx


# becomes

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
def power_grad(x: float, c: float, n: int(__n2)) -> any_real:
    _0, residuals = call[float, residuals[power]](x, n, callee='power_forward', types=(T[float], T[residuals[power]]))
    dx: any_real = adj.call(x, n, residuals, 1.0, callee='power_backward', types=(T[any_real],))
    return dx
