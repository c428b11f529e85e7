# choose residuals: a carry is taped, and the tape of its cosine goes

def sines_grad(x: float, n: int(__n1)) -> float:
    def body(i: int, x_1: float) -> tuple[bool, float, float]:
        x_2: float = math.sin(x_1)
        return True, x_2, x_1
    x_3, iterations, x_4 = loop[float, int, seq[float]](0, n, 1, x, body=body, carries=1, counted=True, mirrors=(1,))
    def body(i_1: int, dx: float, x_5: float) -> tuple[bool, float]:
        _0: float = adj.math.cos(x_5)
        dx_1: float = adj.mul(dx, _0)
        return True, dx_1
    dx_2, _1 = adj.loop[float, int](0, n, 1, 1.0, x_4, body=body, carries=1, counted=True, mirrors=(1,), reverse=True)
    return dx_2


# becomes

def sines_grad(x: float, n: int(__n1)) -> float:
    def body(i: int, x_1: float) -> tuple[bool, float, float]:
        x_2: float = math.sin(x_1)
        return True, x_2, x_1
    x_3, iterations, x_4 = loop[float, int, seq[float]](0, n, 1, x, body=body, carries=1, counted=True, mirrors=(1,))
    def body(i_1: int, dx: float, x_5: float, x_1_1: float) -> tuple[bool, float]:
        _0: float = adj.math.cos(x_1_1)
        dx_1: float = adj.mul(dx, _0)
        return True, dx_1
    dx_2, _1 = adj.loop[float, int](0, n, 1, 1.0, x_4, x_4, body=body, carries=1, counted=True, mirrors=(1,), reverse=True)
    return dx_2
