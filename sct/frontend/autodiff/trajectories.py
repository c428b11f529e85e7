"""Differential equations: SciPy solves them as it does, and steps of the same sizes are differentiated.

    sol = solve_ivp(f, (a, b), y0)   ->   sol = solver(f, a, b, y0, text="scipy.integrate.solve_ivp(...)")
                                          y = solution(part(sol, text="_0.y"), explicit_steps(f, sol.t, y0))

The value is that of the solver. Its derivative is that of a program of `time_steps`.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sct.frontend.autodiff.differentiated_region import parameter_names
from sct.frontend.autodiff.implicit_functions import derivative_code, solution_of, standing_for
from sct.frontend.autodiff.solvers import defined, function_of_unknown
from sct.frontend.autodiff.time_steps import (
    ended,
    ends_moved,
    events_between,
    explicit_steps,
    first,
    implicit_steps,
    joined,
)
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import NO_KEYWORDS, Args, Kwargs, library_object, of_scipy
from sct.frontend.heap.inactive import is_varied, template_of
from sct.frontend.values.abstract_values import Abstract, DerivedCallable, ListRef, Ref, Static, Tup
from sct.ir import Operand, Value
from sct.ir.dims import Dim, product, sym
from sct.ir.pytrees.pytree import Leaf
from sct.ir.types import BOOL, FLOAT, INT, Tensor, Type
from sct.ops.program.effects import OBJECT, part
from sct.ops.program.list_ops import length_of_list, of_list
from sct.ops.program.solutions import solver

__all__: list[str] = []

_EXPLICIT = ("RK23", "RK45", "DOP853")
_IMPLICIT = ("Radau", "BDF")
_OPTIONS = ("rtol", "atol", "first_step", "max_step", "min_step", "lband", "uband")
_OF_ODEINT = ("ml", "mu", "rtol", "atol", "tcrit", "h0", "hmax", "hmin", "mxstep", "mxhnil", "mxordn", "mxords",
              "printmessg", "full_output")
_NONE, _NO = Static(None), Static(False)
_SOLVED = DerivedCallable(lambda ev, args, kwargs: solution_of(
    ev, DerivedCallable(lambda *_: args[0]), args[1], args[2:], NO_KEYWORDS))
"""`solved(x, residual, *args)`: `x`, as the solution of a residual with these arguments."""


@dataclass(frozen=True)
class _Problem:
    """The equation `dy/dt = f(t, y)` of a call of a solver.

    f         the function of t and y, as it is evaluated in the steps
    extra     what it is given beside them
    function  the same as SciPy calls it
    y0        what the solution starts from
    start     the same as a value
    """

    ev: Evaluator
    solver: str
    f: Abstract
    extra: Sequence[Abstract]
    function: Value
    y0: Ref
    start: Operand

    def call(self, name: str, args: Args, kwargs: Kwargs, options: str = "", type: Type = OBJECT) -> Value:
        """The result of a solver of SciPy."""
        operands: list[Operand] = [self.function]
        texts = ["_0", *(self._text("an argument", v, operands) for v in args)]
        texts += [f"{key}={self._text(f'`{key}`', v, operands)}" for key, v in kwargs.items()]
        outcome: Value = self.ev.emit(solver, *operands, text=f"scipy.integrate.{name}({', '.join(texts)}{options})",
                                    type=type)
        outcome.hint = "sol"
        return outcome

    def jacobian(self, v: Abstract) -> Abstract:
        """The Jacobian that a solver is given, if it is a function as SciPy calls it."""
        if isinstance(v, Ref):
            return v
        region = function_of_unknown(self.ev, v, self.extra, (FLOAT, self.ev.type_of(self.y0)), self.solver)
        return defined(self.ev, region, v, "jac")

    def _text(self, what: str, v: Abstract, operands: list[Operand]) -> str:
        text = template_of(self.ev, v, operands)
        if text is None:
            self.ev.refuse("SCT402", f"{what} of `{self.solver}` is not a number, a text or a list of these",
                           hint="pass what SciPy needs as a float, an array or a list")
        return text

    def steps(self, method: str, outcome: Value, ts: Abstract, is_held: bool = False) -> Abstract:
        """The solution at the times `ts`; `outcome` is a solution that may be read between them.

        A loop of steps may write over the array that it starts from, so each has one of its own; `is_held`: SciPy may
        read that array later.
        """
        y0 = self.ev.wrap(self.start)
        if is_held:
            y0 = self.ev.call(Static(np.copy), [y0])
        if method in _IMPLICIT:
            ev, (n,) = self.ev, self.ev.type_of(self.y0).shape  # type: ignore[union-attr]
            stages = Tensor("array", "f64", (product((Dim(3), n)),))
            stages_at = DerivedCallable(lambda ev, args, kwargs: ev.wrap(ev.emit(
                solver, outcome, ev.operand(args[0]), text="_0.sol(_1).T.ravel()", type=stages)))
            return ev.call(Static(implicit_steps), [self.f, _SOLVED, stages_at, ts, y0])
        name = method if method in _EXPLICIT else "DOP853"
        return self.ev.call(Static(explicit_steps), [self.f, ts, y0, *self.coefficients(name)])

    def coefficients(self, method: str) -> list[Abstract]:
        """The coefficients of an explicit method."""
        coefficients: list[Abstract] = []
        for key in "ABC":
            shape = getattr(getattr(sys.modules["scipy.integrate"], method), key).shape
            array = self.ev.emit(part, text=f"scipy.integrate.{method}.{key}",
                                 type=Tensor("array", "f64", tuple(map(Dim, shape))))
            array.hint = key
            coefficients.append(self.ev.wrap(array))
        return coefficients


@of_scipy("scipy.integrate.solve_ivp")
def _solve_ivp(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The result of `solve_ivp`, with a solution that is differentiated."""
    arguments: dict[str, Any] = named_arguments(ev, sys.modules["scipy.integrate"].solve_ivp, args, kwargs)
    arguments |= arguments.pop("options", {})
    method = _method(ev, arguments)
    options = {key: arguments[key] for key in _OPTIONS if key in arguments}
    _check_options(ev, "solve_ivp", arguments, (
        "fun", "t_span", "y0", "t_eval", "args", "method", "jac", "dense_output", "events", *options))
    is_read_between = bool(ev.ask(arguments.get("dense_output", _NO), "`dense_output` of `solve_ivp`"))
    span = [ev.call(Static(operator.getitem), [arguments["t_span"], Static(k)]) for k in range(2)]
    problem = _problem(ev, "solve_ivp", arguments, arguments["fun"], arguments.get("args", _NONE))
    at = arguments.get("t_eval", _NONE)
    times: Abstract | None = None if at == _NONE else _numbers(ev, "`t_eval`", at)
    asked: dict[str, Abstract] = {} if times is None else {"t_eval": times}
    if arguments.get("jac", _NONE) != _NONE:
        asked["jac"] = problem.jacobian(arguments["jac"])
    events = _events(ev, problem, arguments.get("events", _NONE), method)
    if events:
        asked["events"] = events[0].function if len(events) == 1 else Tup(tuple(e.function for e in events))
    start: list[Abstract] = [Tup(tuple(span)), problem.y0]
    own: dict[str, Abstract] = {"method": Static(method)} if method != "RK45" else {}
    dense = is_read_between or method in _IMPLICIT or times is not None and method != "LSODA"
    outcome = steps = problem.call("solve_ivp", start, {**own, **asked, **options},
                                 ", dense_output=True" if dense else "")
    success = ev.emit(part, outcome, text="_0.success", type=BOOL)
    with derivative_code(ev):
        if method == "LSODA":
            steps = problem.call("solve_ivp", start, {"method": Static("DOP853"), **_tolerance(options)})
            times = _ends(ev, outcome, "_0.t", span) if times is None else times
        accepted = "_0.sol.ts" if dense and steps is outcome else "_0.t"
        stopped: Abstract = _NO
        if any(e.is_terminal for e in events):
            stopped = ev.wrap(ev.emit(part, outcome, text="_0.status == 1", type=BOOL))
            count = ev.emit(part, outcome, text="len(_0.t)", type=INT)
            times = None if times is None else ev.call(Static(first), [times, count])
        ts, places = (_ends(ev, outcome, accepted, span, stopped), None) if times is None else _grid(
            ev, steps, accepted, span, times)
        y = problem.steps(method, outcome, ts, is_read_between)
        located = [_located(ev, problem, method, outcome, e, k, ts, y, _sign(ev, *span)) for k, e in enumerate(events)]
        ts, y = _ended(ev, outcome, accepted, events, located, ts, y)
        if places is not None:
            y = ev.wrap(ev.operand(ev.call(Static(operator.getitem), [y, Tup((Static(slice(None)), places))])))
    attributes: dict[str, Abstract] = {
        "t": standing_for(ev, outcome, ts if times is None else times, "_0.t", success),
        "y": standing_for(ev, outcome, y, "_0.y", success), "success": success,
        **_of_events(ev, outcome, located, ev.operand(problem.y0), success),
        "sol": _between(problem, method, outcome, steps, accepted, span, success) if is_read_between else _NONE}
    for key in ("message", "status", "nfev", "njev", "nlu"):
        attributes[key] = ev.emit(part, outcome, text=f"_0.{key}", type=OBJECT if key == "message" else INT)
    return library_object(ev, "what `solve_ivp` returns", attributes, ())


