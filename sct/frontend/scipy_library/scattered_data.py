"""Values at scattered points, read between them: `griddata`, `LinearNDInterpolator` and `NearestNDInterpolator`.

    griddata(points, values, x)   ->   what SciPy computes, with the derivative of `_linear`, by the values and by x
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
from sct.frontend.heap.subscripts import size_along
from sct.frontend.scipy_library.by_program import as_floats
from sct.frontend.values.abstract_values import Abstract, DerivedCallable, Ref, Static, Tup
from sct.frontend.values.constant_text import text_of
from sct.ir import Operand, Value
from sct.ir.dims import sym
from sct.ir.types import Tensor
from sct.ops.program.effects import OBJECT, inactive, part
from sct.ops.program.solutions import solver
from sct.ops.registry import add_operand
from sct.ops.scipy.splines import interpolant

__all__: list[str] = []


def _linear(values: Any, x: Any, transform: Any, corners: Any, k: Any) -> Any:
    """Linear in each simplex of a triangulation; `transform` gives the weights of all corners but the last."""
    d = x.shape[1]
    to_weights = transform[k]
    weights = np.sum(to_weights[:, :d] * (x - to_weights[:, d])[:, None, :], axis=2)
    at_corners = values[corners[k]]
    last = at_corners[:, d]
    return np.where(k >= 0, last + np.sum(weights * (at_corners[:, :d] - last[:, None]), axis=1), 0.0)


def _nearest(values: Any, k: Any) -> Any:
    return values[k]


def _coordinates(ev: Evaluator, what: str, v: Abstract, operands: list[Operand]) -> tuple[Ref, str]:
    """Points along the last axis of an array, of an array or of a tuple of coordinates; how SciPy gets them."""
    parts = v.items if isinstance(v, Tup) and len(v.items) > 1 else ()
    numbers = [isinstance(x, Static) and type(x.value) in (int, float) or isinstance(
        x, Value) and isinstance(x.type, Tensor) and x.type.kind in "fi" for x in parts]
    if parts and all(is_number or isinstance(x, Ref) for x, is_number in zip(parts, numbers)):
        arrays = [as_floats(ev, what, x, (0, 1, 2, 3), "pass arrays of floats") for x in parts]
        texts = [f"_{len(operands) + k}" for k in range(len(arrays))]
        operands += map(ev.operand, arrays)
        alike = ev.call(Static(np.broadcast_arrays), arrays)
        return ev.call(Static(np.stack), [alike], {"axis": Static(-1)}), f"({', '.join(texts)})"  # type: ignore[return-value]
    x = as_floats(ev, what, v, (1, 2, 3, 4), "pass points of several coordinates; for one, use np.interp")
    if ev.shape_of(x)[1:] == ():  # one point, which SciPy takes as a matrix of one row
        text = add_operand(ev.operand(x), operands)
        return ev.call(Static(np.reshape), [x, Tup((Static(1), Static(-1)))]), text  # type: ignore[return-value]
    return x, add_operand(ev.operand(x), operands)


def _read(ev: Evaluator, method: str, points: Ref, values: Ref, x: Ref, value: Value, native: Value | None = None
          ) -> Abstract:
    """The values that SciPy has computed, with the derivative by the data and by the places where they are read.

    native  the interpolant of SciPy, which has the tree or the triangles of the points
    """
    _, d = ev.shape_of(points)
    with derivative_code(ev):
        flat = ev.call(Static(np.reshape), [x, Tup((Static(-1), size_along(ev, points, 1)))])
        at = ev.operand(flat)
        rows = (at.type.shape[0],)  # type: ignore[union-attr]
        if method == "nearest":
            owner, tree = (ev.operand(points), "scipy.spatial.cKDTree(_0)") if native is None else (native, "_0.tree")
            k = ev.emit(solver, owner, at, text=f"{tree}.query(_1)[1]", type=Tensor("array", "i64", rows))
            like = ev.call(Static(_nearest), [values, ev.wrap(k)])
        else:
            triangles = ev.emit(inactive, ev.operand(points), text="scipy.spatial.Delaunay(_0)", type=OBJECT) \
                if native is None else ev.emit(part, native, text="_0.tri", type=OBJECT)
            triangles.hint = "triangles"
            size = sym(f"_simplices{triangles.id}")
            transform, corners = (ev.wrap(ev.emit(part, triangles, text=f"_0.{key}", type=Tensor(
                "array", dtype, shape))) for key, dtype, shape in (
                    ("transform", "f64", (size, d + 1, d)), ("simplices.astype(int)", "i64", (size, d + 1))))
            k = ev.emit(solver, triangles, at, text="_0.find_simplex(_1).astype(int)",
                        type=Tensor("array", "i64", rows))
            like = ev.call(Static(_linear), [values, flat, transform, corners, ev.wrap(k)])
        like = ev.call(Static(np.reshape), [like, Tup(tuple(
            size_along(ev, x, axis) for axis in range(len(ev.shape_of(x)) - 1)))])
    return standing_for(ev, value, like)


def _values(ev: Evaluator, name: str, v: Abstract) -> Ref:
    return as_floats(ev, f"`values` of `{name}`", v, (1,), "interpolate each column by itself")


@of_scipy("scipy.interpolate.griddata")
def _griddata(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    arguments = named_arguments(ev, sys.modules["scipy.interpolate"].griddata, args, kwargs)
    leave_to_python(ev, "griddata", arguments.values())
    method = ev.ask(arguments.pop("method", Static("linear")), "`method` of `griddata`")
    fill = ev.ask(arguments.pop("fill_value", Static(None)), "`fill_value` of `griddata`")
    if method not in ("linear", "nearest") or set(arguments) - {"points", "values", "xi"}:
        ev.refuse("SCT402", "`griddata` with these options is not differentiated",
                  hint="use the method linear or nearest, and no other options")
    if is_varied(ev, arguments["points"]):
        ev.refuse("SCT402", "`griddata` is not differentiated by the points", hint="differentiate by the values")
    operands: list[Operand] = []
    points, first = _coordinates(ev, "`points` of `griddata`", arguments["points"], operands)
    values = _values(ev, "griddata", arguments["values"])
    second = add_operand(ev.operand(values), operands)
    x, third = _coordinates(ev, "`xi` of `griddata`", arguments["xi"], operands)
    options = f", method={method!r}" * (method != "linear") + ("" if fill is None else f", fill_value={text_of(fill)}")
    value = ev.emit(solver, *operands, text=f"scipy.interpolate.griddata({first}, {second}, {third}{options})",
                    type=Tensor("array", "f64", ev.shape_of(x)[:-1]))
    return _read(ev, method, points, values, x, value)


def _interpolator(name: str, method: str) -> Any:
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        arguments = named_arguments(ev, getattr(sys.modules["scipy.interpolate"], name), args, kwargs)
        leave_to_python(ev, name, arguments.values())
        fill = ev.ask(arguments.pop("fill_value", Static(None)), f"`fill_value` of `{name}`")
        points, values = (arguments.pop(key) for key in (("points", "values") if method == "linear" else ("x", "y")))
        if arguments or is_varied(ev, points):
            ev.refuse("SCT402", f"`{name}` is differentiated only by its values", hint="leave other options out")
        operands: list[Operand] = []
        places, first = _coordinates(ev, f"the points of `{name}`", points, operands)
        numbers = _values(ev, name, values)
        second = add_operand(ev.operand(numbers), operands)
        option = "" if fill is None else f", fill_value={text_of(fill)}"
        text = f"scipy.interpolate.{name}({first}, {second}{option})"
        native = ev.emit(interpolant, *operands, text=text)

        def call(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
            if kwargs or not args:
                ev.refuse("SCT205", f"keywords of a call of `{name}` are not supported", hint="pass only points")
            at: list[Operand] = [native]
            x, where = _coordinates(ev, "what is interpolated", args[0] if len(args) == 1 else Tup(tuple(args)), at)
            value = ev.emit(solver, *at, text=f"_0({where})", type=Tensor("array", "f64", ev.shape_of(x)[:-1]))
            return _read(ev, method, places, numbers, x, value, native)

        return DerivedCallable(call)

    return handle


of_scipy("scipy.interpolate.LinearNDInterpolator")(_interpolator("LinearNDInterpolator", "linear"))
of_scipy("scipy.interpolate.NearestNDInterpolator")(_interpolator("NearestNDInterpolator", "nearest"))
