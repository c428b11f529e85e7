"""Piecewise cubic interpolants whose slopes follow from the data: `PchipInterpolator`, `Akima1DInterpolator`, and
`CubicSpline` of differentiated positions.

    PchipInterpolator(t, y)(x)   ->   what SciPy computes, with the derivative of `_value`, by x, t and y
"""

from __future__ import annotations

import functools
import operator
import sys
from typing import Any, NoReturn

import numpy as np

from sct.frontend.autodiff.implicit_functions import derivative_code, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy, special
from sct.frontend.heap.inactive import give, is_varied, leave_to_python
from sct.frontend.objects.class_of import stand_in_class
from sct.frontend.scipy_library.by_program import array_of_floats
from sct.frontend.scipy_objects.interpolants import check_limits, make
from sct.frontend.values.abstract_values import Abstract, ObjRef, Ref, Static
from sct.ir import Value
from sct.ir.types import Tensor
from sct.ops.program.solutions import solver
from sct.ops.scipy.splines import interpolant

__all__ = ["monotone"]


class HermiteInterpolant:
    """Such an object, where the function is evaluated; its methods have handlers."""

    def __call__(self, x: Any, nu: int = 0) -> Any: ...

    def derivative(self, nu: int = 1) -> Any: ...

    def antiderivative(self, nu: int = 1) -> Any: ...

    def integrate(self, a: Any, b: Any) -> Any: ...

    def other(self, value: Any = None) -> Any:
        """Stands for what SciPy's objects have besides."""


@functools.cache
def _class_of(name: str) -> type:
    """The class of an interpolant, for which `isinstance` holds that holds for SciPy's."""
    return stand_in_class(HermiteInterpolant, getattr(sys.modules["scipy.interpolate"], name), HermiteInterpolant.other)


# -- the slopes, and the values between --------------------------------------------------------------------------------


def _at_end(h: Any, k: Any, m: Any, n: Any) -> Any:
    """The slope at an end, of the steps and the slopes of the two pieces next to it."""
    d = ((2.0 * h + k) * m - h * n) / (h + k)
    steep = (np.sign(m) != np.sign(n)) & (np.abs(d) > 3.0 * np.abs(m))
    return np.where(np.sign(d) != np.sign(m), 0.0, np.where(steep, 3.0 * m, d))


def monotone(h: Any, m: Any) -> Any:
    """The slopes at the points of `PchipInterpolator`, of the steps and slopes of the pieces."""
    v, w = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    turns = (np.sign(m[1:]) != np.sign(m[:-1])) | (m[1:] == 0.0) | (m[:-1] == 0.0)
    before, behind = np.where(turns, 1.0, m[:-1]), np.where(turns, 1.0, m[1:])
    inner = np.where(turns, 0.0, (v + w) / (v / before + w / behind))
    ends = _at_end(h[:1], h[1:2], m[:1], m[1:2]), _at_end(h[-1:], h[-2:-1], m[-1:], m[-2:-1])
    return np.concatenate((ends[0], inner, ends[1]))


def _akima(h: Any, m: Any, is_modified: Any = False) -> Any:
    """The same of `Akima1DInterpolator`; modified, the weights do not vanish where two slopes are equal."""
    first, last = 2.0 * m[:1] - m[1:2], 2.0 * m[-1:] - m[-2:-1]
    m = np.concatenate((2.0 * first - m[:1], first, m, last, 2.0 * last - m[-1:]))
    change = np.abs(np.diff(m))
    if is_modified:
        change = change + 0.5 * np.abs(m[1:] + m[:-1])
    f, g = change[2:], change[:-2]
    defined = f + g > 1e-9 * np.max(f + g)
    weight = g / np.where(defined, f + g, 1.0)
    return np.where(defined, m[1:-2] + weight * (m[2:-1] - m[1:-2]), 0.5 * (m[3:] + m[:-3]))


def _modified_akima(h: Any, m: Any) -> Any:
    return _akima(h, m, True)


def _smooth(h: Any, m: Any, top: Any, bottom: Any) -> Any:
    """The slopes for which the second derivative is continuous; `top` and `bottom`: the equations of the ends, each of
    two coefficients and a right hand side.
    """
    zeros = np.zeros(1)
    beside = np.concatenate((h[1:], bottom[:1])), np.concatenate((top[1:2], h[:-1]))
    middle = np.concatenate((top[:1], 2.0 * (h[:-1] + h[1:]), bottom[1:2]))
    right = np.concatenate((top[2:], 3.0 * (h[1:] * m[:-1] + h[:-1] * m[1:]), bottom[2:]))
    lower, upper = np.concatenate((beside[0], zeros)), np.concatenate((zeros, beside[1]))
    matrix = np.diag(middle) + np.diag(lower[:-1], -1) + np.diag(upper[1:], 1)
    return np.linalg.solve(matrix, right)


