# drop residuals: a solution that is not differentiated again is the value that was computed, and its residual is gone

def root(p: float) -> float:
    x0: float = math.sqrt(p)
    def body(x: float, q: float) -> float:
        square: float = operator.mul(x, x)
        residual: float = operator.sub(square, q)
        return residual
    x_1: float = solution(x0, p, body=body)
    y: float = operator.mul(x_1, p)
    return y


# becomes

def root(p: float) -> float:
    x0: float = math.sqrt(p)
    y: float = operator.mul(x0, p)
    return y
