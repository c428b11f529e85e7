"""Objects of `scipy.interpolate` that are made of differentiated data: `CubicSpline(t, y)(x)`.

    s = CubicSpline(t, y)    s = interpolant(y, t, text="scipy.interpolate.CubicSpline(_1, _0)")
    s(x)                     interpolated(s, x, y, t, units=...)

The object is made as the user makes it, and read as the user reads it; what it is made of stands beside it, since the
derivative passes through that.
"""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy, special
from sct.frontend.heap.inactive import give, is_varied, leave_to_python, template_of
from sct.frontend.objects.class_of import stand_in_class
from sct.frontend.values.abstract_values import Abstract, ObjRef, Ref, Static, Tup
from sct.frontend.values.constant_text import text_of
from sct.ir import Operand, Value
from sct.ir.types import Tensor, in_words
from sct.ops.scipy.splines import integrated, interpolant, interpolated, looked_up

__all__ = ["Interpolant", "check_limits", "given_by_name", "is_of_fitpack", "make", "parts_of", "points_of",
           "refuse_attribute"]


class Interpolant:
    """Such an object, where the function is evaluated; its methods have handlers."""

    def __call__(self, x: Any, nu: int = 0, extrapolate: Any = None, ext: Any = None) -> Any: ...

    def derivative(self, nu: int = 1, n: int = 1) -> Any: ...

    def antiderivative(self, nu: int = 1, n: int = 1) -> Any: ...

    def integral(self, a: Any, b: Any) -> Any: ...

    def integrate(self, a: Any, b: Any, extrapolate: Any = None) -> Any: ...

    def __getattr__(self, name: str) -> Any: ...

    def __setattr__(self, name: str, value: Any) -> None: ...

    def other(self, value: Any = None) -> Any:
        """Stands for what SciPy's objects have besides."""


_DATA = {"CubicSpline": ("x", "y"), "CubicHermiteSpline": ("x", "y", "dydx"), "make_interp_spline": ("x", "y"),
         "BSpline": ("t", "c"), "interp1d": ("x", "y"), "UnivariateSpline": ("x", "y"),
         "InterpolatedUnivariateSpline": ("x", "y"), "make_smoothing_spline": ("x", "y")}
"""The parameters of the positions and of the data, in which the interpolant is linear."""

_SHOWN = ("bc_type", "extrapolate", "k", "kind", "lam")
"""Parameters that are constants and a part of the text of each object that is made."""

_GIVES = {"make_interp_spline": "BSpline", "make_smoothing_spline": "BSpline",
          "UnivariateSpline": "InterpolatedUnivariateSpline"}
_DERIVED = {"CubicSpline": "PPoly", "CubicHermiteSpline": "PPoly", "InterpolatedUnivariateSpline": "UnivariateSpline"}
"""The class of what a function, and of what the methods of a class, return, if it is not of the same name."""


_OF_FITPACK = ("UnivariateSpline", "InterpolatedUnivariateSpline")
"""Classes whose splines through the data are those of `make_interp_spline`, which has the same knots."""


@functools.cache
def _class_of(name: str) -> type:
    """The class of an interpolant, for which `isinstance` holds that holds for SciPy's."""
    return stand_in_class(Interpolant, getattr(sys.modules["scipy.interpolate"], name), Interpolant.other)


def _handler(name: str) -> Any:
    return lambda ev, args, kwargs: make(ev, name, args, kwargs)


for _name in _DATA:
    of_scipy(f"scipy.interpolate.{_name}")(_handler(_name))


def make(ev: Evaluator, name: str, args: Args, kwargs: Kwargs) -> Abstract:
    """The object that a class or function of `scipy.interpolate` makes."""
    arguments = named_arguments(ev, getattr(sys.modules["scipy.interpolate"], name), args, kwargs)
    at, *names = _DATA[name]
    if name != "interp1d":
        leave_to_python(ev, name, arguments.values())
    others = [key for key in arguments if is_varied(ev, arguments[key]) and key not in (at, *names)]
    if others:
        ev.refuse("SCT402", f"`{name}` is not differentiated by `{others[0]}`",
                  hint="differentiate by the data; or pass `sct.stop_gradient(...)` of it")
    data = [_array(ev, name, arguments[key]) for key in names]
    position = _array(ev, name, arguments[at])
    holds_data = name in ("BSpline", "make_interp_spline") or "copy" in arguments
    give(ev, [position] * (name != "interp1d" or holds_data) + data * holds_data, True)  # SciPy makes no copies of them
    placed = {at: f"_{len(data)}", **{key: f"_{k}" for k, key in enumerate(names)}}
    constants = {key: _constant(ev, name, key, v) for key, v in arguments.items() if key not in placed}
    data, position = [ev.wrap(ev.operand(v)) for v in data], ev.wrap(ev.operand(position))  # as they are now
    operands = [*map(ev.operand, data), ev.operand(position)]
    if name == "make_smoothing_spline":
        _check_smoothing(ev, constants)
    if name in _OF_FITPACK:
        _check_fitpack(ev, name, constants)
    shown = {**placed, **{key: text_of(v) for key, v in constants.items()}}
    by_name = [key for key in arguments if key in kwargs]
    text = ", ".join(f"{key}={shown[key]}" if key in by_name else shown[key] for key in arguments)
    form = _form(ev, name, operands, constants)
    if name == "interp1d":
        _check_rising(ev, operands[-1])
    native = ev.emit(interpolant, *operands, text=f"scipy.interpolate.{name}({text})")
    units = _units(ev, name, names, form, constants)
    return ev.new_object(_class_of(_GIVES.get(name, name)), {
        "_made": native, "_data": Tup(tuple(data)), "_positions": position, "_units": Static(units),
        "_form": Static(form)})


