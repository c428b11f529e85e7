import math


def eccentric_anomaly_grad(mean, eccentricity):
    # mean: float, eccentricity: float
    angle = mean
    step = 1.0
    tape = []
    while abs(step) > 1e-12:
        sin_angle = math.sin(angle)
        cos_angle = math.cos(angle)
        step = (angle - eccentricity * sin_angle - mean) / (
            1.0 - eccentricity * cos_angle
        )
        tape.append((sin_angle, cos_angle, step))
        angle -= step
    dangle = 1.0
    deccentricity = 0.0
    dmean = 0.0
    while tape:
        sin_angle, cos_angle, step = tape.pop()
        # step = (angle - eccentricity * math.sin(angle) - mean) / (1.0 - ...
        t = dangle / (1.0 - eccentricity * cos_angle)
        deccentricity_factor = step * t
        dmean += t
        deccentricity += t * sin_angle - deccentricity_factor * cos_angle
        dangle_term = (
            eccentricity * (deccentricity_factor * sin_angle + t * cos_angle) + dangle
        )
        dangle = dangle_term - t
    dmean += dangle
    return dmean, deccentricity
