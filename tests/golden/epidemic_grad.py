def epidemic_grad(beta, gamma, infected):
    # beta: float, gamma: float, infected: f64[n]
    n = len(infected)
    i = 0.01
    s = 0.99
    tape = []
    for _ in range(n):
        tape.append((i, s))
        new = beta * s * i
        recovered = gamma * i
        s -= new
        i += new - recovered
    # new = beta * s * i
    t = 1.0 - gamma
    di = 0.0
    ds = 0.0
    dbeta = 0.0
    dgamma = 0.0
    for observed in reversed(infected):
        j, s = tape.pop()
        # loss += (i - observed) ** 2
        di += 2.0 * (i - observed) / n
        # s -= new
        dnew = di - ds
        # recovered = gamma * i
        dgamma -= di * j
        # new = beta * s * i
        t1 = dnew * j
        di = di * t + dnew * beta * s
        dbeta += t1 * s
        ds += t1 * beta
        i = j
    return dbeta, dgamma
