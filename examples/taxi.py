"""Taxi trips: the speed, and the minutes lost at the start, fitted to 200 noisy trips.

    python examples/taxi.py [PICTURE.png]

The first trips are those of rush hour, where the speed is another one; the change point is an
argument like the others, but not one that the loss is differentiated by.
"""

import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from sct import value_and_grad


def duration(distance: float, speed: float, lost: float) -> float:
    return lost + 60.0 * distance / speed


def loss(model: dict, trips: np.ndarray, rush: int) -> float:
    """The mean squared error, in minutes."""
    total = 0.0
    for k, (distance, minutes) in enumerate(trips):
        speed = model["rush_speed"] if k < rush else model["speed"]
        total += (duration(distance, speed, model["lost"]) - minutes) ** 2
    return total / len(trips)


def data(rng: np.random.Generator) -> np.ndarray:
    """Kilometres and minutes of 200 trips: 18 km/h in the first 80 of them, then 32; 3 minutes are lost."""
    trips = []
    for k in range(200):
        distance = rng.uniform(1.0, 15.0)
        trips.append((distance, duration(distance, 18.0 if k < 80 else 32.0, 3.0) + rng.normal()))
    return np.array(trips)


def fit(trips: np.ndarray, steps: int = 600) -> tuple[dict, list[float]]:
    """The model, and the error at every step of gradient descent."""
    derivative = value_and_grad(loss)
    model = {"speed": 25.0, "rush_speed": 25.0, "lost": 0.0}
    rates = {"speed": 3.0, "rush_speed": 0.3, "lost": 0.1}
    errors = []
    for _ in range(steps):
        error, slope = derivative(model, trips, 80)
        errors.append(error)
        model = {name: model[name] - rates[name] * slope[name] for name in model}
    print(derivative.source)
    return model, errors


def plot(model: dict, trips: np.ndarray, errors: list[float], path: Path) -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    far = np.linspace(0.0, 15.0)
    for name, shown, colour in (("rush_speed", trips[:80], "tab:red"), ("speed", trips[80:], "tab:blue")):
        left.scatter(*shown.T, s=8, color=colour)
        left.plot(far, duration(far, model[name], model["lost"]), color=colour, label=f"{model[name]:.1f} km/h")
    left.set(xlabel="kilometres", ylabel="minutes")
    left.legend()
    right.semilogy(errors)
    right.set(xlabel="step", ylabel="squared error")
    figure.savefig(path)
    plt.close(figure)


def main(path: Path | None = None) -> None:
    trips = data(np.random.default_rng(0))
    model, errors = fit(trips)
    print(f"{model['speed']:.2f} km/h, {model['rush_speed']:.2f} km/h in rush hour, {model['lost']:.2f} minutes lost; "
          f"squared error {errors[0]:.2f} -> {errors[-1]:.2f}")
    path = path or Path(tempfile.mkdtemp()) / "taxi.png"
    plot(model, trips, errors, path)
    print(f"plotted in {path}")
    assert abs(model["speed"] - 32.0) < 1.0 and abs(model["rush_speed"] - 18.0) < 0.5
    assert errors[-1] < 1.3


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
