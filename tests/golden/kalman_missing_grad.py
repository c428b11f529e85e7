def kalman_missing_grad(q, r, ys, seen):
    # q: float, r: float, ys: f64[n], seen: b1[n]
    n = len(ys)
    m = 0.0
    p = 1.0
    tape = []
    tape1 = []
    for t in range(n):
        p += q
        tape1.append(p)
        if seen[t]:
            s = p + r
            e = ys[t] - m
            tape.append((e, e ** 2 / s))
            m += p / s * e
            p -= p * p / s
    dm = 0.0
    dp = 0.0
    dr = 0.0
    dq = 0.0
    for t in reversed(range(n)):
        p = tape1.pop()
        if seen[t]:
            e, t1 = tape.pop()
            s = p + r
            # m += p / s * e
            t2 = p / s
            # p -= p * p / s
            t3 = dp / s
            # m += p / s * e
            t4 = dm * e / s
            # nll += 0.5 * (math.log(s) + e**2 / s)
            t5 = 0.5 / s
            de = dm * t2 + e / s
            ds = p * p / s * t3 + t5 - t2 * t4 - t1 * t5
            # e = ys[t] - m
            dm -= de
            # s = p + r
            dp += t4 + ds - 2.0 * t3 * p
            dr += ds
        # p += q
        dq += dp
    return dq, dr
