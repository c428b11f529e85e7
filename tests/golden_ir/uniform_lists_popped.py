# uniform lists: an item of a list that holds one value is that value, also where branches take items from it

def popped(v: float, n: int) -> float:
    xs: list[float] = adj.repeat(v, n)
    def body(i: int, xs_1: list[float], s: float) -> tuple[bool, list[float], float]:
        c: bool = operator.gt(i, 1)
        def then() -> tuple[list[float], float]:
            d: float = adj.index(xs_1, at[-1])
            xs_2: list[float] = adj.remove_at(xs_1, -1)
            s_1: float = adj.add(s, d)
            return xs_2, s_1
        def orelse() -> tuple[list[float], float]:
            return xs_1, s
        xs_3, s_2 = adj.cond[list[float], float](c, then=then, orelse=orelse)
        return True, xs_3, s_2
    xs_4, s_3, iterations = adj.loop[list[float], float, int](0, n, 1, xs, 0.0, body=body, carries=2, counted=True)
    return s_3


# becomes

def popped(v: float, n: int) -> float:
    xs: list[float] = adj.repeat(v, n)
    def body(i: int, xs_1: list[float], s: float) -> tuple[bool, list[float], float]:
        c: bool = operator.gt(i, 1)
        def then() -> tuple[list[float], float]:
            d: float = adj.index(xs_1, at[-1])
            xs_2: list[float] = adj.remove_at(xs_1, -1)
            s_1: float = adj.add(s, v)
            return xs_2, s_1
        def orelse() -> tuple[list[float], float]:
            return xs_1, s
        xs_3, s_2 = adj.cond[list[float], float](c, then=then, orelse=orelse)
        return True, xs_3, s_2
    xs_4, s_3, iterations = adj.loop[list[float], float, int](0, n, 1, xs, 0.0, body=body, carries=2, counted=True)
    return s_3
