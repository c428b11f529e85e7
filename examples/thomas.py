"""A tridiagonal system solved in place (Thomas); the gradient is an adjoint solve."""

import numpy as np

from sct import grad


def solve(lower: np.ndarray, diagonal: np.ndarray, upper: np.ndarray, right: np.ndarray) -> None:
    """Overwrites `right` by the solution, and `diagonal` on the way."""
    n = len(right)
    for i in range(1, n):
        w = lower[i] / diagonal[i - 1]
        diagonal[i] -= w * upper[i - 1]
        right[i] -= w * right[i - 1]
    right[n - 1] /= diagonal[n - 1]
    for i in reversed(range(n - 1)):
        right[i] = (right[i] - upper[i] * right[i + 1]) / diagonal[i]


def energy(lower: np.ndarray, diagonal: np.ndarray, upper: np.ndarray, right: np.ndarray) -> float:
    x = right.copy()
    solve(lower, diagonal.copy(), upper, x)
    return x @ x


def main() -> None:
    rng = np.random.default_rng(0)
    n = 8
    lower, upper, right = rng.normal(size=n), rng.normal(size=n), rng.normal(size=n)
    diagonal = 4.0 + rng.random(n)
    derivative = grad(energy, argnums=(1, 3))
    ddiagonal, dright = derivative(lower, diagonal, upper, right)
    print(derivative.source)

    A = np.diag(diagonal) + np.diag(lower[1:], -1) + np.diag(upper[:-1], 1)
    x = np.linalg.solve(A, right)
    adjoint = np.linalg.solve(A.T, 2.0 * x)
    error = max(np.max(np.abs(dright - adjoint)), np.max(np.abs(ddiagonal + adjoint * x)))
    print(f"within {error:.1e} of the adjoint solve")
    assert error < 1e-12


if __name__ == "__main__":
    main()
