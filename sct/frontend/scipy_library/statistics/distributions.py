"""Methods of distributions of `scipy.stats` that are no ops: SciPy's own formulas of the standard distribution have
the derivative.

    genpareto.logpdf(x, c, scale=s)   ->   what SciPy computes, with the derivative of
                                           `genpareto._logpdf(x / s, c) - np.log(s)`, where the density is not 0
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sct.errors import SctError
from sct.frontend.autodiff.implicit_functions import derivative_code, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy
from sct.frontend.heap.inactive import is_varied
from sct.frontend.scipy_library.by_program import Program, handler
from sct.frontend.scipy_library.statistics.distribution_formulas import (
    checked,
    density,
    deviation,
    entropy,
    log_density,
    log_difference,
    log_mass,
    mean,
    probability,
    quantile,
    variance,
    with_own_formulas,
    without_derivative,
)
from sct.frontend.state.fixpoint import Dead
from sct.frontend.values.abstract_values import Abstract, ListRef, Static, Tup
from sct.ir import Value
from sct.ir.types import LONG, Tensor, broadcast_shapes
from sct.ops.program.effects import OBJECT, part
from sct.ops.program.solutions import solver
from sct.ops.type_rules import number

__all__: list[str] = []


# -- the methods -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Formulas:
    """How a method is differentiated.

    run       the program
    formula   the method of SciPy's that the program calls: the distribution must have its own
    argument  the name of what it is called with; "" if the parameters are all
    """

    run: Callable[..., Any]
    formula: str
    argument: str = "x"


_METHODS = {
    "pdf": Formulas(density("_pdf"), "_pdf"), "logpdf": Formulas(log_density("_logpdf"), "_pdf"),
    "pmf": Formulas(density("_pmf"), "_pmf", "k"), "logpmf": Formulas(log_density("_logpmf"), "_pmf", "k"),
    "cdf": Formulas(probability("_cdf"), "_cdf"), "sf": Formulas(probability("_sf"), "_cdf"),
    "logcdf": Formulas(probability("_logcdf"), "_cdf"), "logsf": Formulas(probability("_logsf"), "_cdf"),
    "ppf": Formulas(quantile("_ppf"), "_ppf", "q"), "isf": Formulas(quantile("_isf"), "_ppf", "q"),
    "mean": Formulas(mean, "_stats", ""), "var": Formulas(variance, "_stats", ""),
    "std": Formulas(deviation, "_stats", ""), "entropy": Formulas(entropy, "_entropy", "")}

_FORMULAS = ("_pdf", "_logpdf", "_cdf", "_logcdf", "_sf", "_logsf", "_ppf", "_isf", "_pmf", "_logpmf", "_stats",
             "_munp", "_entropy", "_get_support")

_SPECIAL_CASES: dict[str, tuple[str, str, float]] = {
    "genextreme": ("mean var std", "c", 1e-6), "ncx2": ("cdf sf logcdf logsf ppf isf", "nc", 0.0),
    "pearson3": ("pdf logpdf cdf sf logcdf logsf ppf isf", "skew", 1.7e-5)}
"""Methods, and the parameter and the width around 0, where SciPy has another formula, which does not depend on it."""

_INTEGERS = {"betabinom": "n", "betanbinom": "n", "binom": "n", "boltzmann": "N", "hypergeom": "M n N",
             "nhypergeom": "M n r", "randint": "low high", "zipfian": "n", "irwinhall": "n"}
"""The parameters that must be integers."""


def _register(name: str) -> None:
    @of_scipy(f"scipy.stats.rv_generic.{name}")
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        owner, *rest = args
        assert isinstance(owner, Static)
        return _value(ev, owner.peek, name, _bound(ev, owner.peek, name, rest, kwargs), kwargs)


def _has_own(distribution: Any, formula: str) -> bool:
    """Has the distribution this formula, or only what works for any distribution?"""
    stats = sys.modules["scipy.stats"]
    base = stats.rv_discrete if _is_discrete(distribution) else stats.rv_continuous
    return getattr(type(distribution), formula, None) is not getattr(base, formula, None)


def _register_formula(name: str) -> None:
    @of_scipy(f"scipy.stats.rv_generic.{name}")
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        """SciPy's formulas call those of other distributions."""
        owner, *rest = args
        assert isinstance(owner, Static)
        if name in ("_munp", "_ppf", "_cdf") and not _has_own(owner.peek, name):
            ev.refuse("SCT402", f"`{owner.peek.name}` has no formula of this", why="SciPy computes it by a search or "
                      "an integral")
        cls = with_own_formulas(owner.peek)
        return ev.call(Static(getattr(cls, name)), [_standard(ev, owner.peek), *rest], kwargs)