def _method(ev: Evaluator, arguments: Mapping[str, Abstract]) -> str:
    method, methods = arguments.get("method", Static("RK45")), (*_EXPLICIT, *_IMPLICIT, "LSODA")
    if not isinstance(method, Static) or method.value not in methods:
        ev.refuse("SCT402", "`solve_ivp` is not differentiated by this method", why="sct does not know its steps",
                  hint=f"use one of {', '.join(map(repr, methods))}")
    return str(method.value)


def _between(problem: _Problem, method: str, outcome: Value, steps: Value, accepted: str, span: Sequence[Abstract],
             success: Value) -> Abstract:
    """`sol(t)` of a number or a vector, as if that had been asked for: by the same steps."""
    def between(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        (t,) = (*args, *kwargs.values())
        is_number = not ev.shape_of(t) if isinstance(t, (Ref, Value)) else isinstance(t, Static)
        times = _numbers(ev, "what the solution is read at", ev.call(Static(np.atleast_1d), [t]))
        sizes = [ev.type_of(x).shape[0] for x in (problem.y0, times)]  # type: ignore[union-attr]
        value = ev.emit(solver, outcome, ev.operand(t if is_number else times), text="_0.sol(_1)",
                        type=Tensor("array", "f64", tuple(sizes[:1] if is_number else sizes)))
        with derivative_code(ev):
            ts, places = _grid(ev, steps, accepted, span, times)
            y = problem.steps(method, outcome, ts, is_held=True)
            key = ev.call(Static(operator.getitem), [places, Static(0)]) if is_number else places
            y = ev.wrap(ev.operand(ev.call(Static(operator.getitem), [y, Tup((Static(slice(None)), key))])))
        return standing_for(ev, value, y, converged=success)

    return DerivedCallable(between)


@of_scipy("scipy.integrate.odeint")
def _odeint(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The result of `odeint`: the solution at the given times, a row for each."""
    arguments = named_arguments(ev, sys.modules["scipy.integrate"].odeint, args, kwargs)
    options = {key: arguments[key] for key in _OF_ODEINT if key in arguments}
    _check_options(ev, "odeint", arguments, ("func", "y0", "t", "args", "tfirst", *options))
    times = _numbers(ev, "`t`", arguments["t"])
    tfirst, full = (ev.ask(arguments.get(key, Static(False)), f"`{key}` of `odeint`")
                    for key in ("tfirst", "full_output"))
    f = arguments["func"] if tfirst else DerivedCallable(
        lambda ev, args, kwargs: ev.call(arguments["func"], [args[1], args[0], *args[2:]]))
    problem = _problem(ev, "odeint", arguments, f, arguments.get("args", _NONE), arguments["func"], not tfirst)
    sizes = [ev.type_of(x).shape[0] for x in (times, problem.y0)]  # type: ignore[union-attr]
    outcome = problem.call("odeint", [problem.y0, times], {"tfirst": Static(True), **options},
                         type=OBJECT if full else Tensor("array", "f64", tuple(sizes)))
    tolerance = {**dict.fromkeys(("rtol", "atol"), Static(1.49012e-8)), **_tolerance(options)}
    with derivative_code(ev):
        span = [ev.call(Static(operator.getitem), [times, Static(k)]) for k in (0, -1)]
        steps = problem.call("solve_ivp", [Tup(tuple(span)), problem.y0], {"method": Static("DOP853"), **tolerance})
        ts, places = _grid(ev, steps, "_0.t", span, times)
        y = ev.call(Static(np.transpose), [problem.steps("DOP853", steps, ts)])
        y = ev.call(Static(operator.getitem), [y, places])
    result = standing_for(ev, outcome, y, "_0[0]" if full else "")
    return result if not full else Tup((result, ev.wrap(ev.emit(part, outcome, text="_0[1]", type=OBJECT))))


# -- events ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Event:
    """A function `f` of t and y whose zeros are looked for; `function`: the same as SciPy calls it."""

    f: Abstract
    function: Value
    is_terminal: bool


def _events(ev: Evaluator, problem: _Problem, events: Abstract, method: str) -> list[_Event]:
    """The events that are asked for."""
    if events == _NONE:
        return []
    if method not in _EXPLICIT:
        ev.refuse("SCT402", f"`solve_ivp` is not differentiated with `events` by the method {method!r}",
                  hint=f"use one of {', '.join(map(repr, _EXPLICIT))}")
    several = events.items if isinstance(events, Tup) else ev.slots(events).items if isinstance(
        events, ListRef) and ev.slots(events).schema is None else (events,)
    return [_event(ev, problem, f) for f in several]


def _event(ev: Evaluator, problem: _Problem, f: Abstract) -> _Event:
    read = {key: ev.ask(ev.call(Static(getattr), [f, Static(key), _NONE]), f"`{key}` of an event")
            for key in ("terminal", "direction")}
    region = function_of_unknown(ev, f, problem.extra, (FLOAT, ev.type_of(problem.y0)), "solve_ivp")
    t = region.outs[0].type if isinstance(region.out, Leaf) else None
    if not isinstance(t, Tensor) or t.rank or t.kind != "f":
        ev.refuse("SCT402", "an event of `solve_ivp` does not return one real number", hint="return a float")
    attributes = [(key, value) for key, value in read.items() if value is not None]
    own = DerivedCallable(lambda ev, args, kwargs: ev.call(f, [*args, *problem.extra]))
    return _Event(own, defined(ev, region, f, "event", attributes), bool(read["terminal"]))


def _located(ev: Evaluator, problem: _Problem, method: str, outcome: Value, event: _Event, k: int, ts: Abstract,
             y: Abstract, sign: str | Value) -> tuple[Abstract, Abstract]:
    """The times of the event `k`, and the solution then."""
    times = Tensor("array", "f64", (length_of_list(f"_events{outcome.id}_{k}"),))
    t = ev.emit(part, outcome, text=f"_0.t_events[{k}]", type=times)
    by, s = ([], sign) if isinstance(sign, str) else ([sign], "_2 * ")
    places = ev.emit(solver, ev.operand(ts), t, *by, type=Tensor("array", "i64", t.type.shape),
                     text=f"numpy.maximum(numpy.searchsorted({s}_0, {s}_1) - 1, 0)")
    pair = ev.call(Static(events_between), [event.f, problem.f, _SOLVED, ev.wrap(t), ev.wrap(places), ts, y,
                                            *problem.coefficients(method)])
    assert isinstance(pair, Tup)
    return pair.items[0], pair.items[1]


def _ended(ev: Evaluator, outcome: Value, accepted: str, events: Sequence[_Event],
           located: Sequence[tuple[Abstract, Abstract]], ts: Abstract, y: Abstract) -> tuple[Abstract, Abstract]:
    """The times and the solution at them; the last may be that of an event."""
    for k, (event, (when, state)) in enumerate(zip(events, located)):
        if event.is_terminal:
            is_end = ev.wrap(ev.emit(part, outcome, type=BOOL, text=f"_0.status == 1 and {accepted}[-1] in "
                                     f"_0.t_events[{k}][-1:]"))
            pair = ev.call(Static(ended), [is_end, when, state, ts, y])
            assert isinstance(pair, Tup)
            ts, y = pair.items
    return ts, y


def _of_events(ev: Evaluator, outcome: Value, located: Sequence[tuple[Abstract, Abstract]], y0: Operand,
               success: Value) -> dict[str, Abstract]:
    """The attributes of the result of `solve_ivp` that are lists with an item for each event."""
    if not located:
        return {"t_events": _NONE, "y_events": _NONE}
    times = [standing_for(ev, outcome, when, f"_0.t_events[{k}]", success) for k, (when, _) in enumerate(located)]
    states: list[Abstract] = []
    for k, (_, like) in enumerate(located):
        state = ev.operand(like)
        value = ev.emit(part, outcome, text=f"_0.y_events[{k}]", type=state.type)
        with derivative_code(ev):
            shaped = ev.emit(of_list, state, value, y0)
        states.append(standing_for(ev, value, ev.wrap(shaped), converged=success))
    return {"t_events": ev.new_list(tuple(times)), "y_events": ev.new_list(tuple(states))}


# -- arguments ---------------------------------------------------------------------------------------------------------


def _check_options(ev: Evaluator, name: str, arguments: Mapping[str, Abstract], supported: Sequence[str]) -> None:
    for key, v in arguments.items():
        if key not in supported and v not in (_NONE, Static(False)):
            ev.refuse("SCT402", f"`{name}` is not differentiated with this `{key}`",
                      why="the result need not be the solution at times, or is more than that",
                      hint=f"leave `{key}` out")


def _tolerance(options: Mapping[str, Abstract]) -> dict[str, Abstract]:
    return {key: options[key] for key in ("rtol", "atol") if options.get(key, _NONE) != _NONE}


def _problem(ev: Evaluator, name: str, arguments: Mapping[str, Abstract], f: Abstract, extra: Abstract,
             own: Abstract | None = None, swapped: bool = False) -> _Problem:
    """The equation, given a function of t and y, and what it reads beside them; `own`: the user's function."""
    start = ev.call(Static(np.atleast_1d), [arguments["y0"]]) if name == "odeint" else arguments["y0"]
    y0 = _numbers(ev, "what the solution starts from", start)
    more = () if extra == _NONE else extra.items if isinstance(extra, Tup) and extra.cls is tuple else (extra,)
    vector = ev.type_of(y0)
    names = parameter_names(ev, own or f) or []
    region = function_of_unknown(ev, f, more, (FLOAT, vector), name)
    for x, hint in zip(region.fn.params, reversed(names[:2]) if swapped else names):
        x.hint = hint
    function = defined(ev, region, own or f, "slope")
    return _Problem(ev, name, DerivedCallable(lambda ev, args, kwargs: ev.call(f, [*args, *more])), more,
                    function, y0, ev.operand(y0))


def _numbers(ev: Evaluator, what: str, v: Abstract) -> Ref:
    """A vector of numbers of 64 bits."""
    x = ev.call(Static(np.asarray), [v])
    t = ev.type_of(x) if isinstance(x, Ref) else None
    if isinstance(t, Tensor) and t.kind == "c":
        ev.refuse("SCT402", f"{what} is a vector of complex numbers", hint="solve for the real and the imaginary parts "
                  "as one vector: `np.concatenate((z.real, z.imag))`")
    if not isinstance(t, Tensor) or t.rank != 1 or t.kind not in "fi" or t.dtype in ("f16", "f32"):
        ev.refuse("SCT402", f"{what} is not a vector of real numbers of 64 bits",
                  hint="pass an array or a list: `[1.0, 0.0]`, `y0.ravel()`")
    if t.kind == "i":
        x = ev.call(Static(np.asarray), [v], {"dtype": Static(float)})
    assert isinstance(x, Ref)
    return x


# -- times -------------------------------------------------------------------------------------------------------------


def _ends(ev: Evaluator, outcome: Value, accepted: str, span: Sequence[Abstract], stopped: Abstract = _NO
          ) -> Abstract:
    """The times that the solver has chosen between the ends `span`."""
    ts = ev.wrap(ev.emit(part, outcome, text=accepted, type=_vector(outcome)))
    moves = any(is_varied(ev, t) for t in span)
    return ev.call(Static(ends_moved), [ts, *span, stopped]) if moves else ts


def _grid(ev: Evaluator, steps: Value, accepted: str, span: Sequence[Abstract], times: Abstract
          ) -> tuple[Abstract, Abstract]:
    """Times that are no farther apart than the accepted ones, and the places of the requested `times` among them."""
    sign = _sign(ev, *span)
    by, s = ([], sign) if isinstance(sign, str) else ([sign], "_2 * ")
    t = ev.operand(times)
    assert isinstance(t.type, Tensor)
    ts: Value = ev.emit(solver, steps, t, *by, text=f"{s}numpy.union1d({s}{accepted}[1:], {s}_1)", type=_vector(steps))
    places: Value = ev.emit(solver, ts, t, *by, text=f"1 + numpy.searchsorted({s}_0, {s}_1)",
                            type=Tensor("array", "i64", t.type.shape))
    ts.hint, places.hint = "after", "places"
    at = ev.wrap(places)
    return ev.call(Static(joined), [span[0], ev.wrap(ts), at, times]), at


def _vector(outcome: Value) -> Tensor:
    """As many numbers as the solver has taken steps."""
    return Tensor("array", "f64", (sym(f"_steps{outcome.id}"),))


def _sign(ev: Evaluator, t0: Abstract, t1: Abstract) -> str | Value:
    """The sign of the times with which they rise."""
    if isinstance(t0, Static) and isinstance(t1, Static):
        return "" if t0.value <= t1.value else "-"
    sign: Value = ev.emit(solver, *map(ev.operand, (t0, t1)), text="numpy.copysign(1.0, _1 - _0)",
                          type=Tensor("np", "f64"))
    sign.hint = "sign"
    return sign
