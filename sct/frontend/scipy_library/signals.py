"""Functions of signals that have the derivative of a program: `detrend`, `hilbert`, `convolve2d`, and `np.unwrap`.

    detrend(x)   ->   what SciPy computes, with the derivative of `_detrended`
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy, special
from sct.frontend.heap.inactive import is_varied, leave_to_python
from sct.frontend.numpy_library.op_calls import call_named
from sct.frontend.scipy_library.by_program import Program, handler, register
from sct.frontend.values.abstract_values import Abstract, Ref, Static
from sct.ir.types import Tensor
from sct.ops.scipy.signal_filters import sosfilt

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


# -- convolutions ------------------------------------------------------------------------------------------------------


def _convolution(in1: Any, in2: Any, mode: Any) -> Any:
    """The convolution of arrays along all of their axes."""
    shape = tuple([in1.shape[k] + in2.shape[k] - 1 for k in range(in1.ndim)])
    if in1.ndim == 1:
        y = np.convolve(in1, in2)
    else:
        axes = tuple(range(in1.ndim))
        y = np.fft.irfftn(np.fft.rfftn(in1, shape, axes=axes) * np.fft.rfftn(in2, shape, axes=axes), shape, axes=axes)
    for k in range(in1.ndim):
        n, m = in1.shape[k], in2.shape[k]
        if mode == "same":
            y = np.moveaxis(np.moveaxis(y, k, 0)[(m - 1) // 2:(m - 1) // 2 + n], 0, k)
        elif mode == "valid":
            start = min(n, m) - 1
            y = np.moveaxis(np.moveaxis(y, k, 0)[start:start + abs(n - m) + 1], 0, k)
    return y


def _with_method(in1: Any, in2: Any, mode: Any, method: Any) -> Any:
    return _convolution(in1, in2, mode)


def _correlation(in1: Any, in2: Any, mode: Any, method: Any) -> Any:
    return _convolution(in1, np.flip(in2), mode)


def _correlation_of_images(in1: Any, in2: Any, mode: Any) -> Any:
    return _convolution(in1, np.flip(in2), mode)


_PAIR, _RANKS = ("in1", "in2"), (1, 2, 3, 4)
_OF_ARRAYS = {"convolve": Program(_with_method, _PAIR, ("mode", "method"), ranks=_RANKS),
              "fftconvolve": Program(_convolution, _PAIR, ("mode",), ranks=_RANKS)}


def _of_several_axes(name: str, program: Program) -> None:
    """The convolution of vectors is an op; that of arrays of several axes has the derivative of a program."""
    @of_scipy(name)
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        v = args[0] if args else kwargs.get("in1")
        t = ev.type_of(v) if isinstance(v, Ref) else None
        if not isinstance(t, Tensor) or t.rank < 2:
            return call_named(ev, name, args, kwargs)
        return handler(name, program)(ev, args, kwargs)


for _name, _program in _OF_ARRAYS.items():
    _of_several_axes(f"scipy.signal.{_name}", _program)
register("scipy.signal", {
    "oaconvolve": _OF_ARRAYS["fftconvolve"],
    "correlate": Program(_correlation, _PAIR, ("mode", "method"), ranks=_RANKS),
    "correlate2d": Program(_correlation_of_images, _PAIR, ("mode",), ranks=(2,))})


# -- recursive filters -------------------------------------------------------------------------------------------------


def _with_state(b: Any, a: Any, x: Any, zi: Any, axis: Any, lfilter: Any) -> Any:
    """A filter that starts from a state, and the state that it ends with: what it gives to zeros that follow."""
    count = max(len(a), len(b))
    x, zi = np.moveaxis(x, axis, -1), np.moveaxis(zi, axis, -1)
    n, zeros = x.shape[-1], np.zeros((*x.shape[:-1], count - 1))
    driving = lfilter(b / a[0], 1.0, np.concatenate((x, zeros), axis=-1))
    driving = driving + np.concatenate((zi, np.zeros_like(x)), axis=-1)
    a = a / a[0]
    y = lfilter(1.0, a, driving[..., :n])
    left = driving - lfilter(a, 1.0, np.concatenate((y, zeros), axis=-1))
    return np.moveaxis(y, -1, axis), np.moveaxis(left[..., n:], -1, axis)


def _by_sections(sos: Any, x: Any, axis: Any, lfilter: Any) -> Any:
    for k in range(len(sos)):
        x = lfilter(sos[k, :3], sos[k, 3:], x, axis=axis)
    return x


def _by_sections_with_states(sos: Any, x: Any, zi: Any, axis: Any, lfilter: Any) -> Any:
    zf = np.zeros_like(zi)
    for k in range(len(sos)):
        x, zf[k] = _with_state(sos[k, :3], sos[k, 3:], x, zi[k], axis, lfilter)
    return x, zf


_FILTER = ("scipy.signal.lfilter",)
of_scipy("scipy.signal.lfilter(zi=)")(handler("scipy.signal.lfilter", Program(
    _with_state, ("b", "a", "x", "zi"), ("axis",), needs=_FILTER)))
_SECTIONS = handler("scipy.signal.sosfilt", Program(_by_sections, ("sos", "x"), ("axis",), needs=_FILTER))
_SECTIONS_WITH_STATES = handler("scipy.signal.sosfilt", Program(
    _by_sections_with_states, ("sos", "x", "zi"), ("axis",), needs=_FILTER))


@of_scipy("scipy.signal.sosfilt")
def _sosfilt(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The sections are filters of their own where they are differentiated; else the transpose is one call, too."""
    given: dict[str, Abstract] = {**dict(zip(("sos", "x", "axis", "zi"), args)), **kwargs}
    if given.get("zi", Static(None)) != Static(None):
        return _SECTIONS_WITH_STATES(ev, args, kwargs)
    if is_varied(ev, given["sos"]):
        return _SECTIONS(ev, args, kwargs)
    leave_to_python(ev, "sosfilt", given.values())
    arrays = [ev.call(Static(np.asarray), [given[key]]) for key in ("x", "sos")]
    axis = ev.ask(given.get("axis", Static(-1)), "`axis` of `scipy.signal.sosfilt`")
    return ev.wrap(ev.emit(sosfilt, *map(ev.operand, arrays), axis=axis))


register("scipy.signal", {
    "detrend": Program(_detrended, ("data",), ("axis", "type")),
    "hilbert": Program(_analytic, ("x",), ("axis",)),
    "convolve2d": Program(_convolved, ("in1", "in2"), ("mode",), ranks=(2,))})
special(np.unwrap)(handler("numpy.unwrap", Program(_shifted, ("p",), ("axis",))))
