"""Polynomials of `scipy.interpolate` that are made of differentiated numbers: `PPoly`, and those through points.

    PPoly(c, t)(x)                    ->   what SciPy computes, with the derivative of `_value_of_pieces`, by x, c and t
    KroghInterpolator(t, y)(x)        ->   the same of `_value_through`, by x, t and y
    BarycentricInterpolator(t, y)(x)  ->   the same of `_sum_of_lagrange`, by x, t and y
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from sct.frontend.autodiff.implicit_functions import derivative_code, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy, special
from sct.frontend.heap.inactive import give, leave_to_python
from sct.frontend.objects.class_of import stand_in_class
from sct.frontend.scipy_library.by_program import array_of_floats
from sct.frontend.scipy_objects.interpolants import check_limits
from sct.frontend.values.abstract_values import Abstract, ObjRef, Ref, Static
from sct.ir import Value
from sct.ir.types import Tensor
from sct.ops.program.solutions import solver
from sct.ops.scipy.splines import interpolant

__all__: list[str] = []


# -- programs ----------------------------------------------------------------------------------------------------------


def _value_of_pieces(x: Any, t: Any, c: Any) -> Any:
    """Horner's scheme for the piece that each number is in; the first and the last one go on."""
    i = np.clip(np.searchsorted(t, x, side="right") - 1, 0, len(t) - 2)
    s = x - t[i]
    y = 0.0 * s
    for j in range(len(c)):
        y = y * s + c[j, i]
    return y


def _derivative_of_pieces(t: Any, c: Any) -> Any:
    return c[:-1] * np.expand_dims(np.arange(len(c) - 1.0, 0.0, -1.0), 1)


def _antiderivative_of_pieces(t: Any, c: Any) -> Any:
    """It begins with 0, and each piece where the one before ends."""
    parts, h = c / np.expand_dims(np.arange(len(c), 0.0, -1.0), 1), np.diff(t)
    total = np.zeros(h.shape)
    for j in range(len(parts)):
        total = total * h + parts[j]
    starts = np.concatenate((np.zeros(1), np.cumsum(total * h)[:-1]))
    return np.concatenate((parts, np.expand_dims(starts, 0)))


def _integral_of_pieces(a: Any, b: Any, t: Any, c: Any) -> Any:
    whole = _antiderivative_of_pieces(t, c)
    return _value_of_pieces(b, t, whole) - _value_of_pieces(a, t, whole)


def _value_through(x: Any, t: Any, y: Any, order: Any) -> Any:
    """The derivative of this order of the polynomial through the data, in Newton's form: divided differences."""
    n = len(t)
    c = y * 1.0
    for k in range(1, n):
        c[k:] = (c[k:] - c[k - 1:-1]) / (t[k:] - t[:n - k])
    p = [c[n - 1] + 0.0 * x] + [0.0 * x for _ in range(order)]
    for k in range(n - 2, -1, -1):
        s = x - t[k]
        for d in range(order, 0, -1):
            p[d] = p[d] * s + d * p[d - 1]
        p[0] = p[0] * s + c[k]
    return p[order]


def _sum_of_lagrange(x: Any, t: Any, y: Any) -> Any:
    """The polynomial through the data, in Lagrange's form: the products are as exact as the barycentric weights, and
    have derivatives at the points themselves.
    """
    same = np.eye(len(t))
    factors = (np.expand_dims(x, (-1, -2)) - t) / (np.expand_dims(t, 1) - t + same)
    return np.prod(np.where(same > 0.0, 1.0, factors), axis=-1) @ y


# -- the objects -------------------------------------------------------------------------------------------------------


class PiecewisePolynomial:
    """A `PPoly`, where the function is evaluated; its methods have handlers."""

    def __call__(self, x: Any, nu: int = 0) -> Any: ...

    def derivative(self, nu: int = 1) -> Any: ...

    def antiderivative(self, nu: int = 1) -> Any: ...

    def integrate(self, a: Any, b: Any) -> Any: ...

    def other(self, value: Any = None) -> Any:
        """Stands for what SciPy's objects have besides."""


class NewtonPolynomial:
    """A `KroghInterpolator`, where the function is evaluated; its methods have handlers."""

    def __call__(self, x: Any) -> Any: ...

    def derivative(self, x: Any, der: int = 1) -> Any: ...

    def other(self, value: Any = None) -> Any:
        """Stands for what SciPy's objects have besides."""


class LagrangePolynomial:
    """A `BarycentricInterpolator`, where the function is evaluated; its calls have a handler."""

    def __call__(self, x: Any) -> Any: ...

    def other(self, value: Any = None) -> Any:
        """Stands for what SciPy's objects have besides."""


