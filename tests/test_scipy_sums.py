"""Sums of exponentials, integrals of samples, convolutions and distances of SciPy, in programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.signal
import scipy.spatial
from oracle import agrees, refuses, same_value
from scipy import integrate, signal, special
from scipy.spatial.distance import cdist

from sct import check_grads, grad, jvp, value_and_grad

M = np.array([[0.3, -1.2, 0.7, 2.0], [1.1, 0.4, -0.6, 0.2], [0.9, 0.1, 1.4, -0.8]])
T = np.array([0.0, 0.4, 0.5, 1.1])


def cross_entropy(m: np.ndarray) -> Any:
    return np.mean(special.logsumexp(m, axis=1) - m[:, 2]) + np.sum(special.softmax(m, axis=0) ** 2)


def mixture(m: np.ndarray) -> Any:
    """The logarithm of a mixture of two normal densities."""
    parts = np.stack([-0.5 * m**2, -0.5 * (m - 1.0) ** 2])
    return np.sum(special.logsumexp(parts, axis=0, b=np.full(parts.shape, 0.5), keepdims=True))


def labels(m: np.ndarray) -> Any:
    return -np.sum(special.log_softmax(m, axis=-1) * (M > 0.0))


def work(m: np.ndarray) -> Any:
    return np.sum(integrate.trapezoid(m**2, T, axis=1)) + np.sum(integrate.simpson(m * m, x=T)) + np.sum(
        integrate.simpson(m, dx=0.3, axis=0))


def filtered(m: np.ndarray) -> Any:
    kernel = m[1, :3]
    y = signal.convolve(m[0], kernel, mode="same") + scipy.signal.fftconvolve(m[2], kernel, "same")
    return np.sum(y**2) + np.sum(signal.convolve(m[0], m[1]) ** 3)


def kernels(m: np.ndarray) -> Any:
    d = cdist(m, m[:2] * 1.5, "sqeuclidean")
    return np.sum(np.exp(-0.5 * d)) + np.sum(scipy.spatial.distance.cdist(m, M + 1.0))


@pytest.mark.parametrize("f", [cross_entropy, mixture, labels, work, filtered, kernels], ids=lambda f: f.__name__)
def test_program(f: Callable[[Any], Any]) -> None:
    agrees(f, M)
    check_grads(f, (M,), order=2)
    g = value_and_grad(f)
    for m in (M, np.asfortranarray(M), M[::-1], 3.0 * M):
        value, slope = g(m)
        assert same_value(value, f(m))
        np.testing.assert_allclose(np.sum(slope * M), jvp(f, (m,), (M,))[1], rtol=1e-9, atol=1e-11)


def test_large_exponents() -> None:
    x = np.array([1000.0, 999.0, -1e5])
    np.testing.assert_allclose(grad(lambda x: special.logsumexp(x))(x), special.softmax(x))
    np.testing.assert_allclose(grad(lambda x: special.log_softmax(x)[0])(x), [1 - 0.731058578, -0.268941421, 0.0])


def test_equal_points_do_not_pull() -> None:
    x = np.array([[1.0, 2.0], [4.0, 6.0]])
    np.testing.assert_allclose(grad(lambda p: np.sum(cdist(p, x)))(x), [[-0.6, -0.8], [0.6, 0.8]])


def test_refused() -> None:
    refuses(lambda m: special.logsumexp(m, return_sign=True)[0], M, code="SCT501")
    refuses(lambda m: np.sum(cdist(m, m, "hamming")), M, code="SCT402")
