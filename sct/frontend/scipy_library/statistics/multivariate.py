"""Densities of vectors: `multivariate_normal` and `dirichlet` of `scipy.stats`, also frozen, and `gaussian_kde`.

    multivariate_normal.logpdf(x, mean, cov)   ->   what SciPy computes, with the derivative of `_normal_logpdf`
"""

from __future__ import annotations

import functools
import math
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from sct.frontend.arguments.lift import lift, opaque
from sct.frontend.autodiff.implicit_functions import computed_before, derivative_code, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, library_object, of_scipy, special
from sct.frontend.heap.inactive import is_varied, template_of
from sct.frontend.objects.class_of import stand_in_class
from sct.frontend.scipy_library.by_program import array_of_floats, as_floats
from sct.frontend.values.abstract_values import Abstract, DerivedCallable, Ref, Static, Tup
from sct.ir import Operand, Value
from sct.ir.dims import Dim
from sct.ir.types import Tensor
from sct.ops.program.effects import OBJECT
from sct.ops.program.solutions import solver

__all__ = ["value_of_density"]

_NONE = Static(None)


def _normal_logpdf(x: Any, mean: Any, cov: Any) -> Any:
    """The logarithm of the density of a normal distribution, at a point or at each row of `x`."""
    factor = np.linalg.cholesky(cov)
    z = np.linalg.solve(factor, (x - mean).T)
    return -0.5 * (np.sum(z * z, axis=0) + len(mean) * math.log(2.0 * math.pi)) - np.sum(np.log(np.diag(factor)))


def _normal_pdf(x: Any, mean: Any, cov: Any) -> Any:
    return np.exp(_normal_logpdf(x, mean, cov))


_SMALL = 1e6 * np.finfo(float).eps
"""SciPy takes eigenvalues below this part of the largest for 0."""


def _regular_logpdf(x: Any, mean: Any, cov: Any) -> Any:
    """The same where SciPy takes the matrix for one of full rank; not a number elsewhere."""
    sizes = np.linalg.eigvalsh(cov)
    top = np.max(np.abs(sizes))
    is_regular = sizes[0] > _SMALL * top
    some_regular = cov + np.where(is_regular, 0.0, top) * np.eye(len(mean))
    return np.where(is_regular, 1.0, np.nan) * _normal_logpdf(x, mean, some_regular)


def _regular_pdf(x: Any, mean: Any, cov: Any) -> Any:
    return np.exp(_regular_logpdf(x, mean, cov))


def _supported_logpdf(x: Any, mean: Any, cov: Any) -> Any:
    """The same for a constant matrix of any rank: along its vectors, and -inf where SciPy takes the rest for not 0."""
    sizes, vectors = np.linalg.eigh(cov)
    small = _SMALL * np.max(np.abs(sizes))
    is_large = sizes > small
    sizes = np.where(is_large, sizes, 1.0)
    z = (x - mean) @ vectors
    beyond = np.sum(np.where(is_large, 0.0, z * z), axis=-1)
    squares = np.sum(np.where(is_large, z * z / sizes, 0.0), axis=-1)
    logs = -0.5 * (squares + np.sum(is_large) * math.log(2.0 * math.pi) + np.sum(np.log(sizes)))
    return np.where(beyond < (1e3 * small) ** 2, logs, -math.inf)


def _supported_pdf(x: Any, mean: Any, cov: Any) -> Any:
    return np.exp(_supported_logpdf(x, mean, cov))


def _number_logpdf(x: Any, mean: Any, variance: Any) -> Any:
    """The logarithm of the density of one number."""
    z = x - mean
    return -0.5 * (z * z / variance + np.log(2.0 * math.pi * variance))


def _number_pdf(x: Any, mean: Any, variance: Any) -> Any:
    return np.exp(_number_logpdf(x, mean, variance))


def _dirichlet_logpdf(x: Any, alpha: Any, gammaln: Any, xlogy: Any) -> Any:
    """The logarithm of the density of Dirichlet's distribution, at a point or at each column of `x`."""
    if x.shape[0] != alpha.shape[0]:
        x = np.concatenate((x, np.array([1.0 - np.sum(x, axis=0)])))
    terms = np.sum(xlogy(alpha - 1.0, x.T).T, axis=0)
    return terms + gammaln(np.sum(alpha)) - np.sum(gammaln(alpha))


def _dirichlet_pdf(x: Any, alpha: Any, gammaln: Any, xlogy: Any) -> Any:
    return np.exp(_dirichlet_logpdf(x, alpha, gammaln, xlogy))


