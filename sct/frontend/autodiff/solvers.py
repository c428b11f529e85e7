"""Solvers of SciPy: each runs as it is, and its result is differentiated as a solution.

    V = brentq(f, a, b)   ->   f = closure(body=...); V0 = solver(f, a, b); V = solution(V0, p, body=<f of V and p>)

The function of the equation is evaluated once, as a region: the solver calls one copy of it, and another is the
residual. The residual of a minimum is the gradient.
"""

from __future__ import annotations

import inspect
import operator
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sct.frontend.autodiff.differentiated_region import Region, parameter_names
from sct.frontend.autodiff.implicit_functions import as_solution, derivative_code, function_of
from sct.frontend.autodiff.nested_derivatives import derivative
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, library_object, of_scipy
from sct.frontend.heap.inactive import is_varied, template_of
from sct.frontend.source.private_names import name_of
from sct.frontend.values.abstract_values import (
    Abstract,
    Closure,
    DerivedCallable,
    Frozen,
    ListRef,
    ObjRef,
    Poison,
    Ref,
    Static,
    Tup,
)
from sct.ir import Builder, Eqn, Fn, Operand, Value, rebuild, walk
from sct.ir.dims import Dim
from sct.ir.pytrees.pytree import Leaf, Node
from sct.ir.types import BOOL, FLOAT, INT, LONG, Function, Tensor, Type, in_words
from sct.ops import array, sub
from sct.ops.program.control import closure
from sct.ops.program.effects import OBJECT, part
from sct.ops.program.solutions import solver

__all__ = ["at_solution", "call_solver", "defined", "ends_of_bounds", "function_of_unknown", "known_bounds",
           "text_of_bounds", "vector_like"]

NUMBER, VECTOR = Tensor("np", "f64"), Tensor("array", "f64", (Dim(2),))
"""The unknown of solvers that compute with numbers of NumPy; and a vector, as long as what the solver starts from."""

POINT = Tensor("array", "f64", ())
"""A number that SciPy computes with as an array without axes."""


@dataclass(frozen=True)
class _Solver:
    """How a function of `scipy.optimize` solves the equation of its first parameter.

    functions  the parameters that are functions of the unknown
    unknown    the type of the unknown and of the solution
    options    values of parameters for which this holds, as texts; others must be left out
    fields     the attributes of the result that are the solution, and whether it has converged; none if it is the
               solution itself
    others     its other attributes
    solves     what the solution is: a "zero" of the function, a "fixed point" of it, its "minimum", or the minimum of
               the sum of its "squares"
    near       how far from the solution the result may be, if nothing says whether the solver has converged
    """

    functions: Sequence[str]
    unknown: Type
    options: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    fields: Sequence[str] = ()
    others: Sequence[str] = ()
    solves: str = "zero"
    near: float = 0.0


_ALWAYS = {"full_output": (False, 0), "disp": (True,)}
_BRACKETING = _Solver(("f",), FLOAT, _ALWAYS)
_TEXTS = ("message", "flag")
_OTHERS = ("fun", "njev", "jac", "cost", "grad", "optimality", "active_mask", "method", "fjac", "r", "qtf", "hess_inv",
           "hess", "nhev")
"""Attributes of the results of SciPy that are texts, and those that sct does not read."""

_METHODS = ("Nelder-Mead", "Powell", "CG", "BFGS", "Newton-CG", "L-BFGS-B", "TNC", "SLSQP", "COBYLA", "COBYQA",
            "trust-constr", "dogleg", "trust-ncg", "trust-krylov", "trust-exact")
_UNCONSTRAINED = (None, *_METHODS, *map(str.lower, _METHODS))
_PLAIN = {"full_output": (False, 0), "retall": (False, 0), "callback": (None,)}
_NEAR_ZERO, _NEAR_MINIMUM = 1e-8, 1e-3
"""What solvers of SciPy are content with by default, or a little more: a zero and a minimum to so many digits."""

