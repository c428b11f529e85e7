"""Functions of signals that have the derivative of a program: `detrend`, `hilbert`, `convolve2d`, and `np.unwrap`.

    detrend(x)   ->   what SciPy computes, with the derivative of `_detrended`
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sct.frontend.autodiff.implicit_functions import derivative_code, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import run_or_raise
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy, special
from sct.frontend.values.abstract_values import Abstract, Ref, Static
from sct.ir.types import Tensor
from sct.ops.program.solutions import solver

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
    if mode == "valid" and x.shape[0] < kernel.shape[0]:
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


def _by_program(name: str, function: Callable[[], Any], program: Callable[..., Any], arrays: Sequence[str],
                options: Sequence[str], ranks: Sequence[int] = (1, 2, 3)) -> Callable[..., Abstract]:
    """The handler of a function.

    arrays   its parameters that are differentiated
    options  those that the program takes after them; others must be left out
    """

    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        signature = inspect.signature(function())
        given = dict(run_or_raise(ev, lambda: signature.bind(*args, **kwargs)).arguments)
        texts, values = [f"_{k}" for k in range(len(arrays))], []
        for key, parameter in signature.parameters.items():
            if key in arrays:
                continue
            value = ev.ask(given.get(key, Static(parameter.default)), f"`{key}` of `{name}`")
            if key not in options and value != parameter.default:
                ev.refuse("SCT402", f"`{key}` of `{name}` is not supported", hint=f"leave `{key}` out")
            if key in given:
                texts.append(f"{key}={value!r}")
            if key in options:
                values.append(Static(value))
        xs = [_array(ev, name, given[key], ranks) for key in arrays]
        with derivative_code(ev):
            like = ev.call(Static(program), [*xs, *values])
        found = ev.emit(solver, *map(ev.operand, xs), text=f"{name}({', '.join(texts)})", type=ev.operand(like).type)
        return standing_for(ev, found, like)

    return handler


def _array(ev: Evaluator, name: str, v: Abstract, ranks: Sequence[int]) -> Ref:
    x = ev.call(Static(np.asarray), [v])
    t = ev.type_of(x) if isinstance(x, Ref) else None
    if not isinstance(t, Tensor) or t.rank not in ranks or t.dtype != "f64":
        ev.refuse("SCT402", f"`{name}` of what is not an array of floats of 64 bits with "
                  f"{' or '.join(map(str, ranks))} axes is not supported", hint="convert with astype(float)")
    assert isinstance(x, Ref)
    return x


def _of_signal(name: str, program: Callable[..., Any], arrays: Sequence[str], options: Sequence[str],
               ranks: Sequence[int] = (1, 2, 3)) -> None:
    of_scipy(f"scipy.signal.{name}")(_by_program(
        f"scipy.signal.{name}", lambda: getattr(sys.modules["scipy.signal"], name), program, arrays, options, ranks))


_of_signal("detrend", _detrended, ("data",), ("axis", "type"))
_of_signal("hilbert", _analytic, ("x",), ("axis",))
_of_signal("convolve2d", _convolved, ("in1", "in2"), ("mode",), (2,))
special(np.unwrap)(_by_program("numpy.unwrap", lambda: np.unwrap, _shifted, ("p",), ("axis",)))
