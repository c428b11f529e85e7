"""Splines of FITPACK, which are tuples of knots, coefficients and degrees: `splrep`, `splev`, `splint`, `bisplev`.

    tck = splrep(x, y)   ->   what FITPACK computes; the coefficients have the derivative of a solution by y
    splev(x, tck)        ->   what FITPACK computes, with the derivative of `BSpline(*tck)(x)`
    bisplev(x, y, tck)   ->   the same, of an `NdBSpline`, for two numbers
"""

from __future__ import annotations

import operator
import sys
from typing import Any

import numpy as np

from sct.frontend.autodiff.implicit_functions import derivative_code, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy, special
from sct.frontend.heap.inactive import is_varied, leave_to_python
from sct.frontend.scipy_library.by_program import as_floats
from sct.frontend.scipy_objects.interpolants import (
    Interpolant,
    given_by_name,
    is_of_fitpack,
    make,
    parts_of,
    points_of,
    refuse_attribute,
)
from sct.frontend.values.abstract_values import Abstract, ListRef, Static, Tup
from sct.ir.dims import sym
from sct.ir.types import FLOAT, Tensor
from sct.ops.program.effects import OBJECT, inactive, part
from sct.ops.program.solutions import solver
from sct.ops.scipy.splines import integrated, interpolant, spline, surface
from sct.ops.type_rules import number

__all__: list[str] = []


