"""Tables over grids, `RegularGridInterpolator` and `interpn`, by each of their methods; and images read between their
elements: `map_coordinates`, by splines of orders 1 to 3.

    RegularGridInterpolator((xs, ys), values)((x, y))   ->   what SciPy computes, with the derivative of `_linear`
"""

from __future__ import annotations

import functools
import itertools
import operator
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np

from sct.frontend.arguments.lift import lift, opaque
from sct.frontend.autodiff.implicit_functions import derivative_code, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy, special
from sct.frontend.heap.dynamic_lists import is_dynamic
from sct.frontend.heap.inactive import leave_to_python, template_of
from sct.frontend.objects.class_of import stand_in_class
from sct.frontend.scipy_library.by_program import Program, as_floats, handler, register
from sct.frontend.scipy_library.hermite_interpolants import monotone
from sct.frontend.values.abstract_values import Abstract, DerivedCallable, ListRef, Ref, Static, Tup
from sct.ir import Operand, Value
from sct.ir.dims import Dim
from sct.ir.types import NARROW, Tensor, in_words
from sct.ops.program.effects import OBJECT
from sct.ops.program.solutions import solver
from sct.ops.scipy.image_samples import map_coordinates
from sct.ops.scipy.splines import interpolant, interpolated

__all__ = ["sampled", "value_of_table"]

_OPTIONS = ("bounds_error", "fill_value")
_NONE = Static(None)


def _cell(grid: Any, x: Any) -> Any:
    """The position of the cell of the grid, which rises or falls, and how far in it the points are, from 0 to 1."""
    sign = np.copysign(1.0, grid[-1] - grid[0])
    i = np.clip(np.searchsorted(sign * grid, sign * x, side="right") - 1, 0, len(grid) - 2)
    return i, (x - grid[i]) / (grid[i + 1] - grid[i])


def _linear(grids: Any, values: Any, xs: Any) -> Any:
    """The values between those of the grid, linear in each direction."""
    cells = []
    weights = []
    for grid, x in zip(grids, xs):
        i, t = _cell(grid, x)
        cells.append(i)
        weights.append((1.0 - t, t))
    result = 0.0
    for corner in itertools.product((0, 1), repeat=len(grids)):
        term = values[tuple(i + k for i, k in zip(cells, corner))]
        for w, k in zip(weights, corner):
            term = term * w[k]
        result = result + term
    return result


def _nearest(grids: Any, values: Any, xs: Any) -> Any:
    """The value at the nearest point of the grid."""
    nearest = []
    for grid, x in zip(grids, xs):
        i, t = _cell(grid, x)
        nearest.append(np.where(t <= 0.5, i, i + 1))
    return values[tuple(nearest)]


def _product(weights: Any, values: Any, xs: Any) -> Any:
    """The sum of the values with the product of their weights in each direction: a row of each for each point."""
    result = np.expand_dims(values, 0)
    for w in reversed(weights):
        result = np.sum(np.reshape(w, (len(w),) + (1,) * (result.ndim - 2) + (-1,)) * result, axis=-1)
    return np.reshape(result, np.shape(xs[0]))


def _monotone_piece(grid: Any, values: Any, x: Any, slopes: Any) -> Any:
    """Cubic pieces along the last axis of the values, at each of the points, which are the first axis."""
    i, t = _cell(grid, x)
    h = np.diff(grid)[(slice(None),) + (None,) * (values.ndim - 1)]
    values = np.moveaxis(values, -1, 0)
    m = np.diff(values, axis=0) / h
    d = slopes(h, m)
    points = np.arange(len(x)) if values.shape[1] > 1 else np.zeros(len(x), int)
    y, m, p, q, h = values[i, points], m[i, points], d[i, points], d[i + 1, points], h[i, 0]
    t = t[(slice(None),) + (None,) * (y.ndim - 1)]
    s = t * h
    return y + s * (p + t * (3.0 * m - 2.0 * p - q + t * (p + q - 2.0 * m)))