def _check_fitpack(ev: Evaluator, name: str, constants: Mapping[str, Any]) -> None:
    """Refuses a spline that does not pass through the data."""
    if name == "UnivariateSpline" and constants.get("s", 1) != 0:
        ev.refuse("SCT402", "`UnivariateSpline` is differentiated by its data where it passes through them",
                  why="the knots of a smoothing spline depend on the data", hint="pass 0 for the smoothing")
    for key, v in constants.items():
        if key not in ("k", "s", "check_finite") and not (key == "ext" and v == 0 or v is None):
            ev.refuse("SCT402", f"`{name}` with `{key}` is not differentiated by its data", hint=f"leave `{key}` out")


def _check_smoothing(ev: Evaluator, constants: Mapping[str, Any]) -> None:
    """Refuses a spline that is not linear in its data."""
    if constants.get("lam") is None:
        ev.refuse("SCT402", "`make_smoothing_spline` without `lam` is not differentiated by its data",
                  why="how much it smooths depends on them", hint="give a number as `lam`")
    if constants.get("w") is not None:
        ev.refuse("SCT402", "`w` of `make_smoothing_spline` is not supported", hint="leave `w` out")


def _array(ev: Evaluator, name: str, v: Abstract) -> Abstract:
    """The data as an array of real numbers."""
    v = ev.array_of_list(v)
    t = ev.type_of(v) if isinstance(v, (Ref, Value)) else None
    if not isinstance(t, Tensor) or not t.rank or t.dtype not in ("f64", "i64"):
        ev.refuse("SCT205", f"`{name}` of {'this object' if t is None else in_words(t)} is not supported",
                  hint="pass arrays of float64")
    return v


def _constant(ev: Evaluator, name: str, key: str, v: Abstract) -> Any:
    """An option, which must be known when the function is compiled."""
    operands: list[Operand] = []
    text = template_of(ev, v, operands)
    if text is None or operands and not all(isinstance(x, Value) is False for x in operands):
        ev.refuse("SCT205", f"`{key}` of `{name}` must be known when the function is compiled",
                  hint=f"write it as a constant: `{key}=...`")
    return eval(text.format(), {f"_{k}": x.value for k, x in enumerate(operands)})  # type: ignore[union-attr]


def _form(ev: Evaluator, name: str, operands: list[Operand], constants: Mapping[str, Any]) -> str:
    """What gives the slopes of the object, as `slopes` of the op says; of a table of `interp1d`, what is beyond it."""
    rank = operands[0].type.rank  # type: ignore[union-attr]
    if rank > 1 and name == "interp1d":
        ev.refuse("SCT205", "`interp1d` of data that is no vector is not supported",
                  hint="interpolate each row or column by itself")
    if rank > 1 and constants.get("axis", 0) not in (0, -rank):
        ev.refuse("SCT205", f"`{name}` of data along another axis than the first is not supported",
                  hint="interpolate each row by itself")
    if constants.get("t") is not None:
        ev.refuse("SCT402", f"`{name}` with knots of its own is not supported", hint="leave `t` out")
    if name != "interp1d":
        return "spline" if name in _OF_FITPACK else "own"
    kind, fill = constants.get("kind", "linear"), constants.get("fill_value", np.nan)
    extrapolates, raises = fill == "extrapolate", constants.get("bounds_error") in (None, True)
    if kind == "linear":
        return "linear" if extrapolates else "refused" if raises and fill != fill else "constant"
    if not extrapolates and (fill == fill or not raises):
        ev.refuse("SCT402", f"`interp1d` of kind {kind!r} with values of its own outside of the data is not supported",
                  hint="leave out `bounds_error` and `fill_value`, or use fill_value='extrapolate'")
    if extrapolates and kind in ("previous", "next"):
        ev.refuse("SCT402", f"`interp1d` of kind {kind!r} that extrapolates is not supported",
                  hint="leave `fill_value` out")
    return "none" if kind in ("nearest", "nearest-up", "previous", "next", "zero", 0) else "spline"


