"""Minima under constraints, or between bounds: SciPy finds them, and equations that they solve differentiate them.

    r = minimize(f, x0, constraints={"type": "eq", "fun": g})   ->   r = solver(...); x = solution of
                                                                     grad f(x) - m @ jacobian g(x) == 0, g(x) == 0

These are the equations of Karush, Kuhn and Tucker.
All constraints, and the bounds, are rows of `lower <= g(x) <= upper`, with a multiplier m for each. A row that is
active at the minimum holds exactly; the multiplier of another one is 0.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sct.frontend.autodiff.implicit_functions import as_solution, derivative_code, standing_for
from sct.frontend.autodiff.nested_derivatives import derivative
from sct.frontend.autodiff.solvers import (
    at_solution,
    call_solver,
    defined,
    ends_of_bounds,
    function_of_unknown,
    known_bounds,
    text_of_bounds,
    vector_like,
)
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, library_object, of_scipy
from sct.frontend.values.abstract_values import (
    Abstract,
    DerivedCallable,
    DictRef,
    Frozen,
    ListRef,
    ObjRef,
    Ref,
    Static,
    Tup,
)
from sct.ir import Operand, Value
from sct.ir.types import BOOL, INT, Tensor
from sct.ops.program.effects import OBJECT, part
from sct.ops.program.solutions import solver
from sct.ops.registry import add_operand

__all__: list[str] = []

_NONE = Static(None)
_METHODS = (None, "SLSQP", "slsqp", "trust-constr")
_TIE = "the minimum is at a tie of its constraints, or has not been reached"
_OPTIONS = ("tol", "options")


# -- the equations -----------------------------------------------------------------------------------------------------


def _is_active(g: Any, lower: Any, upper: Any) -> Any:
    return (g - lower <= 1e-5) | (upper - g <= 1e-5)


def _multipliers(slope: Any, jacobian: Any, g: Any, lower: Any, upper: Any) -> Any:
    """The multipliers with which the slope of the function is that of the active constraints."""
    active = np.where(_is_active(g, lower, upper), 1.0, 0.0)
    return np.linalg.lstsq((jacobian * active[:, None]).T, slope, 1e-12)[0]


def _equations(z: Any, slope_of: Any, rows: Any, lower: Any, upper: Any, size: Any) -> Any:
    """Zero at a minimum and its multipliers, `z`."""
    x, multipliers = z[:size], z[size:]
    g = rows(x)
    bound = np.where(g - lower <= upper - g, lower, upper)
    return np.concatenate((slope_of(x, multipliers), np.where(_is_active(g, lower, upper), g - bound, multipliers)))


def _is_regular(multipliers: Any, slope: Any, jacobian: Any, g: Any, lower: Any, upper: Any, success: Any) -> Any:
    """Are the active constraints independent of one another, and is each of them certainly active?"""
    below, above = g - lower <= 1e-5, upper - g <= 1e-5
    certain = (lower == upper) | np.where(below, multipliers > 1e-7, np.where(above, multipliers < -1e-7, True))
    rest = np.abs(slope - multipliers @ jacobian)
    active = below | above
    rank = np.linalg.matrix_rank(jacobian * active[:, None])
    return success and np.all(certain) and np.all(rest <= 1e-3 * (1.0 + np.max(np.abs(slope)))) \
        and rank == np.sum(active)


# -- constraints -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Constraint:
    """Rows `lower <= g(x) <= upper`; `text` is what SciPy is given, in which the operands of the call are numbered."""

    rows: Abstract
    lower: Abstract
    upper: Abstract
    text: str


def _between(x: Any, f: Any, args: Any) -> Any:
    return np.atleast_1d(np.array(f(x, *args)))


def _ends(g: Any, lower: Any, upper: Any) -> Any:
    """The bounds of each row."""
    return np.broadcast_to(lower, g.shape), np.broadcast_to(upper, g.shape)


def _product(x: Any, matrix: Any) -> Any:
    return matrix @ x


def _itself(x: Any) -> Any:
    return x


_FIRST = {"LinearConstraint": "A", "NonlinearConstraint": "fun"}
_KINDS = tuple(_FIRST)


def _constraint_object(name: str) -> Any:
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        """The arguments, which `minimize` reads."""
        arguments = named_arguments(ev, getattr(sys.modules["scipy.optimize"], name), args, kwargs)
        others = set(arguments) - {_FIRST[name], "lb", "ub"}
        if others:
            ev.refuse("SCT402", f"`{min(others)}` of `{name}` is not supported", hint=f"leave `{min(others)}` out")
        return library_object(ev, f"an object of `{name}`", {
            "_of": Static(name), "_first": arguments[_FIRST[name]], "_lb": arguments.get("lb", Static(-np.inf)),
            "_ub": arguments.get("ub", Static(np.inf))}, ("keep_feasible",))

    return handle


for _name in _KINDS:
    of_scipy(f"scipy.optimize.{_name}")(_constraint_object(_name))


@dataclass
class _Call:
    """A call of `minimize` that is being put together; `operands` are those of its text."""

    ev: Evaluator
    unknown: Tensor
    operands: list[Operand]

    def text(self, what: str, v: Abstract) -> str:
        text = text_of_bounds(self.ev, v, self.operands)
        if text is None:
            self.ev.refuse("SCT402", f"{what} of `minimize` is not a number, a text or a list of these",
                           hint="pass what SciPy needs as a float, an array or a list")
        return text

    def function(self, f: Abstract, extra: Sequence[Abstract], key: str) -> str:
        """The function as SciPy calls it."""
        region = function_of_unknown(self.ev, f, extra, self.unknown, "minimize")
        return add_operand(defined(self.ev, region, f, key), self.operands)

    def constraint(self, v: Abstract) -> _Constraint:
        ev = self.ev
        if isinstance(v, DictRef) and all(isinstance(key, str) for key in ev.slots(v).keys):
            return self._of_dict(dict(zip(ev.slots(v).keys, ev.slots(v).items)))
        if isinstance(v, Static) and type(v.peek).__name__ in _KINDS and v.path is not None:
            name = type(v.peek).__name__
            first, lower, upper = (ev.call(Static(getattr), [v, Static(key)]) for key in (_FIRST[name], "lb", "ub"))
            return _Constraint(self._rows(name, first), lower, upper, self.text("a constraint", v))
        cell = dict(zip(ev.slots(v).keys, ev.slots(v).items)) if isinstance(v, ObjRef) else {}
        if "_of" not in cell:
            ev.refuse("SCT402", "this constraint of `minimize` is not supported", hint="pass a dict, or an object of "
                      "LinearConstraint or NonlinearConstraint")
        name = str(ev.ask(cell["_of"], "the class of a constraint"))
        is_linear = name == "LinearConstraint"
        texts = [self.text("the matrix", cell["_first"]) if is_linear else self.function(
            cell["_first"], (), "constraint"), *(self.text("a bound", cell[key]) for key in ("_lb", "_ub"))]
        return _Constraint(self._rows(name, cell["_first"]), cell["_lb"], cell["_ub"],
                           f"scipy.optimize.{name}({', '.join(texts)})")

    def _rows(self, name: str, first: Abstract) -> Abstract:
        if name == "NonlinearConstraint":
            return DerivedCallable(lambda ev, args, kwargs: ev.call(Static(_between), [args[0], first, Tup(())]))
        matrix = self.ev.call(Static(np.atleast_2d), [self.ev.call(Static(np.asarray), [first])])
        return DerivedCallable(lambda ev, args, kwargs: ev.call(Static(_product), [args[0], matrix]))

    def _of_dict(self, entries: Mapping[Any, Abstract]) -> _Constraint:
        ev = self.ev
        kind = ev.ask(entries["type"], "`type` of a constraint") if "type" in entries else None
        unknown = set(entries) - {"type", "fun", "jac", "args"}
        if kind not in ("eq", "ineq") or "fun" not in entries or unknown:
            ev.refuse("SCT402", "this constraint of `minimize` is not supported",
                      hint="pass {'type': 'eq', 'fun': f} or {'type': 'ineq', 'fun': f}")
        extra = entries.get("args", Tup(()))
        extra = extra if isinstance(extra, Tup) and extra.cls is tuple else Tup((extra,))
        texts = [f"'{key}': {self.function(entries[key], extra.items, name)}"
                 for key, name in (("fun", "constraint"), ("jac", "slope")) if key in entries]
        rows = DerivedCallable(lambda ev, args, kwargs: ev.call(Static(_between), [args[0], entries["fun"], extra]))
        return _Constraint(rows, Static(0.0), Static(0.0 if kind == "eq" else np.inf),
                           f"{{'type': '{kind}', {', '.join(texts)}}}")


def _joined(ev: Evaluator, constraints: Sequence[_Constraint], x: Abstract) -> tuple[Abstract, Abstract, Abstract]:
    """All rows as one function, and their bounds."""
    def rows(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        return ev.call(Static(np.concatenate), [Tup(tuple(ev.call(c.rows, args) for c in constraints))])

    ends = [ev.call(Static(_ends), [ev.call(c.rows, [x]), c.lower, c.upper]) for c in constraints]
    lower, upper = (ev.call(Static(np.concatenate), [Tup(tuple(pair.items[k] for pair in ends))])  # type: ignore[union-attr]
                    for k in (0, 1))
    return DerivedCallable(rows), lower, upper


# -- the call ----------------------------------------------------------------------------------------------------------


@of_scipy("scipy.optimize.minimize")
def _minimize(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The result of `minimize`, with the minimum in it."""
    arguments = named_arguments(ev, sys.modules["scipy.optimize"].minimize, args, kwargs)
    several = _items(ev, arguments.get("constraints", Tup(())))
    if not several:
        return call_solver(ev, "minimize", args, kwargs)
    method = ev.ask(arguments.get("method", _NONE), "`method` of `minimize`")
    other = next((key for key, v in arguments.items() if v != _NONE and key not in (
        "fun", "x0", "args", "jac", "bounds", "constraints", "method", *_OPTIONS)), None)
    if method not in _METHODS or other is not None:
        ev.refuse("SCT402", f"`minimize` with constraints is not differentiated with this `{other or 'method'}`",
                  why="the result need not be exactly on its constraints, or is more than the minimum",
                  hint=f"leave `{other}` out" if other else "use the method SLSQP or trust-constr")
    if "bounds" in arguments:
        arguments["bounds"] = known_bounds(ev, arguments["bounds"])
    unknown = vector_like(ev, "minimize", arguments["x0"])
    extra = _extra(arguments)
    call = _Call(ev, unknown, [])
    region = function_of_unknown(ev, arguments["fun"], extra, unknown, "minimize")
    call.operands.append(defined(ev, region, arguments["fun"], "objective"))
    texts = ["_0", call.text("`x0`", arguments["x0"])]
    if arguments.get("jac", _NONE) != _NONE:
        is_text = isinstance(arguments["jac"], Static) and type(arguments["jac"].peek) in (bool, str)
        if is_text and arguments["jac"] == Static(True):
            ev.refuse("SCT402", "`minimize` is not differentiated with `jac=True`",
                      hint="pass the derivative as a function of its own")
        texts.append("jac=" + (call.text("`jac`", arguments["jac"]) if is_text else call.function(
            arguments["jac"], extra, "slope")))
    constraints = [call.constraint(v) for v in several]
    texts += [f"{key}={call.text(f'`{key}`', arguments[key])}" for key in ("method", "bounds", *_OPTIONS)
              if key in arguments]
    texts.append(f"constraints=[{', '.join(c.text for c in constraints)}]")
    optimum = ev.emit(solver, *call.operands, text=f"scipy.optimize.minimize({', '.join(texts)})", type=OBJECT)
    optimum.hint = "minimum"
    if arguments.get("bounds", _NONE) != _NONE:
        lower, upper = ends_of_bounds(ev, arguments["bounds"])
        constraints.append(_Constraint(Static(_itself), lower, upper, ""))
    return _result(ev, optimum, arguments["fun"], extra, unknown, constraints)


