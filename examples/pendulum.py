"""Swinging up a pendulum: the torques of two seconds, found by shooting.

    python examples/pendulum.py

The simulation is a plain loop; its gradient, with respect to every torque, is one backward loop.
"""

import math

import numpy as np
from scipy.optimize import minimize

from sct import value_and_grad

STEPS, DT = 100, 0.02


def acceleration(angle, speed, torque):
    return -9.81 * math.sin(angle) - 0.1 * speed + torque


def swing(torques):
    """The angle (0: hanging down) and the speed at the end."""
    angle, speed = 0.0, 0.0
    for torque in torques:
        half_speed = speed + 0.5 * DT * acceleration(angle, speed, torque)
        half_angle = angle + 0.5 * DT * speed
        angle += DT * half_speed
        speed += DT * acceleration(half_angle, half_speed, torque)
    return angle, speed


@value_and_grad
def cost(torques):
    """How far from standing upright, still; and the effort."""
    angle, speed = swing(torques)
    return 1e4 * (angle - math.pi) ** 2 + 1e3 * speed**2 + DT * np.sum(torques**2)


def main() -> None:
    found = minimize(cost, np.zeros(STEPS), jac=True, method="L-BFGS-B", options={"maxiter": 400})
    angle, speed = swing(found.x)
    print(cost.source)
    print(f"after {found.nit} iterations, {found.nfev} gradients: angle {math.degrees(angle):.2f} degrees, "
          f"speed {speed:.3f} rad/s, largest torque {np.max(np.abs(found.x)):.2f}")
    assert abs(angle - math.pi) < 0.02 and abs(speed) < 0.05


if __name__ == "__main__":
    main()
