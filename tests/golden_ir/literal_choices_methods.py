# literal choices: the class of an object decides which method is called, so the method is not a choice of its own

def methods(x: float, y: float) -> float:
    c: bool = operator.gt(x, 1.5)
    def then() -> str:
        return 'Call'
    def orelse() -> str:
        return 'Put'
    kind: str = cond(c, then=then, orelse=orelse)
    is_call: bool = part(kind, text="_0 == 'Call'", type=T[bool])
    def then() -> str:
        return 'Call.payoff'
    def orelse() -> str:
        d: bool = part(kind, text="_0 == 'Put'", type=T[bool])
        def then() -> str:
            return 'Put.payoff'
        def orelse() -> str:
            return 'Digital.payoff'
        name: str = cond(d, then=then, orelse=orelse)
        return name
    name_1: str = cond(is_call, then=then, orelse=orelse)
    is_put: bool = part(name_1, text="_0 == 'Put.payoff'", type=T[bool])
    is_other: bool = part(name_1, text="_0 == 'Swap.payoff'", type=T[bool])
    def then() -> float:
        return x
    def orelse() -> float:
        return y
    z: float = cond(is_put, then=then, orelse=orelse)
    def then() -> float:
        return x
    def orelse() -> float:
        return y
    w: float = cond(is_other, then=then, orelse=orelse)
    v: float = operator.mul(z, w)
    return v


# becomes

def methods(x: float, y: float) -> float:
    c: bool = operator.gt(x, 1.5)
    def then() -> str:
        return 'Call'
    def orelse() -> str:
        return 'Put'
    kind: str = cond(c, then=then, orelse=orelse)
    is_call: bool = part(kind, text="_0 == 'Call'", type=T[bool])
    def then() -> str:
        return 'Call.payoff'
    def orelse() -> str:
        d: bool = not_(c)
        def then() -> str:
            return 'Put.payoff'
        def orelse() -> str:
            return 'Digital.payoff'
        name: str = cond(d, then=then, orelse=orelse)
        return name
    name_1: str = cond(c, then=then, orelse=orelse)
    is_put: bool = part(name_1, text="_0 == 'Put.payoff'", type=T[bool])
    is_other: bool = part(name_1, text="_0 == 'Swap.payoff'", type=T[bool])
    def then() -> float:
        return x
    def orelse() -> float:
        return y
    z: float = cond(is_put, then=then, orelse=orelse)
    def then() -> float:
        return x
    def orelse() -> float:
        return y
    w: float = cond(False, then=then, orelse=orelse)
    v: float = operator.mul(z, w)
    return v
