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
        x1 = tape.pop()
        t = 1.0 - x * x
        t1 = -gain
        t2 = t1 * x1
        if min(0.5, t) > -2.0 and t < 0.5:
            # total += max(-2.0, min(0.5, 1.0 - x * x))
            dx -= 2.0 * x
        # x = x + 0.1 * (x + force)
        t = 0.1 * dx
        dx *= 1.1
        if min(1.0, t2) > -1.0 and t2 < 1.0:
            # force = max(-1.0, min(1.0, -gain * x))
            dx += t * t1
            dgain -= t * x1
        x = x1
    return dgain, dx
