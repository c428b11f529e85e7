"""Linear systems of `scipy.signal`, as tuples of their coefficients or matrices: what they answer to inputs, and to
oscillations.

    lsim((A, B, C, D), U, T)   ->   what SciPy computes, with the derivative of `_answer`
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sct.frontend.autodiff.implicit_functions import derivative_code, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy
from sct.frontend.heap.inactive import leave_to_python
from sct.frontend.heap.subscripts import size_along
from sct.frontend.scipy_library.by_program import array_of_floats
from sct.frontend.values.abstract_values import Abstract, Ref, Static, Tup
from sct.ir import Operand
from sct.ir.types import Tensor
from sct.ops.program.effects import OBJECT
from sct.ops.program.solutions import solver
from sct.ops.registry import add_operand

__all__: list[str] = []

_NONE = Static(None)


# -- programs ----------------------------------------------------------------------------------------------------------


def _matrices(num: Any, den: Any) -> Any:
    """The matrices of the system with these coefficients, in the controllable form."""
    num, den = np.concatenate((np.zeros(len(den) - len(num)), num)) / den[0], den / den[0]
    n = len(den) - 1
    a = np.concatenate((np.expand_dims(-den[1:], 0), np.eye(n - 1, n)))
    return a, np.eye(n, 1), np.expand_dims(num[1:] - num[0] * den[1:], 0), np.reshape(num[0], (1, 1))


def _columns(u: Any, t: Any, inputs: Any) -> Any:
    """The inputs at each time, a column for each."""
    if u is None:
        return np.zeros((len(t), inputs))
    return np.expand_dims(u, 1) if u.ndim == 1 else u


def _run(a: Any, b: Any, c: Any, d: Any, u: Any, t: Any, start: Any, is_linear: Any, expm: Any) -> Any:
    """The outputs and the states; between the times the inputs are lines, else they stay what they are."""
    n, inputs = b.shape
    step = t[1] - t[0]
    whole = np.zeros((n + 2 * inputs, n + 2 * inputs))
    whole[:n, :n] = a * step
    whole[:n, n:n + inputs] = b * step
    whole[n:n + inputs, n + inputs:] = np.eye(inputs)
    power = expm(whole)[:n]
    states = np.zeros((len(t), n))
    states[0] = expm(a * t[0]) @ start
    driven = u[:-1] @ power[:, n:n + inputs].T
    if is_linear:
        driven = driven + (u[1:] - u[:-1]) @ power[:, n + inputs:].T
    for k in range(len(t) - 1):
        states[k + 1] = power[:, :n] @ states[k] + driven[k]
    return states @ c.T + u @ d.T, states


def _squeezed(x: Any) -> Any:
    return x[:, 0] if x.shape[1] == 1 else x


def _answer(system: Any, u: Any, t: Any, start: Any, interp: Any, expm: Any) -> Any:
    a, b, c, d = system
    start = np.zeros(len(a)) if start is None else start
    outputs, states = _run(a, b, c, d, _columns(u, t, b.shape[1]), t, start, interp, expm)
    return _squeezed(outputs), _squeezed(states)


def _impulse(system: Any, t: Any, start: Any, expm: Any) -> Any:
    a, b, c, d = system
    start = b[:, 0] if start is None else b[:, 0] + start
    return (_squeezed(_run(a, b, c, d, np.zeros((len(t), 1)), t, start, False, expm)[0]),)


def _step(system: Any, t: Any, start: Any, expm: Any) -> Any:
    a, b, c, d = system
    start = np.zeros(len(a)) if start is None else start
    return (_squeezed(_run(a, b, c, d, np.ones((len(t), 1)), t, start, False, expm)[0]),)


def _response(system: Any, w: Any) -> Any:
    """The answer to oscillations of these frequencies."""
    if len(system) == 2:
        return (np.polyval(system[0], 1j * w) / np.polyval(system[1], 1j * w),)
    z = np.reshape(1j * w, (-1, 1, 1))
    a, b, c, d = system
    x = np.linalg.solve(z * np.eye(len(a)) - a, np.broadcast_to(b + 0j, (len(z), *b.shape)))
    return ((c @ x + d)[:, 0, 0],)


def _bode(system: Any, w: Any) -> Any:
    """Its modulus in decibels, and its phase in degrees."""
    h = _response(system, w)[0]
    return 20.0 * np.log10(np.abs(h)), np.unwrap(np.angle(h)) * (180.0 / np.pi)


# -- calls -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Function:
    """A function of a system.

    run      the program, which takes the matrices, of functions of frequencies perhaps the coefficients, and then the
             arrays and the options; it returns what is behind the times or frequencies in the result
    time     the parameter of these, which must be passed
    arrays   its parameters that are arrays, by how many axes they may have
    options  those that must be known
    needs    functions of `scipy.linalg` that the program takes last
    """

    run: Callable[..., Any]
    time: str
    arrays: Mapping[str, Sequence[int]]
    options: Mapping[str, Any]
    needs: Sequence[str] = ("expm",)


_FUNCTIONS = {
    "lsim": _Function(_answer, "T", {"U": (1, 2), "T": (1,), "X0": (1,)}, {"interp": True}),
    "impulse": _Function(_impulse, "T", {"T": (1,), "X0": (1,)}, {}),
    "step": _Function(_step, "T", {"T": (1,), "X0": (1,)}, {}),
    "freqresp": _Function(_response, "w", {"w": (1,)}, {}, ()),
    "bode": _Function(_bode, "w", {"w": (1,)}, {}, ())}


def _system(ev: Evaluator, name: str, v: Abstract, operands: list[Operand]) -> tuple[Tup, str]:
    """The coefficients or the matrices of the system, and the text of the tuple of these."""
    if not isinstance(v, Tup) or len(v.items) not in (2, 4):
        ev.refuse("SCT402", f"the system of `{name}` is no tuple of coefficients or of matrices",
                  hint="pass `(num, den)`, or `(A, B, C, D)`")
    ranks = (1,) if len(v.items) == 2 else (2,)
    parts: list[Abstract] = [_floats(ev, name, x, ranks) for x in v.items]
    return Tup(tuple(parts)), f"({', '.join(add_operand(ev.operand(x), operands) for x in parts)})"


def _floats(ev: Evaluator, name: str, v: Abstract, ranks: Sequence[int]) -> Ref:
    v = ev.array_of_list(v)
    t = ev.type_of(v) if isinstance(v, Ref) else None
    if isinstance(t, Tensor) and t.kind in "iub":
        v = ev.call(Static(np.asarray), [v], {"dtype": Static(float)})
    return array_of_floats(ev, f"scipy.signal.{name}", v, tuple(ranks))


def _is_none(v: Abstract) -> bool:
    return isinstance(v, Static) and (v.value is None or type(v.value) in (int, float) and v.value == 0)


def _is_one(ev: Evaluator, x: Abstract, question: str) -> bool:
    """Has the array one item along its first axis?"""
    return bool(ev.ask(ev.call(Static(operator.eq), [size_along(ev, x, 0), Static(1)]), question))


def _handler(name: str, function: _Function) -> Any:
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        arguments = named_arguments(ev, getattr(sys.modules["scipy.signal"], name), args, kwargs)
        leave_to_python(ev, name, arguments.values())
        if _is_none(arguments.get(function.time, _NONE)):
            ev.refuse("SCT402", f"`{name}` without `{function.time}` is not differentiated",
                      why="SciPy chooses it by the poles of the system", hint=f"pass an array as `{function.time}`")
        operands: list[Operand] = []
        parts, text = _system(ev, name, arguments["system"], operands)
        system: Abstract = parts
        is_by_coefficients = len(parts.items) == 2 and function.time == "T"
        if is_by_coefficients and _is_one(ev, parts.items[1], "whether the system has no state"):
            ev.refuse("SCT402", f"`{name}` of a system without a state is not differentiated",
                      hint="multiply the input by the quotient of the coefficients")
        texts, xs, options = [text], [], []
        for key, v in arguments.items():
            if key in function.arrays and not _is_none(v):
                x = _floats(ev, name, v, function.arrays[key])
                texts.append(f"{key}={add_operand(ev.operand(x), operands)}")
                arguments[key] = x
            elif key in function.options or key in function.arrays:
                texts.append(f"{key}={ev.ask(v, f'`{key}` of `{name}`')!r}")
            elif key != "system" and v != _NONE:
                ev.refuse("SCT402", f"`{key}` of `{name}` is not supported", hint=f"leave `{key}` out")
        if function.time == "T" and _is_one(ev, arguments["T"], "whether there is one time"):
            ev.refuse("SCT402", f"`{name}` at a single time is not differentiated",
                      why="SciPy leaves out the axis of the times", hint="pass several times")
        xs = [_NONE if _is_none(v := arguments.get(key, _NONE)) else v for key in function.arrays]
        options = [arguments.get(key, Static(default)) for key, default in function.options.items()]
        needs = [Static(getattr(sys.modules["scipy.linalg"], key)) for key in function.needs]
        result = ev.emit(solver, *operands, text=f"scipy.signal.{name}({', '.join(texts)})", type=OBJECT)
        result.hint = "response"
        with derivative_code(ev):
            if is_by_coefficients:
                system = ev.call(Static(_matrices), parts.items)
            like = ev.call(Static(function.run), [system, *xs, *options, *needs])
        assert isinstance(like, Tup)
        rest = [standing_for(ev, result, x, f"_0[{k}]") for k, x in enumerate(like.items, 1)]
        return Tup((arguments[function.time], *rest))

    return handle


for _name, _function in _FUNCTIONS.items():
    of_scipy(f"scipy.signal.{_name}")(_handler(_name, _function))