def _standard(ev: Evaluator, distribution: Any) -> Abstract:
    """The object whose methods are the formulas."""
    attributes = {key: Static(getattr(distribution, key)) for key in ("a", "b", "badvalue", "name")}
    attributes["special"] = Static(sys.modules["scipy.special"])
    cls: Any = with_own_formulas(distribution)
    return ev.new_object(cls, attributes)


def _is_discrete(distribution: Any) -> bool:
    return isinstance(distribution, sys.modules["scipy.stats"].rv_discrete)


def _bound(ev: Evaluator, distribution: Any, name: str, args: Args, kwargs: Kwargs) -> dict[str, Abstract]:
    """The arguments by name."""
    names = _names(distribution, name)
    optional = [key for key in ("loc", "scale") if key in names]
    arguments = {**dict(zip(names, args)), **kwargs}
    if len(args) > len(names) or set(kwargs) - {*names[len(args):]} or {*names} - {*arguments, *optional}:
        raise_at_run_time(ev, "TypeError", f"{name}() of `{distribution.name}` takes {', '.join(names)}")
    return {key: arguments[key] for key in names if key in arguments}


def _names(distribution: Any, name: str) -> list[str]:
    """The parameters of a method."""
    shapes = [key.strip() for key in (distribution.shapes or "").split(",") if key.strip()]
    argument = _argument_of(distribution, name)
    return [*([argument] if argument else []), *shapes, "loc", *([] if _is_discrete(distribution) else ["scale"])]


def _argument_of(distribution: Any, name: str) -> str:
    argument = _METHODS[name].argument
    return "k" if argument == "x" and _is_discrete(distribution) else argument


def _value(ev: Evaluator, distribution: Any, name: str, arguments: dict[str, Abstract], keywords: Kwargs) -> Abstract:
    """The value that SciPy computes, with the derivative of the program of the method."""
    method, family = _METHODS[name], distribution.name
    _check_formula(ev, distribution, name)
    own = {key: _number(ev, distribution, name, key, v) for key, v in arguments.items()}
    operands = [ev.operand(v) for v in own.values()]
    texts = [f"{key}=_{k}" if key in keywords else f"_{k}" for k, key in enumerate(own)]
    shape = broadcast_shapes(*(number(x).shape for x in operands))
    result = Tensor("array" if shape else "np", "f64", shape)

    def called(method: str) -> Abstract:
        text = f"scipy.stats.{family}.{method}({', '.join(texts)})"
        return ev.wrap(ev.emit(solver, *operands, type=result, text=text))

    y = called(name)
    run = method.run
    is_probability = name in ("cdf", "sf", "logcdf", "logsf")
    if is_probability:
        of_logarithm = not _has_own(distribution, f"_{name}") and name.startswith("log")
        formula = f"_{name.removeprefix('log') if of_logarithm else name}"
        run = probability(formula, of_logarithm, _is_discrete(distribution))
    with derivative_code(ev):
        methods, near, width = _SPECIAL_CASES.get(family, ("", "", 0.0))
        if name in methods.split() and near in own and (
                is_varied(ev, own[near])):
            own[near] = _without_derivative(ev, own[near], width)
        density_of = called("pdf") if is_probability and _has_own(distribution, "_pdf") else Static(0.0)
        ends = _ends(ev, distribution, own) if is_probability or name == "logpdf" else None
        like = _derivative(ev, distribution, name, run, y, density_of, ends, own)
        if any(not isinstance(v, Static) for key, v in own.items() if key not in ("x", "k")):
            like = ev.call(Static(checked), [like, y, Tup(tuple(own.values()))])
    computed = ev.operand(y)
    assert isinstance(computed, Value)
    return standing_for(ev, computed, like)