def _pchip(grids: Any, values: Any, xs: Any, slopes: Any) -> Any:
    """Monotone cubic pieces in each direction, the last one first."""
    result = values[None]
    shape = np.shape(xs[0])
    for k in reversed(range(len(grids))):
        result = _monotone_piece(grids[k], result, np.ravel(xs[k]), slopes)
    return result.reshape(shape)


def _filled(grids: Any, result: Any, xs: Any, fill: Any) -> Any:
    """`fill` beyond the grid."""
    outside = False
    for grid, x in zip(grids, xs):
        first, last = np.minimum(grid[0], grid[-1]), np.maximum(grid[0], grid[-1])
        outside = outside | (x < first) | (x > last)
    return np.where(outside, fill, result)


_DEGREES = {"cubic": 3, "quintic": 5, "splinef2d": 3}
"""The methods whose values are tensor products of splines."""

_PROGRAMS: dict[str, Any] = {"linear": _linear, "slinear": _linear, "nearest": _nearest, "pchip": _pchip}


def _of_method(ev: Evaluator, method: str, grids: Sequence[Abstract], values: Abstract, points: Sequence[Abstract]
               ) -> Abstract:
    """The values at the points by the program of this method."""
    if method not in _DEGREES:
        slopes = [Static(monotone)] if method == "pchip" else []
        return ev.call(Static(_PROGRAMS[method]), [Tup(tuple(grids)), values, Tup(tuple(points)), *slopes])
    weights = [ev.wrap(_weights_of_spline(ev, grid, x, _DEGREES[method])) for grid, x in zip(grids, points)]
    return ev.call(Static(_product), [Tup(tuple(weights)), values, Tup(tuple(points))])


def _weights_of_spline(ev: Evaluator, grid: Abstract, x: Abstract, degree: int, nu: int = 0) -> Value:
    """The splines through unit data at the points, or their derivatives: a row for each point."""
    order = ev.call(Static(np.argsort), [grid])  # a grid may fall
    units, rising = (ev.operand(ev.call(Static(np.take), [v, order], {"axis": Static(0)}))
                     for v in (ev.call(Static(np.eye), [ev.call(Static(len), [grid])]), grid))
    text = f"scipy.interpolate.make_interp_spline(_1, _0, k={degree})"
    spline = ev.emit(interpolant, units, rising, text=text, of_unit=True)
    at = ev.operand(ev.call(Static(np.ravel), [x]))
    weights: Value = ev.emit(interpolated, spline, at, units, rising, units=(text,), nu=nu)
    return weights


