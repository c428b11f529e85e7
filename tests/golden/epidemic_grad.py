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
    one_minus_gamma = 1.0 - gamma
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
        dnew_times_i = dnew * j
        di = di * one_minus_gamma + dnew * beta * s
        dbeta += dnew_times_i * s
        ds += dnew_times_i * beta
        i = j
    return dbeta, dgamma
