# stop shifts: the maximum that a softmax subtracts is a constant to derivatives

def softmax(x: f64[n, m]) -> f64[n, m]:
    _0: f64[n, 1] = numpy.max(x, axis=1, keepdims=True)
    _1: f64[n, m] = operator.sub(x, _0)
    e: f64[n, m] = numpy.exp(_1)
    _2: f64[n, 1] = numpy.sum(e, axis=1, keepdims=True)
    y: f64[n, m] = operator.truediv(e, _2)
    return y


# becomes

def softmax(x: f64[n, m]) -> f64[n, m]:
    _0: f64[n, 1] = numpy.max(x, axis=1, keepdims=True)
    _1: f64[n, 1] = stop_gradient(_0)
    _2: f64[n, m] = operator.sub(x, _1)
    e: f64[n, m] = numpy.exp(_2)
    _3: f64[n, 1] = numpy.sum(e, axis=1, keepdims=True)
    y: f64[n, m] = operator.truediv(e, _3)
    return y
