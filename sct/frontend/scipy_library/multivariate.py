"""Densities of vectors: `multivariate_normal` and `dirichlet` of `scipy.stats`, also frozen.

    multivariate_normal.logpdf(x, mean, cov)   ->   what SciPy computes, with the derivative of `_normal_logpdf`
"""

from __future__ import annotations

import inspect
import math
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sct.frontend.autodiff.implicit_functions import derivative_code, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import run_or_raise
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy
from sct.frontend.values.abstract_values import Abstract, DerivedCallable, Poison, Ref, Static
from sct.ir.dims import Dim
from sct.ir.types import Tensor
from sct.ops.program.solutions import solver

__all__: list[str] = []

_NONE = Static(None)


def _normal_logpdf(x: Any, mean: Any, cov: Any) -> Any:
    """The logarithm of the density of a normal distribution, at a point or at each row of `x`."""
    factor = np.linalg.cholesky(cov)
    z = np.linalg.solve(factor, (x - mean).T)
    return -0.5 * (np.sum(z * z, axis=0) + len(mean) * math.log(2.0 * math.pi)) - np.sum(np.log(np.diag(factor)))


def _normal_pdf(x: Any, mean: Any, cov: Any) -> Any:
    return np.exp(_normal_logpdf(x, mean, cov))


def _dirichlet_logpdf(x: Any, alpha: Any, gammaln: Any, xlogy: Any) -> Any:
    """The logarithm of the density of Dirichlet's distribution, at a point or at each column of `x`."""
    if x.shape[0] != alpha.shape[0]:
        x = np.concatenate((x, np.array([1.0 - np.sum(x, axis=0)])))
    terms = np.sum(xlogy(alpha - 1.0, x.T).T, axis=0)
    return terms + gammaln(np.sum(alpha)) - np.sum(gammaln(alpha))


def _dirichlet_pdf(x: Any, alpha: Any, gammaln: Any, xlogy: Any) -> Any:
    return np.exp(_dirichlet_logpdf(x, alpha, gammaln, xlogy))


def _density(ev: Evaluator, name: str, program: Callable[..., Any], x: Abstract, parameters: Sequence[Abstract],
             functions: Sequence[str] = ()) -> Abstract:
    """The density at `x`, which SciPy computes, with the derivative of the program."""
    points = _array(ev, f"what `{name}` is read at", x, (1, 2))
    t = ev.type_of(points)
    assert isinstance(t, Tensor)
    several = t.shape[-1 if "dirichlet" in name else 0] if t.rank == 2 else Dim(1)
    more = [Static(getattr(sys.modules["scipy.special"], f)) for f in functions]
    with derivative_code(ev):
        like = ev.call(Static(program), [points, *parameters, *more])
        if t.rank == 2 and several == Dim(1):  # SciPy squeezes it
            like = ev.call(Static(np.squeeze), [like])
            like = ev.call(Static(np.float64), [like])
    operands = [ev.operand(v) for v in (points, *parameters)]
    text = f"scipy.stats.{name}({', '.join(f'_{k}' for k in range(len(operands)))})"
    return standing_for(ev, ev.emit(solver, *operands, text=text, type=ev.operand(like).type), like)


def _array(ev: Evaluator, what: str, v: Abstract, ranks: Sequence[int]) -> Ref:
    """An array of numbers of 64 bits."""
    x = ev.call(Static(np.asarray), [v], {"dtype": Static(float)})
    t = ev.type_of(x) if isinstance(x, Ref) else None
    if not isinstance(t, Tensor) or t.rank not in ranks or t.dtype != "f64":
        ev.refuse("SCT402", f"{what} is not an array of {' or '.join(map(str, ranks))} axes",
                  hint="pass a vector, or a matrix whose rows are the points; for numbers use `scipy.stats.norm`")
    assert isinstance(x, Ref)
    return x


def _of_normal(ev: Evaluator, mean: Abstract, cov: Abstract, singular: Abstract) -> list[Abstract]:
    """The parameters of a normal distribution of several numbers."""
    if singular not in (_NONE, Static(False)):
        ev.refuse("SCT402", "`allow_singular` of `multivariate_normal` is not supported",
                  why="the density of a singular distribution has no derivative by its matrix",
                  hint="leave `allow_singular` out")
    cov = _array(ev, "the covariance of `multivariate_normal`", cov, (2,))
    n = ev.type_of(cov).shape[0]  # type: ignore[union-attr]
    if n == Dim(1):
        ev.refuse("SCT402", "`multivariate_normal` of one number is not supported", hint="use `scipy.stats.norm`")
    if mean == _NONE:
        mean = ev.call(Static(np.zeros), [ev.call(Static(len), [cov])])
    return [_array(ev, "the mean of `multivariate_normal`", mean, (1,)), cov]


_PROGRAMS: dict[str, dict[str, Callable[..., Any]]] = {
    "multivariate_normal": {"logpdf": _normal_logpdf, "pdf": _normal_pdf},
    "dirichlet": {"logpdf": _dirichlet_logpdf, "pdf": _dirichlet_pdf}}
_FUNCTIONS: dict[str, tuple[str, ...]] = {"multivariate_normal": (), "dirichlet": ("gammaln", "xlogy")}


def _parameters(ev: Evaluator, name: str, given: dict[str, Abstract]) -> list[Abstract]:
    if name == "dirichlet":
        return [_array(ev, "the parameter of `dirichlet`", given["alpha"], (1,))]
    return _of_normal(ev, given.get("mean", _NONE), given.get("cov", Static(1)), given.get("allow_singular", _NONE))


def _bound(ev: Evaluator, f: Any, args: Args, kwargs: Kwargs) -> dict[str, Abstract]:
    return dict(run_or_raise(ev, lambda: inspect.signature(f).bind(*args, **kwargs)).arguments)


def _method(name: str, method: str) -> Any:
    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        own = getattr(getattr(sys.modules["scipy.stats"], name), method)
        given = _bound(ev, own, args, kwargs)
        return _density(ev, f"{name}.{method}", _PROGRAMS[name][method], given["x"], _parameters(ev, name, given),
                        _FUNCTIONS[name])

    return handler


def _frozen(name: str) -> Any:
    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        given = _bound(ev, getattr(sys.modules["scipy.stats"], name).__call__, args, kwargs)
        parameters = _parameters(ev, name, given)
        methods = {method: DerivedCallable(lambda ev, args, kwargs, method=method, program=program: _density(
            ev, f"{name}.{method}", program, (*args, *kwargs.values())[0], parameters, _FUNCTIONS[name]))
            for method, program in _PROGRAMS[name].items()}
        own = type(getattr(sys.modules["scipy.stats"], name))
        unread = Poison(f"of an object of `{name}`, sct reads `logpdf` and `pdf` alone")
        others = [key for key in dir(own) if not key.startswith("_")]
        return ev.new_object(types.SimpleNamespace, {**dict.fromkeys(others, unread), **methods})

    return handler


for _name, _programs in _PROGRAMS.items():
    of_scipy(f"scipy.stats.{_name}")(_frozen(_name))
    for _key in _programs:
        of_scipy(f"scipy.stats.{_name}.{_key}")(_method(_name, _key))
