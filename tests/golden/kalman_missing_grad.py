def kalman_missing_grad(q, r, ys, seen):
    # q: float, r: float, ys: f64[n], seen: b1[n]
    n = len(ys)
    m = 0.0
    p = 1.0
    tape = []
    p_tape = []
    for t in range(n):
        p += q
        p_tape.append(p)
        if seen[t]:
            s = p + r
            e = ys[t] - m
            tape.append((e, e**2 / s))
            m += p / s * e
            p -= p * p / s
    dm = 0.0
    dp = 0.0
    dr = 0.0
    dq = 0.0
    for t in reversed(range(n)):
        p = p_tape.pop()
        if seen[t]:
            e, e_sq_over_s = tape.pop()
            s = p + r
            # m += p / s * e
            p_over_s = p / s
            # p -= p * p / s
            dp_over_s = dp / s
            # m += p / s * e
            dm_times_e_over_s = dm * e / s
            # nll += 0.5 * (math.log(s) + e**2 / s)
            over_s = 0.5 / s
            de = dm * p_over_s + e / s
            ds = (
                p * p / s * dp_over_s
                + over_s
                - p_over_s * dm_times_e_over_s
                - e_sq_over_s * over_s
            )
            # e = ys[t] - m
            dm -= de
            # s = p + r
            dp += dm_times_e_over_s + ds - 2.0 * dp_over_s * p
            dr += ds
        # p += q
        dq += dp
    return dq, dr
