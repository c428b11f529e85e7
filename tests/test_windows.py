"""Backward loops over the positions of windows become loops over the places in the windows."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees

from sct import grad, hvp, jvp, probe, value_and_grad

RNG = np.random.default_rng(0)
IMAGE, KERNEL = RNG.normal(size=(6, 5)), RNG.normal(size=(3, 2))
IMAGES, WEIGHTS = RNG.normal(size=(2, 5, 6, 2)), RNG.normal(size=(3, 2, 2, 4))
CUBE, SMALL = RNG.normal(size=(4, 3, 4)), RNG.normal(size=(2, 2, 3))


def of_an_image(x, w):
    k, m = w.shape
    y = np.zeros((x.shape[0] - k + 1, x.shape[1] - m + 1))
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            y[i, j] = np.sum(x[i : i + k, j : j + m] * w)
    return np.sum(np.sin(y))


def of_channels(x, w):
    k, m = w.shape[0], w.shape[1]
    h, v = x.shape[1] - k + 1, x.shape[2] - m + 1
    y = np.empty((x.shape[0], h, v, w.shape[3]))
    for i in range(h):
        for j in range(v):
            y[:, i, j, :] = np.sum(x[:, i : i + k, j : j + m, :, None] * w[None, :, :, :], axis=(1, 2, 3))
    return np.sum(y * y)


def by_tensordot(x, w):
    k, m = w.shape[0], w.shape[1]
    h, v = x.shape[1] - k + 1, x.shape[2] - m + 1
    y = np.zeros((h, v, x.shape[0], w.shape[3]))
    for i in range(h):
        for j in range(v):
            y[i, j] = np.tensordot(x[:, i : i + k, j : j + m], w, axes=((1, 2, 3), (0, 1, 2)))
    return np.sum(np.tanh(y))


def of_a_cube(x, w):
    shape = [n - k + 1 for n, k in zip(x.shape, w.shape)]
    y = np.zeros((shape[0], shape[1], shape[2]))
    for i in range(shape[0]):
        for j in range(shape[1]):
            for k in range(shape[2]):
                y[i, j, k] = np.sum(w * x[i : i + w.shape[0], j : j + w.shape[1], k : k + w.shape[2]])
    return np.sum(y**3)


def in_steps(x, w):
    k, m = w.shape
    y = np.zeros((x.shape[0] - k + 1, x.shape[1] - m + 1))
    for i in range(0, y.shape[0], 2):
        for j in range(y.shape[1]):
            y[i, j] = np.sum(x[i : i + k, j : j + m] * w)
    return np.sum(y * y)


def beyond_the_end(x, w):
    k, m = w.shape
    y = np.zeros(x.shape)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = np.sum(x[i : i + k, j : j + m])
    return np.sum(y * y) + np.sum(w)


def along_the_diagonal(x, w):
    k = w.shape[0]
    y = np.zeros((x.shape[0] - k + 1, x.shape[1]))
    for i in range(y.shape[0]):
        for j in range(x.shape[1]):
            y[i, j] = np.sum(x[i : i + k, j] * w[:, 0])
    return np.sum(y * y)


def read_again(x, w):
    x = x.copy()
    k, m = w.shape
    for i in range(x.shape[0] - k + 1):
        for j in range(x.shape[1] - m + 1):
            x[i, j] = 0.1 * np.sum(x[i : i + k, j : j + m] * w)
    return np.sum(x * x)


OVER_PLACES = ((of_an_image, IMAGE, KERNEL), (of_channels, IMAGES, WEIGHTS), (of_a_cube, CUBE, SMALL))
OVER_POSITIONS = ((in_steps, IMAGE, KERNEL), (beyond_the_end, IMAGE, KERNEL), (along_the_diagonal, IMAGE, KERNEL),
                  (read_again, IMAGE, KERNEL), (by_tensordot, IMAGES, WEIGHTS))
PROGRAMS = pytest.mark.parametrize("f, x, w", (*OVER_PLACES, *OVER_POSITIONS), ids=lambda f: getattr(f, "__name__", ""))


@PROGRAMS
def test_gradients(f: Callable[..., Any], x: Any, w: Any) -> None:
    agrees(f, x, w)
    agrees(lambda w, x: f(x, w), w, x)


@PROGRAMS
def test_modes(f: Callable[..., Any], x: Any, w: Any) -> None:
    v = np.sin(np.arange(w.size)).reshape(w.shape)
    gradient = grad(f, argnums=1)(x, w)
    np.testing.assert_allclose(jvp(lambda w: f(x, w), (w,), (v,))[1], np.sum(gradient * v), rtol=1e-9)
    ends = [grad(f, argnums=1)(x, w + h * v) for h in (1e-5, -1e-5)]
    np.testing.assert_allclose(hvp(lambda w: f(x, w), (w,), (v,)), (ends[0] - ends[1]) / 2e-5, rtol=1e-5, atol=1e-6)
    single = grad(f, argnums=1)(x.astype(np.float32), w.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, gradient, rtol=1e-3, atol=1e-3)


@PROGRAMS
def test_other_sizes(f: Callable[..., Any], x: Any, w: Any) -> None:
    """As many places as elements, one place, and no element at all of another axis."""
    derivative = value_and_grad(f, argnums=(0, 1))
    derivative(x, w)
    calls = [(x[..., :1], w[:, :, :1]), (x[:1], w)] if x.ndim == 4 else [(x, x), (x, w[:1]), (x, w[:, :1])]
    for args in calls:
        value, (dx, dw) = derivative(*args)
        assert value == f(*args)
        for k, gradient in enumerate((dx, dw)):
            v = np.cos(np.arange(args[k].size)).reshape(args[k].shape)
            ends = [f(*(arg + h * v if n == k else arg for n, arg in enumerate(args))) for h in (1e-6, -1e-6)]
            np.testing.assert_allclose(np.sum(gradient * v), (ends[0] - ends[1]) / 2e-6, rtol=1e-5, atol=1e-5)


def test_loops() -> None:
    for f, x, w in OVER_PLACES:
        derivative = grad(f, argnums=(0, 1))
        derivative(x, w)
        assert "for b in range(" in derivative.source, f.__name__
    for f, x, w in OVER_POSITIONS:
        derivative = grad(f, argnums=(0, 1))
        derivative(x, w)
        assert "for b in range(" not in derivative.source, f.__name__


def probed(x, w):
    k, m = w.shape
    y = np.zeros((x.shape[0] - k + 1, x.shape[1] - m + 1))
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            y[i, j] = probe(np.sum(x[i : i + k, j : j + m] * w), backward=print)
    return np.sum(y * y)


def test_probes_see_each_position(capsys: pytest.CaptureFixture[str]) -> None:
    k, m = KERNEL.shape
    slopes = [2.0 * np.sum(IMAGE[i : i + k, j : j + m] * KERNEL) for i in range(4) for j in range(4)]
    grad(probed, argnums=(0, 1))(IMAGE, KERNEL)
    np.testing.assert_allclose(np.array(capsys.readouterr().out.split(), dtype=float), slopes[::-1])


WIDTH = -1


def of_a_width_from_outside(x, z):
    h, v = x.shape[0] - WIDTH + 1, x.shape[1] - WIDTH + 1
    y = np.zeros((h, v))
    for i in range(h):
        for j in range(v):
            y[i, j] = np.sum(x[i : i + WIDTH, j : j + WIDTH] * z[i : i + WIDTH, j : j + WIDTH])
    return np.sum(y * y)


def test_a_negative_width_counts_from_the_end() -> None:
    agrees(of_a_width_from_outside, IMAGE, IMAGE + 1.0)


def of_the_third_channel(x, w):
    k, m = w.shape
    h, v = x.shape[1] - k + 1, x.shape[2] - m + 1
    y = np.zeros((h, v))
    for i in range(h):
        for j in range(v):
            y[i, j] = np.sum(x[2, i : i + k, j : j + m] * w)
    return np.sum(y * y) + np.sum(x)


def test_no_channel_is_read_for_no_positions() -> None:
    cube = RNG.normal(size=(4, 4, 5))
    derivative = value_and_grad(of_the_third_channel, argnums=(0, 1))
    agrees(of_the_third_channel, cube, KERNEL)
    derivative(cube, KERNEL)
    small = cube[:2, :2, :3]
    value, (dx, dw) = derivative(small, IMAGE[:3, :4])
    assert value == of_the_third_channel(small, IMAGE[:3, :4]) and np.all(dx == 1.0) and np.all(dw == 0.0)


def broadcast_sums(x, w):
    k, m = w.shape
    y = np.zeros((x.shape[0] - k + 1, x.shape[1] - m + 1))
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            y[i, j] = np.sum(x[i : i + k, j : j + m] * w[0])
    return np.sum(np.sin(y))


def test_sums_that_are_broadcast() -> None:
    agrees(broadcast_sums, IMAGE, KERNEL)
    agrees(lambda w, x: broadcast_sums(x, w), KERNEL, IMAGE)


def test_loops_whose_backward_pass_is_empty() -> None:
    def f(x: Any, a: Any) -> Any:
        if x + a[3] > 0.11:
            for _, b in zip(range(2), a):
                for t in a:
                    r = np.sin(np.cos(x * x) - t * t)
                    x = 0
                b = np.arctan(b * x) + r
        for q, q_ in zip(a, a):
            q = np.tanh(q_ / (1.5 + q**2))
        return 0.98 * x

    a = np.array([0.3, 0.9, 0.4, 0.2])
    derivative = value_and_grad(f)
    assert derivative(0.7, a) == (0.0, 0.0)
    assert derivative(-0.7, a) == (f(-0.7, a), 0.98)
