def sir_grad(beta, gamma, days):
    # beta: float, gamma: float, days: int
    i = 0.01
    s = 0.99
    done = False
    tape = []
    for _ in range(days):
        tape.append((i, s))
        new = beta * s * i
        s -= new
        j = i + new - gamma * i
        if j < i:
            i = j
            done = True
            break
        i = j
    if done:
        di = 0.0
        dprevious = 1.0
    else:
        di = 1.0
        dprevious = 0.0
    # s, i, previous = s - new, i + new - gamma * i, i
    one_minus_gamma = 1.0 - gamma
    ds = 0.0
    dbeta = 0.0
    dgamma = 0.0
    while tape:
        i, s = tape.pop()
        # s, i, previous = s - new, i + new - gamma * i, i
        dgamma -= di * i
        dnew = di - ds
        # new = beta * s * i
        dnew_times_i = dnew * i
        di = di * one_minus_gamma + dprevious + dnew * beta * s
        dbeta += dnew_times_i * s
        ds += dnew_times_i * beta
        dprevious = 0.0
    return dbeta, dgamma
