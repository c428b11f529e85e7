"""A wave stepped through three buffers that swap places; its start found from its end."""

import numpy as np

from sct import value_and_grad


def propagate(start: np.ndarray, steps: int) -> np.ndarray:
    previous = start.copy()
    current = start.copy()
    following = np.zeros_like(start)
    for _ in range(steps):
        following[1:-1] = 2.0 * current[1:-1] - previous[1:-1]
        following[1:-1] += 0.25 * (current[2:] - 2.0 * current[1:-1] + current[:-2])
        previous, current, following = current, following, previous
    return current


def misfit(start: np.ndarray, observed: np.ndarray, steps: int) -> float:
    return np.sum((propagate(start, steps) - observed) ** 2)


def main() -> None:
    x = np.linspace(0.0, 1.0, 40)
    truth = np.exp(-200.0 * (x - 0.4) ** 2)
    observed = propagate(truth, 30)
    derivative = value_and_grad(misfit)

    # The wave is linear in its start: the gradient is 2 P' (P start - observed).
    P = np.stack([propagate(unit, 30) for unit in np.eye(40)], axis=1)
    start = np.zeros(40)
    value, gradient = derivative(start, observed, 30)
    error = np.max(np.abs(gradient - 2.0 * P.T @ (P @ start - observed)))
    print(derivative.source)
    print(f"gradient within {error:.1e} of the matrix form")
    assert error < 1e-12

    first = value
    for step in range(200):
        value, gradient = derivative(start, observed, 30)
        if step % 50 == 0:
            print(f"step {step:3d}: misfit {value:.6f}")
        start -= 0.1 * gradient
    print(f"misfit {first:.4f} -> {value:.2e}, distance to the truth {np.linalg.norm(start - truth):.3f}")
    assert value < 0.01 * first


if __name__ == "__main__":
    main()
