def half_life_grad(x, rate):
    # x: float, rate: float
    segment = 0
    first = 1
    tape = []
    while True:
        tape.append((first, x))
        segment += 1
        last = first + segment
        for j in range(first, last):
            x = x * (1.0 - rate) - 0.01 * x * x
            i = j
            if x < 0.5:
                break
        first = last
        if x < 0.5:
            break
    # return x * i
    dx = float(i)
    # x = x * (1.0 - rate) - 0.01 * x * x
    one_minus_rate = 1.0 - rate
    drate = 0.0
    last = first
    while tape:
        first, x = tape.pop()
        x_tape = []
        for _ in range(first, last):
            x_tape.append(x)
            x = x * (1.0 - rate) - 0.01 * x * x
            if x < 0.5:
                break
        iterations = len(x_tape)
        for _ in reversed(range(first, first + iterations)):
            x = x_tape.pop()
            # x = x * (1.0 - rate) - 0.01 * x * x
            dx_new = dx * (one_minus_rate - 0.02 * x)
            drate -= dx * x
            dx = dx_new
        last = first
    return dx, drate