def _not_a_knot(h: Any, m: Any) -> Any:
    """The first two pieces are one polynomial, and the last two."""
    a, b = h[0] + h[1], h[-1] + h[-2]
    top = np.array([h[1], a, ((h[0] + 2.0 * a) * h[1] * m[0] + h[0] ** 2 * m[1]) / a])
    bottom = np.array([b, h[-2], (h[-1] ** 2 * m[-2] + (2.0 * b + h[-1]) * h[-2] * m[-1]) / b])
    return _smooth(h, m, top, bottom)


def _natural(h: Any, m: Any) -> Any:
    return _smooth(h, m, np.array([2.0, 1.0, 3.0 * m[0]]), np.array([1.0, 2.0, 3.0 * m[-1]]))


def _clamped(h: Any, m: Any) -> Any:
    return _smooth(h, m, np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))


def _value(x: Any, t: Any, y: Any, slopes: Any, nu: Any) -> Any:
    """The derivative of order `nu` of the interpolant; of order -1 the integral from the first position."""
    h = np.diff(t)
    m = np.diff(y) / h
    d = slopes(h, m)
    i = np.clip(np.searchsorted(t, x, side="right") - 1, 0, len(t) - 2)
    if nu == -1:
        pieces = h * (y[:-1] + h * (0.5 * m + (d[:-1] - d[1:]) / 12.0))
        before = np.concatenate((np.zeros(1), np.cumsum(pieces)))[i]
    s, h, m, p, q = x - t[i], h[i], m[i], d[i], d[i + 1]
    second, third = (3.0 * m - 2.0 * p - q) / h, (p + q - 2.0 * m) / (h * h)
    if nu == -1:
        return before + s * (y[i] + s * (0.5 * p + s * (second / 3.0 + 0.25 * s * third)))
    if nu == 0:
        return y[i] + s * (p + s * (second + s * third))
    if nu == 1:
        return p + s * (2.0 * second + 3.0 * s * third)
    return 2.0 * second + 6.0 * s * third if nu == 2 else 6.0 * third


_SLOPES = {"PchipInterpolator": monotone, "Akima1DInterpolator": _akima}
_METHODS = {"akima": _akima, "makima": _modified_akima}
_SMOOTH = {"not-a-knot": _not_a_knot, "natural": _natural, "clamped": _clamped}


def _maker(name: str) -> Any:
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        arguments = named_arguments(ev, getattr(sys.modules["scipy.interpolate"], name), args, kwargs)
        leave_to_python(ev, name, arguments.values())
        slopes, is_spline, ends = _SLOPES.get(name), name == "CubicSpline", ""
        if (method := ev.ask(arguments.pop("method", Static("akima")), f"`method` of `{name}`")) != "akima":
            slopes, ends = _METHODS.get(method, slopes), f", method={method!r}"
        if is_spline:
            ends = "bc_type" if "bc_type" in arguments else ""
            kind = ev.ask(arguments.pop("bc_type", Static("not-a-knot")), "`bc_type` of `CubicSpline`")
            slopes, ends = _SMOOTH.get(kind) if isinstance(kind, str) else None, f", bc_type={kind!r}" * bool(ends)
            if slopes is None:
                ev.refuse("SCT402", "`CubicSpline` with this `bc_type` is not differentiated by its positions",
                          hint="use a condition that has a name, but not a periodic one")
        if "axis" in arguments and ev.ask(arguments["axis"], f"`axis` of `{name}`") in (0, -1):
            del arguments["axis"]  # of vectors there is no other
        if arguments.keys() - {"x", "y", "extrapolate"}:
            ev.refuse("SCT402", f"`{name}` with other options than `extrapolate` is not differentiated",
                      hint="leave them out")
        give(ev, [arguments["x"], arguments["y"]], True)
        t, y = (ev.wrap(ev.operand(array_of_floats(ev, name, _listed(ev, arguments[key]), (1,)))) for key in ("x", "y"))
        if ev.ask(ev.call(Static(operator.eq), [ev.call(Static(len), [t]), Static(2)]), "whether there are two points"):
            ev.refuse("SCT402", f"`{name}` of two points is not differentiated", hint="use np.interp")
        if is_spline and ev.ask(ev.call(Static(operator.eq), [ev.call(Static(len), [t]), Static(3)]),
                           "whether there are three points"):
            ev.refuse("SCT402", f"`{name}` of three points is not differentiated by their positions",
                      hint="use np.polyfit")
        beyond = ends
        if "extrapolate" in arguments:
            beyond += f", extrapolate={ev.ask(arguments['extrapolate'], '`extrapolate`')!r}"
        native = ev.emit(interpolant, ev.operand(t), ev.operand(y), text=f"scipy.interpolate.{name}(_0, _1{beyond})")
        return ev.new_object(_class_of(name), {
            "_native": native, "_positions": t, "_data": y, "_slopes": Static(slopes), "_nu": Static(0)})

    return handle


_OF_POSITIONS = _maker("CubicSpline")
for _name in _SLOPES:
    of_scipy(f"scipy.interpolate.{_name}")(_maker(_name))


