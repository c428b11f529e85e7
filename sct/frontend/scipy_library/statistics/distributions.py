"""Methods of distributions of `scipy.stats` that are no ops: SciPy's own formulas of the standard distribution have
the derivative.

    genpareto.logpdf(x, c, scale=s)   ->   what SciPy computes, with the derivative of
                                           `genpareto._logpdf(x / s, c) - np.log(s)`, where the density is not 0
"""

from __future__ import annotations

import functools
import math
import operator
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
from sct.frontend.heap.inactive import is_varied, may_be_differentiated
from sct.frontend.scipy_library.by_program import Program, handler
from sct.frontend.state.fixpoint import Dead
from sct.frontend.values.abstract_values import Abstract, ListRef, Static, Tup
from sct.ir import Value
from sct.ir.types import Tensor, broadcast_shapes
from sct.ops.program.solutions import solver
from sct.ops.type_rules import number

__all__: list[str] = []


# -- the programs ------------------------------------------------------------------------------------------------------
# Of what SciPy computes, the formulas of the standard distribution, the argument, and the parameters: each is a number,
# or has the shape of the result.  As SciPy does, they take the elements for which there is a formula.


def _where(inside: Any, y: Any, f: Any, arguments: Any) -> Any:
    """`f` of the arguments inside, and 0 elsewhere."""
    if np.ndim(y) == 0:
        return f(*arguments) if inside else np.float64(0.0)
    values = np.zeros(y.shape)
    values[inside] = f(*[v[inside] if np.ndim(v) else v for v in arguments])
    return values


def _standardized(x: Any, loc: Any, scale: Any) -> Any:
    z = x if loc is None else x - loc
    return z if scale is None else z / scale


