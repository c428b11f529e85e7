def logistic_map_value_and_grad(x, n):
    # x: float, n: int
    v = x
    tape = []
    for _ in range(n):
        tape.append(v)
        v = 4.0 * v * (1.0 - v)
    dv = 1.0
    for _ in reversed(range(n)):
        v_prev = tape.pop()
        # v = 4.0 * v * (1.0 - v)
        dv *= 4.0 - 8.0 * v_prev
    return v, dv
