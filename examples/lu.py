"""The log-determinant by LU factors made in place; its gradient is the inverse, transposed."""

import math

import numpy as np

from sct import value_and_grad


def factorise(A: np.ndarray) -> None:
    """Overwrites A by its factors, without pivoting."""
    n = A.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]


def log_determinant(A: np.ndarray) -> float:
    factors = A.copy()
    factorise(factors)
    total = 0.0
    for k in range(A.shape[0]):
        total += math.log(abs(factors[k, k]))
    return total


def main() -> None:
    A = np.random.default_rng(0).normal(size=(6, 6)) + 6.0 * np.eye(6)
    derivative = value_and_grad(log_determinant)
    value, gradient = derivative(A)
    error = np.max(np.abs(gradient - np.linalg.inv(A).T))
    print(derivative.source)
    print(f"log-determinant {value:.6f}, its gradient within {error:.1e} of the inverse transposed")
    assert math.isclose(value, np.linalg.slogdet(A)[1], rel_tol=1e-12)
    assert error < 1e-12


if __name__ == "__main__":
    main()
