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
    scaled_beta = 0.2 * beta
    di_factor = 1.0 - 0.2 * gamma
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
        dnew_times_i = dnew * j
        di = di * di_factor + dnew * scaled_beta * s
        ds += dnew_times_i * scaled_beta
        dbeta += 0.2 * dnew_times_i * s
        i = j
    return dbeta, dgamma
