# expand: the reverse of a loop reads what the loop yields, backwards

def sines_grad(x: float, n: int(__n1)) -> float:
    def f(x_1: float) -> float:
        def body(i: int, x_2: float) -> tuple[bool, float]:
            x_3: float = math.sin(x_2)
            return True, x_3
        x_4, iterations = loop[float, int](0, n, 1, x_1, body=body, carries=1, counted=True)
        return x_4
    x_5, dx = vjp[float, float](x, 1.0, body=f, seeded=(0,), wrt=(0,))
    return dx


# becomes

def sines_grad(x: float, n: int(__n1)) -> float:
    def body(i: int, x_2: float) -> tuple[bool, float, float]:
        x_3: float = math.sin(x_2)
        return True, x_3, x_2
    x_4, iterations, x_2_1 = loop[float, int, seq[float]](0, n, 1, x, body=body, carries=1, counted=True, mirrors=(1,))
    def body(i_1: int, dx_2: float, x_2_2: float) -> tuple[bool, float]:
        _0: float = adj.math.cos(x_2_2)
        dx_2_1: float = adj.mul(dx_2, _0)
        return True, dx_2_1
    dx_2_2, _1 = adj.loop[float, int](0, n, 1, 1.0, x_2_1, body=body, carries=1, counted=True, mirrors=(1,), reverse=True)
    return dx_2_2
