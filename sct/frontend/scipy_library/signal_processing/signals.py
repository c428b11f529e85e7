"""Functions of signals that have the derivative of a program: `detrend`, `hilbert`, `convolve2d`, and `np.unwrap`.

    detrend(x)   ->   what SciPy computes, with the derivative of `_detrended`
"""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from sct.frontend.autodiff.implicit_functions import derivative_code, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy, special
from sct.frontend.heap.inactive import is_varied, leave_to_python
from sct.frontend.numpy_library.op_calls import call_named
from sct.frontend.scipy_library.by_program import Program, array_of_floats, handler, register
from sct.frontend.values.abstract_values import Abstract, Ref, Static
from sct.ir.dims import Dim
from sct.ir.types import Tensor
from sct.ops.program.solutions import solver
from sct.ops.scipy.signal_filters import sosfilt

__all__: list[str] = []


def _detrended(x: Any, axis: Any, type: Any) -> Any:
    """The signal without its mean or its straight line."""
    x = np.moveaxis(x, axis, -1)
    y = x - np.mean(x, axis=-1, keepdims=True)
    if type in ("linear", "l"):
        t = np.arange(x.shape[-1]) - 0.5 * (x.shape[-1] - 1)
        y = y - np.sum(y * t, axis=-1, keepdims=True) / (np.sum(t * t) if x.shape[-1] > 1 else 1.0) * t
    return np.moveaxis(y, -1, axis)


def _analytic(x: Any, axis: Any) -> Any:
    """The signal and, as imaginary part, its Hilbert transform."""
    n = x.shape[axis]
    k = np.arange(n)
    weights = np.where((k == 0) | (2 * k == n), 1.0, np.where(2 * k < n, 2.0, 0.0))
    spectrum = np.moveaxis(np.fft.fft(x, axis=axis), axis, -1) * weights
    return np.fft.ifft(np.moveaxis(spectrum, -1, axis), axis=axis)


def _valid_part(x: Any, kernel: Any) -> Any:
    """The convolution where the kernel is inside of the image."""
    (n, m), (p, q) = x.shape, kernel.shape
    y = np.zeros((n - p + 1, m - q + 1))
    for i in range(p):
        for j in range(q):
            y += kernel[p - 1 - i, q - 1 - j] * x[i:i + n - p + 1, j:j + m - q + 1]
    return y


def _convolved(x: Any, kernel: Any, fill: Any, mode: Any, boundary: Any, same_from: Any = 1) -> Any:
    """The convolution of two images, the first of which goes on beyond its edges."""
    if mode == "valid":
        if x.shape[0] < kernel.shape[0] or x.shape[1] < kernel.shape[1]:
            x, kernel = kernel, x
        return _valid_part(x, kernel)
    p, q = kernel.shape
    if mode == "full":
        widths = ((p - 1, p - 1), (q - 1, q - 1))
    else:
        top, left = (p - same_from) // 2, (q - same_from) // 2
        widths = ((p - 1 - top, top), (q - 1 - left, left))
    if boundary in ("wrap", "circular"):
        x = np.pad(x, widths, mode="wrap")
    elif boundary in ("symm", "symmetric"):
        x = np.pad(x, widths, mode="symmetric")
    elif fill is None:
        x = np.pad(x, widths)
    else:
        x = np.pad(x - fill, widths) + fill
    return _valid_part(x, kernel)


def _correlated(x: Any, kernel: Any, fill: Any, mode: Any, boundary: Any) -> Any:
    """The same with the kernel turned by 180 degrees; of one of even size, the middle is another element."""
    return _convolved(x, np.flip(kernel), fill, mode, boundary, 0)


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


