"""Sums of radial functions through data: `RBFInterpolator(y, d)(x)`, by x, y and d.

    RBFInterpolator(y, d)(x)   ->   what SciPy computes, with the derivative of `_at_points`
"""

from __future__ import annotations

import functools
import sys
from typing import Any, NoReturn

import numpy as np

from sct.frontend.autodiff.implicit_functions import derivative_code, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy, special
from sct.frontend.heap.inactive import leave_to_python
from sct.frontend.objects.class_of import stand_in_class
from sct.frontend.scipy_library.by_program import array_of_floats
from sct.frontend.values.abstract_values import Abstract, ObjRef, Static
from sct.ir import Value
from sct.ops.program.effects import OBJECT
from sct.ops.program.solutions import solver

__all__: list[str] = []


class RadialFunctions:
    """An `RBFInterpolator`, where the function is evaluated; its methods have handlers."""

    def __call__(self, x: Any) -> Any: ...

    def other(self, value: Any = None) -> Any:
        """Stands for what SciPy's objects have besides."""


@functools.cache
def _class_of_functions() -> Any:
    """Their class, for which `isinstance` holds that holds for SciPy's."""
    return stand_in_class(RadialFunctions, sys.modules["scipy.interpolate"].RBFInterpolator, RadialFunctions.other, (
        "y", "d", "d_shape", "d_dtype", "neighbors", "smoothing", "kernel", "epsilon", "powers"))


# -- the program -------------------------------------------------------------------------------------------------------


def _kernel(squared: Any, kernel: Any) -> Any:
    """A radial function of squared distances, some of which are 0."""
    apart = squared > 0.0
    s = np.where(apart, squared, 1.0)
    if kernel == "thin_plate_spline":
        return np.where(apart, 0.5 * s * np.log(s), 0.0)
    if kernel == "linear":
        return np.where(apart, -np.sqrt(s), 0.0)
    if kernel == "cubic":
        return np.where(apart, s * np.sqrt(s), 0.0)
    if kernel == "multiquadric":
        return -np.sqrt(squared + 1.0)
    if kernel == "inverse_multiquadric":
        return 1.0 / np.sqrt(squared + 1.0)
    return np.exp(-squared) if kernel == "gaussian" else 1.0 / (squared + 1.0)


def _between(x: Any, y: Any, kernel: Any, epsilon: Any) -> Any:
    difference = (np.expand_dims(x, 1) - y) * epsilon
    return _kernel(np.sum(difference * difference, axis=-1), kernel)


def _polynomials(x: Any, degree: Any) -> Any:
    ones = np.ones((x.shape[0], 1))
    return ones if degree == 0 else np.concatenate((ones, x), axis=1)


def _at_points(x: Any, y: Any, d: Any, smoothing: Any, kernel: Any, epsilon: Any, degree: Any) -> Any:
    """The sum of the functions around the points y, which has the values d there."""
    matrix = _between(y, y, kernel, epsilon) + smoothing * np.eye(len(y))
    if degree < 0:
        return _between(x, y, kernel, epsilon) @ np.linalg.solve(matrix, d)
    p = _polynomials(y, degree)
    count = p.shape[1]
    below = np.concatenate((p.T, np.zeros((count, count))), axis=1)
    whole = np.concatenate((np.concatenate((matrix, p), axis=1), below))
    coefficients = np.linalg.solve(whole, np.concatenate((d, np.zeros((count, *d.shape[1:])))))
    n = len(y)
    return _between(x, y, kernel, epsilon) @ coefficients[:n] + _polynomials(x, degree) @ coefficients[n:]


# -- the object --------------------------------------------------------------------------------------------------------

_LEAST_DEGREE = {"multiquadric": 0, "linear": 0, "thin_plate_spline": 1, "cubic": 1, "inverse_multiquadric": -1,
                 "inverse_quadratic": -1, "gaussian": -1}
_OF_ANY_SCALE = ("linear", "thin_plate_spline", "cubic")


@of_scipy("scipy.interpolate.RBFInterpolator")
def _interpolator(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    arguments = named_arguments(ev, sys.modules["scipy.interpolate"].RBFInterpolator, args, kwargs)
    leave_to_python(ev, "RBFInterpolator", arguments.values())
    y = array_of_floats(ev, "RBFInterpolator", arguments["y"], (2,))
    d = array_of_floats(ev, "RBFInterpolator", arguments["d"], (1, 2))
    options = {key: ev.ask(v, f"`{key}` of `RBFInterpolator`") for key, v in arguments.items() if key not in ("y", "d")}
    kernel, degree = options.get("kernel", "thin_plate_spline"), options.get("degree")
    epsilon, smoothing = options.get("epsilon"), options.get("smoothing", 0.0)
    least = _LEAST_DEGREE.get(kernel)
    if least is None or options.get("neighbors") is not None or degree not in (None, -1, 0, 1) or \
            epsilon is None and kernel not in _OF_ANY_SCALE:
        ev.refuse("SCT402", "`RBFInterpolator` with these options is not differentiated",
                  hint="interpolate through all of the points, with polynomials of a degree of at most 1")
    degree = max(least, 0) if degree is None else degree
    texts = ", ".join(["_0", "_1", *[f"{key}={value!r}" for key, value in options.items()]])
    native = ev.emit(solver, ev.operand(y), ev.operand(d), text=f"scipy.interpolate.RBFInterpolator({texts})",
                     type=OBJECT)
    native.hint = "interpolant"
    return ev.new_object(_class_of_functions(), {
        "_native": native, "_points": ev.wrap(ev.operand(y)), "_data": ev.wrap(ev.operand(d)),
        "_smoothing": Static(float(smoothing)), "_kernel": Static(kernel),
        "_epsilon": Static(1.0 if epsilon is None else float(epsilon)), "_degree": Static(degree)})


@special(RadialFunctions.__call__)
def _read(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    arguments = named_arguments(ev, RadialFunctions.__call__, args, kwargs)
    owner = arguments["self"]
    assert isinstance(owner, ObjRef)
    cell = ev.slots(owner)
    native, y, d, *options = cell.items
    if not isinstance(native, Value) or not all(isinstance(v, Static) for v in options):
        ev.refuse("SCT502", "which interpolant this is depends on the path", hint="read it in each of the branches")
    x = array_of_floats(ev, "RBFInterpolator", arguments["x"], (2,))
    with derivative_code(ev):
        like = ev.call(Static(_at_points), [x, y, d, *options])
    return standing_for(ev, ev.emit(solver, native, ev.operand(x), text="_0(_1)", type=ev.operand(like).type), like)


@special(RadialFunctions.other)
def _unread(ev: Evaluator, args: Args, kwargs: Kwargs) -> NoReturn:
    ev.refuse("SCT203", "this attribute of an `RBFInterpolator` is not supported",
              why="sct reads its values, as its data are differentiated", hint="call it")
