def horner_grad(coefficients, x):
    # coefficients: list[float], x: float
    len_coefficients = len(coefficients)
    y = 0.0
    tape = []
    for i in range(len_coefficients - 1, -1, -1):
        tape.append(y)
        c = coefficients[i]
        y = y * x + c
    dcoefficients = [0.0] * len(coefficients)
    dy = 1.0
    dx = 0.0
    for i in reversed(range(len_coefficients - 1, -1, -1)):
        y = tape.pop()
        # y = y * x + c
        dx += dy * y
        dcoefficients[i] = dy
        dy *= x
    return dcoefficients, dx