def _result(ev: Evaluator, optimum: Value, f: Abstract, extra: Sequence[Abstract], unknown: Tensor,
            constraints: Sequence[_Constraint]) -> Abstract:
    """The attributes of the result; its `x` solves the equations."""
    x0 = ev.emit(part, optimum, text="_0.x", type=unknown)
    success = ev.emit(part, optimum, text="_0.success", type=BOOL)
    of_x = DerivedCallable(lambda ev, args, kwargs: ev.call(f, [args[0], *extra]))

    def lagrangian(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        x, multipliers = args
        return ev.call(Static(_lagrangian), [x, multipliers, of_x, rows])

    with derivative_code(ev):
        x = ev.wrap(x0)
        rows, lower, upper = _joined(ev, constraints, x)
        slope = ev.call(derivative(ev, "grad", of_x, {}), [x])
        jacobian = ev.call(derivative(ev, "jacrev", rows, {}), [x])
        bounds = [ev.call(rows, [x]), lower, upper]
        multipliers = ev.call(Static(_multipliers), [slope, jacobian, *bounds])
        regular = ev.operand(ev.call(Static(bool), [ev.call(Static(_is_regular), [
            multipliers, slope, jacobian, *bounds, ev.wrap(success)])]))
        z = ev.operand(ev.call(Static(np.concatenate), [Tup((x, multipliers))]))
        size = ev.call(Static(len), [x])
        slope_of = derivative(ev, "grad", DerivedCallable(lagrangian), {})
        equations = DerivedCallable(lambda ev, args, kwargs: ev.call(
            Static(_equations), [args[0], slope_of, rows, lower, upper, size]))
        residual = function_of_unknown(ev, equations, (), z.type, "minimize")
        assert isinstance(regular, Value)
        solved = ev.wrap(as_solution(ev, z, residual.fn.replace(results=(residual.outs[0],)), regular, _TIE))
        like = ev.wrap(ev.operand(ev.call(Static(_first), [solved, size])))
    result = standing_for(ev, x0, like)
    if isinstance(result, Ref):
        ev.freeze(result.addr, why=Frozen.RULED)
    least = function_of_unknown(ev, f, extra, unknown, "minimize")
    others: dict[str, Abstract] = {key: ev.emit(part, optimum, text=f"_0.{key}", type=t) for key, t in (
        ("nit", INT), ("nfev", INT), ("status", INT), ("message", OBJECT))}
    return library_object(ev, "what `minimize` with constraints returns", {
        "x": result, "success": success, "fun": at_solution(ev, optimum, "fun", result, least), **others},
        ("jac", "njev", "multipliers", "grad", "v", "constr", "keys", "items", "get"))


def _lagrangian(x: Any, multipliers: Any, f: Any, rows: Any) -> Any:
    return f(x) - np.dot(multipliers, rows(x))


def _first(z: Any, size: Any) -> Any:
    return z[:size]


def _items(ev: Evaluator, v: Abstract) -> Sequence[Abstract]:
    """The constraints; there may be only one."""
    if isinstance(v, Tup):
        return v.items
    if isinstance(v, ListRef) and ev.slots(v).schema is None:
        return ev.slots(v).items
    return (v,)


# -- of one number, between bounds -------------------------------------------------------------------------------------


def _is_inside(slope: Any, curvature: Any, lower: Any, upper: Any, success: Any) -> Any:
    """Is this the minimum, and not where a bound has stopped the search?"""
    return success and curvature > 0.0 and np.abs(slope) <= 1e-3 * curvature * (upper - lower)


def _bounded(ev: Evaluator, name: str, f: Abstract, extra: Sequence[Abstract], bounds: Sequence[Abstract],
             options: Mapping[str, Abstract]) -> Abstract:
    """The result of `minimize_scalar` or `fminbound`."""
    call = _Call(ev, _NUMBER, [])
    function = call.function(f, extra, "objective")
    ends = [call.text("a bound", v) for v in bounds]
    texts = [f"{key}={call.text(f'`{key}`', v)}" for key, v in options.items()]
    whole = name == "minimize_scalar"
    text = ", ".join([function, *([f"bounds=({ends[0]}, {ends[1]})"] if whole else ends), *texts])
    optimum = ev.emit(solver, *call.operands, text=f"scipy.optimize.{name}({text})", type=OBJECT if whole else _NUMBER)
    x0, success = (ev.emit(part, optimum, text=f"_0.{key}", type=t) for key, t in (("x", _NUMBER), ("success", BOOL))) \
        if whole else (optimum, Static(True))
    slope_of = derivative(ev, "grad", f, {})
    with derivative_code(ev):
        x = ev.wrap(x0)
        slope, curvature = (ev.call(g, [x, *extra]) for g in (slope_of, derivative(ev, "grad", slope_of, {})))
        inside = ev.operand(ev.call(Static(bool), [ev.call(Static(_is_inside), [
            slope, curvature, *bounds, ev.wrap(success) if isinstance(success, Value) else success])]))
    assert isinstance(inside, Value)
    residual = function_of_unknown(ev, slope_of, extra, _NUMBER, name)
    result = ev.wrap(as_solution(ev, x0, residual.fn.replace(results=(residual.outs[0],)), inside,
                                 "the minimum is at a bound, or has not been reached"))
    if not whole:
        return result
    others: dict[str, Abstract] = {key: ev.emit(part, optimum, text=f"_0.{key}", type=t) for key, t in (
        ("nit", INT), ("nfev", INT), ("status", INT), ("message", OBJECT))}
    least = at_solution(ev, optimum, "fun", result, function_of_unknown(ev, f, extra, _NUMBER, name))
    return library_object(ev, "what `minimize_scalar` returns", {"x": result, "fun": least, "success": success,
                                                                 **others}, ())


_NUMBER = Tensor("np", "f64")


@of_scipy("scipy.optimize.minimize_scalar")
def _minimize_scalar(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    arguments = named_arguments(ev, sys.modules["scipy.optimize"].minimize_scalar, args, kwargs)
    if arguments.get("bounds", _NONE) == _NONE:
        return call_solver(ev, "minimize_scalar", args, kwargs)
    if arguments.get("method", _NONE) not in (_NONE, Static("bounded"), Static("Bounded")):
        return call_solver(ev, "minimize_scalar", args, kwargs)
    options: dict[str, Abstract] = {key: arguments[key] for key in ("method", "tol", "options") if key in arguments}
    return _bounded(ev, "minimize_scalar", arguments["fun"], _extra(arguments), _pair(ev, arguments["bounds"]), options)


@of_scipy("scipy.optimize.fminbound")
def _fminbound(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    arguments = named_arguments(ev, sys.modules["scipy.optimize"].fminbound, args, kwargs)
    if arguments.get("full_output", Static(0)) not in (Static(0), Static(False)):
        ev.refuse("SCT402", "`fminbound` is not differentiated with this `full_output`", hint="use minimize_scalar")
    options: dict[str, Abstract] = {key: arguments[key] for key in ("xtol", "maxfun", "disp") if key in arguments}
    return _bounded(ev, "fminbound", arguments["func"], _extra(arguments), [arguments["x1"], arguments["x2"]], options)


def _extra(arguments: Mapping[str, Abstract]) -> Sequence[Abstract]:
    """The arguments of the function besides the unknown."""
    extra = arguments.get("args", Tup(()))
    return extra.items if isinstance(extra, Tup) and extra.cls is tuple else (extra,)


def _pair(ev: Evaluator, bounds: Abstract) -> Sequence[Abstract]:
    items = _items(ev, bounds)
    if len(items) != 2:
        ev.refuse("SCT402", "these bounds are not supported", hint="pass a pair of numbers")
    return items
