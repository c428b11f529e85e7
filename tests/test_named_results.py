"""Results of libraries that are named tuples: returned whole, they are those of the library, or refused."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from numpy.linalg._linalg import QRResult, SlogdetResult

from sct import SctError, check_grads, grad, jacobian, jvp, vjp

A = np.array([[2.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 4.0]])
DIRECTION = np.array([[0.3, -0.2, 0.1], [0.5, 0.4, -0.6], [0.2, 0.7, -0.1]])


def thin_svd(x):
    return np.linalg.svd(x, full_matrices=False)


def of_a_loop(x):
    results = []
    for k in range(len(x)):
        results.append(np.linalg.slogdet(x * (k + 1.0)))
    return results


def on_one_path(x):
    if x[0, 0] > 1.0:
        result = np.linalg.slogdet(x)
    else:
        result = (x[0, 0], x[0, 1])
    return result


WHOLE = [np.linalg.qr, np.linalg.eig, np.linalg.eigh, np.linalg.slogdet, thin_svd]


@pytest.mark.parametrize("f", WHOLE)
def test_a_decomposition_is_returned_whole(f):
    def whole(x):
        return f(x)

    symmetric = DIRECTION + DIRECTION.T
    value, pull = vjp(whole, A)
    _, tangent = jvp(whole, (A,), (symmetric,))
    for result in (value, tangent, jacobian(whole)(A)):
        assert type(result) is type(f(A))
    assert all(np.array_equal(part, own) for part, own in zip(value, f(A)))
    ahead, behind = f(A + 1e-6 * symmetric), f(A - 1e-6 * symmetric)
    for part, a, b in zip(tangent, ahead, behind):
        np.testing.assert_allclose(part, (a - b) / 2e-6, atol=1e-6)
    (ct,) = pull(value)
    np.testing.assert_allclose(np.sum(ct * symmetric), sum(np.sum(v * t) for v, t in zip(value, tangent)), atol=1e-9)


@pytest.mark.parametrize("f", [lambda x: [np.linalg.qr(x), 2.0], lambda x: {"qr": np.linalg.qr(x)}, of_a_loop,
                               lambda x: np.linalg.qr(x)._replace(Q=x), lambda x: np.linalg.qr(x) + (x,)])
def test_a_decomposition_in_a_container(f):
    value, _ = vjp(f, A)
    own = f(A)
    parts = (zip(own.values(), value.values()) if isinstance(own, dict) else zip(own, value))
    assert type(value) is type(own) and all(type(a) is type(b) for a, b in parts)


def test_the_class_depends_on_the_path():
    assert type(vjp(on_one_path, A)[0]) is SlogdetResult
    assert type(vjp(on_one_path, 0.1 * A)[0]) is tuple


def test_the_class_of_a_value_inside():
    def inner(x):
        return vjp(np.linalg.slogdet, x)[0].logabsdet

    assert grad(inner)(A).shape == A.shape
    assert type(vjp(lambda x: vjp(lambda y: np.linalg.qr(y), x)[0], A)[0]) is QRResult


def test_items_of_a_decomposition():
    check_grads(lambda x: np.sum(np.linalg.qr(x).R) + np.linalg.slogdet(x)[1], (A,))


@pytest.mark.parametrize("f", [scipy.stats.pearsonr, scipy.stats.linregress, scipy.stats.ttest_ind,
                               scipy.stats.f_oneway])
def test_a_result_of_scipy_is_refused_whole(f):
    y = np.array([0.3, 0.9, 0.1, 0.7])
    with pytest.raises(SctError, match="a named tuple of SciPy is not supported as a result") as refused:
        vjp(lambda x: f(x, y), np.array([1.0, 2.0, 4.0, 3.5]))
    assert "SCT503" in str(refused.value)
    value, _ = vjp(lambda x: tuple(f(x, y)), np.array([1.0, 2.0, 4.0, 3.5]))
    assert value == tuple(f(np.array([1.0, 2.0, 4.0, 3.5]), y))