def _ends(ev: Evaluator, distribution: Any, own: dict[str, Abstract]) -> tuple[Abstract, Abstract] | None:
    """The ends of the support of the standard distribution; None: the program computes them."""
    stats = sys.modules["scipy.stats"]
    if type(distribution)._get_support is stats.rv_continuous._get_support:
        return Static(float(distribution.a)), Static(float(distribution.b))
    if _is_discrete(distribution):
        return None
    shapes = [v for key, v in own.items() if key not in ("x", "loc", "scale")]
    if all(isinstance(v, Static) for v in shapes):
        a, b = distribution.support(*[ev.ask(v, "a shape") for v in shapes])
        return Static(float(a)), Static(float(b))
    operands = [ev.operand(v) for v in shapes]
    text = f"scipy.stats.{distribution.name}.support({', '.join(f'_{k}' for k in range(len(shapes)))})"
    support = ev.emit(solver, *operands, type=OBJECT, text=text)
    shape = broadcast_shapes(*(number(x).shape for x in operands))
    t = Tensor("array" if shape else "np", "f64", shape)
    a, b = [ev.wrap(ev.emit(part, support, text=f"_0[{k}]", type=t)) for k in (0, 1)]
    return a, b


def _near_zero(v: Any, width: Any) -> Any:
    return np.abs(v) <= width


def _without_derivative(ev: Evaluator, v: Abstract, width: float) -> Abstract:
    """A parameter, whose derivative is nan where it is so near to 0."""
    value, places = ev.operand(v), ev.call(Static(_near_zero), [v, Static(width)])
    like = ev.call(Static(without_derivative), [v, places, Tup((v,))])
    return standing_for(ev, value, like) if isinstance(value, Value) else v


def _derivative(ev: Evaluator, distribution: Any, name: str, run: Callable[..., Any], y: Abstract,
                density_of: Abstract, ends: tuple[Abstract, Abstract] | None, own: dict[str, Abstract]) -> Abstract:
    """The derivative that the program computes; numbers become arrays where SciPy's formula needs them."""
    argument, t = _argument_of(distribution, name), ev.type_of(y)
    shapes = [key for key in own if key not in ("loc", "scale", argument)]
    assert isinstance(t, Tensor)
    snapshot = ev.snapshot()
    refusal: SctError | None = None
    for expands in (False, True):
        ev.restore(snapshot)
        try:
            target = ev.call(Static(np.reshape), [y, Static(1)]) if expands and not t.rank else y
            inside = [v if isinstance(v, Static) else _expanded(ev, v, target, expands)
                      for v in (density_of, *(ends or ()))]
            expanded = {key: _expanded(ev, v, target, expands) for key, v in own.items()}
            first = expanded[argument] if argument else Static(distribution._stats_has_moments)
            like = ev.call(Static(run), [
                target, _standard(ev, distribution), Tup(tuple(inside[1:])) if ends else Static(None), inside[0], first,
                Tup(tuple(expanded[key] for key in shapes)), expanded.get("loc", Static(None)),
                expanded.get("scale", Static(None))])
            like = ev.call(Static(_as), [like, y])
            return ev.call(Static(np.float64), [like]) if not t.rank else like
        except Dead:
            refusal = refusal or SctError("SCT402", "it raises an exception for these arguments")
        except SctError as error:
            if error.code not in ("SCT205", "SCT206", "SCT207", "SCT209", "SCT402", "SCT501", "SCT503"):
                raise
            refusal = refusal or error
    assert refusal is not None
    reason = (refusal.why or "").rpartition("its source: ")[2].rpartition("SciPy's formula: ")[2] or refusal.what
    ev.refuse("SCT402", f"`{distribution.name}.{name}` is not differentiated",
              why=f"sct does not evaluate SciPy's formula: {reason}",
              hint="write it out with functions of NumPy and of scipy.special")


def _expanded(ev: Evaluator, v: Abstract, y: Abstract, expands: bool) -> Abstract:
    """An argument with the shape of the result; a number stays one, if it may."""
    t, whole = ev.type_of(v), ev.type_of(y)
    assert isinstance(t, Tensor) and isinstance(whole, Tensor)
    if not t.rank and not expands:
        return v
    if t.rank == whole.rank and all(map(ev.same, t.shape, whole.shape)) and ev.shape_of(v) == ev.shape_of(y):
        return v
    return ev.call(Static(_like), [v, y])


def _like(v: Any, y: Any) -> Any:
    return np.broadcast_to(v, y.shape)


def _as(like: Any, y: Any) -> Any:
    """The result of a program, where numbers may have become an array."""
    return like if np.ndim(like) == np.ndim(y) else like[0] if np.ndim(y) == 0 else np.broadcast_to(like, y.shape)


