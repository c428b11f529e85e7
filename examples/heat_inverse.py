"""The initial temperature of a rod, recovered from its temperature 50 steps later."""

import numpy as np
from scipy.optimize import minimize

from sct import value_and_grad


def diffuse(u: np.ndarray, steps: int) -> np.ndarray:
    for _ in range(steps):
        u[1:-1] += 0.4 * (u[:-2] - 2.0 * u[1:-1] + u[2:])
    return u


def misfit(start: np.ndarray, observed: np.ndarray, steps: int) -> float:
    """How far `start` is from the observation after `steps`, with a term for smoothness."""
    end = diffuse(start.copy(), steps)
    return np.sum((end - observed) ** 2) + 1e-5 * np.sum((start[1:] - start[:-1]) ** 2)


def main() -> None:
    x = np.linspace(0.0, 1.0, 64)
    truth = np.sin(np.pi * x) + 0.5 * np.sin(3.0 * np.pi * x) + 0.2 * x
    observed = diffuse(truth.copy(), 50)
    derivative = value_and_grad(misfit)
    fit = minimize(derivative, observed, args=(observed, 50), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    error = np.linalg.norm(fit.x - truth) / np.linalg.norm(truth)
    before = np.linalg.norm(observed - truth) / np.linalg.norm(truth)
    print(derivative.source)
    print(f"relative error {100 * before:.1f} % -> {100 * error:.2f} % in {fit.nit} steps")
    assert error < 0.05 < before


if __name__ == "__main__":
    main()
