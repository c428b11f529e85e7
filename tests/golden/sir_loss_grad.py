def sir_loss_grad(beta, gamma, observed):
    # beta: float, gamma: float, observed: f64[n]
    i = 0.01
    s = 0.99
    tape = []
    for _ in range(len(observed)):
        tape.append((i, s))
        new = 0.2 * beta * s * i
        s -= new
        i = i + new - 0.2 * gamma * i
    # new = 0.2 * beta * s * i
    t = 0.2 * beta
    t1 = 1.0 - 0.2 * gamma
    di = 0.0
    ds = 0.0
    dbeta = 0.0
    dgamma = 0.0
    for count in reversed(observed):
        j, s = tape.pop()
        # loss += (i - count) ** 2
        di += 2.0 * (i - count)
        # i = i + new - 0.2 * gamma * i
        dgamma -= 0.2 * di * j
        # s = s - new
        dnew = di - ds
        # new = 0.2 * beta * s * i
        t2 = dnew * j
        di = di * t1 + dnew * t * s
        ds += t2 * t
        dbeta += 0.2 * t2 * s
        i = j
    return dbeta, dgamma
