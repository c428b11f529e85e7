def pid_grad(gains, target, steps):
    # gains: {"p": float, "i": float, "d": float}, target: float, steps: int
    p = gains["p"]
    i = gains["i"]
    d = gains["d"]
    integral = 0.0
    last = target
    x = 0.0
    tape = []
    integral_tape = []
    for _ in range(steps):
        tape.append(last)
        error = target - x
        integral += 0.1 * error
        u = p * error + i * integral + d * (error - last) / 0.1
        integral_tape.append((integral, u))
        u = max(-5.0, min(5.0, u))
        x += 0.1 * (u - x)
        last = error
    dintegral = 0.0
    dlast = 0.0
    dx = 0.0
    dp = 0.0
    di = 0.0
    dd = 0.0
    error = last
    for _ in reversed(range(steps)):
        integral, u = integral_tape.pop()
        last = tape.pop()
        # cost += error * error
        derror = dlast + 2.0 * error
        # x += 0.1 * (u - x)
        scaled_dx = 0.1 * dx
        if min(5.0, u) > -5.0 and u < 5.0:
            # u = kp * error + ki * integral + kd * (error - last) / 0.1
            dx_times_d = dx * d
            dlast = -dx_times_d
            dd += dx * (error - last)
            di += scaled_dx * integral
            dintegral += scaled_dx * i
            dp += scaled_dx * error
            derror += dx_times_d + scaled_dx * p
        else:
            dlast = 0.0
        # integral += 0.1 * error
        derror += 0.1 * dintegral
        # error = target - x
        dx = 0.9 * dx - derror
        error = last
    return {"p": dp, "i": di, "d": dd}