_CLASSES: dict[str, Any] = {"PPoly": PiecewisePolynomial, "KroghInterpolator": NewtonPolynomial,
                            "BarycentricInterpolator": LagrangePolynomial}


@functools.cache
def _class_of(name: str) -> type:
    """The class of a polynomial, for which `isinstance` holds that holds for SciPy's."""
    own = _CLASSES[name]
    return stand_in_class(own, getattr(sys.modules["scipy.interpolate"], name), own.other)


def _maker(name: str, holds: Callable[[Any], Any], otherwise: tuple[str, str]) -> Any:
    """The handler that makes such an object, where `holds` is true of its positions."""

    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        arguments = named_arguments(ev, getattr(sys.modules["scipy.interpolate"], name), args, kwargs)
        if name == "PPoly":  # of constants it is a spline like others
            leave_to_python(ev, name, arguments.values())
        at, data = ("x", "c") if name == "PPoly" else ("xi", "yi")
        extrapolate = ev.ask(arguments.pop("extrapolate", Static(None)), f"`extrapolate` of `{name}`")
        if "axis" in arguments and ev.ask(arguments["axis"], f"`axis` of `{name}`") == 0:
            del arguments["axis"]
        seed = ev.ask(arguments.pop("rng", Static(None)), f"`rng` of `{name}`")
        if arguments.keys() != {at, data} or extrapolate not in (None, True, False) or type(seed) not in (
                int, type(None)):
            ev.refuse("SCT402", f"`{name}` with other options than `extrapolate`, or periodic, is not differentiated",
                      hint="leave them out")
        t = ev.wrap(ev.operand(array_of_floats(ev, name, _floats(ev, arguments[at]), (1,))))
        c = ev.wrap(ev.operand(array_of_floats(ev, name, _floats(ev, arguments[data]), (2,) if at == "x" else (1,))))
        if not ev.ask(ev.call(Static(holds), [t]), f"whether {otherwise[0]}"):
            ev.refuse("SCT402", f"`{name}` is differentiated only where {otherwise[0]}", hint=otherwise[1])
        give(ev, [arguments[at], arguments[data]], True)
        options = "" if extrapolate is None else f", extrapolate={extrapolate}"
        options += "" if seed is None else f", rng={seed}"
        texts = "_1, _0" if name == "PPoly" else "_0, _1"
        native = ev.emit(interpolant, ev.operand(t), ev.operand(c), text=f"scipy.interpolate.{name}({texts}{options})")
        return ev.new_object(_class_of(name), {"_native": native, "_positions": t, "_data": c})

    return handle


def _rise(t: Any) -> Any:
    return np.all(np.diff(t) > 0.0)


def _differ(t: Any) -> Any:
    return np.all(np.diff(np.sort(t)) > 0.0)


of_scipy("scipy.interpolate.PPoly")(_maker("PPoly", _rise, (
    "its breakpoints rise", "give them, and the coefficients, in the order from left to right")))
of_scipy("scipy.interpolate.KroghInterpolator")(_maker("KroghInterpolator", _differ, (
    "its points differ", "use `CubicHermiteSpline` for values and slopes")))
of_scipy("scipy.interpolate.BarycentricInterpolator")(_maker("BarycentricInterpolator", _differ, (
    "its points differ", "leave out those that occur twice")))


def _floats(ev: Evaluator, v: Abstract) -> Abstract:
    v = ev.array_of_list(v)
    t = ev.type_of(v) if isinstance(v, Ref) else None
    integers = isinstance(t, Tensor) and t.dtype == "i64"
    return ev.call(Static(np.asarray), [v], {"dtype": Static(float)}) if integers else v


def _slots(ev: Evaluator, v: Abstract) -> dict[str, Abstract]:
    assert isinstance(v, ObjRef)
    slots = dict(zip(ev.slots(v).keys, ev.slots(v).items))
    if not isinstance(slots["_native"], Value):
        ev.refuse("SCT502", "which polynomial this is depends on the path", hint="read it in each of the branches")
    return slots


def _order(ev: Evaluator, arguments: Mapping[str, Abstract], key: str, default: int) -> int:
    order: int = ev.ask(arguments.get(key, Static(default)), "the order of the derivative")
    if order < 0:
        ev.refuse("SCT402", "a derivative of negative order is not supported", hint="use `antiderivative`")
    return order


