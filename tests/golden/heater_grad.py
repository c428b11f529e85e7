def heater_grad(gain, steps):
    # gain: float, steps: int
    temperature = 15.0
    tape = []
    for _ in range(steps):
        control_factor = 20.0 - temperature
        control = gain * control_factor
        if control > 0.5:
            temperature += 0.1 * control
        elif control < -0.5:
            temperature += 0.2 * control
        tape.append((control_factor, 20.0 - temperature))
    dtemperature = 0.0
    dgain = 0.0
    for _ in reversed(range(steps)):
        control_factor, t = tape.pop()
        control = gain * control_factor
        # cost += (20.0 - temperature) ** 2
        dtemperature -= 2.0 * t
        if control > 0.5:
            # temperature += 0.1 * control
            dcontrol = 0.1 * dtemperature
        elif control < -0.5:
            # temperature += 0.2 * control
            dcontrol = 0.2 * dtemperature
        else:
            dcontrol = 0.0
        # control = gain * (20.0 - temperature)
        dgain += dcontrol * control_factor
        dtemperature -= dcontrol * gain
    return dgain
