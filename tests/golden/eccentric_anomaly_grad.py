import math


def eccentric_anomaly_grad(mean, eccentricity):
    # mean: float, eccentricity: float
    angle = mean
    step = 1.0
    tape = []
    while abs(step) > 1e-12:
        t = math.sin(angle)
        t1 = math.cos(angle)
        step = (angle - eccentricity * t - mean) / (1.0 - eccentricity * t1)
        tape.append((t, t1, step))
        angle -= step
    dangle = 1.0
    deccentricity = 0.0
    dmean = 0.0
    while tape:
        t, t1, step = tape.pop()
        # step = (angle - eccentricity * math.sin(angle) - mean) / (1.0 - ...
        t2 = dangle / (1.0 - eccentricity * t1)
        t3 = step * t2
        dmean += t2
        deccentricity += t2 * t - t3 * t1
        t = eccentricity * (t3 * t + t2 * t1) + dangle
        dangle = t - t2
    dmean += dangle
    return dmean, deccentricity