@of_scipy("scipy.interpolate.RegularGridInterpolator")
def _table(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """An interpolant, which may be called with points."""
    name = "RegularGridInterpolator"
    arguments = _bound(ev, name, args, kwargs)
    grids, values = _data(ev, name, arguments)
    operands = [*map(ev.operand, grids), ev.operand(values)]
    text = f"({', '.join(f'_{k}' for k in range(len(grids)))},), _{len(grids)}"
    texts: list[str] = []
    operands += _options(ev, name, arguments, len(operands), texts)
    table: Value = ev.emit(solver, *operands, text=f"scipy.interpolate.{name}({text}{''.join(texts)})", type=OBJECT)
    table.hint = "table"

    def read(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        call = named_arguments(ev, sys.modules["scipy.interpolate"].RegularGridInterpolator.__call__,
                               [Static(None), *args], kwargs)
        if call.get("nu", Static(None)) != Static(None):
            ev.refuse("SCT402", f"`nu` of a call of `{name}` is not supported",
                      hint="differentiate what it gives with `sct.grad`")
        return _values(ev, grids, values, arguments, call["xi"], "_0", [table], (), call.get("method", Static(None)))

    return DerivedCallable(read)


def value_of_table(ev: Evaluator, fn: Static, args: Args, kwargs: Kwargs) -> Abstract | None:
    """A call of a table that the program has not made itself; None for other calls."""
    table, path = fn.peek, fn.path
    cls = getattr(sys.modules.get("scipy.interpolate"), "RegularGridInterpolator", None)
    if cls is None or type(table) is not cls or path is None or kwargs or len(args) != 1:
        return None
    if table.values.ndim != len(table.grid) or table.values.dtype != np.float64:
        return None
    lifted = {key: lift(ev, getattr(table, key), (*path, ("attr", key)))
              for key in ("method", "bounds_error", "fill_value", "values")}
    grids = [lift(ev, x, (*path, ("attr", "grid"), ("item", k))) for k, x in enumerate(table.grid)]
    options = {key: lifted[key] for key in (*_OPTIONS, "method")}
    return _values(ev, grids, lifted["values"], options, args[0], "_0", [opaque(ev, fn)], ())


@of_scipy("scipy.interpolate.interpn")
def _interpn(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    arguments = _bound(ev, "interpn", args, kwargs)
    grids, values = _data(ev, "interpn", arguments)
    operands = [*map(ev.operand, grids), ev.operand(values)]
    text = f"scipy.interpolate.interpn(({', '.join(f'_{k}' for k in range(len(grids)))},), _{len(grids)}, "
    return _values(ev, grids, values, arguments, arguments["xi"], text, operands, (Dim(1),))


def _values(ev: Evaluator, grids: Sequence[Abstract], values: Abstract, arguments: Mapping[str, Abstract], xi: Abstract,
            call: str, operands: Sequence[Operand], of_numbers: tuple[Dim, ...], of_call: Abstract = _NONE
            ) -> Abstract:
    """The values of a table at the points `xi`; `of_numbers`: their shape at a tuple of numbers; `of_call`: the method
    of this call, if it is not that of the table.
    """
    points, text, own, shape = _points(ev, xi, len(grids), of_numbers, len(operands))
    method = ev.ask(of_call, "the method of a table")
    more_text = f", method={method!r}" if method is not None else ""
    method = method or ev.ask(arguments.get("method", Static("linear")), "the method of a table")
    texts: list[str] = []
    if call == "_0":
        text, more = f"_0({text}{more_text})", []
    else:
        more = _options(ev, "interpn", arguments, len(operands) + len(own), texts)
        text = f"{call}{text}{''.join(texts)})"
    error, fill = arguments.get("bounds_error", Static(True)), arguments.get("fill_value", Static(np.nan))
    if error != Static(False):
        fill = Static(None)  # there is nothing beyond the grid
    with derivative_code(ev):
        alike = ev.call(Static(np.broadcast_arrays), points)
        points = [ev.call(Static(operator.getitem), [alike, Static(k)]) for k in range(len(points))]
        like = _of_method(ev, method, grids, values, points)
        if fill != Static(None):
            like = ev.call(Static(_filled), [Tup(tuple(grids)), like, Tup(tuple(points)), fill])
        if shape is not None:
            like = ev.call(Static(np.reshape), [like, Tup(tuple(Static(d.value) for d in shape))])
    return standing_for(ev, ev.emit(solver, *operands, *own, *more, text=text, type=ev.operand(like).type), like)


def _points(ev: Evaluator, xi: Abstract, n: int, of_numbers: tuple[Dim, ...], first: int
            ) -> tuple[list[Abstract], str, list[Operand], tuple[Dim, ...] | None]:
    """The coordinates of the points, the text of these in the call and its operands; the shape of the result, if it is
    not that of the coordinates."""
    if isinstance(xi, Tup) and xi.cls is tuple and len(xi.items) == n > 1:
        points: list[Abstract] = [_array(ev, "a coordinate", v, (0, 1, 2)) for v in xi.items]
        own = [ev.operand(v) for v in xi.items]
        numbers = all(ev.operand(v).type.rank == 0 for v in points)  # type: ignore[union-attr]
        return points, f"({', '.join(f'_{first + k}' for k in range(n))})", own, of_numbers if numbers else None
    whole = _array(ev, "what a table is read at", xi, (1, 2, 3))
    t = ev.type_of(whole)
    assert isinstance(t, Tensor)
    if t.rank == 1 and n == 1:
        return [whole], f"_{first}", [ev.operand(whole)], None
    if not ev.same(t.shape[-1], Dim(n)):
        ev.refuse("SCT402", f"a table over {n} axes is read at {in_words(t)}", hint="pass a tuple of coordinates")
    points = [ev.call(Static(np.take), [whole, Static(k)], {"axis": Static(-1)}) for k in range(n)]
    return points, f"_{first}", [ev.operand(whole)], (Dim(1),) if t.rank == 1 else None


def _data(ev: Evaluator, name: str, arguments: Mapping[str, Abstract]) -> tuple[list[Abstract], Abstract]:
    """The grid, an array for each axis, and the values."""
    points = arguments["points"]
    if not isinstance(points, (Tup, ListRef)) or isinstance(points, ListRef) and is_dynamic(ev, points):
        ev.refuse("SCT402", f"the grid of `{name}` is no tuple of arrays", hint="pass `(xs, ys)`")
    items = points.items if isinstance(points, Tup) else ev.slots(points).items
    grids: list[Abstract] = [_array(ev, f"a grid of `{name}`", v, (1,)) for v in items]
    what, own = f"what `{name}` has at each point of its grid", arguments["values"]
    if isinstance(own, Ref) and isinstance(t := ev.type_of(own), Tensor) and t.dtype in NARROW:
        ev.refuse("SCT402", f"{what} is an array of numbers of less than double precision",
                  why="SciPy computes with it in that precision", hint="convert with astype(float)")
    values = _array(ev, what, own, (len(grids),))
    return grids, values


def _options(ev: Evaluator, name: str, arguments: Mapping[str, Abstract], first: int, texts: list[str]
             ) -> list[Operand]:
    """The operands of options, whose texts are added to `texts`."""
    operands: list[Operand] = []
    for key, v in arguments.items():
        if key in ("points", "values", "xi"):
            continue
        before = [None] * first  # operands are numbered from here
        text = template_of(ev, v, before) if key in (*_OPTIONS, "method") else None  # type: ignore[arg-type]
        if text is None:
            ev.refuse("SCT402", f"`{key}` of `{name}` is not supported", hint=f"leave `{key}` out")
        texts.append(f", {key}={text}")
        more = before[first:]
        operands += more  # type: ignore[arg-type]
        first += len(more)
    return operands


def _bound(ev: Evaluator, name: str, args: Args, kwargs: Kwargs) -> dict[str, Abstract]:
    return named_arguments(ev, getattr(sys.modules["scipy.interpolate"], name), args, kwargs)


def _array(ev: Evaluator, what: str, v: Abstract, ranks: Sequence[int]) -> Ref:
    return as_floats(ev, what, v, ranks, "reshape it: `x.reshape(-1, 2)`")


# -- splines over rectangles -------------------------------------------------------------------------------------------


class RectangularSpline:
    """A `RectBivariateSpline`, where the function is evaluated; its methods have handlers."""

    def __call__(self, x: Any, y: Any, dx: Any = 0, dy: Any = 0, grid: Any = True) -> Any: ...

    def ev(self, xi: Any, yi: Any, dx: Any = 0, dy: Any = 0) -> Any: ...

    def other(self, value: Any = None) -> Any:
        """Stands for what SciPy's objects have besides."""


@functools.cache
def _class_of_splines() -> Any:
    """Their class, for which `isinstance` holds that holds for SciPy's."""
    cls = sys.modules["scipy.interpolate"].RectBivariateSpline
    return stand_in_class(RectangularSpline, cls, RectangularSpline.other)


@of_scipy("scipy.interpolate.RectBivariateSpline")
def _rectangular(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The spline that passes through the values over a grid."""
    name = "RectBivariateSpline"
    arguments = named_arguments(ev, sys.modules["scipy.interpolate"].RectBivariateSpline, args, kwargs)
    leave_to_python(ev, name, arguments.values())
    options = {key: ev.ask(v, f"`{key}` of `{name}`") for key, v in arguments.items() if key not in ("x", "y", "z")}
    if options.get("s", 0) != 0 or not options.keys() <= {"kx", "ky", "s"}:
        ev.refuse("SCT402", f"`{name}` is differentiated where it passes through the values of the whole grid",
                  why="the knots of a smoothing spline depend on the values", hint="leave out `s`, `bbox` and `maxit`")
    parts = [_array(ev, f"`{key}` of `{name}`", arguments[key], (2,) if key == "z" else (1,)) for key in "xyz"]
    text = ", ".join(["_0, _1, _2", *(f"{key}={value!r}" for key, value in options.items())])
    native = ev.emit(interpolant, *map(ev.operand, parts), text=f"scipy.interpolate.{name}({text})")
    degrees = options.get("kx", 3), options.get("ky", 3)
    return ev.new_object(_class_of_splines(), {
        "_native": native, "_data": Tup(tuple(parts)), "_degrees": Static(degrees)})


def _within(x: Any, grid: Any) -> Any:
    """Beyond the grid, the values are those at its ends."""
    return np.clip(np.asarray(x, dtype=float), grid[0], grid[-1])


def _on_grid(weights: Any, values: Any, xs: Any) -> Any:
    """The values at each pair of coordinates."""
    return weights[0] @ values @ weights[1].T


def _of_rectangle(ev: Evaluator, arguments: Mapping[str, Abstract], names: Sequence[str], is_grid: bool, text: str
                  ) -> Abstract:
    slots = dict(zip(ev.slots(arguments["self"]).keys, ev.slots(arguments["self"]).items))  # type: ignore[arg-type]
    data, degrees = slots["_data"], slots["_degrees"]
    if not isinstance(slots["_native"], Value) or not isinstance(data, Tup) or not isinstance(degrees, Static):
        ev.refuse("SCT502", "which spline this is depends on the path", hint="read it in each of the branches")
    orders = [ev.ask(arguments.get(key, Static(0)), "the order of a derivative") for key in ("dx", "dy")]
    x, y, z = data.items
    own = [ev.operand(ev.array_of_list(arguments[key])) for key in names]
    with derivative_code(ev):
        points = [ev.call(Static(_within), [ev.array_of_list(arguments[key]), t]) for key, t in zip(names, (x, y))]
        if not is_grid:
            alike = ev.call(Static(np.broadcast_arrays), points)
            points = [ev.call(Static(operator.getitem), [alike, Static(k)]) for k in range(2)]
        weights = [ev.wrap(_weights_of_spline(ev, t, at, degree, nu)) for t, at, degree, nu in zip(
            (x, y), points, degrees.value, orders)]
        like = ev.call(Static(_on_grid if is_grid else _product), [Tup(tuple(weights)), z, Tup(tuple(points))])
    text = f"{text}(_1, _2{''.join(f', {key}={nu}' for key, nu in zip(('dx', 'dy'), orders) if nu)}"
    text += ", grid=False)" if not is_grid and "ev" not in text else ")"
    value = ev.emit(solver, slots["_native"], *own, text=text, type=ev.operand(like).type)
    return standing_for(ev, value, like)


@special(RectangularSpline.__call__)
def _at_pairs(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    arguments = named_arguments(ev, RectangularSpline.__call__, args, kwargs)
    is_grid = bool(ev.ask(arguments.get("grid", Static(True)), "`grid`"))
    return _of_rectangle(ev, arguments, ("x", "y"), is_grid, "_0")


@special(RectangularSpline.ev)
def _at_points(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return _of_rectangle(ev, named_arguments(ev, RectangularSpline.ev, args, kwargs), ("xi", "yi"), False, "_0.ev")


@special(RectangularSpline.other)
def _unread(ev: Evaluator, args: Args, kwargs: Kwargs) -> NoReturn:
    ev.refuse("SCT203", "this attribute of a `RectBivariateSpline` is not supported",
              why="sct reads its values and derivatives, as it is made of differentiated numbers",
              hint="call it, or `ev` of it")


# -- images, between their elements ------------------------------------------------------------------------------------

_FILTER = ("scipy.ndimage.spline_filter1d",)


def _folded(p: Any, n: Any, mode: Any, half: Any = 0) -> Any:
    """Positions that are beyond an axis of size `n` as positions in it; an element reaches as far as `half`."""
    if mode == "reflect":
        p = np.mod(p + half, 2 * n) - half
        return np.minimum(p, 2 * n - 1 - p)
    if mode == "mirror":
        p = np.mod(p, np.maximum(2 * n - 2, 1))
        return np.minimum(p, 2 * n - 2 - p)
    return np.minimum(np.maximum(p, 0), n - 1)


def _weights(t: Any, order: Any) -> Any:
    """The values of the splines around a point that is `t` behind one of the elements."""
    s = 1.0 - t
    if order == 1:
        return s, t
    if order == 2:
        return 0.5 * (0.5 - t) ** 2, 0.75 - t * t, 0.5 * (0.5 + t) ** 2
    return s**3 / 6.0, 2.0 / 3.0 - t * t * (1.0 - 0.5 * t), 2.0 / 3.0 - s * s * (1.0 - 0.5 * s), t**3 / 6.0


def sampled(x: Any, points: Any, order: Any, mode: Any, cval: Any, prefilter: Any, spline_filter1d: Any) -> Any:
    """The values of the image at points, given as an array for each coordinate."""
    rank = x.ndim
    inside = True
    for k in range(rank):
        inside = inside & (points[k] >= 0.0) & (points[k] <= x.shape[k] - 1)
    border = 12 if mode == "nearest" and order > 1 else 0
    if border > 0:
        x = np.pad(x, border, mode="edge")
    if prefilter and order > 1:
        for k in range(rank):
            x = spline_filter1d(x, order, axis=k)
    around = []
    weights = []
    for k in range(rank):
        p = _folded(points[k] + border, x.shape[k], mode, 0.5)
        first = np.floor(p + 0.5) if order == 2 else np.floor(p)
        others = tuple([axis for axis in range(rank) if axis != k])
        steps = np.arange(-(order // 2), order + 1 - order // 2).reshape((-1,) + (1,) * p.ndim)
        near = _folded(first.astype(int) + steps, x.shape[k], "mirror" if order > 1 else mode)
        around.append(np.expand_dims(near, others))
        weights.append(np.expand_dims(np.stack(_weights(p - first, order)), others))
    y = x[tuple(around)]
    for w in weights:
        y = y * w
    y = np.sum(y, axis=tuple(range(rank)))
    return np.where(inside, y, cval) if mode == "constant" else y


def _coefficients(x: Any, order: Any, spline_filter1d: Any) -> Any:
    for k in range(x.ndim):
        x = spline_filter1d(x, order, axis=k)
    return x


register("scipy.ndimage", {"spline_filter": Program(_coefficients, ("input",), ("order",), needs=_FILTER, takes={
    "order": lambda k: k > 1})})
_SPLINES = Program(sampled, ("input", "coordinates"), ("order", "mode", "cval", "prefilter"), ranks=(1, 2, 3, 4),
                   needs=_FILTER, takes={
                       "order": lambda k: k in (1, 2, 3), "mode": lambda m: m in ("constant", "nearest", "mirror")})
_FOLDED = replace(_SPLINES, takes={"mode": lambda m: m in ("mirror", "reflect")})


@of_scipy("scipy.ndimage.map_coordinates")
def _map_coordinates(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """Images are read by an op where they are read by lines; splines, and borders that are folded, by a program."""
    f = sys.modules["scipy.ndimage"].map_coordinates
    arguments = named_arguments(ev, f, args, kwargs)
    leave_to_python(ev, "map_coordinates", arguments.values())
    order, mode = (ev.ask(arguments.get(key, Static(default)), f"`{key}` of `map_coordinates`")
                   for key, default in (("order", 3), ("mode", "constant")))
    if order not in (0, 1) or mode not in ("constant", "nearest"):
        program = _FOLDED if order == 1 else _SPLINES
        return handler("scipy.ndimage.map_coordinates", program)(ev, args, kwargs)
    if arguments.get("output", Static(None)) != Static(None):
        ev.refuse("SCT402", "`output` of `map_coordinates` is not supported")
    x, at = (ev.operand(ev.call(Static(np.asarray), [arguments[key]])) for key in ("input", "coordinates"))
    cval = ev.ask(arguments.get("cval", Static(0.0)), "`cval` of `map_coordinates`")
    return ev.wrap(ev.emit(map_coordinates, x, at, order=order, mode=mode, cval=cval))
