# hoist the primal: what the user computes in every trip is computed before the loop, which runs one

def rows(A: f64[n, n], xs: f64[m, n]) -> f64[n]:
    _0: int(m) = builtins.len(xs)
    _1: int(n) = builtins.len(A)
    y: f64[n] = numpy.zeros(_1)
    def body(i: int, y_1: f64[n]) -> tuple[bool, f64[n]]:
        x: f64[n] = index(xs, at[i])
        _2: f64[n, n] = numpy.transpose(A)
        _3: f64[n, n] = numpy.exp(_2)
        _4: f64[n] = operator.matmul(_3, x)
        y_2: f64[n] = operator.add(y_1, _4)
        return True, y_2
    y_3, iterations = loop[f64[n], int](0, _0, 1, y, body=body, carries=1, counted=True)
    return y_3


# becomes

def rows(A: f64[n, n], xs: f64[m, n]) -> f64[n]:
    _0: int(m) = builtins.len(xs)
    _1: int(n) = builtins.len(A)
    y: f64[n] = numpy.zeros(_1)
    _2: f64[n, n] = numpy.transpose(A)
    _3: f64[n, n] = numpy.exp(_2)
    def body(i: int, y_1: f64[n]) -> tuple[bool, f64[n]]:
        x: f64[n] = index(xs, at[i])
        _4: f64[n] = operator.matmul(_3, x)
        y_2: f64[n] = operator.add(y_1, _4)
        return True, y_2
    y_3, iterations = loop[f64[n], int](0, _0, 1, y, body=body, carries=1, counted=True)
    return y_3
