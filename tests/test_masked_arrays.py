"""Masked arrays, which are data: their parts, and what their methods give, are constants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses

from sct import SctError, grad, hessian, jvp, value_and_grad, vjp

X = np.array([0.3, 1.2, 0.7, 2.1])
D = np.ma.masked_array([1.0, 2.0, -999.0, 4.0], mask=[0, 0, 1, 0])
COUNTS = np.ma.masked_less(np.array([3, 1, 4, 1]), 2)


def residuals(x, d):
    """The usual sum of squares over what is not masked, in several forms."""
    inside = ~np.ma.getmaskarray(d)
    a = np.sum((x[~d.mask] - d.compressed()) ** 2)
    b = np.sum(np.where(d.mask, 0.0, x - d.data) ** 2)
    return a + b + np.sum(((x - d.filled(0.0)) * inside) ** 2) / d.count() + np.sum(x * np.ma.filled(d, 1.0))


def summaries(x, d):
    spread = d.std() * d.max()
    return x[0] ** 2 * d.mean() + x[1] * d.sum() + x[2] * np.ma.median(d) * spread + x[3] ** 2 * np.ma.average(d)


def by_position(x, d):
    total = 0.0
    for i in range(len(d)):
        if not d.mask[i]:
            total += x[i] ** 2 * d[i]
    return total + np.sum(x[: d.shape[0]]) * d.size * d.ndim


def arithmetic_of_constants(x, d):
    scaled = (d - d.mean()) / d.std()
    new = np.ma.masked_where(d.data < 0, d.data)
    valid = np.ma.masked_invalid(np.where(d.mask, np.nan, d.data))
    return np.sum(x**2 * scaled.filled(0.0)) + np.sum(x * new.filled(2.0)) + np.sum(x[~valid.mask] ** 3)


def either(x, d):
    if isinstance(d, np.ma.MaskedArray):
        d = d.filled(np.nan)
    there = ~np.isnan(d)
    return np.sum((x[there] - d[there]) ** 2)


def from_outside(x, d):
    return np.sum((x[~D.mask] - D.compressed()) ** 2) + np.sum(x * COUNTS.filled(0)) * len(d)


@pytest.mark.parametrize("f", [
    residuals, summaries, by_position, arithmetic_of_constants, either, from_outside], ids=lambda f: f.__name__)
def test_masked_data(f: Callable[..., Any]) -> None:
    before = D.copy()
    agrees(f, X, D)
    slope = grad(f)(X, D)
    np.testing.assert_allclose(jvp(f, (X, D), (X[::-1],))[1], slope @ X[::-1], rtol=1e-12)
    np.testing.assert_allclose(vjp(f, X, D)[1](1.0)[0], slope, rtol=1e-12)
    second = hessian(f)(X, D)
    at = [grad(f)(X + h * np.eye(4)[1], D) for h in (1e-5, -1e-5)]
    np.testing.assert_allclose(second[1], (at[0] - at[1]) / 2e-5, rtol=1e-5, atol=1e-6)
    assert (D.data == before.data).all() and (D.mask == before.mask).all()


def test_other_data_at_the_next_call() -> None:
    g = value_and_grad(residuals)
    for d in (D, D[::-1], np.ma.masked_greater(X * 2, 3.0), D[:2]):
        assert g(X[:len(d)], d)[0] == residuals(X[:len(d)], d)
    plain = value_and_grad(either)
    for d in (D, np.array([1.0, np.nan, 2.0, 3.0])):
        assert plain(X, d)[0] == either(X, d)


# -- what is refused ---------------------------------------------------------------------------------------------------


def test_arithmetic_with_what_is_differentiated() -> None:
    for f in (lambda x, d: np.sum((x - d) ** 2), lambda x, d: ((d - x) ** 2).mean()):
        assert "~mask" in refuses(f, X, D, code="SCT506").hint
    refuses(lambda x, d: np.ma.masked_array(x, mask=d.mask).sum(), X, D, code="SCT207")
    refuses(lambda x, d: np.ma.masked_where(x > 1.0, x).sum(), X, D, code="SCT207")
    refuses(lambda x, d: np.sum(d.filled(x[0])), X, D, code="SCT207")
    with pytest.raises(SctError, match=r"SCT408.*\n.*mask is data"):
        grad(lambda d: d.sum())(D)


@pytest.mark.parametrize("write", [
    lambda d, x: d.__setitem__(0, 1.0), lambda d, x: d.data.__setitem__(0, x[0]),
    lambda d, x: d.mask.__setitem__(0, True), lambda d, x: d.filled(0.0).__setitem__(0, x[0])])
def test_writes_are_refused(monkeypatch: pytest.MonkeyPatch, write: Callable[..., Any]) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "0")

    def f(x, d):
        write(d, x)
        return np.sum(x**2)

    own = D.copy()
    with pytest.raises(SctError):
        grad(f)(X, own)
    assert (own.data == D.data).all() and (own.mask == D.mask).all()
