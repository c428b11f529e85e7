def until_grad(xs, limit):
    # xs: list[float], limit: float
    out = []
    trips = 0
    for x in xs:
        trips += 1
        if x > limit:
            break
        if x < 0.0:
            continue
        out.append(x * limit)
    t = len(out)
    if t > 0:
        dout = [1.0 / t] * t
        dxs = [0.0] * len(xs)
        dlimit = 0.0
        for i in reversed(range(trips)):
            x = xs[i]
            if not x > limit and not x < 0.0:
                # out.append(x * limit)
                t1 = dout.pop()
                dlimit += t1 * x
                dxs[i] = t1 * limit
        return dxs, dlimit
    # return limit * limit
    dlimit = 2.0 * limit
    return [0.0] * len(xs), dlimit
