def garch_grad(omega, alpha, beta, returns):
    # omega: float, alpha: float, beta: float, returns: f64[n]
    t = 1.0 - alpha - beta
    variance = omega / t
    variance1 = variance
    tape = []
    for r in returns:
        tape.append(variance1)
        variance1 = omega + alpha * r * r + beta * variance1
    dvariance = 0.0
    dalpha = 0.0
    domega = 0.0
    dbeta = 0.0
    for r in reversed(returns):
        variance1 = tape.pop()
        # total += math.log(variance) + r * r / variance
        t1 = r * r
        # variance = omega + alpha * r * r + beta * variance
        dbeta += dvariance * variance1
        domega += dvariance
        dalpha += t1 * dvariance
        # total += math.log(variance) + r * r / variance
        t2 = 0.5 / variance1
        dvariance = dvariance * beta + t2 - t1 / variance1 * t2
    # variance = omega / (1.0 - alpha - beta)
    t = dvariance / t
    t1 = variance * t
    domega += t
    dbeta += t1
    dalpha += t1
    return domega, dalpha, dbeta
