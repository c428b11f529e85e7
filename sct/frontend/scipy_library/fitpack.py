"""Splines of FITPACK, which are tuples of knots, coefficients and degrees: `splev` and `bisplev`.

    splev(x, tck)        ->   what FITPACK computes, with the derivative of `BSpline(*tck)(x)`
    bisplev(x, y, tck)   ->   the same, of an `NdBSpline`, for two numbers
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from sct.frontend.autodiff.implicit_functions import derivative_code, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy
from sct.frontend.heap.inactive import is_varied, leave_to_python
from sct.frontend.values.abstract_values import Abstract, ListRef, Static, Tup
from sct.ops.program.effects import inactive
from sct.ops.program.solutions import solver
from sct.ops.scipy.splines import spline, surface

__all__: list[str] = []


@of_scipy("scipy.interpolate.splev")
def splev(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The spline of which nothing is differentiated, at `x`."""
    given = named_arguments(ev, sys.modules["scipy.interpolate"].splev, args, kwargs)
    leave_to_python(ev, "splev", given.values())
    knots, coefficients, degree = _parts(ev, "splev", given["tck"], 1)
    order = ev.ask(given.get("der", Static(0)), "`der` of `splev`")
    if ev.ask(given.get("ext", Static(0)), "`ext` of `splev`") != 0:
        ev.refuse("SCT402", "`ext` of `splev` is not supported", hint="leave it out")
    x = ev.call(Static(np.asarray), [given["x"]], {"dtype": Static(float)})
    operands = [ev.operand(v) for v in (x, knots, coefficients, degree)]
    with derivative_code(ev):
        f = ev.emit(inactive, *operands[1:], text="scipy.interpolate.BSpline(_0, _1, _2)")
        like = ev.wrap(ev.emit(spline, f, operands[0], nu=order))
    text = f"scipy.interpolate.splev(_0, (_1, _2, _3){f', der={order}' if order else ''})"
    return standing_for(ev, ev.emit(solver, *operands, text=text, type=ev.operand(like).type), like)


@of_scipy("scipy.interpolate.bisplev")
def bisplev(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The spline of two numbers, of which nothing is differentiated; FITPACK moves them to the range of the knots."""
    given = named_arguments(ev, sys.modules["scipy.interpolate"].bisplev, args, kwargs)
    leave_to_python(ev, "bisplev", given.values())
    parts = _parts(ev, "bisplev", given["tck"], 2)
    if any(ev.ask(given.get(key, Static(0)), f"`{key}` of `bisplev`") != 0 for key in ("dx", "dy")):
        ev.refuse("SCT402", "`dx` and `dy` of `bisplev` are not supported", hint="leave them out")
    if ev.shape_of(given["x"]) or ev.shape_of(given["y"]):
        ev.refuse("SCT402", "`bisplev` over a grid is not supported", hint="evaluate each point by itself")
    operands = [ev.operand(v) for v in (given["x"], given["y"], *parts)]
    with derivative_code(ev):
        f = ev.emit(inactive, *operands[2:], text="scipy.interpolate.NdBSpline((_0, _1), _2.reshape("
                    "len(_0) - _3 - 1, len(_1) - _4 - 1), (_3, _4))")
        x, y = (ev.operand(ev.call(Static(_moved), [given[key], parts[k], parts[3 + k]]))
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
    if is_varied(ev, parts):
        ev.refuse("SCT402", f"`{name}` is not differentiated by the spline",
                  hint="use `BSpline(*tck)(x)`" if axes == 1 else "fit it outside the function")
    arrays = [ev.call(Static(np.asarray), [v], {"dtype": Static(float)}) for v in parts.items[:axes + 1]]
    if any(len(ev.shape_of(v)) != 1 for v in arrays):
        ev.refuse("SCT402", f"`{name}` of a curve is not supported", hint="evaluate each coordinate by itself")
    return [*arrays, *parts.items[axes + 1:]]
