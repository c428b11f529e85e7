def ar2_grad(phi1, phi2, sigma, y):
    # phi1: float, phi2: float, sigma: float, y: f64[n]
    n = len(y)
    tape = []
    for t in range(2, n):
        e = y[t] - phi1 * y[t - 1] - phi2 * y[t - 2]
        sigma_sq = sigma**2
        tape.append((e, e**2 / (2.0 * sigma_sq)))
    dphi1 = 0.0
    dphi2 = 0.0
    dsigma = 0.0
    for t in reversed(range(2, n)):
        e, e_sq_over_twice_sigma_sq = tape.pop()
        # ll += -0.5 * math.log(2.0 * math.pi * sigma ** 2) - e ** 2 / (2.0 * ...
        dphi2_den = 2.0 * sigma_sq
        dphi2_factor = 2.0 * e / dphi2_den
        dsigma_factor = 2.0 * (
            0.5 / sigma_sq - 2.0 * (e_sq_over_twice_sigma_sq / dphi2_den)
        )
        dsigma += dsigma_factor * sigma
        # e = y[t] - phi1 * y[t - 1] - phi2 * y[t - 2]
        dphi2 -= dphi2_factor * y[t - 2]
        dphi1 -= dphi2_factor * y[t - 1]
    return dphi1, dphi2, dsigma
