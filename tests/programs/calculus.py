"""Differences, integrals, convolutions, polynomials and statistics of samples."""

import numpy as np


def total_variation(image, noisy, weight):
    smooth = np.sum(np.sqrt(np.diff(image, axis=0) ** 2 + 0.01)) + np.sum(np.sqrt(np.diff(image, axis=1) ** 2 + 0.01))
    return np.sum((image - noisy) ** 2) + weight * smooth


def second_differences(x):
    return np.sum(np.diff(x, n=2, prepend=0.0) ** 2) + np.sum(np.ediff1d(x) ** 3)


def action(path, step):
    """Of an oscillator, by gradient and trapezoid."""
    v = np.gradient(path, step)
    return np.trapezoid(0.5 * v * v - 0.5 * path * path, dx=step)


def kinetic_energy(path, times):
    """Of a path known at uneven times."""
    return np.trapezoid(0.5 * np.gradient(path, times) ** 2, times)


def dirichlet_energy(z, dx, dy):
    """Of a surface over a grid."""
    zx, zy = np.gradient(z, dx, dy)
    return 0.5 * np.sum(zx**2 + zy**2) * dx * dy


def mean_of_density(logits, x):
    """A density given by its logarithm at uneven points."""
    p = np.exp(logits - np.max(logits))
    return np.trapezoid(p * x, x) / np.trapezoid(p, x)


def deblur(signal, kernel, observed):
    return np.sum((np.convolve(signal, kernel, mode="same") - observed) ** 2)


def conv_layer(x, w1, w2):
    h = np.tanh(np.convolve(x, w1, "valid"))
    return np.sum(np.correlate(h, w2) ** 2) + np.sum(np.convolve(h, w2))


def polynomial_fit(p, x, y):
    return np.mean((np.polyval(p, x) - y) ** 2) + np.polyval(p, 0.5) ** 2


def fitted_polynomial(y, x, w):
    """The least squares fit, at points and with weights that may be differentiated, too."""
    c = np.polyfit(x, y, 2, w=w)
    return np.sum(c**2) + np.polyval(c, 0.5) ** 2


def vandermonde(x, c):
    return np.sum((np.vander(x, 4) @ c) ** 2)


def portfolio(weights, returns):
    return weights @ np.cov(returns) @ weights + np.cov(weights, bias=True)


def decorrelation(X):
    """The mean squared correlation between the columns of a batch of features."""
    R = np.corrcoef(X, rowvar=False)
    return np.sum(R**2) - len(R)


def rotations(w, x, v):
    """A rigid body: velocities and angular momentum."""
    u = v + np.cross(w, x)
    return np.sum(np.cross(x, u) ** 2) + np.cross(w, v) @ w


def tensor_systems(A, b):
    x = np.linalg.tensorsolve(A, b)
    return np.sum(x**3) + np.sum(np.linalg.tensorinv(A) ** 2)


def tabulated(values, points, x):
    """A table read between its points, and at one place beyond them."""
    return np.sum(np.interp(x, points, values) ** 2) + np.interp(5.0, points, values)


INPUTS = {
    "total_variation": lambda rng: (rng.normal(size=(4, 3)), rng.normal(size=(4, 3)), 0.3),
    "second_differences": lambda rng: (rng.normal(size=6),),
    "action": lambda rng: (rng.normal(size=7), 0.2),
    "kinetic_energy": lambda rng: (rng.normal(size=5), np.array([0.0, 0.3, 1.0, 1.2, 2.0])),
    "dirichlet_energy": lambda rng: (rng.normal(size=(4, 5)), 0.3, 0.5),
    "mean_of_density": lambda rng: (rng.normal(size=5), np.array([0.0, 0.3, 1.0, 1.2, 2.0])),
    "deblur": lambda rng: (rng.normal(size=8), rng.normal(size=3), rng.normal(size=8)),
    "conv_layer": lambda rng: (rng.normal(size=8), rng.normal(size=3), rng.normal(size=2)),
    "polynomial_fit": lambda rng: (rng.normal(size=4), rng.normal(size=6), rng.normal(size=6)),
    "fitted_polynomial": lambda rng: (rng.normal(size=6), np.arange(6.0) + rng.uniform(0.0, 0.5, 6),
                                      rng.uniform(1.0, 2.0, 6)),
    "vandermonde": lambda rng: (rng.normal(size=5), rng.normal(size=4)),
    "portfolio": lambda rng: (rng.random(3), rng.normal(size=(3, 8))),
    "decorrelation": lambda rng: (rng.normal(size=(6, 3)),),
    "rotations": lambda rng: (rng.normal(size=3), rng.normal(size=(4, 3)), rng.normal(size=3)),
    "tabulated": lambda rng: (rng.normal(size=4), np.array([0.0, 0.4, 1.5, 2.0]), np.array([0.1, 1.2, 0.9, -1.0])),
    "tensor_systems": lambda rng: (
        (rng.normal(size=(6, 6)) + 6.0 * np.eye(6)).reshape(2, 3, 3, 2),
        rng.normal(size=(2, 3)),
    ),
}