_ROOTS = ("hybr", "lm", "broyden1", "broyden2", "anderson", "krylov", "df-sane")
_SOLVERS = dict.fromkeys(("brentq", "brenth", "bisect", "ridder", "toms748"), _BRACKETING) | {
    "newton": _Solver(("func", "fprime", "fprime2"), NUMBER, _ALWAYS, near=_NEAR_ZERO),
    "fsolve": _Solver(("func", "fprime"), VECTOR, {"full_output": (False, 0), "col_deriv": (False, 0)},
                      near=_NEAR_ZERO),
    "root": _Solver(("fun", "jac"), VECTOR, {"method": _ROOTS, "callback": (None,), "options": (None,)},
                    ("x", "success"), ("message", "nfev", "status")),
    "root_scalar": _Solver(("f", "fprime", "fprime2"), NUMBER, {"options": (None,), "method": (
        None, "brentq", "brenth", "bisect", "ridder", "toms748", "newton", "secant", "halley")}, ("root", "converged"),
        ("iterations", "function_calls", "flag")),
    "minimize": _Solver(("fun", "jac", "hess"), VECTOR, {
        "method": _UNCONSTRAINED, "constraints": (), "callback": (None,), "hessp": (None,)},
        ("x", "success"), ("message", "nfev", "nit", "status"), "minimum"),
    "minimize_scalar": _Solver(("fun",), NUMBER, {
        "method": (None, "brent", "Brent", "golden", "Golden"), "bounds": (None,)},
        ("x", "success"), ("message", "nfev", "nit"), "minimum"),
    "least_squares": _Solver(("fun", "jac"), VECTOR, {
        "bounds": (), "callback": (None,), "kwargs": (None,),
        "loss": ("linear", "soft_l1", "huber", "cauchy", "arctan")},
        ("x", "success"), ("message", "nfev", "status"), "squares"),
    "leastsq": _Solver(("func", "Dfun"), VECTOR, {"full_output": (False, 0), "col_deriv": (False, 0)},
                       ("[0]", "[1] in (1, 2, 3, 4)"), solves="squares"),
    "fixed_point": _Solver(("func",), VECTOR, {}, solves="fixed point")} | {
    name: _Solver(functions, VECTOR, _PLAIN, solves="minimum", near=_NEAR_MINIMUM) for name, functions in {
        "fmin": ("func",), "fmin_powell": ("func",), "fmin_cg": ("f", "fprime"), "fmin_bfgs": ("f", "fprime")}.items()
} | dict.fromkeys(("broyden1", "broyden2", "anderson", "newton_krylov"), _Solver(("F",), VECTOR, {"callback": (None,)}))


def _handler(name: str) -> Any:
    return lambda ev, args, kwargs: call_solver(ev, name, args, kwargs)


for _name in _SOLVERS:  # `minimize` may have constraints, too
    of_scipy(f"scipy.optimize.{_name}")(_handler(_name))


