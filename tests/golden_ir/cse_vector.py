# cse: of two reads of one element, one is left

def vector_grad(x: f64[n]) -> f64[n]:
    def f(x_1: f64[n]) -> any_real:
        _0: int(n) = builtins.len(x_1)
        def body(i: int, s: any_real) -> tuple[bool, f64]:
            _1: f64 = index(x_1, at[i])
            _2: f64 = index(x_1, at[i])
            _3: f64 = operator.mul(_1, _2)
            s_1: f64 = operator.add(s, _3)
            return True, s_1
        s_2, iterations = loop[any_real, int](0, _0, 1, 0.0, body=body, carries=1, counted=True)
        return s_2
    s_3, dx = vjp[any_real, f64[n]](x, 1.0, body=f, seeded=(0,), wrt=(0,))
    return dx


# becomes

def vector_grad(x: f64[n]) -> f64[n]:
    def f(x_1: f64[n]) -> any_real:
        _0: int(n) = builtins.len(x_1)
        def body(i: int, s: any_real) -> tuple[bool, f64]:
            _1: f64 = index(x_1, at[i])
            _2: f64 = operator.mul(_1, _1)
            s_1: f64 = operator.add(s, _2)
            return True, s_1
        s_2, iterations = loop[any_real, int](0, _0, 1, 0.0, body=body, carries=1, counted=True)
        return s_2
    s_3, dx = vjp[any_real, f64[n]](x, 1.0, body=f, seeded=(0,), wrt=(0,))
    return dx