def _check_formula(ev: Evaluator, distribution: Any, name: str) -> None:
    """Refuses a method for which SciPy has no formula."""
    formula = _METHODS[name].formula
    searched = distribution.name == "levy_stable" or distribution.name == "tukeylambda" and name not in (
        "ppf", "isf", "entropy")
    if searched or _is_discrete(distribution) and name in ("ppf", "isf") or \
            formula != "_stats" and not _has_own(distribution, formula):
        ev.refuse("SCT402", f"`{distribution.name}.{name}` is not differentiated",
                  why="SciPy has no formula of it that is, and computes it by a search, a sum or an integral",
                  hint="write it out with functions of NumPy and of scipy.special")


def _number(ev: Evaluator, distribution: Any, name: str, key: str, v: Abstract) -> Abstract:
    """An argument: a number or an array."""
    if isinstance(v, (ListRef, Tup)):
        v = ev.call(Static(np.asarray), [v])
    t = ev.type_of(v)
    if not isinstance(t, Tensor) or t.kind not in "fib":
        ev.refuse("SCT402", f"`{key}` of `{distribution.name}.{name}` is no number, and no array of numbers",
                  hint="convert it to an array of floats")
    if t.dtype in LONG:
        ev.refuse("SCT402", f"`{distribution.name}.{name}` is not differentiated in more than double precision",
                  hint="convert with astype(float)")
    counts = key in _INTEGERS.get(distribution.name, "").split() or _is_discrete(distribution) and key in ("k", "loc")
    if counts and t.kind == "f" and is_varied(ev, v):
        ev.refuse("SCT402", f"`{distribution.name}.{name}` is not differentiated by `{key}`",
                  why="it must be an integer", hint="pass `sct.stop_gradient(...)` of it, if no derivative is meant "
                  "to pass")
    return v


@of_scipy("scipy.stats.rv_generic.median")
def _median(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    owner, *rest = args
    assert isinstance(owner, Static)
    return ev.call(Static(owner.peek.ppf), [Static(0.5), *rest], kwargs)


@of_scipy("scipy.stats.rv_generic.interval")
def _interval(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The quantiles on both sides of the median, between which a part of the probability is."""
    owner, *rest = args
    assert isinstance(owner, Static)
    named = dict(kwargs)
    confidence = rest.pop(0) if rest else named.pop("confidence", Static(None))
    if not isinstance(confidence, Static) or type(confidence.value) not in (int, float):
        ev.refuse("SCT402", "`interval` is differentiated for a confidence that is known", hint="pass a number")
    alpha = np.asarray(confidence.value)
    ends = [Static(float((1.0 - alpha) / 2)), Static(float((1.0 + alpha) / 2))]
    return Tup(tuple(ev.call(Static(owner.peek.ppf), [end, *rest], named) for end in ends))


@of_scipy("scipy.stats.rv_generic.stats")
def _stats(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The mean and the variance, or one of them."""
    owner, *rest = args
    assert isinstance(owner, Static)
    named = dict(kwargs)
    moments = ev.ask(named.pop("moments", Static("mv")), "`moments` of `stats`")
    if moments not in ("mv", "m", "v") or len(rest) > len(_names(owner.peek, "mean")):
        ev.refuse("SCT402", "`stats` is differentiated only for means and variances", hint="ask only for these")
    values = [ev.call(Static(getattr(owner.peek, {"m": "mean", "v": "var"}[key])), rest, named) for key in moments]
    return Tup(tuple(values)) if len(values) > 1 else values[0]


def _fitted(data: Any) -> Any:
    return np.mean(data), np.std(data)


@of_scipy("scipy.stats.rv_generic.fit")
def _fit(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """The mean and the deviation of a normal distribution."""
    owner, *rest = args
    assert isinstance(owner, Static)
    if owner.peek.name != "norm" or kwargs or len(rest) != 1:
        ev.refuse("SCT402", f"`{owner.peek.name}.fit` is not differentiated with these arguments",
                  why="SciPy has no formula of the parameters, and computes them by a search",
                  hint="write the likelihood, and give it to scipy.optimize.minimize")
    return handler("scipy.stats.norm.fit", Program(_fitted, ("data",)))(ev, rest, {})


@of_scipy("scipy.stats._continuous_distns._log_gauss_mass")
def _log_gauss_mass(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return ev.call(Static(log_mass), [*args, Static(sys.modules["scipy.special"].log_ndtr)], kwargs)


@of_scipy("scipy.stats._continuous_distns._log_diff")
def _log_diff(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return ev.call(Static(log_difference), args, kwargs)


for _name in _METHODS:
    _register(_name)
for _name in _FORMULAS:
    _register_formula(_name)
