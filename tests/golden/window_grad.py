def window_grad(xs, size):
    # xs: list[float], size: int
    buffer = []
    tape = []
    for x in xs:
        buffer.append(x)
        t = len(buffer) > size
        if t:
            buffer.pop(0)
        t1 = len(buffer)
        mean = sum(buffer) / t1
        tape.append((t, t1, x - mean))
    dbuffer = [0.0] * len(buffer)
    dxs = [0.0] * len(xs)
    for i in reversed(range(len(xs))):
        t, t1, t2 = tape.pop()
        # total += (x - mean) ** 2
        t2 *= 2.0
        # mean = sum(buffer) / len(buffer)
        dbuffer = [each + -t2 / t1 for each in dbuffer]
        if t:
            # buffer.pop(0)
            dbuffer.insert(0, 0.0)
        # buffer.append(x)
        t3 = dbuffer.pop()
        dxs[i] = t2 + t3
    return dxs
