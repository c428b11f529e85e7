"""Distances of SciPy with weights, and with a metric that a variable or an argument names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.spatial import distance, distance_matrix
from scipy.spatial.distance import cdist, minkowski, pdist

from sct import SctError, check_grads, grad, value_and_grad
from tests.oracle import agrees, same_value

RNG = np.random.default_rng(0)
X, Y, W = RNG.uniform(0.2, 2.0, (4, 3)), RNG.uniform(0.2, 2.0, (2, 3)), np.array([0.3, 2.0, 1.1])
METRICS = ("braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "euclidean", "jensenshannon",
           "mahalanobis", "minkowski", "seuclidean", "sqeuclidean")


def _central(f: Callable[..., Any], x: np.ndarray, *args: Any) -> np.ndarray:
    e = 1e-6
    steps = [e * unit.reshape(x.shape) for unit in np.eye(x.size)]
    return np.array([(f(x + d, *args) - f(x - d, *args)) / (2 * e) for d in steps]).reshape(x.shape)


@pytest.mark.parametrize("metric", METRICS)
def test_a_metric_that_a_variable_names(metric: str) -> None:
    def between(x: np.ndarray) -> Any:
        return np.sum(np.tanh(cdist(x, Y, metric)))

    def among(x: np.ndarray, name: str) -> Any:
        return np.sum(np.tanh(pdist(x, name)))

    for f, args in ((between, ()), (among, (metric,))):
        value, slope = value_and_grad(f)(X, *args)
        assert same_value(value, f(X, *args))
        np.testing.assert_allclose(slope, _central(f, X, *args), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("metric", ["cityblock", "euclidean", "minkowski", "sqeuclidean"])
def test_weights(metric: str) -> None:
    def f(w: np.ndarray, x: np.ndarray) -> Any:
        return np.sum(np.tanh(cdist(x, Y, metric, w=w)))

    dw, dx = grad(f, argnums=(0, 1))(W, X)
    np.testing.assert_allclose(dw, _central(f, W, X), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(dx, _central(lambda x: f(W, x), X), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("metric", ["braycurtis", "canberra", "chebyshev", "correlation", "cosine"])
def test_weights_of_other_metrics_are_refused(metric: str) -> None:
    with pytest.raises(SctError, match="with weights is not supported for this metric"):
        grad(lambda x: np.sum(cdist(x, Y, metric, w=W)))(X)


U, V = np.array([1.0, 2.0, 0.3]), np.array([0.0, 5.0, 0.2])


@pytest.mark.parametrize("f", [
    lambda u, v: minkowski(u, v, np.inf), lambda u, v: minkowski(u, v, p=np.inf), lambda u, v: minkowski(u, v, 3),
    lambda u, v: minkowski(u, v, np.inf, np.array([1.0, 0.0, 2.0])) * u[1],
    lambda u, v: np.sum(distance_matrix(u[:, None] * v, X, np.inf) ** 2),
    lambda u, v: np.sum(pdist(u[:, None] * v, "minkowski", p=np.inf) ** 2)])
def test_exponents_by_position_and_by_keyword(f: Any) -> None:
    agrees(f, U, V)
    check_grads(f, (U, V), order=2)


def test_an_exponent_of_run_time_may_be_infinite() -> None:
    derivative = value_and_grad(lambda u, v, p: minkowski(u, v, p), (0, 1))
    for p in (np.inf, 3.0, 1.5):
        agrees(lambda u, v: minkowski(u, v, p), U, V)
        value, slopes = derivative(U, V, p)
        assert value == minkowski(U, V, p)
        np.testing.assert_allclose(slopes, value_and_grad(lambda u, v: minkowski(u, v, p), (0, 1))(U, V)[1])


def along_rows(x: Any, of: Any) -> Any:
    total = 0.0
    for i in range(1, 3):
        total = total + of(x[i], x[i - 1]) * (i + 1)
    for row in x:
        total = total + of(row, x[0] + 0.3)
    return total + of(x[:, 0], x[:, 1]) * x[0, 0] + of(x[::-1][0], x[1][::-1])


@pytest.mark.parametrize("of", [distance.cosine, distance.correlation, distance.cityblock, distance.chebyshev,
                                distance.canberra, distance.braycurtis, distance.euclidean, distance.jensenshannon])
def test_rows_and_columns(of: Any) -> None:
    for x in (X, np.asfortranarray(X)):
        agrees(lambda x: along_rows(x, of), x)
    check_grads(lambda x: along_rows(x, of), (X,), order=2)
