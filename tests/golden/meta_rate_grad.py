def meta_rate_grad(rate, w, xs, ys):
    # rate: float, w: f64[n], xs: f64[m, n], ys: f64[m]
    m = len(ys)
    tape = []
    for k in range(m):
        xs_k = xs[k]
        # loss = lambda w, x, y: (w @ x - y) ** 2
        w_part = 2.0 * (w @ xs_k - ys[k]) * xs_k
        tape.append(w_part)
        w = w - rate * w_part
    # loss = lambda w, x, y: (w @ x - y) ** 2
    dw_factor = 2.0 * (w @ xs.T - ys)
    dw = dw_factor @ xs
    drate = 0.0
    for k in reversed(range(m)):
        w_part = tape.pop()
        # w = w - rate * slope(w, xs[k], ys[k])
        xs_k = xs[k]
        drate -= dw @ w_part
        # loss = lambda w, x, y: (w @ x - y) ** 2
        dw -= 2.0 * (rate * dw @ xs_k) * xs_k
    return drate
