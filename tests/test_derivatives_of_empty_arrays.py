"""Arrays without elements: no derivative passes through them, and no rule is asked for one."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.ndimage
import scipy.signal
import scipy.spatial.distance
import scipy.stats

from sct import grad, jvp, vjp

NO_ROWS, NO_COLUMNS, NOTHING = np.ones((0, 2)), np.ones((3, 0)), np.ones(0)
TAPS = [1.0, 2.0, 1.0]


@pytest.mark.parametrize("f, x", [
    (lambda x: scipy.stats.gmean(x), NO_COLUMNS),
    (lambda x: scipy.stats.hmean(x, axis=1), NO_ROWS),
    (lambda x: scipy.signal.fftconvolve(x, x), NO_COLUMNS),
    (lambda x: scipy.ndimage.correlate1d(x, TAPS), NOTHING),
    (lambda x: scipy.ndimage.convolve1d(x, TAPS, axis=0), NO_COLUMNS),
    (lambda x: scipy.ndimage.sobel(x), NOTHING),
    (lambda x: scipy.ndimage.maximum_filter(x, 3), NO_COLUMNS),
    (lambda x: scipy.ndimage.shift(x, 0.5), NO_COLUMNS),
    (lambda x: scipy.spatial.distance.pdist(x), NO_ROWS),
    (lambda x: scipy.spatial.distance.cdist(x, x, "sqeuclidean"), NO_ROWS),
    (lambda x: scipy.spatial.distance.squareform(x), NOTHING),
    (lambda x: np.sort(x * x[::-1]), NOTHING),
    (lambda x: x @ x.T, NO_COLUMNS),
])
def test_no_elements(f, x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        own = f(x)
        value, pull = vjp(f, x)
        (ct,) = pull(value)
        _, tangent = jvp(f, (x,), (x,))
    assert value.shape == own.shape and value.tobytes() == own.tobytes()
    assert ct.shape == x.shape and np.shape(tangent) == own.shape and not np.any(tangent)


def test_beside_an_array_that_has_elements():
    def f(x, y):
        return np.sum(scipy.ndimage.correlate1d(x, TAPS)) + np.sum(np.concatenate([x, y]) ** 2)

    y = np.array([1.0, 2.0])
    gx, gy = grad(f, argnums=(0, 1))(NOTHING, y)
    assert gx.shape == (0,) and np.array_equal(gy, 2.0 * y)
    gx, gy = grad(f, argnums=(0, 1))(y, y)
    assert gx.shape == (2,)


def test_an_array_that_grows():
    def f(x):
        y = x[:0]
        for k in range(3):
            y = np.append(y, x[k] ** 2)
        return np.sum(y)

    assert np.array_equal(grad(f)(np.array([1.0, 2.0, 3.0])), [2.0, 4.0, 6.0])
