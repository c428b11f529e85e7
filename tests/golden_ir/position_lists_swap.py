# position lists: each subscript has its own list of ints; one that a loop reads stays outside of it

def f(A: f64[n, m], k: int) -> f64[n, m]:
    _0: i64[2] = numpy.array(0, 2, tree=(0, 1))
    _1: i64[2] = numpy.array(2, 0, tree=(0, 1))
    _2: f64[2, m] = index(A, at[_1])
    A_1: f64[n, m] = store(A, _2, at[_0])
    _3: f64[2, m] = index(A_1, at[_0])
    A_2: f64[n, m] = store(A_1, _3, at[_1])
    _4: i64[2] = numpy.array(1, 2, tree=(0, 1))
    def body(i: int, A_3: f64[n, m]) -> tuple[bool, f64[n, m]]:
        _5: f64[2, m] = index(A_3, at[_4])
        _6: i64[2] = numpy.array(i, 0, tree=(0, 1))
        A_4: f64[n, m] = store(A_3, _5, at[_6])
        return True, A_4
    A_5, iterations = loop[f64[n, m], int](0, 3, 1, A_2, body=body, carries=1, counted=True)
    return A_5


# becomes

def f(A: f64[n, m], k: int) -> f64[n, m]:
    _0: i64[2] = numpy.array(0, 2, tree=(0, 1))
    _1: i64[2] = numpy.array(2, 0, tree=(0, 1))
    _2: i64[2] = numpy.array(2, 0, tree=(0, 1))
    _3: f64[2, m] = index(A, at[_2])
    _4: i64[2] = numpy.array(0, 2, tree=(0, 1))
    A_1: f64[n, m] = store(A, _3, at[_4])
    _5: i64[2] = numpy.array(0, 2, tree=(0, 1))
    _6: f64[2, m] = index(A_1, at[_5])
    _7: i64[2] = numpy.array(2, 0, tree=(0, 1))
    A_2: f64[n, m] = store(A_1, _6, at[_7])
    _8: i64[2] = numpy.array(1, 2, tree=(0, 1))
    def body(i: int, A_3: f64[n, m]) -> tuple[bool, f64[n, m]]:
        _9: f64[2, m] = index(A_3, at[_8])
        _10: i64[2] = numpy.array(i, 0, tree=(0, 1))
        _11: i64[2] = numpy.array(i, 0, tree=(0, 1))
        A_4: f64[n, m] = store(A_3, _9, at[_11])
        return True, A_4
    A_5, iterations = loop[f64[n, m], int](0, 3, 1, A_2, body=body, carries=1, counted=True)
    return A_5
