def garch_grad(omega, alpha, beta, returns):
    # omega: float, alpha: float, beta: float, returns: f64[n]
    variance_den = 1.0 - alpha - beta
    variance = omega / variance_den
    variance_now = variance
    tape = []
    for r in returns:
        tape.append(variance_now)
        variance_now = omega + alpha * r * r + beta * variance_now
    dvariance = 0.0
    dalpha = 0.0
    domega = 0.0
    dbeta = 0.0
    for r in reversed(returns):
        variance_now = tape.pop()
        # total += math.log(variance) + r * r / variance
        r_sq = r * r
        # variance = omega + alpha * r * r + beta * variance
        dbeta += dvariance * variance_now
        domega += dvariance
        dalpha += r_sq * dvariance
        # total += math.log(variance) + r * r / variance
        over_variance = 0.5 / variance_now
        dvariance = (
            dvariance * beta + over_variance - r_sq / variance_now * over_variance
        )
    # variance = omega / (1.0 - alpha - beta)
    domega_part = dvariance / variance_den
    dbeta_term = variance * domega_part
    domega += domega_part
    dbeta += dbeta_term
    dalpha += dbeta_term
    return domega, dalpha, dbeta
