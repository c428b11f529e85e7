# thread jumps: returns of a loop that is unrolled; each path through one conditional decides the next

def taxed(income: float, low: float, high: float) -> float:
    _0: bool = operator.le(income, 1.0)
    def then() -> tuple[int, float, float]:
        _1: float = operator.mul(income, low)
        return 4, 0.0, _1
    def orelse() -> tuple[int, float, undef[float]]:
        return 0, low, undef[float]
    _2, tax, _3 = cond[int, float, undef[float]](_0, then=then, orelse=orelse)
    _4: bool = operator.lt(_2, 3)
    def then() -> tuple[int, undef[float]]:
        _5: bool = operator.le(income, 3.0)
        def then() -> tuple[int, float]:
            _6: float = operator.add(tax, high)
            return 4, _6
        def orelse() -> tuple[int, undef[float]]:
            return 0, _3
        _7, _8 = cond[int, undef[float]](_5, then=then, orelse=orelse)
        return _7, _8
    def orelse() -> tuple[int, float]:
        _9: float = adj.unwrap(_3, to=T[float])
        return 4, _9
    _10, _11 = cond[int, undef[float]](_4, then=then, orelse=orelse)
    _12: bool = operator.eq(_10, 0)
    def then() -> float:
        _13: float = operator.mul(income, high)
        _14: float = operator.add(tax, _13)
        return _14
    def orelse() -> float:
        _15: float = adj.unwrap(_11, to=T[float])
        return _15
    _16: float = cond(_12, then=then, orelse=orelse)
    return _16


# becomes

def taxed(income: float, low: float, high: float) -> float:
    _0: bool = operator.le(income, 1.0)
    def then() -> tuple[int, float, float, int, float, float]:
        _1: float = operator.mul(income, low)
        return 4, 0.0, _1, 4, _1, _1
    def orelse() -> tuple[int, float, undef[float], int, undef[float], float]:
        _2: bool = operator.le(income, 3.0)
        def then() -> tuple[int, float, float]:
            _3: float = operator.add(low, high)
            return 4, _3, _3
        def orelse() -> tuple[int, undef[float], float]:
            _4: float = operator.mul(income, high)
            _5: float = operator.add(low, _4)
            return 0, undef[float], _5
        _6, _7, _8 = cond[int, undef[float], float](_2, then=then, orelse=orelse)
        return 0, low, undef[float], _6, _7, _8
    _9, tax, _10, _11, _12, _13 = cond[int, float, undef[float], int, undef[float], float](_0, then=then, orelse=orelse)
    _14: bool = operator.lt(_9, 3)
    _15: bool = operator.eq(_11, 0)
    return _13
