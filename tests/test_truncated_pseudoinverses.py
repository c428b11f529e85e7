"""`pinv` and `lstsq` with a cutoff below which singular values are left out, which need not be 0."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.linalg

from sct import grad, jvp, value_and_grad

SHAPES = ((2, 2), (3, 3), (4, 2), (2, 4), (4, 3))
RNG = np.random.default_rng(5)


def of_numpy(a: Any, cut: float, w: Any, b: Any) -> Any:
    return np.sum(w * np.linalg.pinv(a, cut))


def of_numpy_by_keyword(a: Any, cut: float, w: Any, b: Any) -> Any:
    return np.sum(w * np.linalg.pinv(a, rtol=cut))


def of_the_symmetric_part(a: Any, cut: float, w: Any, b: Any) -> Any:
    return np.sum(w[:2, :2] * np.linalg.pinv(a[:2, :2] + a[:2, :2].T, rcond=cut, hermitian=True))


def of_scipy(a: Any, cut: float, w: Any, b: Any) -> Any:
    return np.sum(w * scipy.linalg.pinv(a, rtol=cut))


def least_squares(a: Any, cut: float, w: Any, b: Any) -> Any:
    x = np.linalg.lstsq(a, b, rcond=cut)[0]
    return x @ x


def least_squares_of_scipy(a: Any, cut: float, w: Any, b: Any) -> Any:
    x = scipy.linalg.lstsq(a, b, cond=cut)[0]
    return x @ x


def data(shape: tuple[int, int], drops: bool) -> tuple[Any, float, Any, Any]:
    a = RNG.normal(size=shape)
    s = np.linalg.svd(a, compute_uv=False)
    cut = float(0.5 * (s[-1] + s[-2]) / s[0]) if drops else 1e-10
    return a, cut, RNG.normal(size=shape[::-1]), RNG.normal(size=shape[0])


@pytest.mark.parametrize("drops", [True, False])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: f"{s[0]}x{s[1]}")
@pytest.mark.parametrize("f", [of_numpy, of_numpy_by_keyword, of_the_symmetric_part, of_scipy, least_squares,
                               least_squares_of_scipy])
def test_derivatives_agree_with_differences(f: Callable[..., Any], shape: tuple[int, int], drops: bool) -> None:
    a, *others = data(shape, drops)
    direction = RNG.normal(size=shape)
    h = 1e-5

    def slope(g: Callable[[Any], Any]) -> Any:
        return (8.0 * (g(a + h * direction) - g(a - h * direction))
                - (g(a + 2.0 * h * direction) - g(a - 2.0 * h * direction))) / (12.0 * h)

    before = a.copy()
    value, da = value_and_grad(f)(a, *others)
    assert value == f(a, *others)
    assert np.array_equal(a, before)
    expected = slope(lambda x: f(x, *others))
    assert np.sum(da * direction) == pytest.approx(expected, rel=1e-6, abs=1e-7)
    assert jvp(lambda x: f(x, *others), (a,), (direction,))[1] == pytest.approx(np.sum(da * direction), rel=1e-9)
    second = jvp(lambda x: grad(f)(x, *others), (a,), (direction,))[1]
    expected = slope(lambda x: grad(f)(x, *others))
    np.testing.assert_allclose(second, expected, rtol=1e-5, atol=1e-5 * np.abs(expected).max())
