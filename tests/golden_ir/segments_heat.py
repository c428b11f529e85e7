# segments: a checkpointed loop becomes a loop over segments, and one over the iterations of a segment

def heat_grad(u: f64[n], k: float, n: int) -> f64[n]:
    def f(u_1: f64[n]) -> f64:
        def body(i: int, u_2: f64[n]) -> tuple[bool, f64[n]]:
            _0: f64[n] = operator.mul(k, u_2)
            u_3: f64[n] = numpy.sin(_0)
            return True, u_3
        u_4, iterations = loop[f64[n], int](0, n, 1, u_1, body=body, carries=1, counted=True, segments=0)
        _1: f64 = numpy.sum(u_4)
        return _1
    _2, du = vjp[f64, f64[n]](u, 1.0, body=f, seeded=(0,), wrt=(0,))
    return du


# becomes

def heat_grad(u: f64[n], k: float, n: int) -> f64[n]:
    _0: int = adj.abs(n)
    _1: int = adj.isqrt(_0)
    segment: int(__v0 + 1) = adj.add(_1, 1)
    def f(u_1: f64[n]) -> f64:
        def body(first: int, u_2: f64[n]) -> tuple[bool, f64[n]]:
            _2: int(__v0 + __v1 + 1) = adj.add(first, segment)
            last: int = adj.pymin(_2, n)
            def body(i: int, u_2_1: f64[n]) -> tuple[bool, f64[n]]:
                _3: f64[n] = operator.mul(k, u_2_1)
                u_3: f64[n] = numpy.sin(_3)
                return True, u_3
            u_2_2, _4 = loop[f64[n], int](first, last, 1, u_2, body=body, carries=1, counted=True)
            return True, u_2_2
        u_4, _5 = loop[f64[n], int](0, n, segment, u_1, body=body, carries=1, counted=True, recomputed=True)
        _6: f64 = numpy.sum(u_4)
        return _6
    _7, du = vjp[f64, f64[n]](u, 1.0, body=f, seeded=(0,), wrt=(0,))
    return du
