"""Filters and spectra of signals: functions of `scipy.signal` that have the derivative of a program."""

from __future__ import annotations

import inspect
import math
import operator
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sct.frontend.autodiff.implicit_functions import derivative_code, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy, unread
from sct.frontend.heap.inactive import is_varied, leave_to_python, template_of
from sct.frontend.heap.subscripts import size_along
from sct.frontend.scipy_library.by_program import Program, array_of_floats, register
from sct.frontend.values.abstract_values import Abstract, Static, Tup
from sct.ir import Operand, Value
from sct.ir.dims import sym
from sct.ir.real_ints import unmark_real
from sct.ir.types import INT, Tensor
from sct.ops.program.effects import OBJECT, part
from sct.ops.program.solutions import solver
from sct.ops.type_rules import number, size_of

__all__: list[str] = []

_NONE = Static(None)


# -- filters -----------------------------------------------------------------------------------------------------------


def _steady_state(b: Any, a: Any) -> Any:
    """The state of a filter that has been given ones forever."""
    count = max(len(a), len(b))
    a, b = (np.concatenate((v, np.zeros(count - len(v)))) / a[0] for v in (a, b))
    shift = np.zeros((count - 1, count - 1))
    shift[:, 0] = -a[1:]
    shift[:-1, 1:] += np.eye(count - 2)
    return np.linalg.solve(np.eye(count - 1) - shift, b[1:] - a[1:] * b[0])


def _state_after(b: Any, a: Any, y: Any, x: Any) -> Any:
    """The state of a filter after these outputs and inputs, of which the last come first."""
    a, b = np.atleast_1d(a), np.atleast_1d(b)
    count = max(len(a), len(b))
    a, b = (np.concatenate((v, np.zeros(count - len(v)))) / a[0] for v in (a, b))
    outputs, inputs = (np.zeros(count - 1) if v is None else np.append(v, np.zeros(count - 1))[:count - 1]
                       for v in (y, x))
    state = np.zeros(count - 1)
    for k in range(count - 1):
        state[k] = b[k + 1:] @ inputs[:count - 1 - k] - a[k + 1:] @ outputs[:count - 1 - k]
    return state


def _extended(x: Any, edge: Any, padtype: Any) -> Any:
    """The signal with so many elements more at both ends."""
    start, stop = x[..., :1], x[..., -1:]
    if padtype == "constant":
        before, behind = np.repeat(start, edge, axis=-1), np.repeat(stop, edge, axis=-1)
    else:
        before, behind = x[..., edge:0:-1], x[..., -2:-edge - 2:-1]
        if padtype == "odd":
            before, behind = 2.0 * start - before, 2.0 * stop - behind
    return np.concatenate((before, x, behind), axis=-1)


def _sections_both_ways(sos: Any, x: Any, axis: Any, padtype: Any, padlen: Any, lfilter: Any) -> Any:
    """The same of sections of the second order, one after the other."""
    x = np.moveaxis(x, axis, -1)
    shape = x.shape
    taps = 2 * len(sos) + 1 - min(np.sum(sos[:, 2] == 0.0), np.sum(sos[:, 5] == 0.0))
    edge = (3 * taps if padlen is None else padlen) if padtype is not None else 0
    if edge > 0:
        x = _extended(x, edge, padtype)
    rest = np.zeros((*x.shape[:-1], x.shape[-1] - 2))
    one = np.ones(1)
    for _ in range(2):
        first, scale = x[..., :1], 1.0
        for k in range(len(sos)):
            b, a = sos[k, :3], sos[k, 3:]
            state = np.concatenate((scale * _steady_state(b, a) * first, rest), axis=-1)
            x = lfilter(b, a, x, axis=-1) + lfilter(one, a, state, axis=-1)
            scale = scale * np.sum(b) / np.sum(a)
        x = x[..., ::-1]
    # How long the ends are depends on the filter; the size of what is between them does not.
    return np.moveaxis(np.reshape(x[..., edge:x.shape[-1] - edge], shape), -1, axis)


