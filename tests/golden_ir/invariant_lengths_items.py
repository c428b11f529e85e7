# invariant lengths: a loop that replaces items of a list reads its length before, once for both loops

def summed(xs: list[float], n: int) -> float:
    def body(_: int, ys: list[float]) -> tuple[bool, list[float]]:
        k: int = builtins.len(ys)
        def inner(i: int, zs: list[float]) -> tuple[bool, list[float]]:
            x: float = index(zs, at[i])
            y: float = operator.mul(x, x)
            us: list[float] = store(zs, y, at[i])
            return True, us
        vs, iterations = loop[list[float], int](0, k, 1, ys, body=inner, carries=1, counted=True)
        return True, vs
    ws, iterations_1 = loop[list[float], int](0, n, 1, xs, body=body, carries=1, counted=True)
    m: int = builtins.len(ws)
    last: int = operator.sub(m, 1)
    total: float = index(ws, at[last])
    return total


# becomes

def summed(xs: list[float], n: int) -> float:
    k: int = builtins.len(xs)
    def body(_: int, ys: list[float]) -> tuple[bool, list[float]]:
        def inner(i: int, zs: list[float]) -> tuple[bool, list[float]]:
            x: float = index(zs, at[i])
            y: float = operator.mul(x, x)
            us: list[float] = store(zs, y, at[i])
            return True, us
        vs, iterations = loop[list[float], int](0, k, 1, ys, body=inner, carries=1, counted=True)
        return True, vs
    ws, iterations_1 = loop[list[float], int](0, n, 1, xs, body=body, carries=1, counted=True)
    m: int = builtins.len(xs)
    last: int = operator.sub(m, 1)
    total: float = index(ws, at[last])
    return total
