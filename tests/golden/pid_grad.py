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
        # x += 0.1 * (u - x)
        t = 0.1 * dx
        # u = max(-5.0, min(5.0, u))
        t1 = min(5.0, u) > -5.0
        t2 = u < 5.0
        # u = kp * error + ki * integral + kd * (error - last) / 0.1
        t3 = (dx * (error - last) if t1 else 0.0) if t2 else 0.0
        t4 = dx * d
        dd += t3
        t3 = (-t4 if t1 else 0.0) if t2 else 0.0
        derror = dlast + 2.0 * error + ((t4 if t1 else 0.0) if t2 else 0.0)
        di += (t * integral if t1 else 0.0) if t2 else 0.0
        dintegral += (t * i if t1 else 0.0) if t2 else 0.0
        dp += (t * error if t1 else 0.0) if t2 else 0.0
        derror += (t * p if t1 else 0.0) if t2 else 0.0
        # integral += 0.1 * error
        derror += 0.1 * dintegral
        # error = target - x
        dx = 0.9 * dx - derror
        dlast = t3
        error = last
    return {"p": dp, "i": di, "d": dd}
