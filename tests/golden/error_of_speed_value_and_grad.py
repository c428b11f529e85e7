def error_of_speed_value_and_grad(speed, trips):
    # speed: float, trips: list[tuple[float, float]]
    trips_0 = [row[0] for row in trips]
    trips_1 = [row[1] for row in trips]
    len_trips_0 = len(trips_0)
    total = 0.0
    tape = []
    for distance, minutes in zip(trips_0, trips_1):
        error = distance / speed * 60.0 - minutes
        tape.append(error)
        total += error * error
    value = total / len_trips_0
    dspeed = 0.0
    for distance in reversed(trips_0):
        error = tape.pop()
        # error = distance / speed * 60.0 - minutes
        dspeed -= distance / speed * (120.0 * (error / len_trips_0) / speed)
    return value, dspeed
