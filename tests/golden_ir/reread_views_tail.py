# reread views: a view is written, put back, and read again

def f(y: f64[n], a: f64) -> f64:
    v: f64[n - 1] = index(y, at[1:])
    _0: f64[n - 1] = store(v, a, at[0])
    y_1: f64[n] = store(y, _0, at[1:])
    w: f64[n - 1] = index(y_1, at[1:])
    _1: f64 = index(w, at[1])
    return _1


# becomes

def f(y: f64[n], a: f64) -> f64:
    v: f64[n - 1] = index(y, at[1:])
    w: f64[n - 1] = store(v, a, at[0])
    y_1: f64[n] = store(y, w, at[1:])
    _0: f64 = index(w, at[1])
    return _0
