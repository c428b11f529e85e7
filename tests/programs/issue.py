"""The programs of `examples/`, on small inputs."""

import math

import numpy as np

from examples.cube_and_logistic import cube, logistic_map, logistic_map_slope
from examples.heat_inverse import diffuse, misfit
from examples.logistic_regression import loss as logistic_regression
from examples.lu import factorise, log_determinant
from examples.newton import eccentric_anomaly
from examples.rollout import miss
from examples.seed import seed
from examples.soft_dtw import soft_dtw, spread
from examples.thomas import energy
from examples.wave import misfit as wave
from examples.wave import propagate

__all__ = [
    "cube",
    "diffuse",
    "eccentric_anomaly",
    "energy",
    "factorise",
    "log_determinant",
    "logistic_map",
    "logistic_regression",
    "misfit",
    "miss",
    "propagate",
    "seed",
    "soft_dtw",
    "spread",
    "taxi",
    "wave",
]


def taxi(speed, trips):
    """The mean squared error of the durations of trips, (kilometres, minutes), at a speed."""
    total = 0.0
    for distance, minutes in trips:
        error = 60.0 * distance / speed - minutes
        total += error**2
    return total / len(trips)


def _kepler(mean, eccentricity):
    angle = eccentric_anomaly(mean, eccentricity)
    slope = 1.0 / (1.0 - eccentricity * math.cos(angle))
    return {0: slope, 1: math.sin(angle) * slope}


INPUTS = {
    "seed": lambda rng: (2.0, 5.0),
    "cube": lambda rng: (1.3,),
    "logistic_map": lambda rng: (0.2, 4),
    "taxi": lambda rng: (35.0, ((6.0, 12.0), (4.0, 7.0))),
    "logistic_regression": lambda rng: (rng.normal(size=4), rng.normal(size=(9, 3)), np.sign(rng.normal(size=9))),
    "misfit": lambda rng: (rng.normal(size=9), rng.normal(size=9), 4),
    "diffuse": lambda rng: (rng.normal(size=7), 3),
    "eccentric_anomaly": lambda rng: (1.0, 0.6),
    "miss": lambda rng: (np.array([8.0, 6.0]), 20.0),
    "log_determinant": lambda rng: (rng.normal(size=(4, 4)) + 4.0 * np.eye(4),),
    "soft_dtw": lambda rng: (rng.normal(size=4), rng.normal(size=3), 0.8),
    "spread": lambda rng: (rng.normal(size=3), (rng.normal(size=3), rng.normal(size=2))),
    "energy": lambda rng: (rng.normal(size=5), 4.0 + rng.random(5), rng.normal(size=5), rng.normal(size=5)),
    "wave": lambda rng: (rng.normal(size=6), rng.normal(size=6), 5),
    "propagate": lambda rng: (rng.normal(size=6), 4),
}

GRADIENTS = {
    "seed": lambda x1, x2: {0: 1.0 / x1 + x2, 1: x1 - math.cos(x2)},
    "cube": lambda x: {0: 3.0 * x * x},
    "logistic_map": lambda x, n: {0: logistic_map_slope(x, n)},
    "eccentric_anomaly": _kepler,
    "log_determinant": lambda A: {0: np.linalg.inv(A).T},
}
