"""A size that must be known is that of an argument, also where it is read from what a loop has computed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sct import grad, hvp, value_and_grad
from tests.oracle import same_value


def _field(rho, n):
    k = 2.0 * np.pi * np.fft.rfftfreq(len(rho), d=0.1)
    spectrum = np.zeros_like(np.fft.rfft(rho))
    spectrum[1:] = np.fft.rfft(rho)[1:] / k[1:]
    return np.fft.irfft(spectrum, n=n)


def smoothed(x, n):
    rho = np.zeros(n)
    rho[:2] = x[:2] ** 2
    for _ in range(n):
        rho = 0.5 * rho + 0.2 * np.roll(rho, 1)
    return np.sum(_field(rho, len(rho)) ** 2)


def longer(x, n):
    rho = np.zeros(n + len(x))
    rho[:2] = x[:2] ** 2
    for _ in range(2):
        rho = rho * rho + 0.2 * np.roll(rho, 1)
    return np.sum(_field(rho, len(rho))[1:3])


def in_a_branch(x, n):
    rho = np.zeros(n)
    rho[:2] = x[:2] ** 2
    if x[0] > 0.1:
        rho = np.roll(rho, 1)
    return np.sum(_field(rho, rho.size) ** 2)


@pytest.mark.parametrize("f", [smoothed, longer, in_a_branch])
def test_gradients(f: Callable[..., Any]) -> None:
    x, e = np.array([0.3, 0.2, -0.4]), 1e-6
    for n in (6, 7, 8, 3):
        value, slope = value_and_grad(f)(x, n)
        assert same_value(value, f(x, n))
        numeric = [(f(x + d, n) - f(x - d, n)) / (2 * e) for d in e * np.eye(3)]
        np.testing.assert_allclose(slope, numeric, rtol=1e-6, atol=1e-9)
        v = np.array([1.0, -0.5, 0.25])
        central = (grad(f)(x + e * v, n) - grad(f)(x - e * v, n)) / (2 * e)
        np.testing.assert_allclose(hvp(f, (x, n), (v,)), central, rtol=1e-5, atol=1e-9)
