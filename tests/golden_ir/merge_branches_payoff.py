# merge branches: choices with one predicate become one conditional, and work that one branch needs moves into it

def payoff_grad(hold: float, strike: float, price: float) -> tuple[float, float, float]:
    _0: float = operator.sub(strike, price)
    _1: bool = operator.gt(_0, hold)
    dhold: float = adj.where(_1, 0.0, 2.0)
    _2: float = adj.mul(price, price)
    _3: float = adj.where(_1, _2, 0.0)
    dstrike: float = adj.add(strike, _3)
    _4: float = adj.neg(_3)
    _5: float = adj.mul(_4, hold)
    dprice: float = adj.add(dstrike, _5)
    return dhold, dstrike, dprice


# becomes

def payoff_grad(hold: float, strike: float, price: float) -> tuple[float, float, float]:
    _0: float = operator.sub(strike, price)
    _1: bool = operator.gt(_0, hold)
    def then() -> tuple[float, float, float]:
        _2: float = adj.mul(price, price)
        dstrike: float = adj.add(strike, _2)
        _3: float = adj.mul(_2, hold)
        dprice: float = adj.sub(dstrike, _3)
        return 0.0, dstrike, dprice
    def orelse() -> tuple[float, float, float]:
        return 2.0, strike, strike
    dhold, dstrike_1, dprice_1 = adj.cond[float, float, float](_1, then=then, orelse=orelse)
    return dhold, dstrike_1, dprice_1
