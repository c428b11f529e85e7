def thermostat_grad(power, insulation, outside):
    # power: float, insulation: float, outside: f64[n]
    heating = False
    inside = 18.0
    tape = []
    for temperature in outside:
        if heating and inside > 21.0:
            heating = False
        elif not heating and inside < 19.0:
            heating = True
        inside_factor = temperature - inside
        tape.append((heating, inside_factor))
        inside += insulation * inside_factor
        if heating:
            inside += power
    # return cost + (inside - 20.0) ** 2
    dinside = 2.0 * (inside - 20.0)
    dpower = 0.0
    dinsulation = 0.0
    for _ in reversed(range(len(outside))):
        heating, inside_factor = tape.pop()
        if heating:
            # inside += power
            dpower += 2.0 * power + dinside
        # inside += insulation * (temperature - inside)
        dinsulation += dinside * inside_factor
        dinside -= dinside * insulation
    return dpower, dinsulation