def call_solver(ev: Evaluator, name: str, args: Args, kwargs: Kwargs) -> Abstract:
    """The result of the solver `name`, with the solution in it."""
    entry = _SOLVERS[name]
    function = getattr(sys.modules["scipy.optimize"], name)
    signature, arguments = inspect.signature(function), named_arguments(ev, function, args, kwargs)
    _check_options(ev, name, entry, arguments)
    extra = arguments.pop("args", Tup(()))
    extra = extra.items if isinstance(extra, Tup) and extra.cls is tuple else (extra,)
    unknown = _unknown(ev, name, entry, arguments)
    regions = {key: function_of_unknown(ev, arguments[key], extra, unknown, name) for key in entry.functions
               if key in arguments and _is_function(ev, name, key, arguments[key])}
    if any(isinstance(y.type, Tensor) and y.type.dtype in LONG for region in regions.values() for y in region.outs):
        ev.refuse("SCT402", f"`{name}` is not differentiated for a function of more than double precision",
                  hint="convert with astype(float)")
    operands: list[Operand] = []
    texts: list[str] = []
    if name == "minimize" and "bounds" in arguments:
        arguments["bounds"] = known_bounds(ev, arguments["bounds"])
    for key, v in arguments.items():
        text = f"_{len(operands)}" if key in regions else text_of_bounds(ev, v, operands) if key == "bounds" else \
            template_of(ev, v, operands)
        if key in regions:
            operands.append(defined(ev, regions[key], v, key))
        if text is None:
            ev.refuse("SCT402", f"`{key}` of `{name}` is not a number, a text or a list of these",
                      hint="pass what SciPy needs as a float, an array or a list")
        in_place = key not in kwargs and list(signature.parameters).index(key) == len(texts)
        texts.append(str(text) if in_place else f"{key}={text}")
    text = f"scipy.optimize.{name}({', '.join(texts)})"
    first = entry.functions[0]
    if name == "minimize" and arguments.get("bounds", Static(None)) != Static(None):
        optimum = ev.emit(solver, *operands, text=text, type=OBJECT)
        return _bounded(ev, arguments, extra, unknown, optimum)
    residual = _residual(ev, arguments, first, extra, regions[first], unknown, name)
    if not entry.fields:
        near = 0.0 if unknown is NUMBER else entry.near  # a solver for one number raises
        return _written_by_no_one(ev, as_solution(
            ev, ev.emit(solver, *operands, text=text, type=unknown), residual, near=near))
    solver_result = ev.emit(solver, *operands, text=text, type=OBJECT)
    place, flag = entry.fields
    of_tuple = place == "[0]"
    x, converged = (ev.emit(part, solver_result, text=f"_0{'' if of_tuple else '.'}{key}", type=t)
                    for key, t in ((place, unknown), (flag, BOOL)))
    least_squares = name == "root" and arguments.get("method") == Static("lm")  # succeeds where there is no zero
    has_derivative = _has_derivative(ev, solver_result, name, arguments, converged)
    x = _written_by_no_one(ev, as_solution(
        ev, x, residual, has_derivative, near=_NEAR_ZERO if least_squares else 0.0))
    if of_tuple:
        return Tup((x, ev.wrap(ev.emit(part, solver_result, text="_0[1]", type=INT))))
    others = {key: ev.emit(part, solver_result, text=f"_0.{key}", type=OBJECT if key in _TEXTS else INT)
              for key in entry.others}
    if entry.solves == "minimum":
        others["fun"] = _least(ev, solver_result, x, regions[first], arguments)
    if entry.solves == "squares":
        others["cost"] = at_solution(ev, solver_result, "cost", x, function_of_unknown(
            ev, _half_sum_of_squares(arguments[first], arguments), extra, unknown, name))
    return library_object(ev, f"what `{name}` returns", {place: x, flag: converged, **others}, _OTHERS)


_GRADIENT_OF = {"trust-constr": "grad"} | dict.fromkeys((
    None, "cg", "bfgs", "newton-cg", "l-bfgs-b", "tnc", "slsqp", "dogleg", "trust-ncg", "trust-krylov", "trust-exact"),
    "jac")
"""For each method of `minimize` whose result has the gradient: the attribute which that is."""


def _has_derivative(ev: Evaluator, solver_result: Value, name: str, arguments: Mapping[str, Abstract], converged: Value
                    ) -> Value:
    """Has the solver converged, if not to its tolerance then to the default one of the method BFGS?"""
    method = arguments.get("method", Static(None))
    constant = method.value if isinstance(method, Static) else ""
    gradient = _GRADIENT_OF.get(constant.lower() if isinstance(constant, str) else constant)
    if name != "minimize" or gradient is None:
        return converged
    with derivative_code(ev):
        result: Value = ev.emit(part, solver_result, text=f"(_0.success or abs(_0.{gradient}).max() <= 1e-05)",
                                type=BOOL)
    return result


# -- minima between bounds ---------------------------------------------------------------------------------------------


def _projected(x: Any, slope: Any, lower: Any, upper: Any) -> Any:
    """Zero at a minimum between bounds: the slope where no bound is active, and else the distance to the bound."""
    at_bound = (x <= lower) | (x >= upper)
    return np.where(at_bound, x - np.where(x <= lower, lower, upper), slope)


def _is_regular(x: Any, slope: Any, lower: Any, upper: Any, success: Any) -> Any:
    """Is each of the numbers either certainly at a bound, with a slope, or a minimum between them?"""
    at_bound = (x <= lower) | (x >= upper)
    size = np.abs(slope)
    return success and np.all(np.where(at_bound, size > 1e-7, size <= 1e-3 * (1.0 + np.max(size))))


