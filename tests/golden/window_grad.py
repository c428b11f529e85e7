def window_grad(xs, size):
    # xs: list[float], size: int
    buffer = []
    tape = []
    for x in xs:
        buffer.append(x)
        len_buffer_above_size = len(buffer) > size
        if len_buffer_above_size:
            buffer.pop(0)
        len_buffer = len(buffer)
        mean = sum(buffer) / len_buffer
        tape.append((len_buffer_above_size, len_buffer, x - mean))
    dbuffer = [0.0] * len(buffer)
    dxs = [0.0] * len(xs)
    for i in reversed(range(len(xs))):
        len_buffer_above_size, len_buffer, x_minus_mean = tape.pop()
        # total += (x - mean) ** 2
        twice_x_minus_mean = 2.0 * x_minus_mean
        # mean = sum(buffer) / len(buffer)
        dbuffer_part = -twice_x_minus_mean / len_buffer
        dbuffer = [each + dbuffer_part for each in dbuffer]
        if len_buffer_above_size:
            # buffer.pop(0)
            dbuffer.insert(0, 0.0)
        # buffer.append(x)
        dbuffer_last = dbuffer.pop()
        dxs[i] = twice_x_minus_mean + dbuffer_last
    return dxs