@of_scipy("scipy.interpolate.CubicSpline")
def _cubic_spline(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """A spline is linear in its data: it is of this kind only where its positions are differentiated."""
    positions = args[0] if args else kwargs.get("x")
    if positions is None or not is_varied(ev, positions):
        return make(ev, "CubicSpline", args, kwargs)
    spline: Abstract = _OF_POSITIONS(ev, args, kwargs)
    return spline


def _listed(ev: Evaluator, v: Abstract) -> Abstract:
    v = ev.array_of_list(v)
    t = ev.type_of(v) if isinstance(v, Ref) else None
    integers = isinstance(t, Tensor) and t.dtype == "i64"
    return ev.call(Static(np.asarray), [v], {"dtype": Static(float)}) if integers else v


def _slots(ev: Evaluator, v: Abstract) -> dict[str, Abstract]:
    assert isinstance(v, ObjRef)
    slots = dict(zip(ev.slots(v).keys, ev.slots(v).items))
    if not isinstance(slots["_native"], Value) or not all(isinstance(slots[k], Static) for k in ("_slopes", "_nu")):
        ev.refuse("SCT502", "which interpolant this is depends on the path", hint="read it in each of the branches")
    return slots


@special(HermiteInterpolant.__call__)
def _read(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    arguments = named_arguments(ev, HermiteInterpolant.__call__, args, kwargs)
    slots, nu = _slots(ev, arguments["self"]), ev.ask(arguments.get("nu", Static(0)), "the order of the derivative")
    x = _listed(ev, arguments["x"])
    t = ev.type_of(x) if isinstance(x, (Ref, Value)) else None
    number = isinstance(x, Static) and type(x.value) in (int, float) or isinstance(t, Tensor) and not t.rank
    if not number and (not isinstance(t, Tensor) or t.dtype != "f64"):
        ev.refuse("SCT205", "an interpolant is read at points that are no array of floats",
                  hint="convert with astype(float)")
    order = nu + slots["_nu"].value  # type: ignore[union-attr]
    _check_order(ev, order)
    with derivative_code(ev):
        at = ev.call(Static(np.asarray), [x], {"dtype": Static(float)}) if number else x
        like = ev.call(Static(_value), [at, slots["_positions"], slots["_data"], slots["_slopes"], Static(order)])
        like = ev.call(Static(np.asarray), [like]) if number else like
    operands = [ev.operand(slots["_native"]), ev.operand(x)]
    text = f"_0(_1, {nu})" if nu else "_0(_1)"
    return standing_for(ev, ev.emit(solver, *operands, text=text, type=ev.operand(like).type), like)


def _check_order(ev: Evaluator, order: int) -> None:
    if order > 3:
        ev.refuse("SCT205", f"a derivative of order {order} is zero", hint="use zeros")
    if order < -1:
        ev.refuse("SCT205", "more than one integral of an interpolant is not supported",
                  why="the data of the interpolant are differentiated", hint="use sct.grad of `integrate`, or quad")


def _derived(name: str, sign: int) -> Any:
    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        arguments = named_arguments(ev, getattr(HermiteInterpolant, name), args, kwargs)
        slots, nu = _slots(ev, arguments["self"]), ev.ask(arguments.get("nu", Static(1)), "the order of the derivative")
        native = ev.emit(interpolant, ev.operand(slots["_native"]), text=f"_0.{name}({'' if nu == 1 else nu})")
        order = sign * nu + slots["_nu"].value  # type: ignore[union-attr]
        _check_order(ev, order)
        return ev.new_object(_class_of(arguments["self"].cls.__name__), {
            **slots, "_native": native, "_nu": Static(order)})

    return handler


special(HermiteInterpolant.derivative)(_derived("derivative", 1))
special(HermiteInterpolant.antiderivative)(_derived("antiderivative", -1))


@special(HermiteInterpolant.integrate)
def _integrate(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The difference of the integrals up to its ends."""
    arguments = named_arguments(ev, HermiteInterpolant.integrate, args, kwargs)
    slots = _slots(ev, arguments["self"])
    order = slots["_nu"].value - 1  # type: ignore[union-attr]
    _check_order(ev, order)
    check_limits(ev, arguments["a"], arguments["b"])
    data = [slots[key] for key in ("_positions", "_data", "_slopes")]
    with derivative_code(ev):
        ends = [ev.call(Static(_value), [ev.call(Static(np.asarray), [arguments[key]], {"dtype": Static(float)}), *data,
                                         Static(order)]) for key in ("a", "b")]
        like = ev.call(Static(np.asarray), [ev.call(Static(operator.sub), [ends[1], ends[0]])])
    operands = [ev.operand(slots["_native"]), *(ev.operand(arguments[key]) for key in ("a", "b"))]
    return standing_for(ev, ev.emit(solver, *operands, text="_0.integrate(_1, _2)", type=ev.operand(like).type), like)


@special(HermiteInterpolant.other)
def _unread(ev: Evaluator, args: Args, kwargs: Kwargs) -> NoReturn:
    ev.refuse("SCT203", "this attribute of an interpolant is not supported",
              why="sct reads its values, derivatives and integrals, as its data are differentiated",
              hint="call it, or `derivative`, `antiderivative` or `integrate` of it")
