# smooth squares: the smooth square of a norm goes through a loop beside it, and is read in a branch

def huber_hvp(x: f64[3, 3], dx: f64[3, 3]) -> f64[3, 3]:
    def f(x_1: f64[3, 3]) -> f64[3, 3]:
        def f(x_2: f64[3, 3]) -> f64:
            _0: f64[3] = index(x_2, at[0])
            r: f64 = numpy.linalg.norm(_0)
            def body(i: int, r_1: f64) -> tuple[bool, f64]:
                _1: f64[3] = index(x_2, at[i])
                r_2: f64 = numpy.linalg.norm(_1)
                return True, r_2
            r_3, iterations = loop[f64, int](1, 3, 1, r, body=body, carries=1, counted=True)
            _2: b1 = operator.lt(r_3, 1.0)
            def then() -> f64:
                _3: f64 = operator.pow(r_3, 2)
                return _3
            def orelse() -> f64:
                _4: f64 = operator.mul(2.0, r_3)
                _5: f64 = operator.sub(_4, 1.0)
                return _5
            _6: f64 = cond(_2, then=then, orelse=orelse)
            return _6
        _7, _8 = vjp[f64, f64[3, 3]](x_1, 1.0, body=f, seeded=(0,), wrt=(0,))
        return _8
    _9, ddx = jvp[f64[3, 3], f64[3, 3]](x, dx, body=f, wrt=(0,))
    return ddx


# becomes

def huber_hvp(x: f64[3, 3], dx: f64[3, 3]) -> f64[3, 3]:
    def f(x_1: f64[3, 3]) -> f64[3, 3]:
        def f(x_2: f64[3, 3]) -> f64:
            _0: f64[3] = index(x_2, at[0])
            r: f64 = numpy.linalg.norm(_0)
            _1: f64[3] = adj.mul(_0, _0)
            _2: f64 = adj.sum(_1)
            def body(i: int, r_1: f64, _3: f64) -> tuple[bool, f64, f64]:
                _4: f64[3] = index(x_2, at[i])
                r_2: f64 = numpy.linalg.norm(_4)
                _5: f64[3] = adj.mul(_4, _4)
                _6: f64 = adj.sum(_5)
                return True, r_2, _6
            r_3, _7, iterations = loop[f64, f64, int](1, 3, 1, r, _2, body=body, carries=2, counted=True)
            _8: b1 = operator.lt(r_3, 1.0)
            def then() -> f64:
                _9: f64 = operator.pow(r_3, 2)
                def residual(_10: f64, _11: f64) -> f64:
                    _12: f64 = sub(_10, _11)
                    return _12
                _13: f64 = solution(_9, _7, body=residual)
                return _13
            def orelse() -> f64:
                _14: f64 = operator.mul(2.0, r_3)
                _15: f64 = operator.sub(_14, 1.0)
                return _15
            _16: f64 = cond(_8, then=then, orelse=orelse)
            return _16
        _17, _18 = vjp[f64, f64[3, 3]](x_1, 1.0, body=f, seeded=(0,), wrt=(0,))
        return _18
    _19, ddx = jvp[f64[3, 3], f64[3, 3]](x, dx, body=f, wrt=(0,))
    return ddx
