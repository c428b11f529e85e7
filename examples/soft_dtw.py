"""Soft dynamic time warping by a table, and a series that averages two others by it."""

import math

import numpy as np

from sct import value_and_grad


def soft_dtw(x: np.ndarray, y: np.ndarray, gamma: float) -> float:
    n, m = len(x), len(y)
    table = np.full((n + 1, m + 1), 1e10)
    table[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            best = min(table[i, j], table[i, j + 1], table[i + 1, j])
            total = math.exp((best - table[i, j]) / gamma)
            total += math.exp((best - table[i, j + 1]) / gamma)
            total += math.exp((best - table[i + 1, j]) / gamma)
            table[i + 1, j + 1] = (x[i] - y[j]) ** 2 + best - gamma * math.log(total)
    return table[n, m]


def spread(x: np.ndarray, series: tuple) -> float:
    total = 0.0
    for y in series:
        total += soft_dtw(x, y, 0.1)
    return total


def main() -> None:
    time = np.linspace(0.0, 1.0, 20)
    series = (np.exp(-50.0 * (time - 0.3) ** 2), np.exp(-50.0 * (time - 0.6) ** 2))
    derivative = value_and_grad(spread)
    mean = 0.5 * (series[0] + series[1])
    first, _ = derivative(mean, series)
    for step in range(30):
        value, slope = derivative(mean, series)
        if step % 10 == 0:
            print(f"step {step:2d}: spread {value:.5f}")
        mean -= 0.05 * slope
    print(f"height of the mean's one peak: {mean.max():.3f}")
    assert value < first
    assert mean.max() > 0.8  # two aligned peaks, not two halves


if __name__ == "__main__":
    main()
