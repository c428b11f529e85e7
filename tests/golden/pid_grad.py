def pid_grad(gains, target, steps):
    # gains: {"p": float, "i": float, "d": float}, target: float, steps: int
    p = gains["p"]
    i = gains["i"]
    d = gains["d"]
    integral = 0.0
    last = target
    x = 0.0
    tape = []
    tape1 = []
    for _ in range(steps):
        tape.append(last)
        error = target - x
        integral += 0.1 * error
        u = p * error + i * integral + d * (error - last) / 0.1
        tape1.append((integral, u))
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
        integral, u = tape1.pop()
        last = tape.pop()
        # cost += error * error
        derror = dlast + 2.0 * error
        # x += 0.1 * (u - x)
        t = 0.1 * dx
        if min(5.0, u) > -5.0 and u < 5.0:
            # u = kp * error + ki * integral + kd * (error - last) / 0.1
            t1 = dx * d
            dlast = -t1
            dd += dx * (error - last)
            di += t * integral
            dintegral += t * i
            dp += t * error
            derror += t1 + t * p
        else:
            dlast = 0.0
        # integral += 0.1 * error
        derror += 0.1 * dintegral
        # error = target - x
        dx = 0.9 * dx - derror
        error = last
    return {"p": dp, "i": di, "d": dd}
