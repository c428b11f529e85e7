# expand: the reverse of a cond is a cond on the same test

def branch_grad(x: float, y: float) -> tuple[float, float]:
    def f(x_1: float, y_1: float) -> float:
        _0: bool = operator.gt(x_1, 0.0)
        def then() -> float:
            z: float = operator.mul(x_1, y_1)
            return z
        def orelse() -> float:
            return y_1
        z_1: float = cond(_0, then=then, orelse=orelse)
        return z_1
    z_2, dx, dy = vjp[float, float, float](x, y, 1.0, body=f, seeded=(0,), wrt=(0, 1))
    return dx, dy


# becomes

def branch_grad(x: float, y: float) -> tuple[float, float]:
    _0: bool = operator.gt(x, 0.0)
    def then() -> float:
        z: float = operator.mul(x, y)
        return z
    def orelse() -> float:
        return y
    z_1: float = cond(_0, then=then, orelse=orelse, mirrors=(1,))
    def then() -> tuple[float, float]:
        return y, x
    def orelse() -> tuple[float, float]:
        return 0.0, 1.0
    dx_1, dy_1 = adj.cond[float, float](_0, then=then, orelse=orelse, mirrors=(1,))
    return dx_1, dy_1
