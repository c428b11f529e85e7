"""Kepler's equation by Newton's method: the derivative of a `while` loop."""

import math

from sct import grad


def eccentric_anomaly(mean: float, eccentricity: float) -> float:
    """The E with E - e sin(E) = M."""
    angle = mean
    step = 1.0
    while abs(step) > 1e-12:
        step = (angle - eccentricity * math.sin(angle) - mean) / (1.0 - eccentricity * math.cos(angle))
        angle -= step
    return angle


def main() -> None:
    derivative = grad(eccentric_anomaly, argnums=(0, 1))
    for mean, eccentricity in ((0.5, 0.1), (1.0, 0.6), (3.0, 0.9)):
        dmean, deccentricity = derivative(mean, eccentricity)
        angle = eccentric_anomaly(mean, eccentricity)
        expected = 1.0 / (1.0 - eccentricity * math.cos(angle))
        print(f"M = {mean}, e = {eccentricity}: E = {angle:.6f}, dE/dM = {dmean:.6f}, dE/de = {deccentricity:.6f}")
        assert math.isclose(dmean, expected, rel_tol=1e-9)
        assert math.isclose(deccentricity, math.sin(angle) * expected, rel_tol=1e-9)
    print(derivative.source)


if __name__ == "__main__":
    main()
