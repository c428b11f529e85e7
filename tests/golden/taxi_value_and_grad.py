def taxi_value_and_grad(speed, trips):
    # speed: float, trips: ((float, float), (float, float))
    trips_0 = trips[0]
    trips_1 = trips[1]
    error_term = 60.0 * trips_0[0] / speed
    error = error_term - trips_0[1]
    total = error**2
    error_term1 = 60.0 * trips_1[0] / speed
    error1 = error_term1 - trips_1[1]
    total += error1**2
    # error = 60.0 * distance / speed - minutes
    dspeed_part = error_term1 * (error1 / speed) + error_term * (error / speed)
    dspeed = -dspeed_part
    return total / 2, dspeed
