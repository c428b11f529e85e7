"""Fits: `curve_fit`, least squares with bounds, isotonic regression, and linear programs.

    popt, pcov = curve_fit(f, x, y)   ->   fit = solver(f, x, y);  popt = solution(part(fit), <the gradient is zero>)
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sct.frontend.autodiff.differentiated_region import parameter_names
from sct.frontend.autodiff.implicit_functions import as_solution, derivative_code, standing_for
from sct.frontend.autodiff.nested_derivatives import derivative
from sct.frontend.autodiff.solvers import defined, ends_of_bounds, function_of_unknown
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, library_object, of_scipy
from sct.frontend.heap.dynamic_lists import is_dynamic
from sct.frontend.heap.inactive import leave_to_python, template_of
from sct.frontend.scipy_library.by_program import array_of_floats, as_floats
from sct.frontend.values.abstract_values import Abstract, DerivedCallable, ListRef, Ref, Static, Tup
from sct.ir import Operand, Value
from sct.ir.dims import Dim, sym
from sct.ir.types import BOOL, FLOAT, INT, Tensor
from sct.ops.program.effects import OBJECT, part
from sct.ops.program.solutions import solver

__all__: list[str] = []

_NONE = Static(None)
_OPTIONS = ("absolute_sigma", "maxfev", "ftol", "xtol", "gtol", "method")


@of_scipy("scipy.optimize.curve_fit")
def _curve_fit(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The result of `curve_fit`: the parameters, and their covariance."""
    arguments: dict[str, Any] = named_arguments(ev, sys.modules["scipy.optimize"].curve_fit, args, kwargs)
    arguments |= arguments.pop("kwargs", {})
    for key, v in arguments.items():
        if key not in ("f", "xdata", "ydata", "p0", "sigma", *_OPTIONS) and v not in (_NONE, Static(False)):
            ev.refuse("SCT402", f"`curve_fit` is not differentiated with this `{key}`",
                      why="the result need not be where the sum of squares is least, or is more than that",
                      hint=f"leave `{key}` out")
    x, y, *sigma = (_array(ev, key, arguments[key], ranks) for key, ranks in (
        ("xdata", (1, 2)), ("ydata", (1,)), ("sigma", (1,))) if arguments.get(key, _NONE) != _NONE)
    n = _count(ev, arguments)
    f, vector = arguments["f"], Tensor("array", "f64", (Dim(n),))
    x_type = ev.type_of(x)
    region = function_of_unknown(ev, f, (), (x_type, *[Tensor("np", "f64")] * n), "curve_fit")

    def residuals(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        p = [ev.call(Static(operator.getitem), [args[0], Static(k)]) for k in range(n)]
        return ev.call(Static(_residuals), [ev.call(f, [x, *p]), y, *sigma])

    r = DerivedCallable(residuals)
    least = derivative(ev, "grad", DerivedCallable(lambda ev, args, kwargs: ev.call(
        Static(_half_sum_of_squares), [ev.call(r, args)])), {})
    zero = function_of_unknown(ev, least, (), vector, "curve_fit")
    operands: list[Operand] = [defined(ev, region, f, "model"), *map(ev.operand, (x, y))]
    options = {"p0": arguments.get("p0"), "sigma": sigma[0] if sigma else None,
               **{k: arguments.get(k) for k in _OPTIONS}}
    texts = [_text(ev, key, v, operands) for key, v in options.items()]
    text = f"scipy.optimize.curve_fit(_0, _1, _2{''.join(texts)})"
    solver_result = ev.emit(solver, *operands, text=text, type=OBJECT)
    solver_result.hint = "fit"
    p = ev.wrap(as_solution(ev, ev.emit(part, solver_result, text="_0[0]", type=vector),
                            zero.fn.replace(results=(zero.outs[0],))))
    absolute = ev.ask(arguments.get("absolute_sigma", Static(False)), "`absolute_sigma` of `curve_fit`")
    with derivative_code(ev):
        jac = ev.call(derivative(ev, "jacobian", r, {}), [p])
        like = ev.call(Static(_covariance), [jac, ev.call(r, [p]), Static(bool(absolute))])
    return Tup((p, standing_for(ev, solver_result, like, "_0[1]")))


def _residuals(y_fit: Any, y: Any, sigma: Any = None) -> Any:
    return y_fit - y if sigma is None else (y_fit - y) / sigma


def _half_sum_of_squares(r: Any) -> Any:
    return 0.5 * np.dot(r, r)


def _covariance(jac: Any, r: Any, absolute: Any) -> Any:
    """Of the parameters of a fit with the residuals `r`."""
    cov = np.linalg.inv(jac.T @ jac)
    return cov if absolute else cov * (np.dot(r, r) / (len(r) - jac.shape[1]))


def _text(ev: Evaluator, key: str, v: Abstract | None, operands: list[Operand]) -> str:
    if v is None:
        return ""
    text = template_of(ev, v, operands)
    if text is None:
        ev.refuse("SCT402", f"`{key}` of `curve_fit` is not a number, a text or a list of these",
                  hint="pass what SciPy needs as a float, an array or a list")
    return f", {key}={text}"


def _count(ev: Evaluator, arguments: Mapping[str, Abstract]) -> int:
    """How many parameters are fitted."""
    p0 = arguments.get("p0", _NONE)
    if isinstance(p0, Tup) or isinstance(p0, ListRef) and not is_dynamic(ev, p0):
        return len(p0.items if isinstance(p0, Tup) else ev.slots(p0).items)
    names = parameter_names(ev, arguments["f"])
    if p0 == _NONE and names:
        return len(names) - 1
    size = ev.call(Static(len), [p0]) if isinstance(p0, Ref) else _NONE
    n = ev.ask(size, "how many parameters are fitted")
    if type(n) is not int:
        ev.refuse("SCT402", "how many parameters `curve_fit` fits is not known", hint="pass `p0` as a list of numbers")
    return n


def _array(ev: Evaluator, key: str, v: Abstract, ranks: tuple[int, ...]) -> Ref:
    return as_floats(ev, f"`{key}` of `curve_fit`", v, ranks, "pass vectors: `x.ravel()`")


# -- least squares and linear programs with bounds ---------------------------------------------------------------------


def _free_least_squares(A: Any, b: Any, free: Any, fixed: Any) -> Any:
    """The least squares solution of the free unknowns, where the others are fixed."""
    columns = A[:, free]
    x = np.where(free, 0.0, fixed)
    x[free] = np.linalg.solve(columns.T @ columns, columns.T @ (b - A @ x))
    return x


def _is_determined(A: Any, free: Any) -> Any:
    """Are the columns of the free unknowns linearly independent?"""
    columns = A[:, free]
    scales = np.linalg.svd(columns, compute_uv=False)
    return (columns.shape[0] >= columns.shape[1]) & np.all(scales > 1e-10 * np.sqrt(np.sum(columns**2)))


def _nonnegative(A: Any, b: Any, x: Any) -> Any:
    like = _free_least_squares(A, b, x > 0.0, 0.0)
    return like, float(np.sqrt(np.sum((A @ like - b) ** 2)))


def _no_tie(A: Any, b: Any, x: Any) -> Any:
    """Does the sum of squares grow with each of the unknowns that are 0, and are the others certainly larger?"""
    slopes = A.T @ (A @ x - b)
    return np.all((x > 1e-9 * np.max(x)) | (x == 0.0) & (slopes > 1e-9 * np.max(np.abs(A.T @ b))))


_TIE = "the solution is at a tie, where it has no derivative"
_UNDETERMINED = "the columns of the free unknowns are linearly dependent: the solution is one of many"


@of_scipy("scipy.optimize.nnls")
def _nnls(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The solution, and the norm of the residual."""
    arguments = named_arguments(ev, sys.modules["scipy.optimize"].nnls, args, kwargs)
    leave_to_python(ev, "nnls", arguments.values())
    A, b = array_of_floats(ev, "nnls", arguments["A"], (2,)), array_of_floats(ev, "nnls", arguments["b"], (1,))
    operands: list[Operand] = [ev.operand(A), ev.operand(b)]
    more = "".join(_text(ev, key, v, operands) for key, v in arguments.items() if key not in ("A", "b"))
    solver_result = ev.emit(solver, *operands, text=f"scipy.optimize.nnls(_0, _1{more})", type=OBJECT)
    n = ev.type_of(A).shape[1]  # type: ignore[union-attr]
    with derivative_code(ev):
        x = ev.wrap(ev.emit(part, solver_result, text="_0[0]", type=Tensor("array", "f64", (n,))))
        like = ev.call(Static(_nonnegative), [A, b, x])
        regular = ev.operand(ev.call(Static(bool), [ev.call(Static(_no_tie), [A, b, x])]))
    assert isinstance(like, Tup) and isinstance(regular, Value)
    return Tup(tuple(standing_for(ev, solver_result, y, f"_0[{k}]", regular, _TIE) for k, y in enumerate(like.items)))


def _between_bounds(A: Any, b: Any, active: Any, lower: Any, upper: Any) -> Any:
    return _free_least_squares(A, b, active == 0, np.where(active < 0, lower, upper))


@of_scipy("scipy.optimize.lsq_linear")
def _lsq_linear(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The result of SciPy, with the solution in it."""
    arguments = named_arguments(ev, sys.modules["scipy.optimize"].lsq_linear, args, kwargs)
    leave_to_python(ev, "lsq_linear", arguments.values())
    A, b = (array_of_floats(ev, "lsq_linear", arguments[key], (rank,)) for key, rank in (("A", 2), ("b", 1)))
    bounds = arguments.pop("bounds", Tup((Static(-np.inf), Static(np.inf))))
    ends = _pair(ev, bounds)
    operands: list[Operand] = [ev.operand(v) for v in (A, b, *ends)]
    more = "".join(_text(ev, key, v, operands) for key, v in arguments.items() if key not in ("A", "b"))
    text = f"scipy.optimize.lsq_linear(_0, _1, bounds=(_2, _3){more})"
    solver_result = ev.emit(solver, *operands, text=text, type=OBJECT)
    n = ev.type_of(A).shape[1]  # type: ignore[union-attr]
    with derivative_code(ev):
        active = ev.wrap(ev.emit(part, solver_result, text="_0.active_mask", type=Tensor("array", "i64", (n,))))
        like = ev.call(Static(_between_bounds), [A, b, active, *ends])
        free = ev.call(Static(operator.eq), [active, Static(0)])
        regular = ev.operand(ev.call(Static(bool), [ev.call(Static(_is_determined), [A, free])]))
    assert isinstance(regular, Value)
    x = standing_for(ev, solver_result, like, "_0.x", regular, _UNDETERMINED)
    return _with_others(ev, "lsq_linear", solver_result, {"x": x}, (
        "fun", "cost", "optimality", "active_mask", "unbounded_sol"))


def _pair(ev: Evaluator, bounds: Abstract) -> list[Abstract]:
    """The lower and the upper bounds: numbers, or arrays."""
    items = bounds.items if isinstance(bounds, Tup) else ev.slots(bounds).items if isinstance(bounds, ListRef) and \
        not is_dynamic(ev, bounds) else ()
    if len(items) != 2:
        ev.refuse("SCT402", "these bounds are not supported", hint="pass two numbers, or two arrays: the lower and "
                  "the upper bounds")
    return [v if isinstance(v, Static) and type(v.value) in (int, float) else array_of_floats(
        ev, "bounds", v, (1,)) for v in items]


def _with_others(ev: Evaluator, name: str, solver_result: Value, read: dict[str, Abstract], unread: Sequence[str]
                 ) -> Abstract:
    """The result as an object with some further attributes."""
    others = {key: ev.emit(part, solver_result, text=f"_0.{key}", type=t) for key, t in (
        ("success", BOOL), ("status", INT), ("nit", INT), ("message", OBJECT))}
    return library_object(ev, f"what `{name}` returns", {**read, **others}, unread)


def _vertex(x: Any, A_ub: Any, b_ub: Any, A_eq: Any, b_eq: Any, lower: Any, upper: Any) -> Any:
    """The point at which those of the constraints hold that hold with equality at `x`, and whether these are as many
    as it has numbers."""
    eye = np.eye(len(x))
    blocks = [(eye, np.where(np.isfinite(lower), lower, 0.0), x == lower),
              (eye, np.where(np.isfinite(upper), upper, 0.0), (x == upper) & (x != lower))]
    if A_ub is not None:
        blocks.append((A_ub, b_ub, np.abs(A_ub @ x - b_ub) <= 1e-9 * (1.0 + np.abs(b_ub))))
    if A_eq is not None:
        blocks.append((A_eq, b_eq, np.ones(len(b_eq)) > 0.0))
    matrix = np.concatenate([np.where(active[:, None], rows, 0.0) for rows, _, active in blocks])
    right = np.concatenate([np.where(active, values, 0.0) for _, values, active in blocks])
    count = sum([np.sum(active) for _, _, active in blocks])
    return np.linalg.solve(matrix.T @ matrix, matrix.T @ right), count == len(x)


@of_scipy("scipy.optimize.linprog")
def _linprog(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The result of SciPy, with the solution and the least value in it."""
    arguments = named_arguments(ev, sys.modules["scipy.optimize"].linprog, args, kwargs)
    leave_to_python(ev, "linprog", arguments.values())
    for key, v in arguments.items():
        if key in ("callback", "x0", "integrality") and v != _NONE:
            ev.refuse("SCT402", f"`linprog` is not differentiated with this `{key}`", hint=f"leave `{key}` out")
    data = {key: array_of_floats(ev, "linprog", arguments[key], (rank,)) for key, rank in (
        ("c", 1), ("A_ub", 2), ("b_ub", 1), ("A_eq", 2), ("b_eq", 1)) if arguments.get(key, _NONE) != _NONE}
    operands: list[Operand] = [ev.operand(v) for v in data.values()]
    texts = [f"_{k}" if key == "c" else f"{key}=_{k}" for k, key in enumerate(data)]
    more = "".join(_text(ev, key, v, operands) for key, v in arguments.items()
                   if key in ("bounds", "method", "options"))
    solver_result = ev.emit(solver, *operands, text=f"scipy.optimize.linprog({', '.join(texts)}{more})", type=OBJECT)
    n = ev.type_of(data["c"]).shape[0]  # type: ignore[union-attr]
    with derivative_code(ev):
        x = ev.wrap(ev.emit(part, solver_result, text="_0.x", type=Tensor("array", "f64", (n,))))
        lower, upper = ends_of_bounds(ev, arguments.get("bounds", Tup((Static(0), _NONE))))
        result = ev.call(Static(_vertex), [
            x, *(data.get(key, _NONE) for key in ("A_ub", "b_ub", "A_eq", "b_eq")), lower, upper])
        assert isinstance(result, Tup)
        like, square = result.items
        least = ev.call(Static(np.dot), [data["c"], like])
        regular = ev.operand(ev.call(Static(bool), [square]))
    assert isinstance(regular, Value)
    read = {"x": standing_for(ev, solver_result, like, "_0.x", regular, _TIE)}
    value = ev.emit(part, solver_result, text="_0.fun", type=FLOAT)
    with derivative_code(ev):
        least = ev.call(Static(float), [least])
    read["fun"] = standing_for(ev, value, least, converged=regular, error=_TIE)
    return _with_others(ev, "linprog", solver_result, read, (
        "slack", "con", "ineqlin", "eqlin", "lower", "upper", "crossover_nit", "mip_node_count", "mip_dual_bound",
        "mip_gap"))


# -- isotonic regression -----------------------------------------------------------------------------------------------


def _means_of_blocks(y: Any, weights: Any, blocks: Any) -> Any:
    """For each element the mean of its block, and the weights of the blocks."""
    weights = np.ones(len(y)) if weights is None else weights
    k = np.repeat(np.arange(len(blocks) - 1), np.diff(blocks))
    total, sums = np.zeros(len(blocks) - 1), np.zeros(len(blocks) - 1)
    np.add.at(total, k, weights)
    np.add.at(sums, k, weights * y)
    return (sums / total)[k], total


@of_scipy("scipy.optimize.isotonic_regression")
def _isotonic(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The blocks, in which the result is constant, do not change where it is differentiated."""
    name = "isotonic_regression"
    arguments = named_arguments(ev, sys.modules["scipy.optimize"].isotonic_regression, args, kwargs)
    leave_to_python(ev, name, arguments.values())
    y = array_of_floats(ev, name, arguments["y"], (1,))
    weights = arguments.get("weights", _NONE)
    weights = _NONE if weights == _NONE else array_of_floats(ev, name, weights, (1,))
    rises = bool(ev.ask(arguments.get("increasing", Static(True)), f"`increasing` of `{name}`"))
    operands, text = [ev.operand(y)], "_0" + ", increasing=False" * (not rises)
    if weights != _NONE:
        operands, text = [*operands, ev.operand(weights)], f"{text}, weights=_1"
    result = ev.emit(solver, *operands, text=f"scipy.optimize.{name}({text})", type=OBJECT)
    result.hint = "fit"
    t = Tensor("array", "i64", (sym(f"_blocks{result.id}"),))
    blocks = ev.wrap(ev.emit(part, result, text="_0.blocks", type=t))
    with derivative_code(ev):
        like = ev.call(Static(_means_of_blocks), [y, weights, blocks])
    assert isinstance(like, Tup)
    parts = {key: standing_for(ev, result, x, f"_0.{key}") for key, x in zip(("x", "weights"), like.items)}
    return library_object(ev, f"what `{name}` returns", {**parts, "blocks": blocks}, ())
