"""Windows, as long as they are asked for: constants, and by their parameters, `gaussian(M, std)`.

    kaiser(M, beta)   ->   what SciPy computes, with the derivative of `_kaiser`
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy, special
from sct.frontend.heap.inactive import is_varied, template_of
from sct.frontend.scipy_library.by_program import Program, handler
from sct.frontend.values.abstract_values import Abstract, Static, Tup
from sct.ir import Operand, Value
from sct.ir.types import Tensor
from sct.ops.program.solutions import solver
from sct.ops.type_rules import number, size_of

__all__: list[str] = []


# -- by their parameters -----------------------------------------------------------------------------------------------


def _last(M: Any, sym: Any) -> Any:
    """The position of the last element; a window that is not symmetric goes on with its first one."""
    return M - 1 if sym else M


def _from_middle(M: Any, sym: Any) -> Any:
    return np.arange(M) - 0.5 * _last(M, sym)


def _gaussian(M: Any, std: Any, sym: Any) -> Any:
    n = _from_middle(M, sym)
    return np.exp(-n * n / (2.0 * std * std)) if M > 1 else np.ones(M)


def _general_gaussian(M: Any, p: Any, sig: Any, sym: Any) -> Any:
    """In the middle the window is 1, whatever the parameters are."""
    n = np.abs(_from_middle(M, sym))
    z = np.where(n > 0.0, np.where(n > 0.0, n, 1.0) / sig, 1.0) ** (2.0 * p)
    return np.where(n > 0.0, np.exp(-0.5 * z), 1.0) if M > 1 else np.ones(M)


def _exponential(M: Any, center: Any, tau: Any, sym: Any) -> Any:
    n = _from_middle(M, sym) if center is None else np.arange(M) - center
    return np.exp(-np.abs(n) / (1.0 if tau is None else tau)) if M > 1 else np.ones(M)


def _kaiser(M: Any, beta: Any, sym: Any, i0: Any) -> Any:
    if M < 2:
        return np.ones(M)
    n, last = np.arange(M), _last(M, sym)
    return i0(beta * np.sqrt(n * (last - n)) * 2.0 / last) / i0(beta)


def _kaiser_bessel_derived(M: Any, beta: Any, sym: Any, i0: Any) -> Any:
    sums = np.cumsum(_kaiser(M // 2 + 1, beta, True, i0))
    half = np.sqrt(sums[:-1] / sums[-1])
    return np.concatenate((half, half[::-1]))


def _tukey(M: Any, alpha: Any, sym: Any) -> Any:
    """A cosine up to a part of the window; up to its middle from `alpha` 1 on, and nowhere for 0 and below."""
    if M < 2 or alpha <= 0.0 or alpha >= 1.0:
        return np.ones(M)
    from_ends = 1.0 - 2.0 / _last(M, sym) * np.abs(_from_middle(M, sym))
    return np.where(from_ends < alpha, 0.5 - 0.5 * np.cos(math.pi / alpha * from_ends), 1.0)


def _general_cosine(M: Any, a: Any, sym: Any) -> Any:
    if M < 2:
        return np.ones(M)
    t = 2.0 * math.pi / _last(M, sym) * _from_middle(M, sym)
    return np.cos(np.outer(t, np.arange(len(a)))) @ a


def _general_hamming(M: Any, alpha: Any, sym: Any) -> Any:
    if M < 2:
        return np.ones(M)
    return alpha + (1.0 - alpha) * np.cos(2.0 * math.pi / _last(M, sym) * _from_middle(M, sym))


_BESSEL, _SYM = ("scipy.special.i0",), ("sym",)
_PROGRAMS = {
    "exponential": Program(_exponential, ("M", "center", "tau"), _SYM, ranks=(0,)),
    "gaussian": Program(_gaussian, ("M", "std"), _SYM, ranks=(0,)),
    "general_cosine": Program(_general_cosine, ("M", "a"), _SYM, ranks=(0, 1)),
    "general_gaussian": Program(_general_gaussian, ("M", "p", "sig"), _SYM, ranks=(0,)),
    "general_hamming": Program(_general_hamming, ("M", "alpha"), _SYM, ranks=(0,)),
    "kaiser": Program(_kaiser, ("M", "beta"), _SYM, ranks=(0,), needs=_BESSEL),
    "kaiser_bessel_derived": Program(_kaiser_bessel_derived, ("M", "beta"), _SYM, ranks=(0,), needs=_BESSEL),
    "tukey": Program(_tukey, ("M", "alpha"), _SYM, ranks=(0,))}


# -- constants ---------------------------------------------------------------------------------------------------------


def _is_constant(ev: Evaluator, *values: Abstract) -> bool:
    return not any(is_varied(ev, v) for v in values)


def _window(name: str, size: int) -> Any:
    """The handler of a function that gives as many numbers as the argument `size` says."""

    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        key = name.removeprefix("scipy.signal.windows.")
        if key in _PROGRAMS and not _is_constant(ev, *args, *kwargs.values()):
            return handler(name, _PROGRAMS[key])(ev, args, kwargs)
        operands: list[Operand] = []
        texts = [template_of(ev, v, operands) for v in args]
        texts += [None if (text := template_of(ev, v, operands)) is None else f"{key}={text}"
                  for key, v in kwargs.items()]
        n = ev.operand(args[size]) if len(args) > size and isinstance(args[size], (Static, Value)) else None
        if n is None or number(n).kind != "i" or None in texts or any(
                is_varied(ev, v) for v in (*args, *kwargs.values())):
            ev.refuse("SCT205", f"this call of `{name}` is not supported", hint="call "
                      "`scipy.signal.windows.kaiser`, which is differentiated by `beta`" if name == "numpy.kaiser" else
                      "give the size by position, and constants; or compute the window outside the function")
        text = f"{name}({', '.join(map(str, texts))})"
        return ev.wrap(ev.emit(solver, *operands, text=text, type=Tensor("array", "f64", (size_of(n),))))

    return handle


for _f in (np.hanning, np.hamming, np.blackman, np.bartlett, np.kaiser):
    special(_f)(_window(f"numpy.{_f.__name__}", 0))
for _name in ("hann", "hamming", "blackman", "boxcar", "flattop", "triang", *_PROGRAMS):
    of_scipy(f"scipy.signal.windows.{_name}")(_window(f"scipy.signal.windows.{_name}", 0))
_BY_NAME = _window("scipy.signal.get_window", 1)
_NAMES = {
    alias: name for name, aliases in {
        "exponential": ("exponential", "poisson"), "gaussian": ("gaussian", "gauss", "gss"),
        "general_cosine": ("general cosine", "general_cosine"),
        "general_gaussian": ("general gaussian", "general_gaussian", "general gauss", "general_gauss", "ggs"),
        "general_hamming": ("general hamming", "general_hamming"), "kaiser": ("kaiser", "ksr"),
        "kaiser_bessel_derived": ("kaiser bessel derived", "kaiser_bessel_derived", "kbd"), "tukey": ("tukey", "tuk"),
    }.items() for alias in aliases}
"""The functions of the windows that `get_window` makes, by the names that it knows."""


@of_scipy("scipy.signal.get_window")
def _get_window(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """A window by its name; with a differentiated parameter, the call of the function with that name.

    A number in place of a name is the parameter of Kaiser's window.
    """
    arguments = named_arguments(ev, sys.modules["scipy.signal"].get_window, args, kwargs)
    window, periodic = arguments["window"], arguments.get("fftbins", Static(True))
    if _is_constant(ev, window):
        result: Abstract = _BY_NAME(ev, args, kwargs)
        return result
    parts = window.items if isinstance(window, Tup) else (Static("kaiser"), window)
    name = _NAMES.get(ev.ask(parts[0], "the name of a window"))
    if name is None:
        ev.refuse("SCT402", "a window of this name is not differentiated by its parameters",
                  hint="pass sct.stop_gradient(...) of them, if no derivative is meant to pass")
    sym = Static(not ev.ask(periodic, "`fftbins` of `get_window`"))
    function = getattr(sys.modules["scipy.signal.windows"], name)
    return ev.call(Static(function), [arguments["Nx"], *parts[1:]], {"sym": sym})
