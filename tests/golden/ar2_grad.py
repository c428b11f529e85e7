def ar2_grad(phi1, phi2, sigma, y):
    # phi1: float, phi2: float, sigma: float, y: f64[n]
    n = len(y)
    tape = []
    for t in range(2, n):
        e = y[t] - phi1 * y[t - 1] - phi2 * y[t - 2]
        t1 = sigma ** 2
        tape.append((e, e ** 2 / (2.0 * t1)))
    dphi1 = 0.0
    dphi2 = 0.0
    dsigma = 0.0
    for t in reversed(range(2, n)):
        e, t2 = tape.pop()
        # ll += -0.5 * math.log(2.0 * math.pi * sigma ** 2) - e ** 2 / (2.0 * ...
        t3 = 2.0 * t1
        t4 = 2.0 * e / t3
        t2 = 2.0 * (0.5 / t1 - 2.0 * (t2 / t3))
        dsigma += t2 * sigma
        # e = y[t] - phi1 * y[t - 1] - phi2 * y[t - 2]
        dphi2 -= t4 * y[t - 2]
        dphi1 -= t4 * y[t - 1]
    return dphi1, dphi2, dsigma