def _density(ev: Evaluator, name: str, program: Callable[..., Any], x: Abstract, parameters: Sequence[Abstract],
             functions: Sequence[str] = (), options: str = "") -> Abstract:
    """The density at `x`, which SciPy computes, with the derivative of the program."""
    rank = len(ev.shape_of(parameters[0]))  # of one point
    array = _array_of_dtype if "dirichlet" in name else _array
    points = array(ev, f"what `{name}` is read at", x, (rank, rank + 1))
    t = ev.type_of(points)
    assert isinstance(t, Tensor)
    several = t.shape[-1 if "dirichlet" in name else 0] if t.rank > rank else Dim(1)
    more = [Static(getattr(sys.modules["scipy.special"], f)) for f in functions]
    operands = [ev.operand(v) for v in (points, *parameters)]
    text = f"scipy.stats.{name}({', '.join(f'_{k}' for k in range(len(operands)))}{options})"

    def evaluate() -> Abstract:
        like = ev.call(Static(program), [points, *parameters, *more])
        if (t.rank == 2 or rank == 0) and several == Dim(1):  # SciPy squeezes it
            like = ev.call(Static(np.squeeze), [like])
            like = ev.call(Static(np.float64), [like])
        return like

    value, like = computed_before(ev, evaluate, lambda like: ev.emit(
        solver, *operands, text=text, type=ev.operand(like).type))
    return standing_for(ev, value, like)


def _array(ev: Evaluator, what: str, v: Abstract, ranks: Sequence[int]) -> Ref:
    return as_floats(ev, what, v, ranks, "pass a vector, or a matrix whose rows are the points; for numbers use "
                     "`scipy.stats.norm`")


def _array_of_dtype(ev: Evaluator, what: str, v: Abstract, ranks: Sequence[int]) -> Ref:
    """The same in single precision, if it is: `dirichlet` computes with the dtypes that it gets."""
    x = ev.call(Static(np.asarray), [v])
    t = ev.type_of(x) if isinstance(x, Ref) else None
    if isinstance(x, Ref) and isinstance(t, Tensor) and t.dtype == "f32" and t.rank in ranks:
        return x
    if isinstance(t, Tensor) and t.dtype == "f16":
        ev.refuse("SCT402", f"{what} is an array of floats of 16 bits", hint="convert with astype(float)")
    return _array(ev, what, x, ranks)


_PROGRAMS: dict[str, dict[str, Callable[..., Any]]] = {
    "multivariate_normal": {"logpdf": _normal_logpdf, "pdf": _normal_pdf},
    "dirichlet": {"logpdf": _dirichlet_logpdf, "pdf": _dirichlet_pdf}}
_FUNCTIONS: dict[str, tuple[str, ...]] = {"multivariate_normal": (), "dirichlet": ("gammaln", "xlogy")}
_OF_NUMBERS: dict[str, Callable[..., Any]] = {"logpdf": _number_logpdf, "pdf": _number_pdf}
_IF_REGULAR: dict[str, Callable[..., Any]] = {"logpdf": _regular_logpdf, "pdf": _regular_pdf}
_OF_ANY_RANK: dict[str, Callable[..., Any]] = {"logpdf": _supported_logpdf, "pdf": _supported_pdf}

_MEAN = "the mean of `multivariate_normal`"
_Parameters = tuple[list[Abstract], Mapping[str, Callable[..., Any]], str]
"""Arrays, the program of each method, and options as SciPy gets them."""


def _same_variance(variance: Any, mean: Any) -> Any:
    return variance * np.eye(len(mean))


def _variances(variances: Any, mean: Any) -> Any:
    return np.diag(variances)


def _of_normal(ev: Evaluator, mean: Abstract, cov: Abstract, singular: Abstract) -> _Parameters:
    """The parameters of a normal distribution of one or several numbers."""
    may_be_singular = bool(ev.ask(singular, "`allow_singular` of `multivariate_normal`"))
    options = ", allow_singular=True" if may_be_singular else ""
    cov = _array(ev, "the covariance of `multivariate_normal`", cov, (0, 1, 2))
    center = _array(ev, _MEAN, Static(0.0) if mean == _NONE else mean, (0, 1, 2))
    if all(n == Dim(1) for v in (center, cov) for n in ev.shape_of(v)):
        return [ev.call(Static(np.reshape), [v, Tup(())]) for v in (center, cov)], _OF_NUMBERS, options
    if len(ev.shape_of(cov)) < 2 and mean != _NONE:  # of independent numbers
        independent = _same_variance if not len(ev.shape_of(cov)) else _variances
        cov = ev.call(Static(independent), [cov, center])
    if mean == _NONE:
        mean = ev.call(Static(np.zeros), [ev.call(Static(len), [cov])])
    programs = _PROGRAMS["multivariate_normal"]
    if may_be_singular:
        programs = _IF_REGULAR if is_varied(ev, cov) else _OF_ANY_RANK
    return [_array(ev, _MEAN, mean, (1,)), cov], programs, options


