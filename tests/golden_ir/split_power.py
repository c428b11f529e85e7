# split: a function that is called and differentiated becomes its two halves

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
        residuals_2: residuals[power] = adj.unwrap(residuals_1)
        _7: any_real = adj.mul(dvalue, _6)
        _8: any_real = adj.mul(dvalue, x)
        _9: any_real = adj.call(x, residuals_2, _8, callee='power_backward', types=(T[any_real],))
        dx: any_real = adj.add(_7, _9)
        return dx
    dx_1: any_real = adj.cond(_0, then=then, orelse=orelse)
    return dx_1
def power_grad(x: float, n: int(__n1)) -> any_real:
    _0, residuals = call[float, residuals[power]](x, n, callee='power_forward', types=(T[float], T[residuals[power]]))
    dx: any_real = adj.call(x, residuals, 1.0, callee='power_backward', types=(T[any_real],))
    return dx


# becomes

def power_forward(x: float, n: int) -> tuple[float, residuals[power]]:
    _0: bool = operator.eq(n, 0)
    def then() -> tuple[float, undef[float], undef[residuals[power]], residuals[power]]:
        return 1.0, undef[float], undef[residuals[power]], lit[residuals[power]](None)
    def orelse() -> tuple[float, float, residuals[power], residuals[power]]:
        _1: int(__v0 - 1) = operator.sub(n, 1)
        _2, residuals = call[float, residuals[power]](x, _1, callee='power_forward', types=(T[float], T[residuals[power]]))
        _3: float = operator.mul(x, _2)
        residuals_1: residuals[power] = adj.pack(_2, residuals, of='power')
        return _3, _2, residuals, residuals_1
    _4, _5, residuals_1_1, residuals_2 = cond[float, undef[float], undef[residuals[power]], residuals[power]](_0, then=then, orelse=orelse)
    return _4, residuals_2
def power_backward(x: float, residuals: residuals[power], dvalue: any_real) -> any_real:
    _0: bool = adj.is_none(residuals)
    def then() -> float:
        return 0.0
    def orelse() -> any_real:
        _1, residuals_1 = adj.unpack[float, residuals[power]](residuals, types=(T[float], T[residuals[power]]))
        _2: any_real = adj.mul(dvalue, _1)
        _3: any_real = adj.mul(dvalue, x)
        _4: any_real = adj.call(x, residuals_1, _3, callee='power_backward', types=(T[any_real],))
        dx: any_real = adj.add(_2, _4)
        return dx
    dx_1: any_real = adj.cond(_0, then=then, orelse=orelse)
    return dx_1
def power_grad(x: float, n: int(__n1)) -> any_real:
    _0, residuals = call[float, residuals[power]](x, n, callee='power_forward', types=(T[float], T[residuals[power]]))
    dx: any_real = adj.call(x, residuals, 1.0, callee='power_backward', types=(T[any_real],))
    return dx