_PAIR, _RANKS = ("in1", "in2"), (1, 2, 3, 4)
_IMAGES, _BOUNDARY = (*_PAIR, "fillvalue"), ("mode", "boundary")
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
    "convolve2d": Program(_convolved, _IMAGES, _BOUNDARY, ranks=(0, 2)),
    "correlate2d": Program(_correlated, _IMAGES, _BOUNDARY, ranks=(0, 2))})


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
    arguments: dict[str, Abstract] = {**dict(zip(("sos", "x", "axis", "zi"), args)), **kwargs}
    if arguments.get("zi", Static(None)) != Static(None):
        return _SECTIONS_WITH_STATES(ev, args, kwargs)
    if is_varied(ev, arguments["sos"]):
        return _SECTIONS(ev, args, kwargs)
    leave_to_python(ev, "sosfilt", arguments.values())
    arrays = [ev.call(Static(np.asarray), [arguments[key]]) for key in ("x", "sos")]
    axis = ev.ask(arguments.get("axis", Static(-1)), "`axis` of `scipy.signal.sosfilt`")
    return ev.wrap(ev.emit(sosfilt, *map(ev.operand, arrays), axis=axis))


register("scipy.signal", {
    "detrend": Program(_detrended, ("data",), ("axis", "type")),
    "hilbert": Program(_analytic, ("x",), ("axis",))})
special(np.unwrap)(handler("numpy.unwrap", Program(_shifted, ("p",), ("axis",))))


# -- other rates -------------------------------------------------------------------------------------------------------


def _between_zeros(x: Any, up: Any) -> Any:
    """The signal, with as many zeros between its elements, along the last axis."""
    if up == 1:
        return x
    return np.reshape(np.expand_dims(x, -1) * (np.arange(up) == 0), (*x.shape[:-1], x.shape[-1] * up))


def _upfirdn(h: Any, x: Any, up: Any, down: Any, axis: Any, lfilter: Any) -> Any:
    x = np.moveaxis(x, axis, -1)
    n = (x.shape[-1] - 1) * up + len(h)
    x = _between_zeros(x, up)
    y = lfilter(h, np.ones(1), np.concatenate((x, np.zeros((*x.shape[:-1], len(h) - 1))), axis=-1), axis=-1)
    return np.moveaxis(y[..., :n:down], -1, axis)


def _resampled_by(x: Any, h: Any, up: Any, down: Any, axis: Any, lfilter: Any) -> Any:
    """The signal at another rate: a filter of an odd number of weights is around each element."""
    x = _between_zeros(np.moveaxis(x, axis, -1), up)
    half = (len(h) - 1) // 2
    y = lfilter(h * up, np.ones(1), np.concatenate((x, np.zeros((*x.shape[:-1], half))), axis=-1), axis=-1)
    return np.moveaxis(y[..., half::down], -1, axis)


def _sections_both_ways(x: Any, sos: Any, zi: Any, count: Any, edge: Any, step: Any, axis: Any, lfilter: Any) -> Any:
    """Second-order sections, which run over the extended signal forwards and backwards; every `step`th element."""
    x = np.moveaxis(x, axis, -1)
    if edge > 0:
        before, behind = 2.0 * x[..., :1] - x[..., edge:0:-1], 2.0 * x[..., -1:] - x[..., -2:-edge - 2:-1]
        x = np.concatenate((before, x, behind), axis=-1)
    rest = np.zeros((*x.shape[:-1], x.shape[-1] - 2))
    for _ in range(2):
        first = x[..., :1]
        for k in range(count):
            state = np.concatenate((zi[k] * first, rest), axis=-1)
            x = lfilter(sos[k, :3], sos[k, 3:], x, axis=-1) + lfilter(np.ones(1), sos[k, 3:], state, axis=-1)
        x = x[..., ::-1]
    return np.moveaxis(x[..., edge:x.shape[-1] - edge:step], -1, axis)


register("scipy.signal", {"upfirdn": Program(_upfirdn, ("h", "x"), ("up", "down", "axis"), needs=_FILTER)})


