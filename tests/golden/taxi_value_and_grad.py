def taxi_value_and_grad(speed, trips):
    # speed: float, trips: ((float, float), (float, float))
    t = trips[0]
    t1 = trips[1]
    t2 = 60.0 * t[0] / speed
    error = t2 - t[1]
    total = error ** 2
    t3 = 60.0 * t1[0] / speed
    error1 = t3 - t1[1]
    total += error1 ** 2
    # error = 60.0 * distance / speed - minutes
    t2 = t3 * (error1 / speed) + t2 * (error / speed)
    dspeed = -t2
    return total / 2, dspeed
