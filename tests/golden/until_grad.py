def until_grad(xs, limit):
    # xs: list[float], limit: float
    out = []
    iterations = 0
    for x in xs:
        iterations += 1
        if x > limit:
            break
        if x < 0.0:
            continue
        out.append(x * limit)
    len_out = len(out)
    if len_out > 0:
        dxs = [0.0] * len(xs)
        dlimit = 0.0
        for i in reversed(range(iterations)):
            x = xs[i]
            if not x > limit and not x < 0.0:
                # out.append(x * limit)
                dlimit += x / len_out
                dxs[i] = limit / len_out
        return dxs, dlimit
    # return limit * limit
    dlimit = 2.0 * limit
    return [0.0] * len(xs), dlimit
