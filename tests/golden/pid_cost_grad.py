def pid_cost_grad(kp, ki, kd, target, steps):
    # kp: float, ki: float, kd: float, target: float, steps: int
    integral = 0.0
    position = 0.0
    previous = target
    velocity = 0.0
    tape = []
    for _ in range(steps):
        error = target - position
        integral += error * 0.05
        derivative = (error - previous) / 0.05
        force = kp * error + ki * integral + kd * derivative
        if force > 5.0:
            force_now = 5.0
        elif force < -5.0:
            force_now = -5.0
        else:
            force_now = force
        tape.append((error, integral, derivative, force, force_now))
        velocity += (force_now - 0.4 * velocity) * 0.05
        position += velocity * 0.05
        previous = error
    dintegral = 0.0
    dposition = 0.0
    dprevious = 0.0
    dvelocity = 0.0
    dkp = 0.0
    dki = 0.0
    dkd = 0.0
    for _ in reversed(range(steps)):
        error, integral, derivative, force, force_now = tape.pop()
        # cost += (error ** 2 + 0.01 * force ** 2) * dt
        derror = dprevious + 0.1 * error
        # position += velocity * dt
        dvelocity += 0.05 * dposition
        # velocity += (force - 0.4 * velocity) * dt
        scaled_dvelocity = 0.05 * dvelocity
        dvelocity *= 0.98
        if force > 5.0:
            dprevious = 0.0
        elif force < -5.0:
            dprevious = 0.0
        else:
            # velocity += (force - 0.4 * velocity) * dt
            dforce = 0.001 * force_now + scaled_dvelocity
            # force = kp * error + ki * integral + kd * derivative
            dkd += dforce * derivative
            dki += dforce * integral
            dintegral += dforce * ki
            dkp += dforce * error
            # derivative = (error - previous) / dt
            dprevious_part = dforce * kd / 0.05
            dprevious = -dprevious_part
            derror += dforce * kp + dprevious_part
        # integral += error * dt
        derror += 0.05 * dintegral
        # error = target - position
        dposition -= derror
    return dkp, dki, dkd
