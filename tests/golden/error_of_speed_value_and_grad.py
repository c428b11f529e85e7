def error_of_speed_value_and_grad(speed, trips):
    # speed: float, trips: list[tuple[float, float]]
    trips_0 = [row[0] for row in trips]
    trips_1 = [row[1] for row in trips]
    len_trips_0 = len(trips_0)
    total = 0.0
    for distance, minutes in zip(trips_0, trips_1):
        error = distance / speed * 60.0 - minutes
        total += error * error
    value = total / len_trips_0
    dspeed = 0.0
    for minutes, distance in zip(reversed(trips_1), reversed(trips_0)):
        # error = distance / speed * 60.0 - minutes
        error_factor = distance / speed
        error = 60.0 * error_factor - minutes
        dspeed -= error_factor * (120.0 * (error / len_trips_0) / speed)
    return value, dspeed