def _parameters(ev: Evaluator, name: str, arguments: dict[str, Abstract]) -> _Parameters:
    if name == "dirichlet":
        return [_array_of_dtype(ev, "the parameter of `dirichlet`", arguments["alpha"], (1,))], _PROGRAMS[name], ""
    mean, cov = arguments.get("mean", _NONE), arguments.get("cov", Static(1))
    return _of_normal(ev, mean, cov, arguments.get("allow_singular", _NONE))


def _method(name: str, method: str) -> Any:
    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        own = getattr(getattr(sys.modules["scipy.stats"], name), method)
        arguments = named_arguments(ev, own, args, kwargs)
        parameters, programs, options = _parameters(ev, name, arguments)
        return _density(ev, f"{name}.{method}", programs[method], arguments["x"], parameters, _FUNCTIONS[name], options)

    return handler


def _frozen(name: str) -> Any:
    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        arguments = named_arguments(ev, getattr(sys.modules["scipy.stats"], name).__call__, args, kwargs)
        parameters, programs, options = _parameters(ev, name, arguments)
        methods = {method: DerivedCallable(lambda ev, args, kwargs, method=method, program=program: _density(
            ev, f"{name}.{method}", program, (*args, *kwargs.values())[0], parameters, _FUNCTIONS[name], options))
            for method, program in programs.items()}
        own = type(getattr(sys.modules["scipy.stats"], name))
        others = [key for key in dir(own) if not key.startswith("_")]
        return library_object(ev, f"an object of `{name}`", methods, others)

    return handler


for _name, _programs in _PROGRAMS.items():
    of_scipy(f"scipy.stats.{_name}")(_frozen(_name))
    for _key in _programs:
        of_scipy(f"scipy.stats.{_name}.{_key}")(_method(_name, _key))


# -- densities of samples ----------------------------------------------------------------------------------------------


class KernelDensity:
    """A `gaussian_kde`, where the function is evaluated; its methods have handlers."""

    def __call__(self, points: Any) -> Any: ...

    def evaluate(self, points: Any) -> Any: ...

    def pdf(self, x: Any) -> Any: ...

    def logpdf(self, x: Any) -> Any: ...

    def other(self, value: Any = None) -> Any:
        """Stands for what SciPy's objects have besides."""


@functools.cache
def _class_of_kernel_densities() -> type:
    """Their class, for which `isinstance` holds that holds for SciPy's."""
    return stand_in_class(KernelDensity, sys.modules["scipy.stats"].gaussian_kde, KernelDensity.other, (
        "dataset", "weights", "neff", "covariance", "d", "n", "factor"))


def _kernel(data: Any, weights: Any, rule: Any, bandwidth: Any) -> Any:
    """The data as columns, their weights, and the covariance of the kernel."""
    data = np.atleast_2d(data)
    d, n = data.shape
    w = np.full(n, 1.0 / n) if weights is None else weights / np.sum(weights)
    squares = np.sum(w * w)
    if rule == "scott":
        factor = squares ** (1.0 / (d + 4))
    elif rule == "silverman":
        factor = (4.0 * squares / (d + 2.0)) ** (1.0 / (d + 4))
    else:
        factor = bandwidth
    deviations = data - np.expand_dims(data @ w, 1)
    return data, w, factor * factor / (1.0 - squares) * (deviations * w) @ deviations.T


def _sum_of_kernels(data: Any, weights: Any, covariance: Any, points: Any, is_log: Any) -> Any:
    """The sum of normal densities around the data, or its logarithm."""
    lower = np.linalg.cholesky(covariance)
    z, t = np.linalg.solve(lower, data), np.linalg.solve(lower, np.atleast_2d(points))
    log_norm = np.sum(np.log(math.sqrt(2.0 * math.pi) * np.diag(lower)))
    logs = -0.5 * np.sum((z[:, :, None] - t[:, None, :]) ** 2, axis=0) - log_norm
    return np.logaddexp.reduce(np.log(weights)[:, None] + logs, axis=0) if is_log else weights @ np.exp(logs)


