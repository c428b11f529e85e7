"""Functions of signals that have the derivative of a program: `detrend`, `hilbert`, `convolve2d`, and `np.unwrap`.

    detrend(x)   ->   what SciPy computes, with the derivative of `_detrended`
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sct.frontend.evaluator.handlers import special
from sct.frontend.scipy_library.by_program import Program, handler, register

__all__: list[str] = []


def _detrended(x: Any, axis: Any, type: Any) -> Any:
    """The signal without its mean or its straight line."""
    x = np.moveaxis(x, axis, -1)
    y = x - np.mean(x, axis=-1, keepdims=True)
    if type in ("linear", "l"):
        t = np.arange(x.shape[-1]) - 0.5 * (x.shape[-1] - 1)
        y = y - np.sum(y * t, axis=-1, keepdims=True) / np.sum(t * t) * t
    return np.moveaxis(y, -1, axis)


def _analytic(x: Any, axis: Any) -> Any:
    """The signal and, as imaginary part, its Hilbert transform."""
    n = x.shape[axis]
    k = np.arange(n)
    weights = np.where((k == 0) | (2 * k == n), 1.0, np.where(2 * k < n, 2.0, 0.0))
    spectrum = np.moveaxis(np.fft.fft(x, axis=axis), axis, -1) * weights
    return np.fft.ifft(np.moveaxis(spectrum, -1, axis), axis=axis)


def _convolved(x: Any, kernel: Any, mode: Any) -> Any:
    """The convolution of two images."""
    if mode == "valid" and (x.shape[0] < kernel.shape[0] or x.shape[1] < kernel.shape[1]):
        x, kernel = kernel, x
    (n, m), (p, q) = x.shape, kernel.shape
    y = np.zeros((n + p - 1, m + q - 1))
    for i in range(p):
        for j in range(q):
            y[i:i + n, j:j + m] += kernel[i, j] * x
    if mode == "same":
        return y[(p - 1) // 2:(p - 1) // 2 + n, (q - 1) // 2:(q - 1) // 2 + m]
    return y if mode == "full" else y[p - 1:n, q - 1:m]


def _shifted(p: Any, axis: Any) -> Any:
    """The angles, to which only multiples of the period are added."""
    return p * 1.0


register("scipy.signal", {
    "detrend": Program(_detrended, ("data",), ("axis", "type")),
    "hilbert": Program(_analytic, ("x",), ("axis",)),
    "convolve2d": Program(_convolved, ("in1", "in2"), ("mode",), ranks=(2,))})
special(np.unwrap)(handler("numpy.unwrap", Program(_shifted, ("p",), ("axis",))))
