# split: what is cheap is computed again, in the branch that computed it

def tree_vjp(x: float, depth: int) -> any_real:
    _0: bool = operator.eq(depth, 0)
    def then() -> tuple[float, undef[float], undef[int], undef[residuals[tree]], undef[float], undef[float], undef[residuals[tree]]]:
        _1: float = math.sin(x)
        return _1, undef[float], undef[int], undef[residuals[tree]], undef[float], undef[float], undef[residuals[tree]]
    def orelse() -> tuple[float, float, int, residuals[tree], float, float, residuals[tree]]:
        _2: float = operator.mul(0.5, x)
        _3: int(__v0 - 1) = operator.sub(depth, 1)
        _4, residuals = call[float, residuals[tree]](_2, _3, callee='tree_forward', types=(T[float], T[residuals[tree]]))
        _5: float = operator.mul(_4, x)
        _6: float = operator.add(x, 0.1)
        _7, residuals_1 = call[float, residuals[tree]](_6, _3, callee='tree_forward', types=(T[float], T[residuals[tree]]))
        _8: float = operator.add(_5, _7)
        return _8, _6, _3, residuals_1, _4, _2, residuals
    _9, _10, _11, residuals_2, _12, _13, residuals_3 = cond[float, undef[float], undef[int], undef[residuals[tree]], undef[float], undef[float], undef[residuals[tree]]](_0, then=then, orelse=orelse)
    dvalue: any_real = adj.boundary(_9, buffers=(), of='tree', params=(0, 1), types=(T[any_real],))
    def then() -> any_real:
        _14: float = adj.math.cos(x)
        dx: any_real = adj.mul(dvalue, _14)
        return dx
    def orelse() -> any_real:
        _15: float = adj.unwrap(_10)
        _16: int(__v0 - 1) = adj.unwrap(_11)
        residuals_4: residuals[tree] = adj.unwrap(residuals_2)
        _17: float = adj.unwrap(_12)
        _18: float = adj.unwrap(_13)
        residuals_5: residuals[tree] = adj.unwrap(residuals_3)
        dx_1: any_real = adj.call(_15, _16, residuals_4, dvalue, callee='tree_backward', types=(T[any_real],))
        _19: any_real = adj.mul(dvalue, x)
        _20: any_real = adj.mul(dvalue, _17)
        dx_2: any_real = adj.add(dx_1, _20)
        _21: any_real = adj.call(_18, _16, residuals_5, _19, callee='tree_backward', types=(T[any_real],))
        _22: any_real = adj.mul(0.5, _21)
        dx_3: any_real = adj.add(dx_2, _22)
        return dx_3
    dx_4: any_real = adj.cond(_0, then=then, orelse=orelse)
    return dx_4
def tree_grad(x: float, depth: int(__depth1)) -> any_real:
    _0, residuals = call[float, residuals[tree]](x, depth, callee='tree_forward', types=(T[float], T[residuals[tree]]))
    dx: any_real = adj.call(x, depth, residuals, 1.0, callee='tree_backward', types=(T[any_real],))
    return dx


# becomes

def tree_forward(x: float, depth: int) -> tuple[float, residuals[tree]]:
    _0: bool = operator.eq(depth, 0)
    def then() -> tuple[float, undef[float], undef[residuals[tree]], undef[float], undef[float], undef[residuals[tree]], residuals[tree]]:
        _1: float = math.sin(x)
        return _1, undef[float], undef[residuals[tree]], undef[float], undef[float], undef[residuals[tree]], lit[residuals[tree]](None)
    def orelse() -> tuple[float, float, residuals[tree], float, float, residuals[tree], residuals[tree]]:
        _2: float = operator.mul(0.5, x)
        _3: int(__v0 - 1) = operator.sub(depth, 1)
        _4, residuals = call[float, residuals[tree]](_2, _3, callee='tree_forward', types=(T[float], T[residuals[tree]]))
        _5: float = operator.mul(_4, x)
        _6: float = operator.add(x, 0.1)
        _7, residuals_1 = call[float, residuals[tree]](_6, _3, callee='tree_forward', types=(T[float], T[residuals[tree]]))
        _8: float = operator.add(_5, _7)
        residuals_2: residuals[tree] = adj.pack(residuals_1, _4, residuals, of='tree')
        return _8, _6, residuals_1, _4, _2, residuals, residuals_2
    _9, _10, residuals_2_1, _11, _12, residuals_3, residuals_4 = cond[float, undef[float], undef[residuals[tree]], undef[float], undef[float], undef[residuals[tree]], residuals[tree]](_0, then=then, orelse=orelse)
    return _9, residuals_4
def tree_backward(x: float, residuals: residuals[tree], dvalue: any_real) -> any_real:
    _0: bool = adj.is_none(residuals)
    def then() -> any_real:
        _1: float = adj.math.cos(x)
        dx: any_real = adj.mul(dvalue, _1)
        return dx
    def orelse() -> any_real:
        residuals_1, _2, residuals_2 = adj.unpack[residuals[tree], float, residuals[tree]](residuals, types=(T[residuals[tree]], T[float], T[residuals[tree]]))
        _3: float = operator.add(x, 0.1)
        _4: float = operator.mul(0.5, x)
        dx_1: any_real = adj.call(_3, residuals_1, dvalue, callee='tree_backward', types=(T[any_real],))
        _5: any_real = adj.mul(dvalue, x)
        _6: any_real = adj.mul(dvalue, _2)
        dx_2: any_real = adj.add(dx_1, _6)
        _7: any_real = adj.call(_4, residuals_2, _5, callee='tree_backward', types=(T[any_real],))
        _8: any_real = adj.mul(0.5, _7)
        dx_3: any_real = adj.add(dx_2, _8)
        return dx_3
    dx_4: any_real = adj.cond(_0, then=then, orelse=orelse)
    return dx_4
def tree_grad(x: float, depth: int(__depth1)) -> any_real:
    _0, residuals = call[float, residuals[tree]](x, depth, callee='tree_forward', types=(T[float], T[residuals[tree]]))
    dx: any_real = adj.call(x, residuals, 1.0, callee='tree_backward', types=(T[any_real],))
    return dx
