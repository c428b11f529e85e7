def kalman_grad(q, r, ys):
    # q: float, r: float, ys: f64[n]
    m = 0.0
    p = 1.0
    tape = []
    for y in ys:
        p += q
        s = p + r
        e = y - m
        tape.append((p, e))
        gain = p / s
        m += gain * e
        p *= 1.0 - gain
    dm = 0.0
    dp = 0.0
    dq = 0.0
    dr = 0.0
    for _ in reversed(range(len(ys))):
        p, e = tape.pop()
        s = p + r
        gain = p / s
        # m = m + gain * e
        dgain = dm * e - dp * p
        # gain = p / s
        dgain_over_s = dgain / s
        # total -= 0.5 * (math.log(s) + e * e / s)
        over_s = -0.5 / s
        de = dm * gain + 2.0 * (over_s * e)
        ds = over_s - (gain * dgain_over_s + e * e / s * over_s)
        # e = y - m
        dm -= de
        # s = p + r
        dp = dp * (1.0 - gain) + dgain_over_s + ds
        dr += ds
        # p = p + q
        dq += dp
    return dq, dr