@of_scipy("scipy.stats.gaussian_kde")
def _kernel_density(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """A density of samples, which may be called with points."""
    arguments = named_arguments(ev, sys.modules["scipy.stats"].gaussian_kde, args, kwargs)
    data = array_of_floats(ev, "gaussian_kde", arguments["dataset"], (1, 2))
    weights, width = arguments.get("weights", Static(None)), arguments.get("bw_method", Static(None))
    operands: list[Operand] = [ev.operand(data)]
    texts = ["_0"]
    rule: Any = "scott"
    if isinstance(width, Static) and type(width.value) in (str, type(None)):
        rule = width.value or rule
        texts += [f"bw_method={rule!r}"] * ("bw_method" in arguments)
    elif not isinstance(width, (Static, Value)) or (text := template_of(ev, width, operands)) is None or \
            not isinstance(t := ev.lit(width).type, Tensor) or t.rank:
        ev.refuse("SCT402", "a `gaussian_kde` with this `bw_method` is not differentiated", hint="pass a number")
    else:
        rule = None
        texts.append(f"bw_method={text}")
    if weights != Static(None):
        weights = array_of_floats(ev, "gaussian_kde", weights, (1,))
        texts.append(f"weights=_{len(operands)}")
        operands.append(ev.operand(weights))
    native = ev.emit(solver, *operands, text=f"scipy.stats.gaussian_kde({', '.join(texts)})", type=OBJECT)
    native.hint = "kde"
    with derivative_code(ev):
        kernel = ev.call(Static(_kernel), [data, weights, Static(rule), width])
    assert isinstance(kernel, Tup)
    return ev.new_object(_class_of_kernel_densities(), {
        "_native": native, "_flat": Static(len(ev.type_of(data).shape) == 1),  # type: ignore[union-attr]
        **dict(zip(("_data", "_weights", "_covariance"), kernel.items))})


def value_of_density(ev: Evaluator, fn: Static, args: Args, kwargs: Kwargs) -> Abstract | None:
    """The density, at points, of an object that the program has not made itself; None for other calls."""
    owner: Any = fn.peek.__self__ if isinstance(fn.peek, types.MethodType) else fn.peek
    cls = getattr(sys.modules.get("scipy.stats"), "gaussian_kde", None)
    name = "" if owner is fn.peek else fn.peek.__name__
    if cls is None or type(owner) is not cls or fn.path is None or kwargs or len(args) != 1 or name not in _METHODS:
        return None
    path = (*fn.path, ("attr", "__self__")) if name else fn.path
    slots = {f"_{key}": lift(ev, getattr(owner, key), (*path, ("attr", key)))
             for key in ("covariance", "dataset", "weights")}
    slots |= {"_data": slots["_dataset"], "_native": opaque(ev, Static(owner, path)), "_flat": Static(owner.d == 1)}
    return _at_points(ev, name, slots, args[0])


_METHODS = {"": "_0", "__call__": "_0", "evaluate": "_0.evaluate", "pdf": "_0.pdf", "logpdf": "_0.logpdf"}


def _at_points(ev: Evaluator, method: str, slots: dict[str, Abstract], points: Abstract) -> Abstract:
    if not isinstance(slots["_native"], Value) or not isinstance(slots["_flat"], Static):
        ev.refuse("SCT502", "which density this is depends on the path", hint="read it in each of the branches")
    x = ev.call(Static(np.asarray), [points], {"dtype": Static(float)})
    t = ev.type_of(x)
    ranks = (0, 1) if slots["_flat"].value else (2,)
    if not isinstance(t, Tensor) or t.rank not in ranks:
        ev.refuse("SCT402", "a density is read at points of another number of axes",
                  why="sct reads that of numbers at a vector, and that of vectors at a matrix of columns",
                  hint="give a point of several numbers as a column, `point[:, None]`")
    with derivative_code(ev):
        like = ev.call(Static(_sum_of_kernels), [
            slots["_data"], slots["_weights"], slots["_covariance"], x, Static(method == "logpdf")])
    operands = [ev.operand(slots["_native"]), ev.operand(points if isinstance(points, (Ref, Value, Static)) else x)]
    text = f"{_METHODS[method]}(_1)"
    return standing_for(ev, ev.emit(solver, *operands, text=text, type=ev.operand(like).type), like)


def _method_of_density(name: str) -> None:
    @special(getattr(KernelDensity, name))
    def handle(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        arguments = list(named_arguments(ev, getattr(KernelDensity, name), args, kwargs).values())
        cell = ev.slots(arguments[0])
        return _at_points(ev, name, dict(zip(cell.keys, cell.items)), arguments[1])


for _name in ("__call__", "evaluate", "pdf", "logpdf"):
    _method_of_density(_name)


@special(KernelDensity.other)
def _unread(ev: Evaluator, args: Args, kwargs: Kwargs) -> NoReturn:
    ev.refuse("SCT203", "this attribute of a `gaussian_kde` is not supported",
              why="sct reads densities and their logarithms, as the data may be differentiated", hint="call it")
