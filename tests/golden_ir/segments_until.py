# segments: of a loop that only an exit ends, the segments grow

def until_grad(x: float, r: float) -> float:
    def f(x_1: float) -> float:
        def body(i: int, x_2: float) -> tuple[bool, float]:
            x_3: float = operator.mul(x_2, r)
            _0: bool = operator.lt(x_3, 50.0)
            return _0, x_3
        x_4, iterations = loop[float, int](0, 9223372036854775807, 1, x_1, body=body, carries=1, counted=True, segments=0)
        return x_4
    _1, dx = vjp[float, float](x, 1.0, body=f, seeded=(0,), wrt=(0,))
    return dx


# becomes

def until_grad(x: float, r: float) -> float:
    def f(x_1: float) -> float:
        def body(segment: int, first: int, x_2: float) -> tuple[bool, int, int, float]:
            segment_1: int(__v0 + 1) = adj.add(segment, 1)
            last: int(__v0 + __v1 + 1) = adj.add(first, segment_1)
            def body(i: int, x_2_1: float) -> tuple[bool, float]:
                x_3: float = operator.mul(x_2_1, r)
                _0: bool = operator.lt(x_3, 50.0)
                return _0, x_3
            x_2_2, _1 = loop[float, int](first, last, 1, x_2, body=body, carries=1, counted=True)
            _2: bool = operator.lt(x_2_2, 50.0)
            return _2, segment_1, last, x_2_2
        _3, _4, x_4, _5 = loop[int, int, float, int](0, 0, x_1, body=body, carries=3, recomputed=True)
        return x_4
    _6, dx = vjp[float, float](x, 1.0, body=f, seeded=(0,), wrt=(0,))
    return dx