def _bounded(ev: Evaluator, arguments: Mapping[str, Abstract], extra: Sequence[Abstract], unknown: Type,
             solver_result: Value) -> Abstract:
    """The result of `minimize` with bounds: a number at its bound stays there."""
    methods = [Static(m) for m in (None, "L-BFGS-B", "l-bfgs-b", "SLSQP", "slsqp")]
    if arguments.get("method", Static(None)) not in methods:
        ev.refuse("SCT402", "`minimize` with bounds is not differentiated with this `method`",
                  why="the result need not be exactly at its bounds", hint="use the method L-BFGS-B")
    lower, upper = ends_of_bounds(ev, arguments["bounds"])
    gradient = derivative(ev, "grad", arguments["fun"], {})

    def equations(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        return ev.call(Static(_projected), [args[0], ev.call(gradient, args), lower, upper])

    zero = function_of_unknown(ev, DerivedCallable(equations), extra, unknown, "minimize")
    x0 = ev.emit(part, solver_result, text="_0.x", type=unknown)
    with derivative_code(ev):
        x = ev.wrap(x0)
        slope = ev.call(gradient, [x, *extra])
        regular = ev.operand(ev.call(Static(bool), [ev.call(Static(_is_regular), [
            x, slope, lower, upper, ev.wrap(ev.emit(part, solver_result, text="_0.success", type=BOOL))])]))
    assert isinstance(regular, Value)
    result = _written_by_no_one(ev, as_solution(
        ev, x0, zero.fn.replace(results=(zero.outs[0],)), regular, "the minimum is at a tie, or has not been reached"))
    others = {key: ev.emit(part, solver_result, text=f"_0.{key}", type=t) for key, t in (
        ("success", BOOL), ("nit", INT), ("nfev", INT), ("status", INT), ("message", OBJECT))}
    return library_object(ev, "what `minimize` with bounds returns", {"x": result, **others}, _OTHERS)


@of_scipy("scipy.optimize.Bounds")
def _bounds(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The ends, which solvers read."""
    arguments = named_arguments(ev, sys.modules["scipy.optimize"].Bounds, args, kwargs)
    if "keep_feasible" in arguments:
        ev.refuse("SCT402", "`keep_feasible` of `Bounds` is not supported", hint="leave it out")
    return library_object(ev, "an object of `Bounds`", {
        "_of": Static("Bounds"), "lb": arguments.get("lb", Static(-np.inf)),
        "ub": arguments.get("ub", Static(np.inf))}, ())


def _ends(ev: Evaluator, bounds: Abstract) -> list[Abstract]:
    """The lower and the upper ends of an object of `Bounds`, or nothing."""
    if isinstance(bounds, ObjRef) and "_of" in ev.slots(bounds).keys:
        return list(ev.slots(bounds).items[1:3])
    if isinstance(bounds, Static) and type(bounds.peek).__name__ == "Bounds" and bounds.path is not None:
        return [ev.call(Static(getattr), [bounds, Static(key)]) for key in ("lb", "ub")]
    return []


def known_bounds(ev: Evaluator, bounds: Abstract) -> Abstract:
    """The bounds; as an array, if they are a list whose length is known only at run time."""
    if is_varied(ev, bounds):
        ev.refuse("SCT402", "the bounds depend on what is differentiated by",
                  hint="pass sct.stop_gradient(...) of it, if no derivative is meant to pass")
    if isinstance(bounds, ListRef) and ev.slots(bounds).schema is not None:
        return ev.call(Static(np.array), [bounds], {"dtype": Static(float)})
    return bounds


def text_of_bounds(ev: Evaluator, bounds: Abstract, operands: list[Operand]) -> str | None:
    """How a solver gets them."""
    if isinstance(bounds, ObjRef) and (ends := _ends(ev, bounds)):
        texts = [template_of(ev, end, operands) for end in ends]
        return None if None in texts else f"scipy.optimize.Bounds({texts[0]}, {texts[1]})"
    return template_of(ev, bounds, operands)


def ends_of_bounds(ev: Evaluator, bounds: Abstract) -> tuple[Abstract, Abstract]:
    """The lower and the upper bounds: of each unknown, or of all."""
    if of_object := _ends(ev, bounds):
        lower, upper = (ev.call(Static(np.asarray), [end], {"dtype": Static(float)}) for end in of_object)
        return lower, upper
    if isinstance(bounds, Ref) and isinstance(t := ev.type_of(bounds), Tensor) and t.rank == 2:
        columns = ev.call(Static(np.transpose), [bounds])
        lower, upper = (ev.call(Static(operator.getitem), [columns, Static(k)]) for k in (0, 1))
        return lower, upper
    pairs = [_numbers(ev, bounds)] if _numbers(ev, bounds) else [_numbers(ev, v) for v in _items(ev, bounds)]
    if not pairs or not all(len(pair) == 2 for pair in pairs):
        ev.refuse("SCT402", "these bounds are not supported", hint="pass a list of pairs of numbers or None, or an "
                  "object of scipy.optimize.Bounds")
    ends = [[sign * np.inf if pair[k] is None else float(pair[k]) for pair in pairs] for k, sign in ((0, -1), (1, 1))]
    lower, upper = (ev.call(Static(np.array), [Tup(tuple(map(Static, v)))]) if len(v) > 1 else Static(v[0])
                    for v in ends)
    return lower, upper


def _items(ev: Evaluator, v: Abstract) -> Sequence[Abstract]:
    if isinstance(v, ListRef) and ev.slots(v).schema is None:
        return ev.slots(v).items
    return v.items if isinstance(v, Tup) else ()


def _numbers(ev: Evaluator, v: Abstract) -> list[Any]:
    """The items, if these are known numbers or None."""
    values = [x.value for x in _items(ev, v) if isinstance(x, Static) and type(x.value) in (int, float, type(None))]
    return values if len(values) == len(_items(ev, v)) else []


# -- attributes of results ---------------------------------------------------------------------------------------------

_OTHER_TYPES = [Static(name) for name in ("Powell", "powell", "L-BFGS-B", "l-bfgs-b", "SLSQP", "slsqp")]
"""Methods whose least value is of another type than what the function returns."""


def _least(ev: Evaluator, solver_result: Value, x: Abstract, region: Region, arguments: Mapping[str, Abstract]
           ) -> Abstract:
    """The least value that a solver has found: that of the function at the minimum."""
    if region.outs[0].type != NUMBER or arguments.get("method") in _OTHER_TYPES:
        return Poison("the type of the least value is not known: call the function at the minimum, `f(result.x)`")
    return at_solution(ev, solver_result, "fun", x, region)


def at_solution(ev: Evaluator, solver_result: Value, key: str, x: Abstract, region: Region) -> Abstract:
    """The attribute `key` of what the solver returns: the value of the function at the solution `x`."""
    t = region.outs[0].type
    y = Value(t)
    body = rebuild(region.fn, fresh=True)
    body = rebuild(body, {body.params[0]: ev.operand(x)})
    with ev.block(builder := Builder()):
        difference = ev.emit(sub, y, body.results[0])
    residual = Fn("f", (y,), (*body.eqns, *builder.eqns), (difference,))
    return ev.wrap(as_solution(ev, ev.emit(part, solver_result, text=f"_0.{key}", type=t), residual))


def _half_sum_of_squares(f: Abstract, arguments: Mapping[str, Abstract]) -> Abstract:
    """The function that is least where the residuals `f` solve their least squares problem, perhaps with a loss."""
    loss, scale = arguments.get("loss", Static("linear")), arguments.get("f_scale", Static(1.0))

    def cost(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        r = ev.call(f, args, kwargs)
        r = ev.call(Static(np.atleast_1d if isinstance(r, (Ref, Value)) else np.array), [r])
        if loss != Static("linear"):
            return ev.call(Static(_half_sum_of_losses), [r, loss, scale])
        return ev.call(Static(operator.mul), [Static(0.5), ev.call(Static(np.dot), [r, r])])

    return DerivedCallable(cost)


def _half_sum_of_losses(r: Any, loss: Any, scale: Any) -> Any:
    z = (r / scale) ** 2
    if loss == "soft_l1":
        z = 2.0 * (np.sqrt(1.0 + z) - 1.0)
    elif loss == "huber":
        z = np.where(z <= 1.0, z, 2.0 * np.sqrt(np.where(z <= 1.0, 1.0, z)) - 1.0)
    else:
        z = np.log1p(z) if loss == "cauchy" else np.arctan(z)
    return 0.5 * scale**2 * np.sum(z)


def _is_function(ev: Evaluator, name: str, key: str, v: Abstract) -> bool:
    """Is this parameter of a solver a function, and not a text or None?"""
    if isinstance(v, Static) and type(v.value) is bool and v.value:
        ev.refuse("SCT402", f"`{name}` is not differentiated with `{key}=True`",
                  why="the function returns more than the equation",
                  hint="pass the derivative as a function of its own")
    return not isinstance(v, Static) or callable(v.peek)


def _check_options(ev: Evaluator, name: str, entry: _Solver, arguments: Mapping[str, Abstract]) -> None:
    for key, values in entry.options.items():
        v = arguments.get(key)
        if v is not None and not (isinstance(v, Static) and any(v.value is x or v.value == x for x in values)):
            ev.refuse("SCT402", f"`{name}` is not differentiated with this `{key}`",
                      why="the result need not be a solution of the equation, or is more than that",
                      hint=f"leave `{key}` out")


def _unknown(ev: Evaluator, name: str, entry: _Solver, arguments: Mapping[str, Abstract]) -> Type:
    """The type of the unknown."""
    start = arguments.get("x0", arguments.get("xin"))
    one_each = name == "newton" and isinstance(start, (Ref, ListRef, Tup))
    if entry.unknown is not VECTOR and not one_each:
        for key, v in arguments.items():
            t = ev.type_of(v) if isinstance(v, (Value, Ref)) else None
            if isinstance(t, Tensor) and (t.is_array or t.kind == "c" or t.dtype == "f32"):
                ev.refuse("SCT402", f"`{key}` of `{name}` is {in_words(t)}",
                          why="sct differentiates one solution, a float",
                          hint="solve for one number after the other, in a loop")
            if isinstance(v, Static) and type(v.value) is complex:
                ev.refuse("SCT402", f"`{key}` of `{name}` is complex", hint="solve for real unknowns")
        return FLOAT if name == "root_scalar" and "bracket" in arguments else entry.unknown
    if entry.solves == "fixed point" and not isinstance(start, (Ref, ListRef, Tup)):
        return POINT
    t = vector_like(ev, name, start)
    if one_each and t.shape[0].value is not None and t.shape[0].value < 2:
        ev.refuse("SCT402", "`newton` starts from an array of one number", hint="start from the number: `x0[0]`")
    return t


def vector_like(ev: Evaluator, name: str, start: Abstract | None) -> Tensor:
    """The type of a vector as long as what the solver starts from."""
    t = ev.type_of(start) if isinstance(start, (Value, Ref)) else None
    if isinstance(t, Tensor) and t.kind in "fi" and t.rank <= 1 and t.dtype != "f32":
        return Tensor("array", "f64", t.shape or (Dim(1),))
    items = ev.slots(start).items if isinstance(start, ListRef) and ev.slots(start).schema is None else \
        start.items if isinstance(start, Tup) else (start,)
    if not all(isinstance(v, Static) and type(v.value) in (int, float) or isinstance(v, Value) and isinstance(
            v.type, Tensor) and v.type.is_scalar and v.type.kind in "fi" for v in items):
        ev.refuse("SCT402", f"what `{name}` starts from is not a number or a vector of numbers",
                  hint="start from an array with one axis: `np.array([...])`, `x0.ravel()`")
    return Tensor("array", "f64", (Dim(len(items)),))


def function_of_unknown(ev: Evaluator, f: Abstract, extra: Sequence[Abstract], unknowns: Type | Sequence[Type],
                        solver_name: str) -> Region:
    """The function `f(x, *extra)` of the unknown x, or `f(t, y, *extra)` of several, as a region."""
    names = parameter_names(ev, f) or []
    each = unknowns if isinstance(unknowns, Sequence) else [unknowns]
    xs = [Value(t, names[k] if k < len(names) else "x") for k, t in enumerate(each)]
    return function_of(ev, f, [*map(ev.wrap, xs), *extra], {}, f"the function that `{solver_name}` calls", len(xs))


def _residual(ev: Evaluator, arguments: Mapping[str, Abstract], first: str, extra: Sequence[Abstract], region: Region,
              unknown: Type, name: str) -> Fn:
    """The equations that the solution solves: those of the function `first`, or of its gradient."""
    assert isinstance(unknown, Tensor)
    f, entry = arguments[first], _SOLVERS[name]
    if entry.solves == "squares":
        f = _half_sum_of_squares(f, arguments)
        region = function_of_unknown(ev, f, extra, unknown, name)
    one = isinstance(region.out, Leaf)
    if entry.solves in ("minimum", "squares"):
        if not one or not isinstance(t := region.outs[0].type, Tensor) or t.rank or t.kind != "f":
            ev.refuse("SCT402", f"the function that `{name}` calls does not return one real number",
                      hint="return a float")
        region = function_of_unknown(ev, derivative(ev, "grad", f, {}), extra, unknown, name)
        return region.fn.replace(results=(region.outs[0],))
    numbers = all(isinstance(x.type, Tensor) and x.type.kind in "fi" for x in region.outs)
    vector = isinstance(region.out, Node) and region.out.kind in ("list", "tuple") and unknown.rank and all(
        isinstance(child, Leaf) and region.outs[child.index].type.rank == 0  # type: ignore[union-attr]
        for child in region.out.children)
    if not numbers or not one and not vector:
        ev.refuse("SCT402", f"the function that `{name}` calls does not return "
                  f"{'a vector of real numbers' if unknown.rank else 'one real number'}",
                  hint="return as many equations as there are unknowns")
    if one:
        (r,) = region.outs
        if unknown.rank == 1 and unknown.shape[0] == Dim(1) and not getattr(r.type, "rank", 0):
            ev.refuse("SCT402", f"the function that `{name}` calls returns a number",
                      why="its unknown is a vector of one number", hint="return an array: `np.array([...])`")
    with ev.block(builder := Builder()):
        if not one:
            assert array.bind is not None
            parts, attrs = array.bind(list(region.outs))
            r = ev.emit(array, *parts, spelling="numpy.array", **attrs)
        if entry.solves == "fixed point":
            r = ev.emit(sub, r, region.fn.params[0])
    return region.fn.replace(eqns=(*region.fn.eqns, *builder.eqns), results=(r,))


def defined(ev: Evaluator, region: Region, f: Abstract, key: str, attributes: Sequence[tuple[str, Any]] = ()
            ) -> Value:
    """The function that the solver calls, with attributes that the solver reads."""
    own = f.peek if isinstance(f, Static) else None
    name = name_of(f.node) if isinstance(f, Closure) else getattr(own, "__name__", "")
    default = {"f": "residual", "func": "residual"}.get(key, key)
    out = Value(Function(), name if name.isidentifier() else default)
    body = rebuild(region.fn.replace(results=tuple(region.outs)), fresh=True)
    ev.tries.certain.update(walk(body))  # what it raises, the solver raises
    names = tuple(x.hint or "x" for x in region.fn.params)
    leaves = tuple(map(Leaf, range(len(names))))
    params = leaves[0] if len(leaves) == 1 else Node("tuple", tuple(range(len(leaves))), leaves)
    ev.b.add(Eqn(closure, (), (out,), {"names": names, "params": params, "result": region.out, "escapes": False,
                                    "attributes": tuple(attributes)}, (body,), loc=ev.loc))
    return out


def _written_by_no_one(ev: Evaluator, x: Value) -> Abstract:
    """`x`, which may not be written: it may be the array that the solver was given."""
    wrapped = ev.wrap(x)
    if isinstance(wrapped, Ref):
        ev.freeze(wrapped.addr, why=Frozen.RULED)
    return wrapped
