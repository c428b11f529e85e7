# whole updates: an array that is read again is not overwritten in a copy; one that is not read again stays

def softmax(x: f64[n, m]) -> tuple[f64[n, m], f64[n, m], f64[n, m]]:
    w: f64[n, m] = numpy.exp(x)
    z: f64[n, 1] = numpy.sum(w, axis=(1,), keepdims=True)
    _0: f64[n, m] = operator.truediv(w, z)
    p: f64[n, m] = store(w, _0, at[:, :])
    y: f64[n, m] = numpy.sin(x)
    _1: f64[n, m] = operator.mul(y, 2.0)
    y_1: f64[n, m] = store(y, _1, at[:, :])
    return w, p, y_1


# becomes

def softmax(x: f64[n, m]) -> tuple[f64[n, m], f64[n, m], f64[n, m]]:
    w: f64[n, m] = numpy.exp(x)
    z: f64[n, 1] = numpy.sum(w, axis=(1,), keepdims=True)
    p: f64[n, m] = operator.truediv(w, z)
    y: f64[n, m] = numpy.sin(x)
    _0: f64[n, m] = operator.mul(y, 2.0)
    y_1: f64[n, m] = store(y, _0, at[:, :])
    return w, p, y_1