def _both_ways(b: Any, a: Any, x: Any, axis: Any, padtype: Any, padlen: Any, lfilter: Any) -> Any:
    """The signal after a filter has run over it forwards and backwards, from steady states at extended ends."""
    x = np.moveaxis(x, axis, -1)
    count = max(len(a), len(b))
    a, b = (np.concatenate((v, np.zeros(count - len(v)))) / a[0] for v in (a, b))
    edge = (3 * count if padlen is None else padlen) if padtype is not None else 0
    if edge > 0:
        x = _extended(x, edge, padtype)
    steady = _steady_state(b, a)
    rest = np.zeros((*x.shape[:-1], x.shape[-1] - count + 1))
    one = np.ones(1)
    for _ in range(2):
        state = np.concatenate((steady * x[..., :1], rest), axis=-1)
        x = (lfilter(b, a, x, axis=-1) + lfilter(one, a, state, axis=-1))[..., ::-1]
    return np.moveaxis(x[..., edge:x.shape[-1] - edge] if edge > 0 else x, -1, axis)


_PADDED = {"mirror": "reflect", "nearest": "edge", "wrap": "wrap"}


def _savgol(x: Any, window_length: Any, polyorder: Any, deriv: Any, delta: Any, axis: Any, mode: Any, cval: Any) -> Any:
    """The values, or derivatives, of polynomials fitted to the windows around each element."""
    x = np.moveaxis(x, axis, -1)
    half = window_length // 2
    t = np.arange(-half, half + 1.0)
    fit = np.linalg.pinv(np.stack([t**k for k in range(polyorder + 1)], 1))
    scale = 1.0 / delta**deriv
    factors = [math.factorial(k) / math.factorial(k - deriv) if k >= deriv else 0.0 for k in range(polyorder + 1)]
    rows = np.stack([factors[k] * t**max(k - deriv, 0) for k in range(polyorder + 1)], 1) @ fit * scale
    if mode == "constant":
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(half, half)], constant_values=cval)
    elif mode != "interp":
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(half, half)], mode=_PADDED[mode])  # type: ignore[call-overload]
    y = np.lib.stride_tricks.sliding_window_view(x, window_length, axis=-1) @ rows[half]
    if mode == "interp":
        ends = x[..., :window_length] @ rows[:half].T, x[..., -window_length:] @ rows[half + 1:].T
        y = np.concatenate((ends[0], y, ends[1]), axis=-1)
    return np.moveaxis(y, -1, axis)


