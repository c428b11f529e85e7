"""Filters by their frequencies, of `scipy.signal`: the coefficients are what SciPy computes.

    butter(3, w)   ->   butter(3, w), with the derivative of the poles of the prototype, which are moved to w
    firwin(21, w)  ->   firwin(21, w), with the derivative of the sum of `np.sinc` that it is
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sct.frontend.autodiff.implicit_functions import derivative_code, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy
from sct.frontend.heap.inactive import is_varied, leave_to_python, template_of
from sct.frontend.scipy_library.by_program import Program, register
from sct.frontend.values.abstract_values import Abstract, Static, Tup
from sct.ir import Operand, Value
from sct.ir.dims import Dim
from sct.ir.types import Tensor
from sct.ops.program.effects import OBJECT, part
from sct.ops.program.solutions import solver

__all__: list[str] = []


# -- recursive filters -------------------------------------------------------------------------------------------------


def _zeros_and_poles(z: Any, p: Any, k: Any, w: Any, fs: Any, band: Any, analog: Any) -> Any:
    """The zeros, the poles and the gain of the filter, by those of the lowpass prototype of frequency 1."""
    if fs is not None:
        w = w / (fs / 2.0)
    if not analog:
        w = 4.0 * np.tan(np.pi * w / 2.0)
    degree = len(p) - len(z)
    none = np.zeros(degree, dtype=complex)
    if band in ("highpass", "bandstop"):
        k = k * np.real(np.prod(-z) / np.prod(-p))
    if band == "lowpass":
        z, p, k = w * z, w * p, k * w**degree
    elif band == "highpass":
        z, p = np.concatenate((w / z, none)), w / p
    else:
        half, square = 0.5 * (w[1] - w[0]), w[0] * w[1]
        if band == "bandpass":
            z, p, k, ends = half * z, half * p, k * (2.0 * half) ** degree, none
        else:
            centre = 1j * np.sqrt(square)
            z, p, ends = half / z, half / p, np.concatenate((none + centre, none - centre))
        s, t = np.sqrt(z * z - square), np.sqrt(p * p - square)
        z, p = np.concatenate((z + s, z - s, ends)), np.concatenate((p + t, p - t))
    if not analog:
        k = k * np.real(np.prod(4.0 - z) / np.prod(4.0 - p))
        z = np.concatenate(((4.0 + z) / (4.0 - z), -np.ones(len(p) - len(z), dtype=complex)))
        p = (4.0 + p) / (4.0 - p)
    return z, p, k


def _expanded(roots: Any) -> Any:
    """The coefficients of the polynomial with these roots, which come in conjugate pairs."""
    c = np.zeros(len(roots) + 1, dtype=complex)
    c[0] = 1.0
    for j in range(len(roots)):
        c[1:] = c[1:] - roots[j] * c[:-1]
    return c.real


def _nearest(roots: Any, c: Any) -> Any:
    """Of the roots, the two of each quadratic polynomial."""
    half, root = -0.5 * c[:, 1], np.sqrt(0.25 * c[:, 1] ** 2 - c[:, 2] + 0j)
    first = np.argmin(np.abs(roots[None, :] - (half + root)[:, None]), axis=1)
    second = np.argmin(np.abs(roots[None, :] - (half - root)[:, None]), axis=1)
    return roots[first], roots[second]


def _sections(sos: Any, z: Any, p: Any, k: Any) -> Any:
    """The sections, to which SciPy has assigned the zeros and the poles: those nearest to the roots of its own."""
    n = len(sos)
    z = np.concatenate((z, np.zeros(2 * n - len(z), dtype=complex)))
    p = np.concatenate((p, np.zeros(2 * n - len(p), dtype=complex)))
    z1, z2 = _nearest(z, sos[:, :3] / sos[:, :1])
    p1, p2 = _nearest(p, sos[:, 3:])
    gain = np.concatenate((k * np.ones(1), np.ones(n - 1)))
    one = np.ones(n)
    return np.stack((gain, gain * -(z1 + z2).real, gain * (z1 * z2).real, one, -(p1 + p2).real, (p1 * p2).real), axis=1)


_KINDS = {"butter": "buttap", "cheby1": "cheb1ap", "cheby2": "cheb2ap", "ellip": "ellipap", "bessel": "besselap"}
_BANDS = {
    **dict.fromkeys(("l", "low", "lowpass", "lp"), "lowpass"),
    **dict.fromkeys(("h", "high", "highpass", "hp"), "highpass"),
    **dict.fromkeys(("band", "bandpass", "pass", "bp"), "bandpass"),
    **dict.fromkeys(("bands", "bandstop", "stop", "bs"), "bandstop")}
_OPTIONS = ("N", "rp", "rs", "btype", "analog", "ftype", "output", "norm")


_ORDERS = {"cheby1": ("rp",), "cheby2": ("rs",), "ellip": ("rp", "rs"), "bessel": ("norm",)}
"""What the prototypes take besides the order of the filter."""


def _design(name: str) -> Any:
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        """The coefficients by the frequencies `Wn`, in the form that `output` names."""
        signal = sys.modules["scipy.signal"]
        function = getattr(signal, name)
        arguments = named_arguments(ev, function, args, kwargs)
        leave_to_python(ev, name, arguments.values())
        if any(is_varied(ev, v) for key, v in arguments.items() if key != "Wn"):
            ev.refuse("SCT402", f"`{name}` is differentiated only by its frequencies `Wn`",
                      hint="pass sct.stop_gradient(...) of the other, if no derivative is meant to pass")
        defaults = {"rp": None, "rs": None, "btype": "low", "analog": False, "ftype": "butter", "output": "ba",
                    "norm": "phase", **({"btype": "band"} if name == "iirfilter" else {})}
        options = {key: ev.ask(arguments.get(key, Static(defaults.get(key))), f"`{key}` of `{name}`")
                   for key in _OPTIONS}
        kind = {"butterworth": "butter", "chebyshev1": "cheby1", "chebyshev2": "cheby2", "elliptic": "ellip",
                "cauer": "ellip"}.get(options["ftype"], options["ftype"]) if name == "iirfilter" else name
        w = ev.call(Static(np.asarray), [arguments["Wn"]], {"dtype": Static(float)})
        band = _BANDS.get(str(options["btype"]).lower(), "")
        if options["analog"] and options["output"] == "sos":
            ev.refuse("SCT402", f"sections of an analog filter of `{name}` are not differentiated",
                      hint="use the zeros and the poles: `output='zpk'`")
        if kind not in _KINDS or not band or len(ev.shape_of(w)) != (band in ("bandpass", "bandstop")):
            ev.refuse("SCT402", f"`{name}` is not differentiated for these arguments",
                      hint="give one frequency for a lowpass or a highpass, and two for a band")
        operands: list[Operand] = [ev.operand(w)]
        texts = [f"{key}={'_0' if key == 'Wn' else template_of(ev, v, operands)}" for key, v in arguments.items()]
        native = ev.emit(solver, *operands, text=f"scipy.signal.{name}({', '.join(texts)})", type=OBJECT)
        orders = [options[key] for key in ("N", *_ORDERS.get(kind, ()))]
        return _parts_of(ev, native, w, arguments.get("fs", Static(None)), _KINDS[kind], orders, band, options)

    return handle


def _parts_of(ev: Evaluator, native: Value, w: Abstract, fs: Abstract, prototype: str, orders: Sequence[Any], band: str,
              options: Mapping[str, Any]) -> Abstract:
    """The parts of what SciPy computes, by the zeros, the poles and the gain of the prototype of these orders."""
    signal = sys.modules["scipy.signal"]
    z, p, k = getattr(signal, prototype)(*orders)
    text = f"scipy.signal.{prototype}({', '.join(map(repr, orders))})"
    ends = np.array([0.2, 0.5])
    own = signal.iirfilter(max(len(p), 1), ends if band.startswith("band") else 0.2, btype=band, output="sos")
    sections = Tensor("array", "f64", (Dim(len(own)), Dim(6)))
    with derivative_code(ev):
        of_prototype = [ev.wrap(ev.emit(solver, text=f"{text}[{j}].astype(complex)", type=Tensor(
            "array", "c128", (Dim(len(x)),)))) for j, x in enumerate((z, p))]
        gain = Static(float(k))
        parts = ev.call(Static(_zeros_and_poles), [*of_prototype, gain, w, fs, Static(band), Static(options["analog"])])
        assert isinstance(parts, Tup)
        zeros, poles, factor = parts.items
        if options["output"] == "sos":
            like = ev.call(Static(_sections), [ev.wrap(ev.emit(part, native, text="_0", type=sections)), *parts.items])
            return standing_for(ev, native, like, "_0[:]")
        if options["output"] == "ba":
            b, a = (ev.call(Static(_expanded), [roots]) for roots in (zeros, poles))
            likes = [ev.call(Static(np.multiply), [factor, b]), a]
        else:
            is_real = z.dtype.kind == "f" and not band.startswith("band")
            likes = [ev.call(Static(np.real), [zeros]) if is_real else zeros, poles, factor]
    return Tup(tuple(standing_for(ev, native, like, f"_0[{j}]") for j, like in enumerate(likes)))


for _name in (*_KINDS, "iirfilter"):
    of_scipy(f"scipy.signal.{_name}")(_design(_name))


def _notch(w0: Any, Q: Any, fs: Any) -> Any:
    w = 2.0 * w0 / fs * math.pi
    gain = 1.0 / (1.0 + np.tan(0.5 * w / Q))
    return gain * np.stack((1.0, -2.0 * np.cos(w), 1.0)), _of_second_order(gain, w)


def _peak(w0: Any, Q: Any, fs: Any) -> Any:
    w = 2.0 * w0 / fs * math.pi
    gain = 1.0 / (1.0 + np.tan(0.5 * w / Q))
    return (1.0 - gain) * np.array([1.0, 0.0, -1.0]), _of_second_order(gain, w)


def _of_second_order(gain: Any, w: Any) -> Any:
    return np.stack((1.0, -2.0 * gain * np.cos(w), 2.0 * gain - 1.0))


# -- filters of finitely many weights ----------------------------------------------------------------------------------


def _weights(cutoff: Any, numtaps: Any, window: Any, pass_zero: Any, scale: Any, fs: Any, get_window: Any) -> Any:
    """The sum of the bands that pass, each of which is from one edge to the next."""
    edges = np.atleast_1d(cutoff) / (1.0 if fs is None else 0.5 * fs)
    from_zero = pass_zero in (True, "lowpass", "bandstop")
    to_one = (len(edges) % 2 == 1) != from_zero
    edges = np.concatenate((np.zeros(1 if from_zero else 0), edges, np.ones(1 if to_one else 0)))
    m = np.arange(numtaps) - 0.5 * (numtaps - 1)
    h = np.zeros(numtaps)
    for j in range(0, len(edges), 2):
        h = h + edges[j + 1] * np.sinc(edges[j + 1] * m) - edges[j] * np.sinc(edges[j] * m)
    h = h * get_window(window, numtaps, fftbins=False)
    if scale:
        middle = 0.0 if from_zero else 1.0 if to_one and len(edges) == 2 else 0.5 * (edges[0] + edges[1])
        h = h / np.sum(h * np.cos(np.pi * m * middle))
    return h


register("scipy.signal", {
    "iirnotch": Program(_notch, ("w0", "Q"), ("fs",), ranks=(0,)),
    "iirpeak": Program(_peak, ("w0", "Q"), ("fs",), ranks=(0,)),
    "firwin": Program(_weights, ("cutoff",), ("numtaps", "window", "pass_zero", "scale", "fs"), ranks=(0, 1),
                      needs=("scipy.signal.get_window",))})


# -- responses ---------------------------------------------------------------------------------------------------------


def _response_of_sections(sos: Any, worN: Any, whole: Any, fs: Any, freqz: Any) -> Any:
    """The product of the responses of the sections."""
    sos = np.atleast_2d(sos)
    if sos.ndim != 2 or sos.shape[1] != 6:
        raise ValueError("sos array must be shape (n_sections, 6)")
    if not np.all(sos[:, 3] == 1):
        raise ValueError("sos[:, 3] should be all ones")
    w, h = freqz(sos[0, :3], sos[0, 3:], worN=worN, whole=whole, fs=fs)
    for j in range(1, len(sos)):
        h = h * freqz(sos[j, :3], sos[j, 3:], worN=worN, whole=whole, fs=fs)[1]
    return w, h


@of_scipy("scipy.signal.freqz_sos", "scipy.signal.sosfreqz")
def _freqz_sos(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    signal = sys.modules["scipy.signal"]
    arguments = named_arguments(ev, signal.freqz_sos, args, kwargs)
    leave_to_python(ev, "freqz_sos", arguments.values())
    rest = [arguments.get(key, Static(default)) for key, default in (
        ("worN", 512), ("whole", False), ("fs", 2.0 * math.pi))]
    return ev.call(Static(_response_of_sections), [arguments["sos"], *rest, Static(signal.freqz)])