_ORDERS = {"slinear": 1, "quadratic": 2, "cubic": 3}


def _units(ev: Evaluator, name: str, names: list[str], form: str, constants: Mapping[str, Any]) -> tuple[str, ...]:
    """For each of the data, the template of the interpolant of these alone: `_0`, at the positions `_1`."""
    shown = {key: constants[key] for key in _SHOWN if key in constants}
    if name in _OF_FITPACK:
        name, shown = "make_interp_spline", {"k": constants.get("k", 3)}
    elif name == "interp1d" and form == "spline":
        name, shown = "make_interp_spline", {"k": _ORDERS.get(constants["kind"], constants["kind"])}
    elif name == "interp1d":
        shown |= {"axis": 0} | {key: v for key, v in constants.items() if key == "fill_value" and v == "extrapolate"}
    if "bc_type" in shown:
        shown["bc_type"] = _homogeneous(ev, name, shown["bc_type"])
    texts = []
    for key in names:
        data = ["_0" if key == other else "0.0 * _0" for other in names]
        options = [f"{option}={text_of(value)}" for option, value in shown.items()]
        texts.append(f"scipy.interpolate.{name}({', '.join(['_1', *data, *options])})")
    return tuple(texts)


def _homogeneous(ev: Evaluator, name: str, condition: Any) -> Any:
    """The conditions at the ends, with zeros for the values of the derivatives."""
    if condition is None or condition in ("not-a-knot", "natural", "clamped"):
        return condition
    if isinstance(condition, (tuple, list)) and len(condition) == 2 and type(condition[0]) is int:
        order = condition[0]
        if order in (1, 2):
            return "clamped" if order == 1 else "natural"
    elif isinstance(condition, tuple) and len(condition) == 2:
        return tuple(_homogeneous(ev, name, end) for end in condition)
    elif isinstance(condition, list) and len(condition) == 1:
        return _homogeneous(ev, name, condition[0])
    ev.refuse("SCT402", f"`{name}` with the conditions {condition!r} at its ends is not differentiated by its data",
              hint="use 'not-a-knot', 'natural', 'clamped', or values of the first or second derivative")


def _check_rising(ev: Evaluator, t: Operand) -> None:
    """A guard: `interp1d` sorts its data, and the formulas take them as they are given."""
    position = ev.wrap(t)
    steps = ev.call(Static(np.diff), [position])
    rising = ev.call(Static(np.all), [ev.call(Static(operator.gt), [steps, Static(0.0)])])
    if not ev.ask(rising, "whether the positions rise"):
        ev.refuse("SCT402", "`interp1d` is differentiated only where its positions rise",
                  hint="sort them, and the values with them: `order = np.argsort(x)`")


# -- what is read of it ------------------------------------------------------------------------------------------------


def parts_of(ev: Evaluator, owner: Abstract) -> tuple[dict[str, Abstract], list[Operand]]:
    """The attributes of an interpolant, and the data and the positions as operands."""
    assert isinstance(owner, ObjRef)
    cell = ev.slots(owner)
    slots = dict(zip(cell.keys, cell.items))
    if not isinstance(slots["_made"], Value) or not all(isinstance(slots[k], Static) for k in ("_units", "_form")):
        ev.refuse("SCT502", "which interpolant this is depends on the path", hint="read it in each of the branches")
    data = slots["_data"]
    assert isinstance(data, Tup)
    return slots, [slots["_made"], *map(ev.operand, data.items), ev.operand(slots["_positions"])]


def points_of(ev: Evaluator, x: Abstract) -> Operand:
    x = ev.array_of_list(x)
    t = ev.type_of(x) if isinstance(x, (Ref, Value)) else None
    is_constant = isinstance(x, Static) and type(x.value) in (int, float)
    if not is_constant and (not isinstance(t, Tensor) or t.kind not in "fi" or t.dtype == "f32"):
        ev.refuse("SCT205", f"an interpolant is read at {'this object' if t is None else in_words(t)}",
                  hint="read it at numbers of 64 bits")
    return ev.operand(x)


def _order(ev: Evaluator, nu: Abstract) -> int:
    value = ev.ask(nu, "the order of the derivative")
    if type(value) is not int or value < 0:
        ev.refuse("SCT205", f"a derivative of order {value!r} is not supported", hint="use `antiderivative`")
    return value