def _median_of_image(input: Any, kernel_size: Any) -> Any:
    n, m = kernel_size if isinstance(kernel_size, (tuple, list)) else (kernel_size, kernel_size)
    windows, inside = (np.lib.stride_tricks.sliding_window_view(np.pad(x, ((n // 2, n // 2), (m // 2, m // 2))), (n, m))
                       for x in (input, np.ones(input.shape)))
    middle = np.sort(windows.reshape((*input.shape, n * m)), axis=-1)[..., n * m // 2]
    return _apart_from_padding(middle, np.min(inside, axis=(-2, -1)))


def _median(volume: Any, kernel_size: Any) -> Any:
    """The median of the window around each element; zeros are around the signal."""
    size = 3 if kernel_size is None else kernel_size
    windows, inside = (np.lib.stride_tricks.sliding_window_view(np.pad(x, size // 2), size)
                       for x in (volume, np.ones(volume.shape)))
    return _apart_from_padding(np.sort(windows, axis=-1)[:, size // 2], np.min(inside, axis=-1))


def _apart_from_padding(medians: Any, inside: Any) -> Any:
    """The medians; where one is tied with the zeros around the signal, it is one of these, which do not move."""
    return np.where((medians == 0.0) & (inside == 0.0), 0.0, medians)


def _resampled(x: Any, num: Any, axis: Any) -> Any:
    """As many samples of the trigonometric polynomial through the signal."""
    x = np.moveaxis(x, axis, -1)
    n = x.shape[-1]
    half = min(num, n) // 2 + 1
    spectrum = np.zeros((*x.shape[:-1], num // 2 + 1), dtype=complex)
    spectrum[..., :half] = np.fft.rfft(x, axis=-1)[..., :half]
    factor = 2.0 if num < n else 0.5 if num > n else 1.0
    spectrum = spectrum * np.where(2 * np.arange(num // 2 + 1) == min(num, n), factor, 1.0)
    return np.moveaxis(np.fft.irfft(spectrum, n=num, axis=-1) * (num / n), -1, axis)


register("scipy.signal", {
    "lfilter_zi": Program(_steady_state, ("b", "a"), ranks=(1,)),
    "lfiltic": Program(_state_after, ("b", "a", "y", "x"), ranks=(0, 1)),
    "filtfilt": Program(_both_ways, ("b", "a", "x"), ("axis", "padtype", "padlen"), needs=("scipy.signal.lfilter",)),
    "sosfiltfilt": Program(_sections_both_ways, ("sos", "x"), ("axis", "padtype", "padlen"),
                           needs=("scipy.signal.lfilter",)),
    "savgol_filter": Program(_savgol, ("x",), ("window_length", "polyorder", "deriv", "delta", "axis", "mode", "cval"),
                             takes={"window_length": lambda n: n % 2 == 1}),
    "medfilt": Program(_median, ("volume",), ("kernel_size",), ranks=(1,)),
    "medfilt2d": Program(_median_of_image, ("input",), ("kernel_size",), ranks=(2,)),
    "resample": Program(_resampled, ("x",), ("num", "axis"))})


# -- spectra -----------------------------------------------------------------------------------------------------------


def _parts(x: Any, window: Any, step: Any, detrend: Any) -> Any:
    """The spectra of overlapping parts of the signal, a row for each."""
    n = len(window)
    parts = np.lib.stride_tricks.sliding_window_view(x, n)[::step]
    if detrend in ("constant", "linear"):
        parts = parts - np.mean(parts, axis=-1, keepdims=True)
    if detrend == "linear":
        t = np.arange(n) - 0.5 * (n - 1)
        parts = parts - np.sum(parts * t, axis=-1, keepdims=True) / np.sum(t * t) * t
    return np.fft.rfft(parts * window, axis=-1)


def _scales(window: Any, fs: Any, scaling: Any, count: Any) -> Any:
    """Of powers, which count twice where their frequency stands for its negative, too."""
    scale = 1.0 / (fs * np.sum(window * window)) if scaling == "density" else 1.0 / np.sum(window) ** 2
    k = np.arange(count)
    return np.where((k == 0) | (2 * k == len(window)), scale, 2.0 * scale)


def _power(x: Any, y: Any, window: Any, step: Any, fs: Any, detrend: Any, scaling: Any) -> Any:
    """The mean of the squared spectra of overlapping parts of the signal."""
    spectra = _parts(x, window, step, detrend)
    return np.mean(spectra.real**2 + spectra.imag**2, axis=0) * _scales(window, fs, scaling, spectra.shape[-1])


def _cross_power(x: Any, y: Any, window: Any, step: Any, fs: Any, detrend: Any, scaling: Any) -> Any:
    p, q = _parts(x, window, step, detrend), _parts(y, window, step, detrend)
    return np.mean(np.conj(p) * q, axis=0) * _scales(window, fs, scaling, p.shape[-1])


def _coherence(x: Any, y: Any, window: Any, step: Any, fs: Any, detrend: Any, scaling: Any) -> Any:
    p, q = _parts(x, window, step, detrend), _parts(y, window, step, detrend)
    both = np.mean(np.conj(p) * q, axis=0)
    own = np.mean(p.real**2 + p.imag**2, axis=0) * np.mean(q.real**2 + q.imag**2, axis=0)
    return (both.real**2 + both.imag**2) / own


def _powers_in_time(x: Any, y: Any, window: Any, step: Any, fs: Any, detrend: Any, scaling: Any) -> Any:
    spectra = _parts(x, window, step, detrend)
    return ((spectra.real**2 + spectra.imag**2) * _scales(window, fs, scaling, spectra.shape[-1])).T


def _spectra_in_time(x: Any, y: Any, window: Any, step: Any, fs: Any, detrend: Any, scaling: Any) -> Any:
    """With as many zeros around the signal that each element is in as many parts."""
    n = len(window)
    zeros = np.zeros(n // 2)
    x = np.concatenate((zeros, x, zeros))
    x = np.concatenate((x, np.zeros((-(len(x) - n) % step) % n)))
    scale = 1.0 / np.sum(window) if scaling == "spectrum" else 1.0 / np.sqrt(fs * np.sum(window * window))
    return (_parts(x, window, step, detrend) * scale).T


@dataclass(frozen=True)
class Spectrum:
    """How a function of the spectra of parts of a signal is differentiated.

    run      the program, of two signals or of one and None
    shared   the part of a window that it shares with the next one; None: windows are as long as the signal
    signals  the parameters that are signals
    """

    run: Callable[..., Any]
    shared: int | None
    signals: Sequence[str] = ("x",)


_SPECTRUM = {"welch": Spectrum(_power, 2), "periodogram": Spectrum(_power, None),
             "csd": Spectrum(_cross_power, 2, ("x", "y")), "coherence": Spectrum(_coherence, 2, ("x", "y")),
             "spectrogram": Spectrum(_powers_in_time, 8), "stft": Spectrum(_spectra_in_time, 2)}
_KNOWN = ("fs", "window", "detrend", "scaling", "nperseg", "noverlap")


def _spectrum(name: str, spectrum: Spectrum) -> Any:
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        """The frequencies, the times where there are any, and the spectrum."""
        function = getattr(sys.modules["scipy.signal"], name)
        defaults = {key: Static(p.default) for key, p in inspect.signature(function).parameters.items()}
        arguments = named_arguments(ev, function, args, kwargs)
        leave_to_python(ev, name, arguments.values())
        for key, v in arguments.items():
            if key not in (*spectrum.signals, *_KNOWN) and v != defaults[key]:
                ev.refuse("SCT402", f"`{key}` of `{name}` is not supported", hint=f"leave `{key}` out")
            if key not in spectrum.signals and is_varied(ev, v) and not _is_int(ev, v):
                ev.refuse("SCT402", f"`{name}` is not differentiated by `{key}`", hint="differentiate by the signal")
        xs = [array_of_floats(ev, f"scipy.signal.{name}", arguments[key], (1,)) for key in spectrum.signals]
        if len(xs) == 2 and not ev.same(*(ev.type_of(x).shape[0] for x in xs)):  # type: ignore[union-attr]
            ev.refuse("SCT402", f"`{name}` of signals of different sizes is not supported", hint="cut the longer one")
        asked = {key: ev.ask(arguments.get(key, defaults.get(key, _NONE)), f"`{key}` of `{name}`")
                 for key in _KNOWN if key != "fs"}
        if not isinstance(asked["window"], (str, tuple)) or asked["detrend"] not in ("constant", "linear", False):
            ev.refuse("SCT402", f"this window, or detrending, of `{name}` is not supported",
                      hint="give the name of a window, and 'constant', 'linear' or False")
        count, step = _windows_of(ev, size_along(ev, xs[0], 0), spectrum.shared, asked)
        operands: list[Operand] = [ev.operand(x) for x in xs]
        texts = []
        for key, v in arguments.items():
            own = f"_{spectrum.signals.index(key)}" if key in spectrum.signals else str(template_of(ev, v, operands))
            texts.append(f"{key}={own}" if key in kwargs else own)
        result = ev.emit(solver, *operands, text=f"scipy.signal.{name}({', '.join(texts)})", type=OBJECT)
        with derivative_code(ev):
            n = ev.operand(count)
            window = ev.wrap(ev.emit(solver, n, text=f"scipy.signal.get_window({asked['window']!r}, _0)",
                                     type=Tensor("array", "f64", (size_of(n),))))
            fs = arguments.get("fs", Static(1.0))
            like = ev.call(Static(spectrum.run), [xs[0], xs[1] if len(xs) == 2 else _NONE, window, step, fs,
                                               Static(asked["detrend"]), Static(asked["scaling"])])
        sizes = number(ev.operand(like)).shape
        axes = [ev.wrap(ev.emit(part, result, text=f"_0[{k}]", type=Tensor("array", "f64", (size,))))
                for k, size in enumerate(sizes)]
        return Tup((*axes, standing_for(ev, result, like, f"_0[{len(sizes)}]")))

    return handle


def _is_int(ev: Evaluator, v: Abstract) -> bool:
    """Is this a count, which is asked for, and not a number that a derivative could be by?"""
    return isinstance(v, Value) and isinstance(v.type, Tensor) and unmark_real(v.type).kind == "i"


def _windows_of(ev: Evaluator, size: Abstract, shared: int | None, asked: Mapping[str, Any]
                ) -> tuple[Abstract, Abstract]:
    """The length of the windows, and the step from each to the next one."""
    if shared is None:
        return size, Static(1)
    n = 256 if asked["nperseg"] is None else asked["nperseg"]
    if not ev.ask(ev.call(Static(operator.ge), [size, Static(n)]), "whether a window is longer than the signal"):
        n = ev.ask(size, "the size of the signal")
    return Static(n), Static(n - (n // shared if asked["noverlap"] is None else asked["noverlap"]))


for _name, _known in _SPECTRUM.items():
    of_scipy(f"scipy.signal.{_name}")(_spectrum(_name, _known))


# -- responses ---------------------------------------------------------------------------------------------------------


def _response(b: Any, a: Any, w: Any, fs: Any) -> Any:
    """The ratio of two polynomials on the unit circle, at these frequencies."""
    z = np.expand_dims(w * (2.0 * math.pi / fs), 1)
    top = np.exp(-1j * z * np.arange(len(b))) @ b
    return top if a is None else top / (np.exp(-1j * z * np.arange(len(a))) @ a)


@of_scipy("scipy.signal.freqz")
def _freqz(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The frequencies, and the response of a filter at each."""
    arguments = named_arguments(ev, sys.modules["scipy.signal"].freqz, args, kwargs)
    leave_to_python(ev, "freqz", arguments.values())
    if any(is_varied(ev, v) for key, v in arguments.items() if key not in ("b", "a")) \
            or arguments.get("plot", _NONE) != _NONE:
        ev.refuse("SCT402", "`freqz` is differentiated only by the coefficients", hint="leave the other out, or pass "
                  "sct.stop_gradient(...) of them")
    b = array_of_floats(ev, "freqz", arguments["b"], (1,))
    one = arguments.get("a", Static(1)) in (Static(1), Static(1.0))
    a = _NONE if one else array_of_floats(ev, "freqz", arguments["a"], (1,))
    operands: list[Operand] = [ev.operand(b), *([] if one else [ev.operand(a)])]
    texts = ["_0", "1.0" if one else "_1"]
    texts += [f"{key}={template_of(ev, v, operands)}" for key, v in arguments.items() if key not in ("b", "a")]
    result = ev.emit(solver, *operands, text=f"scipy.signal.freqz({', '.join(texts)})", type=OBJECT)
    count = ev.emit(part, result, text="len(_0[0])", type=INT)
    w = ev.wrap(ev.emit(part, result, text="_0[0]", type=Tensor("array", "f64", (size_of(count),))))
    with derivative_code(ev):
        like = ev.call(Static(_response), [b, a, w, arguments.get("fs", Static(2.0 * math.pi))])
    return Tup((w, standing_for(ev, result, like, "_0[1]")))


def _answer_to(z: Any, p: Any, k: Any, worN: Any) -> Any:
    """The answer of an analog filter, by its zeros, poles and gain."""
    if np.ndim(worN) == 0:
        raise ValueError("the frequencies that SciPy chooses depend on the poles")
    s = np.expand_dims(1j * worN, 1)
    return worN, k * np.prod(s - z, axis=1) / np.prod(s - p, axis=1)


def _product_of_roots(roots: Any) -> Any:
    """The coefficients of the polynomial with these roots, of the highest power first."""
    c = np.concatenate((np.ones(1), np.zeros(len(roots))))
    for root in roots:
        c[1:] = c[1:] - root * c[:-1]
    return c


def _coefficients(z: Any, p: Any, k: Any) -> Any:
    return k * _product_of_roots(z), _product_of_roots(p)


register("scipy.signal", {
    "freqs_zpk": Program(_answer_to, ("z", "p", "k", "worN"), ranks=(0, 1), complex=True),
    "zpk2tf": Program(_coefficients, ("z", "p", "k"), ranks=(0, 1))})


# -- Fourier transforms on a part of a circle, or on a spiral ----------------------------------------------------------


def _chirp_z(x: Any, w: Any, a: Any, m: Any, axis: Any) -> Any:
    """The sums of `x[n] * (a * w**-k)**-n`, by Bluestein's convolution: `2*n*k == n**2 + k**2 - (k - n)**2`."""
    x = np.moveaxis(x, axis, -1)
    n = x.shape[-1]
    m = n if m is None else m
    w, a = np.exp(-2j * math.pi / m) if w is None else w, 1.0 if a is None else a
    at, to = np.arange(n), np.arange(m)
    chirp = w ** (-0.5 * np.arange(1 - n, m) ** 2)
    x = x * (a + 0j) ** -at * w ** (0.5 * at**2)
    y = np.fft.ifft(np.fft.fft(x, n + m - 1) * np.fft.fft(chirp))[..., n - 1:]
    return np.moveaxis(y * w ** (0.5 * to**2), -1, axis)


def _zoomed(x: Any, fn: Any, fs: Any, m: Any, endpoint: Any, axis: Any) -> Any:
    """The Fourier transform between two frequencies, the first of which may be left out: it is 0."""
    fs = 2.0 if fs is None else fs
    m = x.shape[axis] if m is None else m
    first, last = (fn[0], fn[1]) if np.ndim(fn) > 0 else (0.0, fn)
    step = (last - first) / fs * (m / (m - 1) if endpoint else 1.0)
    return _chirp_z(x, np.exp(-2j * math.pi * step / m), np.exp(2j * math.pi * first / fs), m, axis)


register("scipy.signal", {
    "czt": Program(_chirp_z, ("x", "w", "a"), ("m", "axis"), ranks=(0, 1, 2, 3), complex=True),
    "zoom_fft": Program(_zoomed, ("x", "fn", "fs"), ("m", "endpoint", "axis"), ranks=(0, 1, 2, 3), complex=True)})


# -- positions, which are not differentiated ---------------------------------------------------------------------------


@of_scipy("scipy.signal.find_peaks")
def _find_peaks(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The positions of peaks, and their heights."""
    x = array_of_floats(ev, "scipy.signal.find_peaks", args[0] if args else kwargs["x"], (1,))
    if len(args) > 1 or "x" in kwargs:
        ev.refuse("SCT207", "`find_peaks` is left to Python")
    leave_to_python(ev, "find_peaks", [x])
    operands: list[Operand] = [ev.operand(x)]
    texts = ["_0"]
    for key, v in kwargs.items():
        if (text := template_of(ev, v, operands)) is None:
            ev.refuse("SCT205", f"`{key}` of `find_peaks` is not supported", hint="pass a number")
        texts.append(f"{key}={text}")
    result = ev.emit(solver, *operands, text=f"scipy.signal.find_peaks({', '.join(texts)})", type=OBJECT)
    result.hint = "peaks"
    peaks = ev.wrap(ev.emit(part, result, text="_0[0]", type=Tensor("array", "i64", (sym(f"_peaks{result.id}"),))))
    heights = {} if kwargs.get("height", _NONE) == _NONE else {
        "peak_heights": ev.call(Static(np.take), [x, peaks])}
    poison = unread("the properties that `find_peaks` returns", ["peak_heights"])
    others = ("plateau_sizes", "left_edges", "right_edges", "left_thresholds", "right_thresholds", "prominences",
              "left_bases", "right_bases", "widths", "width_heights", "left_ips", "right_ips")
    more = {"prominence", "width", "threshold", "plateau_size"} & kwargs.keys()
    return Tup((peaks, ev.new_dict({**heights, **(dict.fromkeys(others, poison) if more else {})})))


@of_scipy("scipy.optimize.linear_sum_assignment")
def _assignment(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The rows and columns of the cheapest assignment."""
    matrix = args[0] if args else kwargs["cost_matrix"]
    costs = array_of_floats(ev, "scipy.optimize.linear_sum_assignment", matrix, (2,))
    if len(args) > 2:
        ev.refuse("SCT207", "`linear_sum_assignment` is left to Python")
    leave_to_python(ev, "linear_sum_assignment", [costs])
    largest = kwargs.get("maximize", args[1] if len(args) > 1 else Static(False))
    text = ", maximize=True" if ev.ask(largest, "`maximize`") else ""
    result = ev.emit(solver, ev.operand(costs), text=f"scipy.optimize.linear_sum_assignment(_0{text})", type=OBJECT)
    result.hint = "assignment"
    t = Tensor("array", "i64", (sym(f"_assigned{result.id}"),))
    return Tup(tuple(ev.wrap(ev.emit(part, result, text=f"_0[{k}]", type=t)) for k in (0, 1)))
