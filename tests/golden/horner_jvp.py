def horner_jvp(coefficients, x, dcoefficients, dx):
    # coefficients: f64[n], x: float, dcoefficients: f64[n], dx: float
    value = 0.0
    dvalue = 0.0
    for i in range(len(coefficients) - 1, -1, -1):
        c = coefficients[i]
        dc = dcoefficients[i]
        value1 = value * x + c
        dvalue = dvalue * x + dx * value + dc
        value = value1
    return value, dvalue
