# written views: after differentiation, the array may be read as well

def f(y: f64[n], a: f64) -> f64:
    v: f64[n - 1] = index(y, at[1:])
    _0: f64[n - 1] = store(v, a, at[0])
    y_1: f64[n] = store(y, _0, at[1:])
    w: f64[n - 1] = index(y_1, at[1:])
    _1: f64 = index(w, at[1])
    _2: f64 = index(y_1, at[1])
    _3: f64 = operator.mul(_1, _2)
    return _3


# becomes

def f(y: f64[n], a: f64) -> f64:
    v: f64[n - 1] = index(y, at[1:])
    w: f64[n - 1] = store(v, a, at[0])
    y_1: f64[n] = store(y, w, at[1:])
    _0: f64 = index(w, at[1])
    _1: f64 = index(y_1, at[1])
    _2: f64 = operator.mul(_0, _1)
    return _2
