"""Distances between points: functions of `scipy.spatial`.

    cdist(a, b, "cityblock")   ->   what SciPy computes, with the derivative of `_of_pairs`
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import named_arguments
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy
from sct.frontend.numpy_library.op_calls import call_named
from sct.frontend.scipy_library.by_program import Program, handler, register
from sct.frontend.values.abstract_values import Abstract, Static

__all__: list[str] = []


# -- distances ---------------------------------------------------------------------------------------------------------


def _root(s: Any, p: Any) -> Any:
    """A root of sums that may be 0, where it has no derivative."""
    return np.where(s > 0.0, np.where(s > 0.0, s, 1.0) ** (1.0 / p), 0.0)


def _direction(u: Any) -> Any:
    return u / np.sqrt(np.sum(u * u, axis=-1, keepdims=True))


def _quotient(x: Any, y: Any) -> Any:
    """A quotient, which is 0 where both are."""
    return np.where(y > 0.0, x / np.where(y > 0.0, y, 1.0), 0.0)


def _of_pairs(u: Any, v: Any, metric: Any, p: Any, weights: Any) -> Any:
    """The distances between points along the last axis."""
    if metric == "cosine":
        return 1.0 - np.sum(_direction(u) * _direction(v), axis=-1)
    if metric == "correlation":
        u, v = u - np.mean(u, axis=-1, keepdims=True), v - np.mean(v, axis=-1, keepdims=True)
        return 1.0 - np.sum(_direction(u) * _direction(v), axis=-1)
    if metric == "jensenshannon":
        u, v = u / np.sum(u, axis=-1, keepdims=True), v / np.sum(v, axis=-1, keepdims=True)
        m = 0.5 * (u + v)
        terms = u * np.log(np.where(u > 0.0, u, 1.0) / np.where(u > 0.0, m, 1.0)) \
            + v * np.log(np.where(v > 0.0, v, 1.0) / np.where(v > 0.0, m, 1.0))
        return _root(0.5 * np.sum(terms, axis=-1), 2.0)
    d = u - v
    if metric == "canberra":
        return np.sum(_quotient(np.abs(d), np.abs(u) + np.abs(v)), axis=-1)
    if metric == "braycurtis":
        return np.sum(np.abs(d), axis=-1) / np.sum(np.abs(u + v), axis=-1)
    if metric == "chebyshev" or metric == "minkowski" and p == math.inf:
        return np.max(np.abs(d if weights is None else np.where(weights != 0.0, d, 0.0)), axis=-1)
    if metric == "minkowski":
        powers = np.abs(d) ** p
        return _root(np.sum(powers if weights is None else weights * powers, axis=-1), p)
    if metric == "cityblock":
        return np.sum(np.abs(d) if weights is None else weights * np.abs(d), axis=-1)
    if metric == "sqeuclidean":
        return np.sum(d * d if weights is None else weights * (d * d), axis=-1)
    raise ValueError(f"Unknown Distance Metric: {metric}")


def _squares(u: Any, v: Any, metric: Any, weights: Any, matrix: Any) -> Any:
    """The squares of the distances between points along the last axis."""
    d = u - v
    if metric == "mahalanobis":
        return np.sum(d @ matrix * d, axis=-1)
    if metric == "seuclidean":
        return np.sum(d * d / matrix, axis=-1)
    return np.sum(d * d if weights is None else weights * (d * d), axis=-1)


def _matrix_of(points: Any, metric: Any, V: Any, VI: Any) -> Any:
    """The matrix that distances are relative to: by default, it is computed from all of the points."""
    if metric == "seuclidean":
        return np.var(points, axis=0, ddof=1) if V is None else V
    if metric == "mahalanobis":
        return np.linalg.inv(np.cov(points.T)).T if VI is None else VI
    return None


def _between(XA: Any, XB: Any, _V: Any, _VI: Any, w: Any, p: Any, metric: Any) -> Any:
    return _of_pairs(XA[:, None, :], XB[None, :, :], metric, 2.0 if p is None else p, w)


def _among(X: Any, _V: Any, _VI: Any, w: Any, p: Any, metric: Any) -> Any:
    i, j = np.triu_indices(len(X), 1)
    return _of_pairs(X[i], X[j], metric, 2.0 if p is None else p, w)


def _squares_between(XA: Any, XB: Any, V: Any, VI: Any, w: Any, metric: Any, p: Any) -> Any:
    matrix = _matrix_of(np.concatenate((XA, XB)), metric, V, VI)
    return _squares(XA[:, None, :], XB[None, :, :], metric, w, matrix)


def _squares_among(X: Any, V: Any, VI: Any, w: Any, metric: Any, p: Any) -> Any:
    i, j = np.triu_indices(len(X), 1)
    return _squares(X[i], X[j], metric, w, _matrix_of(X, metric, V, VI))


def _with_exponent_of(x: Any, y: Any, p: Any) -> Any:
    return _of_pairs(x, y, "minkowski", p, None)


def _distance_matrix(x: Any, y: Any, p: Any) -> Any:
    return _with_exponent_of(x[:, None, :], y[None, :, :], p)


def _minkowski(u: Any, v: Any, p: Any, w: Any) -> Any:
    return _of_pairs(u, v, "minkowski", p, w)[()]


_METRICS = frozenset((
    "braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "euclidean", "jensenshannon",
    "mahalanobis", "minkowski", "seuclidean", "sqeuclidean"))
_TAKES: dict[str, Callable[[Any], bool]] = {"metric": _METRICS.__contains__}
_MORE = ("V", "VI", "w")


def _either(name: str, of_roots: Program, of_others: Program, usual: Callable[[Args, Kwargs], bool] | None = None
            ) -> None:
    """Registers the handler of distances, which are roots of quadratic forms or others."""
    roots, others = handler(name, replace(of_roots, is_root=True)), handler(name, of_others)

    @of_scipy(name)
    def distances(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
        if usual is not None and usual(args, kwargs):
            return call_named(ev, name, args, kwargs)
        function = getattr(sys.modules[name.rpartition(".")[0]], name.rpartition(".")[2])
        arguments: dict[str, Any] = named_arguments(ev, function, args, kwargs)
        arguments.update(arguments.pop("kwargs", {}))
        metric = ev.ask(arguments.get("metric", Static("minkowski")), "the metric")
        if arguments.get("w", Static(None)) != Static(None) and metric not in _WEIGHTED:
            ev.refuse("SCT402", f"the derivative of `{name}` with weights is not supported for this metric",
                      hint="write the weighted distance as a formula of NumPy, or use 'minkowski' with `w`")
        return (roots if _is_root(metric, arguments) else others)(ev, args, _with_exponent(ev, kwargs, arguments))


_WEIGHTED = ("cityblock", "euclidean", "minkowski", "sqeuclidean")


def _is_root(metric: Any, arguments: dict[str, Any]) -> bool:
    """Are the distances with these arguments roots of quadratic forms, of which the exponents are known?"""
    p = arguments.get("p", Static(2))
    of_two = isinstance(p, Static) and p.value in (None, 2)
    return metric in ("seuclidean", "mahalanobis", "euclidean") or metric == "minkowski" and of_two


def _is_usual(first: int) -> Callable[[Args, Kwargs], bool]:
    """Are these distances ops?  They have `first` arrays, and perhaps a metric."""
    def usual(args: Args, kwargs: Kwargs) -> bool:
        options = args[first:]
        metric = options[0] if options else kwargs.get("metric", Static("euclidean"))
        return metric in (Static("euclidean"), Static("sqeuclidean")) and len(options) < 2 \
            and not set(kwargs) - {"X", "XA", "XB", "metric"}

    return usual


register("scipy.spatial.distance", {
    "mahalanobis": Program(lambda u, v, VI: _squares(u, v, "mahalanobis", None, VI)[()], ("u", "v", "VI"), ranks=(1, 2),
                           is_root=True),
    "sqeuclidean": Program(lambda u, v, w: np.sum((u - v) ** 2 if w is None else w * (u - v) ** 2), ("u", "v", "w"),
                           ranks=(1,)),
    "seuclidean": Program(lambda u, v, V: float(_squares(u, v, "seuclidean", None, V)), ("u", "v", "V"), ranks=(1,),
                          is_root=True)})
_either("scipy.spatial.distance.minkowski",
        Program(lambda u, v, w, p: float(_squares(u, v, "minkowski", w, None)), ("u", "v", "w"), ("p",), ranks=(0, 1)),
        Program(_minkowski, ("u", "v", "p", "w"), ranks=(0, 1)))
_either("scipy.spatial.distance_matrix",
        Program(lambda x, y, p: _squares(x[:, None, :], y[None, :, :], "minkowski", None, None), ("x", "y"), ("p",),
                ranks=(2,)),
        Program(_distance_matrix, ("x", "y"), ("p",), ranks=(2,)))
_either("scipy.spatial.minkowski_distance",
        Program(lambda x, y, p: _squares(x, y, "minkowski", None, None), ("x", "y"), ("p",), ranks=(1, 2, 3)),
        Program(_with_exponent_of, ("x", "y"), ("p",), ranks=(1, 2, 3)))
_either("scipy.spatial.distance.pdist",
        Program(_squares_among, ("X", *_MORE), ("metric", "p"), ranks=(0, 1, 2), takes=_TAKES),
        Program(_among, ("X", *_MORE, "p"), ("metric",), ranks=(0, 1, 2), takes=_TAKES), _is_usual(1))
_either("scipy.spatial.distance.cdist",
        Program(_squares_between, ("XA", "XB", *_MORE), ("metric", "p"), ranks=(0, 1, 2), takes=_TAKES),
        Program(_between, ("XA", "XB", *_MORE, "p"), ("metric",), ranks=(0, 1, 2), takes=_TAKES), _is_usual(2))


def _with_exponent(ev: Evaluator, kwargs: Kwargs, arguments: dict[str, Any]) -> Kwargs:
    """The keywords; an exponent that is known is a float, at least 1."""
    p = arguments.get("p", Static(None))
    if not isinstance(p, Static) or p.value is None:
        return kwargs
    if type(p.value) not in (int, float) or not p.value >= 1.0:
        ev.refuse("SCT402", f"distances with `p={p.value}` are not differentiated",
                  hint="write them out with functions of NumPy")
    return {**kwargs, "p": Static(float(p.value))} if "p" in kwargs else kwargs
