"""Distances of SciPy with weights, and with a metric that a variable or an argument names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist, minkowski, pdist

from sct import SctError, grad, value_and_grad
from tests.oracle import agrees, refuses, same_value

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


def test_an_infinite_exponent_by_position_is_refused():
    x, y = np.array([1.0, 2.0]), np.array([0.0, 5.0])
    refuses(lambda x, y: minkowski(x, y, np.inf), x, y, code="SCT402")
    refuses(lambda x, y: minkowski(x, y, p=np.inf), x, y, code="SCT402")
    agrees(lambda x, y: minkowski(x, y, 3), x, y)
