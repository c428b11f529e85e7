def clipped_control_grad(gain, x, steps):
    # gain: float, x: float, steps: int
    tape = []
    for _ in range(steps):
        tape.append(x)
        force = max(-1.0, min(1.0, -gain * x))
        x += 0.1 * (x + force)
    dx = 0.0
    dgain = 0.0
    for _ in reversed(range(steps)):
        x_prev = tape.pop()
        one_minus_x_sq = 1.0 - x * x
        neg_gain = -gain
        neg_gain_times_x = neg_gain * x_prev
        if min(0.5, one_minus_x_sq) > -2.0 and one_minus_x_sq < 0.5:
            # total += max(-2.0, min(0.5, 1.0 - x * x))
            dx -= 2.0 * x
        # x = x + 0.1 * (x + force)
        scaled_dx = 0.1 * dx
        dx *= 1.1
        if min(1.0, neg_gain_times_x) > -1.0 and neg_gain_times_x < 1.0:
            # force = max(-1.0, min(1.0, -gain * x))
            dx += scaled_dx * neg_gain
            dgain -= scaled_dx * x_prev
        x = x_prev
    return dgain, dx