def given_by_name(ev: Evaluator, method: Any, args: Args, kwargs: Kwargs) -> dict[str, Abstract]:
    """The arguments of a method by name."""
    arguments = named_arguments(ev, method, args, kwargs)
    for key in ("extrapolate", "ext"):
        if key in arguments:
            ev.refuse("SCT205", f"`{key}` of a call is not supported", hint="leave it out" if key == "ext" else
                      "give it where the interpolant is made")
    return arguments


@special(Interpolant.__call__)
def _read(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    arguments = given_by_name(ev, Interpolant.__call__, args, kwargs)
    slots, (native, *rest) = parts_of(ev, arguments["self"])
    x, nu = points_of(ev, arguments["x"]), _order(ev, arguments.get("nu", Static(0)))
    form: str = slots["_form"].value  # type: ignore[union-attr]
    if "nu" in arguments and form != "own" and not is_of_fitpack(arguments["self"]):
        ev.refuse("SCT205", "the derivative of an object of `interp1d` is not supported",
                  why="SciPy's takes only the points", hint="use `make_interp_spline`")
    if form in ("refused", "constant", "linear"):
        return ev.wrap(ev.emit(looked_up, native, x, *rest, beyond=form))
    units = slots["_units"].value  # type: ignore[union-attr]
    return ev.wrap(ev.emit(interpolated, native, x, *rest, units=units, nu=nu, slopes=form))


def _derived(name: str) -> Any:
    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        arguments = given_by_name(ev, getattr(Interpolant, name), args, kwargs)
        slots, (native, *_) = parts_of(ev, arguments["self"])
        _of_spline(ev, slots, name, arguments["self"])
        order = _order(ev, arguments.get("nu", arguments.get("n", Static(1))))
        suffix = f".{name}({'' if order == 1 else order})"
        units = tuple(unit + suffix for unit in slots["_units"].value)  # type: ignore[union-attr]
        cls = arguments["self"].cls.__name__  # type: ignore[union-attr]
        return ev.new_object(_class_of(_DERIVED.get(cls, cls)), {**slots, "_units": Static(units), "_made": ev.emit(
            interpolant, native, text=f"_0{suffix}", of_unit=True)})

    return handler


special(Interpolant.derivative)(_derived("derivative"))
special(Interpolant.antiderivative)(_derived("antiderivative"))


def check_limits(ev: Evaluator, *limits: Abstract) -> None:
    """Refuses limits of an integral that are not numbers."""
    for x in limits:
        t = ev.type_of(x) if isinstance(x, (Ref, Value)) else None
        if not (isinstance(x, Static) and type(x.value) in (int, float) or isinstance(t, Tensor) and not t.rank):
            ev.refuse("SCT205", "the limits of `integrate` must be numbers", hint="integrate in a loop")


@special(Interpolant.integrate)
def _integrate(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    arguments = given_by_name(ev, Interpolant.integrate, args, kwargs)
    slots, (native, *rest) = parts_of(ev, arguments["self"])
    _of_spline(ev, slots, "integrate", Static(None))
    a, b = (points_of(ev, arguments[key]) for key in ("a", "b"))
    check_limits(ev, arguments["a"], arguments["b"])
    units = slots["_units"].value  # type: ignore[union-attr]
    return ev.wrap(ev.emit(integrated, native, a, b, *rest, units=units))


def is_of_fitpack(owner: Abstract) -> bool:
    return isinstance(owner, ObjRef) and owner.cls.__name__ in _OF_FITPACK


def _of_spline(ev: Evaluator, slots: Mapping[str, Abstract], name: str, owner: Abstract) -> None:
    """Only splines have derivatives and integrals of their own."""
    if slots["_form"] != Static("own") and not is_of_fitpack(owner):
        refuse_attribute(ev, f"`{name}`")


@special(Interpolant.__getattr__, Interpolant.other)
def _unread(ev: Evaluator, args: Args, kwargs: Kwargs) -> NoReturn:
    refuse_attribute(ev, "this attribute")


@special(Interpolant.__setattr__)
def _written(ev: Evaluator, args: Args, kwargs: Kwargs) -> NoReturn:
    ev.refuse("SCT303", "writing an attribute of an interpolant is not supported", hint="give it where it is made")


def refuse_attribute(ev: Evaluator, what: str) -> NoReturn:
    ev.refuse("SCT203", f"{what} of an interpolant is not supported",
              why="sct reads its values, and of a spline the derivatives and integrals, as its data are differentiated",
              hint="call it, or `derivative` or `integrate` of a spline")
