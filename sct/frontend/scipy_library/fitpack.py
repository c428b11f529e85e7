"""Splines of FITPACK, which are tuples of knots, coefficients and a degree: `splev`.

    splev(x, tck)   ->   what FITPACK computes, with the derivative of `BSpline(*tck)(x)`
"""

from __future__ import annotations

import sys

import numpy as np

from sct.frontend.autodiff.implicit_functions import derivative_code, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy
from sct.frontend.heap.inactive import is_varied, leave_to_python
from sct.frontend.values.abstract_values import Abstract, ListRef, Static, Tup
from sct.ops.program.effects import inactive
from sct.ops.program.solutions import solver
from sct.ops.scipy.splines import spline

__all__: list[str] = []


@of_scipy("scipy.interpolate.splev")
def splev(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The spline of which nothing is differentiated, at `x`."""
    given = named_arguments(ev, sys.modules["scipy.interpolate"].splev, args, kwargs)
    leave_to_python(ev, "splev", given.values())
    tck, order = given["tck"], ev.ask(given.get("der", Static(0)), "`der` of `splev`")
    parts = ev.call(Static(tuple), [tck]) if isinstance(tck, (Tup, ListRef)) else tck
    if not isinstance(parts, Tup) or len(parts.items) != 3:
        ev.refuse("SCT402", "`splev` of a spline that is no tuple is not supported", hint="call the spline itself")
    if is_varied(ev, parts):
        ev.refuse("SCT402", "`splev` is not differentiated by the spline", hint="use `BSpline(*tck)(x)`")
    if ev.ask(given.get("ext", Static(0)), "`ext` of `splev`") != 0:
        ev.refuse("SCT402", "`ext` of `splev` is not supported", hint="leave it out")
    x, knots, coefficients = (ev.call(Static(np.asarray), [v], {"dtype": Static(float)})
                              for v in (given["x"], *parts.items[:2]))
    if len(ev.shape_of(knots)) != 1 or len(ev.shape_of(coefficients)) != 1:
        ev.refuse("SCT402", "`splev` of a curve is not supported", hint="evaluate each coordinate by itself")
    operands = [ev.operand(v) for v in (x, knots, coefficients, parts.items[2])]
    with derivative_code(ev):
        f = ev.emit(inactive, *operands[1:], text="scipy.interpolate.BSpline(_0, _1, _2)")
        like = ev.wrap(ev.emit(spline, f, operands[0], nu=order))
    text = f"scipy.interpolate.splev(_0, (_1, _2, _3){f', der={order}' if order else ''})"
    return standing_for(ev, ev.emit(solver, *operands, text=text, type=ev.operand(like).type), like)