def _read(ev: Evaluator, text: str, owner: Mapping[str, Abstract], at: Sequence[Abstract], program: Any,
          last: Args) -> Abstract:
    """What SciPy computes at these points, with the derivative of the program."""
    points = [_floats(ev, x) for x in at]
    for x in points:
        t = ev.type_of(x) if isinstance(x, (Ref, Value)) else None
        number = isinstance(x, Static) and type(x.value) in (int, float)
        if not number and (not isinstance(t, Tensor) or t.dtype != "f64" and (t.rank or t.kind not in "fi")):
            ev.refuse("SCT205", "a polynomial is read at points that are no array of floats",
                      hint="convert with astype(float)")
    with derivative_code(ev):
        arrays = [ev.call(Static(np.asarray), [x], {"dtype": Static(float)}) for x in points]
        like = ev.call(Static(np.asarray), [ev.call(Static(program), [*arrays, owner["_positions"], *last])])
    operands = [ev.operand(owner["_native"]), *map(ev.operand, points)]
    return standing_for(ev, ev.emit(solver, *operands, text=text, type=ev.operand(like).type), like)


# -- piecewise polynomials ---------------------------------------------------------------------------------------------


def _coefficients(ev: Evaluator, slots: Mapping[str, Abstract], program: Any, times: int) -> Abstract:
    c = slots["_data"]
    with derivative_code(ev):
        for _ in range(times):
            c = ev.call(Static(program), [slots["_positions"], c])
    return c


@special(PiecewisePolynomial.__call__)
def _value(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    arguments = named_arguments(ev, PiecewisePolynomial.__call__, args, kwargs)
    slots, nu = _slots(ev, arguments["self"]), _order(ev, arguments, "nu", 0)
    c = _coefficients(ev, slots, _derivative_of_pieces, nu)
    return _read(ev, f"_0(_1, {nu})" if nu else "_0(_1)", slots, [arguments["x"]], _value_of_pieces, [c])


def _made_of(name: str, program: Any) -> None:
    @special(getattr(PiecewisePolynomial, name))
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        arguments = named_arguments(ev, getattr(PiecewisePolynomial, name), args, kwargs)
        slots, nu = _slots(ev, arguments["self"]), _order(ev, arguments, "nu", 1)
        native = ev.emit(interpolant, ev.operand(slots["_native"]), text=f"_0.{name}({'' if nu == 1 else nu})")
        return ev.new_object(_class_of("PPoly"), {
            **slots, "_native": native, "_data": _coefficients(ev, slots, program, nu)})


_made_of("derivative", _derivative_of_pieces)
_made_of("antiderivative", _antiderivative_of_pieces)


@special(PiecewisePolynomial.integrate)
def _integral(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    arguments = named_arguments(ev, PiecewisePolynomial.integrate, args, kwargs)
    slots = _slots(ev, arguments["self"])
    limits = [arguments["a"], arguments["b"]]
    check_limits(ev, *limits)
    return _read(ev, "_0.integrate(_1, _2)", slots, limits, _integral_of_pieces, [slots["_data"]])


# -- polynomials through points ----------------------------------------------------------------------------------------


@special(NewtonPolynomial.__call__)
def _value_at(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    arguments = named_arguments(ev, NewtonPolynomial.__call__, args, kwargs)
    slots = _slots(ev, arguments["self"])
    return _read(ev, "_0(_1)", slots, [arguments["x"]], _value_through, [slots["_data"], Static(0)])


@special(NewtonPolynomial.derivative)
def _derivative_at(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    arguments = named_arguments(ev, NewtonPolynomial.derivative, args, kwargs)
    slots, order = _slots(ev, arguments["self"]), _order(ev, arguments, "der", 1)
    text = "_0.derivative(_1)" if order == 1 else f"_0.derivative(_1, {order})"
    return _read(ev, text, slots, [arguments["x"]], _value_through, [slots["_data"], Static(order)])


@special(LagrangePolynomial.__call__)
def _value_between(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    arguments = named_arguments(ev, LagrangePolynomial.__call__, args, kwargs)
    slots = _slots(ev, arguments["self"])
    return _read(ev, "_0(_1)", slots, [arguments["x"]], _sum_of_lagrange, [slots["_data"]])


@of_scipy("scipy.interpolate.barycentric_interpolate")
def _barycentric(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The same in one call."""
    name = "BarycentricInterpolator"
    arguments = named_arguments(ev, sys.modules["scipy.interpolate"].barycentric_interpolate, args, kwargs)
    if ev.ask(arguments.pop("der", Static(0)), "`der` of `barycentric_interpolate`") != 0:
        ev.refuse("SCT402", "`der` of `barycentric_interpolate` is not supported", hint="use `krogh_interpolate`")
    x = arguments.pop("x")
    polynomial = ev.call(Static(getattr(sys.modules["scipy.interpolate"], name)), [], arguments)
    return ev.call(polynomial, [x])


@special(PiecewisePolynomial.other, NewtonPolynomial.other, LagrangePolynomial.other)
def _unread(ev: Evaluator, args: Args, kwargs: Kwargs) -> NoReturn:
    ev.refuse("SCT203", "this attribute of a polynomial of SciPy is not supported",
              why="sct reads its values, derivatives and integrals, as it is made of differentiated numbers",
              hint="call it")
