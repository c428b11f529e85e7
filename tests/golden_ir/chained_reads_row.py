# chained reads: a read for its exception alone also gives the value

def f(A: f64[n, m], i: int) -> f64:
    k: int = operator.sub(i, 1)
    A_k: f64[m] = index(A, at[k])
    _0: f64 = index(A_k, at[-2])
    v: f64 = index(A, at[k, -2])
    return v


# becomes

def f(A: f64[n, m], i: int) -> f64:
    k: int = operator.sub(i, 1)
    A_k: f64[m] = index(A, at[k])
    v: f64 = index(A_k, at[-2])
    return v