def _signal_and_options(ev: Evaluator, name: str, args: Args, kwargs: Kwargs, keys: tuple[str, ...]
                        ) -> tuple[Ref, dict[str, Any], str]:
    """The signal `x`, the known values of the options, and the call."""
    function = getattr(sys.modules["scipy.signal"], name)
    arguments = named_arguments(ev, function, args, kwargs)
    leave_to_python(ev, name, arguments.values())
    x = array_of_floats(ev, f"scipy.signal.{name}", arguments["x"], (1, 2, 3))
    options: dict[str, Any] = {}
    for key, parameter in inspect.signature(function).parameters.items():
        if key != "x":
            options[key] = ev.ask(arguments.get(key, Static(parameter.default)), f"`{key}` of `{name}`")
            if key not in keys and options[key] != parameter.default:
                ev.refuse("SCT402", f"`{key}` of `{name}` is not supported", hint=f"leave `{key}` out")
    texts = [f"{key}={value!r}" for key, value in options.items() if key in arguments]
    return x, options, f"scipy.signal.{name}({', '.join(['_0', *texts])})"


def _lowpass(ev: Evaluator, size: int, cutoff: float, window: Any) -> Abstract:
    text = f"scipy.signal.firwin({size}, {cutoff!r}, window={window!r})"
    return ev.wrap(ev.emit(solver, text=text, type=Tensor("array", "f64", (Dim(size),))))


def _filtered(ev: Evaluator, text: str, x: Ref, program: Any, args: Sequence[Abstract]) -> Abstract:
    lfilter = Static(sys.modules["scipy.signal"].lfilter)
    with derivative_code(ev):
        like = ev.call(Static(program), [x, *args, lfilter])
    return standing_for(ev, ev.emit(solver, ev.operand(x), text=text, type=ev.operand(like).type), like)


@of_scipy("scipy.signal.resample_poly")
def _resample_poly(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    x, options, text = _signal_and_options(ev, "resample_poly", args, kwargs, ("up", "down", "axis", "window"))
    common = math.gcd(options["up"], options["down"])
    up, down = options["up"] // common, options["down"] // common
    if not isinstance(options["window"], (str, tuple)) or up == down:
        ev.refuse("SCT402", "`resample_poly` with this window, or to the same rate, is not differentiated",
                  hint="give the name of a window")
    with derivative_code(ev):
        h = _lowpass(ev, 20 * max(up, down) + 1, 1.0 / max(up, down), options["window"])
    return _filtered(ev, text, x, _resampled_by, [h, Static(up), Static(down), Static(options["axis"])])


@of_scipy("scipy.signal.decimate")
def _decimate(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    x, options, text = _signal_and_options(ev, "decimate", args, kwargs, ("q", "n", "ftype", "axis"))
    q, n, axis = options["q"], options["n"], Static(options["axis"])
    if options["ftype"] == "fir":
        with derivative_code(ev):
            h = _lowpass(ev, (20 * q if n is None else n) + 1, 1.0 / q, "hamming")
        return _filtered(ev, text, x, _resampled_by, [h, Static(1), Static(q), axis])
    order = 8 if n is None else n
    sections = f"scipy.signal.cheby1({order}, 0.05, {0.8 / q!r}, output='sos')"
    sos = sys.modules["scipy.signal"].cheby1(order, 0.05, 0.8 / q, output="sos")
    return _by_constant_sections(ev, text, x, sos, sections, q, axis)


def _by_constant_sections(ev: Evaluator, text: str, x: Ref, sos: Any, sections: str, step: int, axis: Abstract
                          ) -> Abstract:
    count = len(sos)
    taps = 2 * count + 1 - min(int(np.sum(sos[:, 2] == 0.0)), int(np.sum(sos[:, 5] == 0.0)))
    with derivative_code(ev):
        own = ev.emit(solver, text=sections, type=Tensor("array", "f64", (Dim(count), Dim(6))))
        zi = ev.emit(solver, own, text="scipy.signal.sosfilt_zi(_0)",
                     type=Tensor("array", "f64", (Dim(count), Dim(2))))
    return _filtered(ev, text, x, _sections_both_ways, [
        ev.wrap(own), ev.wrap(zi), Static(count), Static(3 * taps), Static(step), axis])
