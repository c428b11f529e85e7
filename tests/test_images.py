"""Filters and samples of images, of `scipy.ndimage`, in programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses, same_value
from scipy import ndimage
from scipy.ndimage import map_coordinates

from sct import check_grads, grad, hvp, jvp, value_and_grad

rng = np.random.default_rng(0)
IMAGE, VOLUME = rng.normal(size=(6, 7)), rng.normal(size=(3, 4, 5))
POINTS = rng.uniform(-0.8, 6.8, size=(2, 9))
SHARES = np.cos(np.arange(42)).reshape(6, 7)
KERNEL, TAPS = rng.normal(size=(3, 2)), np.array([0.2, 0.5, 0.9, -0.3])
ROWS, COLUMNS = np.mgrid[0:6, 0:7]
WHOLE = np.arange(42).reshape(6, 7)

FILTERS: list[Callable[..., Any]] = [
    lambda x, **o: ndimage.gaussian_filter(x, 1.0, **o),
    lambda x, **o: ndimage.gaussian_filter(x, [0.5, 1.0], order=[0, 1], **o),
    lambda x, **o: ndimage.gaussian_filter(x, 0.7, order=1, radius=2, **o),
    lambda x, **o: ndimage.gaussian_filter(x, 4.0, **o),
    lambda x, **o: ndimage.gaussian_filter1d(x, 0.8, axis=0, order=1, **o),
    lambda x, **o: ndimage.uniform_filter(x, 4, **o),
    lambda x, **o: ndimage.uniform_filter(x, (2, 3), origin=(0, 1), **o),
    lambda x, **o: ndimage.uniform_filter1d(x, 4, 0, origin=-1, **o),
    lambda x, **o: ndimage.sobel(x, 0, **o),
    lambda x, **o: ndimage.prewitt(x, **o),
    lambda x, **o: ndimage.laplace(x, **o),
    lambda x, **o: ndimage.convolve(x, KERNEL, origin=(1, 0), **o),
    lambda x, **o: ndimage.correlate(x, KERNEL, **o),
    lambda x, **o: ndimage.convolve1d(x, TAPS, 0, **o),
    lambda x, **o: ndimage.correlate1d(x, TAPS, axis=0, origin=1, **o)]
MODES: list[dict[str, Any]] = [{}, {"mode": "constant", "cval": 2.0}, {"mode": "mirror"}, {"mode": "wrap"}]


@pytest.mark.parametrize("call", FILTERS, ids=range(len(FILTERS)))
def test_filters_against_their_matrix(call: Callable[..., Any]) -> None:
    """A filter is affine: unit images give its matrix."""
    for options in MODES:
        f = lambda x, options=options: np.sum(call(x, **options) ** 2 * SHARES)
        value, slope = value_and_grad(f)(IMAGE)
        assert same_value(value, f(IMAGE))
        at_zero = call(np.zeros((6, 7)), **options)
        matrix = np.array([(call(e.reshape(6, 7), **options) - at_zero).ravel() for e in np.eye(42)])
        shares = (2.0 * SHARES).ravel()
        np.testing.assert_allclose(slope.ravel(), matrix @ (shares * call(IMAGE, **options).ravel()), atol=1e-11)
    np.testing.assert_allclose(jvp(f, (IMAGE,), (SHARES,))[1], np.sum(slope * SHARES), atol=1e-11)
    np.testing.assert_allclose(hvp(f, (IMAGE,), (SHARES,)).ravel(),
                               matrix @ (shares * (matrix.T @ SHARES.ravel())), atol=1e-11)


def psf(p):
    """The likelihood of stars, blurred."""
    image = np.zeros((16, 18))
    for k, (i, j) in enumerate([(4, 5), (9, 12), (12, 3)]):
        image[i, j] += p[k]
    return np.sum((ndimage.gaussian_filter(image, 1.3) - 0.1) ** 2)


def denoised(x):
    edges = np.hypot(ndimage.sobel(x, axis=0), ndimage.sobel(x, axis=1))
    for _ in range(3):
        x = x + 0.1 * ndimage.laplace(x, mode="nearest")
    return np.sum(ndimage.convolve(x, KERNEL, mode="nearest") ** 2) + np.sum(np.sqrt(edges**2 + 1e-3))


def constants(x):
    """Images that are not differentiated are filtered as they are."""
    return np.sum(x * ndimage.gaussian_filter(WHOLE, 1.0) * ndimage.median_filter(IMAGE, 3)) + np.sum(
        x * map_coordinates(IMAGE, POINTS[:, :7]))


def registration(p):
    """A rotation and a shift."""
    moved = [np.cos(p[0]) * (ROWS - 2.5) - np.sin(p[0]) * (COLUMNS - 3.0) + 2.5 + p[1],
             np.sin(p[0]) * (ROWS - 2.5) + np.cos(p[0]) * (COLUMNS - 3.0) + 3.0 + p[2]]
    return np.mean((map_coordinates(IMAGE, moved, order=1, mode="nearest") - SHARES) ** 2)


def sampled(x):
    return np.sum(map_coordinates(x**2, [x[:2] + 1.5, x[1:3] + 2.5], order=1) ** 2)


def in_a_volume(x):
    at = np.stack([x[:2] + 0.5, x[1:3] + 1.5, x[2:4] + 1.1])
    return np.sum(map_coordinates(VOLUME * x[0, 0], at, order=1, mode="nearest") ** 2)


PROGRAMS: list[tuple[Callable[[Any], Any], Any]] = [
    (psf, np.array([3.0, 2.0, 5.0])), (denoised, IMAGE), (constants, IMAGE),
    (registration, np.array([0.02, 0.3, -0.2])), (sampled, IMAGE), (in_a_volume, IMAGE),
    (lambda x: np.sum(map_coordinates(x, POINTS, order=1, cval=2.0) ** 2), IMAGE),
    (lambda x: np.sum(map_coordinates(x, POINTS, order=1, mode="nearest") ** 2), IMAGE),
    (lambda x: np.sum(map_coordinates(x, POINTS, order=0) ** 2), IMAGE),
    (lambda p: np.sum(map_coordinates(IMAGE, p, order=1) ** 2), POINTS),
    (lambda p: np.sum(map_coordinates(IMAGE, p, order=1, mode="nearest") ** 2), POINTS)]


@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=lambda f: getattr(f, "__name__", ""))
def test_program(f: Callable[..., Any], x: Any) -> None:
    agrees(f, x)
    check_grads(f, (x,), order=2)
    derivative = value_and_grad(f)
    for at in (x, 0.9 * x):
        value, slope = derivative(at)
        assert same_value(value, f(at))
        np.testing.assert_allclose(jvp(f, (at,), (x,))[1], np.sum(slope * x), rtol=1e-9)


@pytest.mark.parametrize("matrix", [np.array([[1.07, 0.11, 0.2], [0.02, 0.92, 0.13]]), np.array([1.1, 0.83])])
def test_matrices_of_affine_transforms(matrix: np.ndarray) -> None:
    """Of homogeneous coordinates, and of scales."""
    image = np.random.default_rng(0).normal(size=(5, 6))
    f = lambda x, m: np.sum(ndimage.affine_transform(x, m, order=1, mode="nearest") ** 2)
    assert value_and_grad(f)(image, matrix)[0] == f(image, matrix)
    check_grads(f, (image, matrix))


def test_gaussian_filters_by_their_width() -> None:
    f = lambda x, s: np.sum(ndimage.gaussian_filter(x, [s, 1.2 * s], order=(0, 1), mode="wrap") ** 2) + np.sum(
        ndimage.gaussian_filter1d(x, s, axis=0, order=2, mode="constant", cval=0.3, truncate=3.0) ** 2)
    image = np.random.default_rng(0).normal(size=(5, 6))
    assert value_and_grad(f)(image, 1.13)[0] == f(image, 1.13)
    check_grads(f, (image, 1.13), order=2)


def regions(x):
    """Regions as they come of an image: how many there are depends on it."""
    labels, count = ndimage.label(x > 0.4)
    at = np.arange(1, count + 1)
    spread = ndimage.standard_deviation(x, labels=labels, index=at) * ndimage.minimum(x, labels, at)
    return np.sum(ndimage.sum(x, labels, range(1, count + 1)) ** 2) + np.sum(ndimage.mean(x, labels, at) ** 2) \
        + np.sum(ndimage.maximum(x, labels, at)) + np.sum(spread) + np.sum(ndimage.variance(x, labels, at)) \
        + ndimage.maximum(x) * ndimage.minimum(x) + ndimage.sum(x, x > 0.5)


def test_regions() -> None:
    """Labels of 32 and of 8 bits, and masks; one region is a single element, whose deviation is 0."""
    image = np.random.default_rng(5).uniform(size=(6, 7))
    assert 1 in np.bincount(ndimage.label(image > 0.4)[0].ravel())
    assert value_and_grad(regions)(image)[0] == regions(image)
    check_grads(regions, (image,))
    rows = (np.arange(42).reshape(6, 7) // 14 + 1).astype(np.uint8)
    f = lambda x: ndimage.mean(x, rows, 2) * ndimage.maximum(x, rows, 1) + np.sum(ndimage.mean(x, rows, [1, 3]) ** 2)
    assert value_and_grad(f)(image)[0] == f(image)
    check_grads(f, (image,), order=2)


def test_the_text() -> None:
    derivative = grad(lambda x: np.sum(ndimage.gaussian_filter(x, 1.0) ** 2))
    derivative(IMAGE)
    assert "dx = scipy.ndimage.gaussian_filter(dx_part, sigma=1.0)" in derivative.source


@pytest.mark.parametrize(("f", "code"), [
    (lambda w: np.sum(ndimage.convolve(IMAGE, w, origin=1)), "SCT402"),
    (lambda x: np.sum(ndimage.gaussian_filter(IMAGE, x[0, 0], radius=2)), "SCT402"),
    (lambda x: np.sum(ndimage.gaussian_laplace(IMAGE, x[0, 0])), "SCT402"),
    (lambda x: np.sum(ndimage.gaussian_filter(x, 1.0, axes=(0,))), "SCT205"),
    (lambda x: np.sum(ndimage.gaussian_filter(x, 1.0, mode=["wrap", "nearest"])), "SCT205"),
    (lambda x: np.sum(map_coordinates(x, POINTS, mode="reflect")), "SCT402"),
    (lambda x: np.sum(map_coordinates(x, POINTS, order=1, mode="wrap")), "SCT402"),
    (lambda x: np.sum(ndimage.generic_filter(x, np.median, 3)), "SCT207")])
def test_refused(f: Callable[..., Any], code: str) -> None:
    refuses(f, np.abs(IMAGE), code=code)
