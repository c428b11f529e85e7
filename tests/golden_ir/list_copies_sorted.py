# list copies: a copy that is only read

def f(xs: list[f64], i: int) -> f64:
    _0: list[f64] = copy_list(xs)
    _1: int = builtins.len(_0)
    _2: f64 = index(_0, at[i])
    _3: f64 = operator.mul(_2, _1)
    return _3


# becomes

def f(xs: list[f64], i: int) -> f64:
    _0: int = builtins.len(xs)
    _1: f64 = index(xs, at[i])
    _2: f64 = operator.mul(_1, _0)
    return _2