@of_scipy("scipy.interpolate.splev")
def splev(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The spline at `x`, by that and by its coefficients."""
    arguments = named_arguments(ev, sys.modules["scipy.interpolate"].splev, args, kwargs)
    leave_to_python(ev, "splev", arguments.values())
    knots, coefficients, degree = _parts(ev, "splev", arguments["tck"], 1)
    order = ev.ask(arguments.get("der", Static(0)), "`der` of `splev`")
    if ev.ask(arguments.get("ext", Static(0)), "`ext` of `splev`") != 0:
        ev.refuse("SCT402", "`ext` of `splev` is not supported", hint="leave it out")
    x = ev.call(Static(np.asarray), [arguments["x"]], {"dtype": Static(float)})
    operands = [ev.operand(v) for v in (x, knots, coefficients, degree)]
    with derivative_code(ev):
        if is_varied(ev, coefficients):
            f = make(ev, "BSpline", [knots, coefficients, degree], {})
            like = ev.call(ev.call(Static(getattr), [f, Static("__call__")]), [x, Static(order)])
        else:
            of_constants = ev.emit(inactive, *operands[1:], text="scipy.interpolate.BSpline(_0, _1, _2)")
            like = ev.wrap(ev.emit(spline, of_constants, operands[0], nu=order))
    text = f"scipy.interpolate.splev(_0, (_1, _2, _3){f', der={order}' if order else ''})"
    return standing_for(ev, ev.emit(solver, *operands, text=text, type=ev.operand(like).type), like)


def _coefficients(y: Any, matrix: Any, k: Any) -> Any:
    """Of the spline through the data, followed by zeros, as FITPACK gives them."""
    return np.append(np.linalg.solve(matrix, y), np.zeros(k + 1))


@of_scipy("scipy.interpolate.splrep")
def splrep(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The spline through the data, whose knots do not depend on them."""
    arguments = named_arguments(ev, sys.modules["scipy.interpolate"].splrep, args, kwargs)
    leave_to_python(ev, "splrep", arguments.values())
    k, s = (ev.ask(arguments.pop(key, Static(default)), f"`{key}` of `splrep`")
            for key, default in (("k", 3), ("s", 0)))
    if is_varied(ev, arguments["x"]):
        ev.refuse("SCT402", "`splrep` is not differentiated by where the data are given",
                  hint="differentiate by the values")
    if arguments.keys() - {"x", "y"} or s:
        ev.refuse("SCT402", "`splrep` is differentiated by its data, where the spline passes through them",
                  why="the knots of a smoothing spline depend on the data",
                  hint="leave out all but the data and the degree")
    x, y = (ev.wrap(ev.operand(as_floats(ev, f"`{key}` of `splrep`", arguments[key], (1,), "pass vectors")))
            for key in ("x", "y"))
    options = f", k={k}" * (k != 3)
    text = f"scipy.interpolate.splrep(_0, _1{options})"
    native = ev.emit(solver, ev.operand(x), ev.operand(y), text=text, type=OBJECT)
    size = (sym(f"_knots{native.id}"),)
    knots = ev.emit(part, native, text="_0[0]", type=Tensor("array", "f64", size))
    with derivative_code(ev):
        n = ev.shape_of(y)[0]
        matrix = ev.emit(inactive, ev.operand(x), knots, type=Tensor("array", "f64", (n, n)),
                         text=f"scipy.interpolate.BSpline.design_matrix(_0, _1, {k}).toarray()")
        like = ev.call(Static(_coefficients), [y, ev.wrap(matrix), Static(k)])
    return Tup((ev.wrap(knots), standing_for(ev, native, like, "_0[1]"), Static(k)))


@of_scipy("scipy.interpolate.splint")
def splint(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The integral of the spline, which is 0 outside of its knots."""
    arguments = named_arguments(ev, sys.modules["scipy.interpolate"].splint, args, kwargs)
    leave_to_python(ev, "splint", arguments.values())
    if "full_output" in arguments or any(ev.shape_of(arguments[key]) for key in ("a", "b")):
        ev.refuse("SCT402", "`splint` of arrays, or with `full_output`, is not differentiated",
                  hint="integrate between numbers")
    knots, coefficients, degree = _parts(ev, "splint", arguments["tck"], 1)
    operands = [ev.operand(v) for v in (arguments["a"], arguments["b"], knots, coefficients, degree)]
    value = ev.emit(solver, *operands, text="scipy.interpolate.splint(_0, _1, (_2, _3, _4))", type=FLOAT)
    with derivative_code(ev):
        limits = [ev.call(Static(_moved), [arguments[key], knots, degree]) for key in ("a", "b")]
        if is_varied(ev, coefficients):
            f = make(ev, "BSpline", [knots, coefficients, degree], {})
            like = ev.call(ev.call(Static(getattr), [f, Static("integrate")]), limits)
        else:
            text = "scipy.interpolate.BSpline(_0, _1, _2).antiderivative()"
            of_constants = ev.emit(inactive, *operands[2:], text=text)
            ends = [ev.wrap(ev.emit(spline, of_constants, ev.operand(v), nu=0)) for v in limits]
            like = ev.call(Static(operator.sub), ends[::-1])
        like = ev.call(Static(float), [like])
    return standing_for(ev, value, like)


@special(Interpolant.integral)
def _integral(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The integral of `UnivariateSpline`, which is 0 outside of the data."""
    arguments = given_by_name(ev, Interpolant.integral, args, kwargs)
    slots, (native, *rest) = parts_of(ev, arguments["self"])
    if not is_of_fitpack(arguments["self"]):
        refuse_attribute(ev, "`integral`")
    limits = [points_of(ev, arguments[key]) for key in ("a", "b")]
    if any(number(x).rank for x in limits):
        ev.refuse("SCT205", "the limits of `integral` must be numbers", hint="integrate in a loop")
    units = slots["_units"].value  # type: ignore[union-attr]
    value = ev.emit(solver, native, *limits, text="_0.integral(_1, _2)", type=FLOAT)
    with derivative_code(ev):
        f = ev.emit(interpolant, *rest, text=units[0], of_unit=True)
        inside = [ev.operand(ev.call(Static(_inside), [ev.wrap(x), slots["_positions"]])) for x in limits]
        like = ev.call(Static(float), [ev.wrap(ev.emit(integrated, f, *inside, *rest, units=units))])
    return standing_for(ev, value, like)


def _inside(x: Any, t: Any) -> Any:
    return np.clip(np.float64(x), t[0], t[-1])


@of_scipy("scipy.interpolate.bisplev")
def bisplev(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The spline of two numbers, which is not differentiated; FITPACK moves them to the range of the knots."""
    arguments = named_arguments(ev, sys.modules["scipy.interpolate"].bisplev, args, kwargs)
    leave_to_python(ev, "bisplev", arguments.values())
    parts = _parts(ev, "bisplev", arguments["tck"], 2)
    if any(ev.ask(arguments.get(key, Static(0)), f"`{key}` of `bisplev`") != 0 for key in ("dx", "dy")):
        ev.refuse("SCT402", "`dx` and `dy` of `bisplev` are not supported", hint="leave them out")
    if ev.shape_of(arguments["x"]) or ev.shape_of(arguments["y"]):
        ev.refuse("SCT402", "`bisplev` over a grid is not supported", hint="evaluate each point by itself")
    operands = [ev.operand(v) for v in (arguments["x"], arguments["y"], *parts)]
    with derivative_code(ev):
        f = ev.emit(inactive, *operands[2:], text="scipy.interpolate.NdBSpline((_0, _1), _2.reshape("
                    "len(_0) - _3 - 1, len(_1) - _4 - 1), (_3, _4))")
        x, y = (ev.operand(ev.call(Static(_moved), [arguments[key], parts[k], parts[3 + k]]))
                for k, key in enumerate(("x", "y")))
        like = ev.wrap(ev.emit(surface, f, x, y))
    text = "scipy.interpolate.bisplev(_0, _1, (_2, _3, _4, _5, _6))"
    return standing_for(ev, ev.emit(solver, *operands, text=text, type=ev.operand(like).type), like)


def _moved(x: Any, knots: Any, degree: Any) -> Any:
    return np.clip(np.float64(x), knots[degree], knots[-degree - 1])


def _parts(ev: Evaluator, name: str, tck: Abstract, axes: int) -> list[Abstract]:
    """The knots for each axis, the coefficients, and the degrees."""
    parts = ev.call(Static(tuple), [tck]) if isinstance(tck, (Tup, ListRef)) else tck
    if not isinstance(parts, Tup) or len(parts.items) != 2 * axes + 1:
        ev.refuse("SCT402", f"`{name}` of a spline that is no tuple is not supported", hint="call the spline itself")
    if any(is_varied(ev, v) for v in parts.items[:axes] + parts.items[axes:] * (axes > 1)):
        ev.refuse("SCT402", f"`{name}` is not differentiated by the spline",
                  hint="differentiate by its coefficients" if axes == 1 else "fit it outside the function")
    arrays = [ev.call(Static(np.asarray), [v], {"dtype": Static(float)}) for v in parts.items[:axes + 1]]
    if any(len(ev.shape_of(v)) != 1 for v in arrays):
        ev.refuse("SCT402", f"`{name}` of a curve is not supported", hint="evaluate each coordinate by itself")
    return [*arrays, *parts.items[axes + 1:]]