def _log_density(name: str) -> Callable[..., Any]:
    """The logarithm of a density or of a probability, where it is finite."""
    def program(y: Any, standard: Any, support: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        values = _where(np.isfinite(y), y, getattr(standard, name), (_standardized(x, loc, scale), *shapes))
        return values if scale is None else values - np.log(scale) * np.isfinite(y)

    return program


def _density(name: str) -> Callable[..., Any]:
    """A density or a probability, where it is not 0."""
    def program(y: Any, standard: Any, support: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        values = _where(y > 0.0, y, getattr(standard, name), (_standardized(x, loc, scale), *shapes))
        return values if scale is None else values / scale

    return program


def _tail(name: str, of_logarithm: bool = False, of_counts: bool = False) -> Callable[..., Any]:
    """A distribution function or its logarithm, inside of the support, to which the least count belongs.

    of_logarithm  the formula is that of the function, of which the logarithm is taken
    """
    def program(y: Any, standard: Any, support: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        z = _standardized(x, loc, scale)
        a, b = standard._get_support(*shapes) if support is None else support
        inside = np.isfinite(y) & (a <= z if of_counts else a < z) & (z < b)
        f = getattr(standard, name)
        return _where(inside, y, (lambda *args: np.log(f(*args))) if of_logarithm else f, (z, *shapes))

    return program


def _quantile(name: str) -> Callable[..., Any]:
    def program(y: Any, standard: Any, support: Any, q: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        values = _where(np.isfinite(y), y, getattr(standard, name), (q, *shapes))
        values = values if scale is None else values * scale
        return values if loc is None else values + loc

    return program


def _moments(standard: Any, takes_names: Any, shapes: Any) -> Any:
    """The mean and the variance of the standard distribution."""
    first, second, _, _ = standard._stats(*shapes, moments="mv") if takes_names else standard._stats(*shapes)
    if first is None:
        first = standard._munp(1, *shapes)
    if second is None:
        second = standard._munp(2, *shapes) - first * first
    return first, second


def _mean(y: Any, standard: Any, support: Any, takes_names: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    values = _where(np.isfinite(y), y, lambda *args: _moments(standard, takes_names, args)[0], shapes)
    values = values if scale is None else values * scale
    return values if loc is None else values + loc


def _variance(y: Any, standard: Any, support: Any, takes_names: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    values = _where(np.isfinite(y), y, lambda *args: _moments(standard, takes_names, args)[1], shapes)
    return values if scale is None else values * (scale * scale)


def _deviation(y: Any, standard: Any, support: Any, takes_names: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    values = _where(np.isfinite(y), y, lambda *args: np.sqrt(_moments(standard, takes_names, args)[1]), shapes)
    return values if scale is None else values * scale


def _entropy(y: Any, standard: Any, support: Any, takes_names: Any, shapes: Any, loc: Any, scale: Any) -> Any:
    values = _where(np.isfinite(y), y, standard._entropy, shapes)
    return values if scale is None else values + np.log(scale)


def _log_mass(a: Any, b: Any, log_ndtr: Any) -> Any:
    """The logarithm of the normal probability of an interval, on the side of 0 where it is accurate."""
    a, b = np.broadcast_arrays(a, b)
    low, high = log_ndtr(np.maximum(np.where(a > 0.0, -b, a), -1e4)), log_ndtr(np.where(a > 0.0, -a, b))
    return high + np.log(-np.expm1(low - high))


def _log_difference(p: Any, q: Any) -> Any:
    return p + np.log(-np.expm1(q - p))


# Formulas in the place of SciPy's, which call code that is not Python.


def _truncated_logcdf(self: Any, x: Any, a: Any, b: Any) -> Any:
    return self.log_mass(a, x) - self.log_mass(a, b)


def _truncated_logsf(self: Any, x: Any, a: Any, b: Any) -> Any:
    return self.log_mass(x, b) - self.log_mass(a, b)


def _exp_of_logpdf(self: Any, x: Any, *shapes: Any) -> Any:
    return np.exp(self._logpdf(x, *shapes))


def _cosine_cdf(self: Any, x: Any) -> Any:
    return 0.5 + (x + np.sin(x)) / (2.0 * math.pi)


def _cosine_sf(self: Any, x: Any) -> Any:
    return 0.5 - (x + np.sin(x)) / (2.0 * math.pi)


def _binomial_cdf(self: Any, x: Any, n: Any, p: Any) -> Any:
    k = np.floor(x)
    return self.betainc(n - k, k + 1.0, 1.0 - p)


def _binomial_sf(self: Any, x: Any, n: Any, p: Any) -> Any:
    k = np.floor(x)
    return self.betainc(k + 1.0, n - k, p)


def _negative_cdf(self: Any, x: Any, n: Any, p: Any) -> Any:
    return self.betainc(n, np.floor(x) + 1.0, p)


def _negative_sf(self: Any, x: Any, n: Any, p: Any) -> Any:
    return self.betainc(np.floor(x) + 1.0, n, 1.0 - p)


_OWN_FORMULAS: dict[str, dict[str, Any]] = {
    "truncnorm": {"_logcdf": _truncated_logcdf, "_logsf": _truncated_logsf}, "ncx2": {"_pdf": _exp_of_logpdf},
    "cosine": {"_cdf": _cosine_cdf, "_sf": _cosine_sf}, "binom": {"_cdf": _binomial_cdf, "_sf": _binomial_sf},
    "nbinom": {"_cdf": _negative_cdf, "_sf": _negative_sf}}


def _no_end(q: Any) -> Any:
    return np.all((q != 0.0) & (q != 1.0))


def _away_from(x: Any, place: Any, width: Any) -> Any:
    """Is none of the numbers this place, or so near?"""
    return np.all(np.abs(x if place == 0.0 else x - place) > width)


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
    "pdf": Formulas(_density("_pdf"), "_pdf"), "logpdf": Formulas(_log_density("_logpdf"), "_pdf"),
    "pmf": Formulas(_density("_pmf"), "_pmf", "k"), "logpmf": Formulas(_log_density("_logpmf"), "_pmf", "k"),
    "cdf": Formulas(_tail("_cdf"), "_cdf"), "sf": Formulas(_tail("_sf"), "_cdf"),
    "logcdf": Formulas(_tail("_logcdf"), "_cdf"), "logsf": Formulas(_tail("_logsf"), "_cdf"),
    "ppf": Formulas(_quantile("_ppf"), "_ppf", "q"), "isf": Formulas(_quantile("_isf"), "_ppf", "q"),
    "mean": Formulas(_mean, "_stats", ""), "var": Formulas(_variance, "_stats", ""),
    "std": Formulas(_deviation, "_stats", ""), "entropy": Formulas(_entropy, "_entropy", "")}

_FORMULAS = ("_pdf", "_logpdf", "_cdf", "_logcdf", "_sf", "_logsf", "_ppf", "_isf", "_pmf", "_logpmf", "_stats",
             "_munp", "_entropy", "_get_support")

_SPECIAL_CASES: dict[str, dict[str, tuple[tuple[float, ...], float]]] = {
    "genextreme": {"c": ((0.0,), 1e-6)}, "genpareto": {"c": ((0.0,), 0.0)}, "ncx2": {"nc": ((0.0,), 0.0)},
    "kappa4": {"h": ((0.0,), 0.0), "k": ((0.0,), 0.0)}, "pearson3": {"skew": ((0.0,), 1.7e-5)},
    "skewnorm": {"a": ((0.0,), 0.0)}, "triang": {"c": ((0.0, 1.0), 0.0)}}
"""Places of parameters, and the width around them, where SciPy has another formula, which does not depend on them."""

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
        return ev.call(Static(getattr(_class_of(owner.peek), name)), [_standard(ev, owner.peek), *rest], kwargs)


def _standard(ev: Evaluator, distribution: Any) -> Abstract:
    """The object whose methods are the formulas."""
    attributes = {key: Static(getattr(distribution, key)) for key in ("a", "b", "badvalue", "name")}
    if distribution.name == "truncnorm":
        attributes["log_mass"] = Static(sys.modules["scipy.stats._continuous_distns"]._log_gauss_mass)
    if distribution.name in ("binom", "nbinom"):
        attributes["betainc"] = Static(sys.modules["scipy.special"].betainc)
    cls: Any = _class_of(distribution)
    return ev.new_object(cls, attributes)


def _class_of(distribution: Any) -> Any:
    """The class of a distribution, with the formulas that take the place of SciPy's."""
    family: Any = type(distribution)
    return _with_formulas(family, distribution.name) if distribution.name in _OWN_FORMULAS else family


@functools.cache
def _with_formulas(family: Any, name: str) -> Any:
    return type(family.__name__, (family,), _OWN_FORMULAS[name])


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
    """What SciPy computes, with the derivative of the program of the method."""
    method, family = _METHODS[name], distribution.name
    _check_formula(ev, distribution, name)
    own = {key: _number(ev, distribution, name, key, v) for key, v in arguments.items()}
    operands = [ev.operand(v) for v in own.values()]
    texts = [f"{key}=_{k}" if key in keywords else f"_{k}" for k, key in enumerate(own)]
    shape = broadcast_shapes(*(number(x).shape for x in operands))
    result = Tensor("array" if shape else "np", "f64", shape)
    found = ev.emit(solver, *operands, type=result, text=f"scipy.stats.{family}.{name}({', '.join(texts)})")
    run = method.run
    if name in ("cdf", "sf", "logcdf", "logsf"):
        of_logarithm = not _has_own(distribution, f"_{name}") and name.startswith("log")
        run = _tail(f"_{name.removeprefix('log') if of_logarithm else name}", of_logarithm, _is_discrete(distribution))
    cases = [(key, *place) for key, place in _SPECIAL_CASES.get(family, {}).items()
             if key in own and (is_varied(ev, own[key]) or may_be_differentiated(ev, own[key]))]
    with derivative_code(ev):
        like = _derivative(ev, distribution, name, run, ev.wrap(found), own)
        tests = [ev.call(Static(_away_from), [own[key], Static(place), Static(width)])
                 for key, places, width in cases for place in places]
        reason = f"SciPy's formula of {family}.{name} for this parameter has no derivative by it"
        if "q" in own and not isinstance(own["q"], Static):
            tests.append(ev.call(Static(_no_end), [own["q"]]))
            reason = reason if cases else f"{family}.{name} of 0 or 1, the ends of the support, has no derivative"
        apart = functools.reduce(lambda a, b: ev.call(Static(operator.and_), [a, b]), tests) if tests else None
    if apart is None:
        return standing_for(ev, found, like)
    regular = ev.operand(ev.call(Static(bool), [apart]))
    assert isinstance(regular, Value)
    return standing_for(ev, found, like, converged=regular, error=reason)


def _derivative(ev: Evaluator, distribution: Any, name: str, run: Callable[..., Any], y: Abstract,
                own: dict[str, Abstract]) -> Abstract:
    """What the program computes; numbers become arrays where SciPy's formula needs them."""
    argument, t = _argument_of(distribution, name), ev.type_of(y)
    shapes = [key for key in own if key not in ("loc", "scale", argument)]
    has_own = type(distribution)._get_support is not sys.modules["scipy.stats"].rv_continuous._get_support
    support = Static(None) if has_own else Tup((Static(distribution.a), Static(distribution.b)))
    assert isinstance(t, Tensor)
    checkpoint = ev.checkpoint()
    refusal: SctError | None = None
    for expands in (False, True):
        ev.restore(checkpoint)
        try:
            target = ev.call(Static(np.reshape), [y, Static(1)]) if expands and not t.rank else y
            given = {key: _expanded(ev, v, target, expands) for key, v in own.items()}
            first = given[argument] if argument else Static(distribution._stats_has_moments)
            like = ev.call(Static(run), [target, _standard(ev, distribution), support, first, Tup(tuple(
                given[key] for key in shapes)), given.get("loc", Static(None)), given.get("scale", Static(None))])
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
    if not t.rank and not expands or t.rank == whole.rank and all(map(ev.same, t.shape, whole.shape)):
        return v
    return ev.call(Static(_like), [v, y])


def _like(v: Any, y: Any) -> Any:
    return np.broadcast_to(v, y.shape)


def _as(like: Any, y: Any) -> Any:
    """The result of a program, of which numbers may have become an array."""
    return like if np.ndim(like) == np.ndim(y) else like[0] if np.ndim(y) == 0 else np.broadcast_to(like, y.shape)


def _check_formula(ev: Evaluator, distribution: Any, name: str) -> None:
    """Refuses a method for which SciPy has no formula."""
    formula = _METHODS[name].formula
    if distribution.name in ("levy_stable", "tukeylambda") or _is_discrete(distribution) and name in ("ppf", "isf") or \
            formula != "_stats" and not _has_own(distribution, formula):
        ev.refuse("SCT402", f"`{distribution.name}.{name}` is not differentiated",
                  why="SciPy has no formula of it that is, and computes it by a search, a sum or an integral",
                  hint="write it out with functions of NumPy and of scipy.special")


def _number(ev: Evaluator, distribution: Any, name: str, key: str, v: Abstract) -> Abstract:
    """An argument: a number or an array."""
    if isinstance(v, (ListRef, Tup)):
        v = ev.call(Static(np.asarray), [v])
    t = ev.type_of(v)
    if not isinstance(t, Tensor) or t.kind not in "fib" or t.dtype == "f128":
        ev.refuse("SCT402", f"`{key}` of `{distribution.name}.{name}` is no number, and no array of numbers",
                  hint="convert it to an array of floats")
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
        ev.refuse("SCT402", "`stats` is differentiated for means and variances alone", hint="ask for these alone")
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
    return ev.call(Static(_log_mass), [*args, Static(sys.modules["scipy.special"].log_ndtr)], kwargs)


@of_scipy("scipy.stats._continuous_distns._log_diff")
def _log_diff(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    return ev.call(Static(_log_difference), args, kwargs)


for _name in _METHODS:
    _register(_name)
for _name in _FORMULAS:
    _register_formula(_name)
