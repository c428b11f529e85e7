"""Statistics of samples: functions of `scipy.stats`, distances between points, and sums over segments."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sct.frontend.autodiff.implicit_functions import derivative_code, standing_for
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy
from sct.frontend.heap.array_keys import selection
from sct.frontend.heap.inactive import is_varied, template_of
from sct.frontend.numpy_library.numpy_functions import UFUNC_FALLBACKS, array, bound, type_of
from sct.frontend.scipy_library.by_program import Program, array_of_floats, by_program, register
from sct.frontend.values.abstract_values import Abstract, Ref, Static, Tup
from sct.ir import Operand
from sct.ir.types import INT, Tensor
from sct.ops.program.effects import OBJECT, part
from sct.ops.program.solutions import solver
from sct.ops.type_rules import size_of

__all__ = ["weighted_mean"]


# -- moments -----------------------------------------------------------------------------------------------------------


def _deviations(a: Any, axis: Any) -> Any:
    """The deviations from the mean, along the first axis."""
    a = np.ravel(a) if axis is None else np.moveaxis(a, axis, 0)
    return a - np.mean(a, axis=0)


def _zscore(a: Any, axis: Any, ddof: Any) -> Any:
    return (a - np.mean(a, axis=axis, keepdims=True)) / np.std(a, axis=axis, ddof=ddof, keepdims=True)


def _zmap(scores: Any, compare: Any, axis: Any, ddof: Any) -> Any:
    mean = np.mean(compare, axis=axis, keepdims=True)
    return (scores - mean) / np.std(compare, axis=axis, ddof=ddof, keepdims=True)


def _moment(a: Any, order: Any, axis: Any) -> Any:
    return np.mean(_deviations(a, axis) ** order, axis=0)


def _skew(a: Any, axis: Any, bias: Any) -> Any:
    d = _deviations(a, axis)
    g = np.mean(d**3, axis=0) / np.mean(d**2, axis=0) ** 1.5
    n = d.shape[0]
    return g if bias or n < 3 else g * (math.sqrt(n * (n - 1.0)) / (n - 2.0))


def _kurtosis(a: Any, axis: Any, fisher: Any, bias: Any) -> Any:
    d = _deviations(a, axis)
    g = np.mean(d**4, axis=0) / np.mean(d**2, axis=0) ** 2
    n = d.shape[0]
    if not (bias or n < 4):
        g = ((n * n - 1.0) * g - 3.0 * (n - 1.0) ** 2) / ((n - 2.0) * (n - 3.0)) + 3.0
    return g - 3.0 if fisher else g


def weighted_mean(a: Any, weights: Any, axis: Any) -> Any:
    """The mean with weights, which SciPy broadcasts before it looks at the axis."""
    if weights is not None and weights.shape != a.shape:
        a, weights = np.broadcast_arrays(a, weights)
    return np.average(a, axis=axis, weights=weights)


def _gmean(a: Any, weights: Any, axis: Any) -> Any:
    return np.exp(weighted_mean(np.log(a), weights, axis))


def _hmean(a: Any, weights: Any, axis: Any) -> Any:
    return 1.0 / weighted_mean(1.0 / a, weights, axis)


def _sem(a: Any, axis: Any, ddof: Any) -> Any:
    n = a.size if axis is None else a.shape[axis]
    return np.std(a, axis=axis, ddof=ddof) / math.sqrt(n)


def _variation(a: Any, axis: Any, ddof: Any) -> Any:
    return np.std(a, axis=axis, ddof=ddof) / np.mean(a, axis=axis)


def _iqr(x: Any, axis: Any, rng: Any) -> Any:
    return np.percentile(x, max(rng), axis=axis) - np.percentile(x, min(rng), axis=axis)


def _trim_mean(a: Any, proportiontocut: Any, axis: Any) -> Any:
    a = np.sort(np.ravel(a) if axis is None else np.moveaxis(a, axis, 0), axis=0)
    cut = int(proportiontocut * len(a))
    return np.mean(a[cut:len(a) - cut], axis=0)


def _entropy(pk: Any, qk: Any, base: Any, axis: Any) -> Any:
    if qk is not None and pk.shape != qk.shape:
        pk, qk = np.broadcast_arrays(pk, qk)
    p = pk / np.sum(pk, axis=axis, keepdims=True)
    log = np.log(np.where(p > 0.0, p, 1.0))
    if qk is not None:
        log = log - np.log(qk / np.sum(qk, axis=axis, keepdims=True))
    s = np.sum(p * log, axis=axis) * (1.0 if qk is not None else -1.0)
    return s if base is None else s / math.log(base)


# -- tests and regression ----------------------------------------------------------------------------------------------


def _by_student(t: Any, n: Any, betainc: Any) -> Any:
    """The probability of a number farther from 0 than t, by Student's distribution with n degrees of freedom."""
    return betainc(0.5 * n, 0.5, n / (n + t * t))


def _tail(t: Any, n: Any, alternative: Any, betainc: Any) -> Any:
    """The probability of a number as extreme as t: on one side, or on both."""
    both = _by_student(t, n, betainc)
    if alternative == "two-sided":
        return both
    return np.where(t < 0.0 if alternative == "less" else t > 0.0, 0.5 * both, 1.0 - 0.5 * both)[()]


def _pearsonr(x: Any, y: Any, betainc: Any) -> Any:
    u, v = x - np.mean(x), y - np.mean(y)
    r = np.dot(u, v) / (np.linalg.norm(u) * np.linalg.norm(v))
    n = x.shape[0] - 2.0
    return r, _by_student(r * np.sqrt(n / ((1.0 - r) * (1.0 + r))), n, betainc)


def _linregress(x: Any, y: Any, betainc: Any) -> Any:
    u, v = x - np.mean(x), y - np.mean(y)
    slope = np.dot(u, v) / np.dot(u, u)
    r = np.dot(u, v) / np.sqrt(np.dot(u, u) * np.dot(v, v))
    n = x.shape[0] - 2.0
    t = r * np.sqrt(n / ((1.0 - r) * (1.0 + r)))
    error = np.sqrt((1.0 - r * r) * np.dot(v, v) / np.dot(u, u) / n)
    return slope, np.mean(y) - slope * np.mean(x), r, _by_student(t, n, betainc), error


def _of_one_sample(a: Any, popmean: Any, axis: Any, alternative: Any, betainc: Any) -> Any:
    n = a.shape[axis]
    t = (np.mean(a, axis=axis) - popmean) / (np.std(a, axis=axis, ddof=1) / math.sqrt(n))
    return t, _tail(t, n - 1.0, alternative, betainc)


def _of_pairs(a: Any, b: Any, axis: Any, alternative: Any, betainc: Any) -> Any:
    return _of_one_sample(a - b, 0.0, axis, alternative, betainc)


def _of_two_samples(a: Any, b: Any, axis: Any, equal_var: Any, alternative: Any, betainc: Any) -> Any:
    difference = np.mean(a, axis=axis) - np.mean(b, axis=axis)
    u, v = np.var(a, axis=axis, ddof=1), np.var(b, axis=axis, ddof=1)
    return _of_difference(difference, u, v, a.shape[axis], b.shape[axis], equal_var, alternative, betainc)


def _of_moments(mean1: Any, std1: Any, mean2: Any, std2: Any, nobs1: Any, nobs2: Any, equal_var: Any,
                alternative: Any, betainc: Any) -> Any:
    return _of_difference(mean1 - mean2, std1**2, std2**2, nobs1, nobs2, equal_var, alternative, betainc)


def _of_difference(difference: Any, u: Any, v: Any, m: Any, n: Any, equal_var: Any, alternative: Any, betainc: Any
                   ) -> Any:
    """Of the means of samples of the sizes m and n with the variances u and v."""
    if equal_var:
        free = m + n - 2.0
        t = difference / np.sqrt((u * (m - 1.0) + v * (n - 1.0)) / free * (1.0 / m + 1.0 / n))
    else:
        u, v = u / m, v / n
        free = (u + v) ** 2 / (u * u / (m - 1.0) + v * v / (n - 1.0))
        t = difference / np.sqrt(u + v)
    return t, _tail(t, free, alternative, betainc)


_TEST, _BETA = ("statistic", "pvalue"), ("scipy.special.betainc",)
register("scipy.stats", {
    "zscore": Program(_zscore, ("a",), ("axis", "ddof")),
    "zmap": Program(_zmap, ("scores", "compare"), ("axis", "ddof")),
    "moment": Program(_moment, ("a",), ("order", "axis")),
    "skew": Program(_skew, ("a",), ("axis", "bias")),
    "kurtosis": Program(_kurtosis, ("a",), ("axis", "fisher", "bias")),
    "gmean": Program(_gmean, ("a", "weights"), ("axis",)),
    "hmean": Program(_hmean, ("a", "weights"), ("axis",)),
    "sem": Program(_sem, ("a",), ("axis", "ddof")),
    "variation": Program(_variation, ("a",), ("axis", "ddof")),
    "iqr": Program(_iqr, ("x",), ("axis", "rng")),
    "trim_mean": Program(_trim_mean, ("a",), ("proportiontocut", "axis")),
    "entropy": Program(_entropy, ("pk", "qk"), ("base", "axis")),
    "pearsonr": Program(_pearsonr, ("x", "y"), fields=_TEST, ranks=(1,), needs=_BETA),
    "pointbiserialr": Program(_pearsonr, ("x", "y"), fields=_TEST, ranks=(1,), needs=_BETA, counts=("x",)),
    "linregress": Program(_linregress, ("x", "y"), fields=("slope", "intercept", "rvalue", "pvalue", "stderr"),
                          ranks=(1,), needs=_BETA),
    "ttest_1samp": Program(_of_one_sample, ("a", "popmean"), ("axis", "alternative"), _TEST, (0, 1, 2), _BETA),
    "ttest_rel": Program(_of_pairs, ("a", "b"), ("axis", "alternative"), _TEST, (1, 2), _BETA),
    "ttest_ind": Program(_of_two_samples, ("a", "b"), ("axis", "equal_var", "alternative"), _TEST, (1, 2), _BETA),
    "ttest_ind_from_stats": Program(
        _of_moments, ("mean1", "std1", "mean2", "std2"), ("nobs1", "nobs2", "equal_var", "alternative"), _TEST, (0, 1),
        _BETA)})


# -- sums over segments ------------------------------------------------------------------------------------------------


def _sums(x: Any, starts: Any, axis: Any) -> Any:
    """The sums from each of the starts to the next one, as those of `np.add.reduceat`."""
    x = np.moveaxis(x, axis, 0) if axis else x
    ends = np.append(starts[1:], x.shape[0])
    counts = np.where(ends > starts, ends - starts, 1)
    segments = np.repeat(np.arange(len(starts)), counts)
    offsets = np.arange(len(segments)) - (np.cumsum(counts) - counts)[segments]
    y = np.zeros((len(starts), *x.shape[1:]))
    np.add.at(y, segments, x[starts[segments] + offsets])
    return np.moveaxis(y, 0, axis) if axis else y


def _reduceat(ev: Evaluator, ufunc: np.ufunc, args: Args, kwargs: Kwargs) -> Abstract:
    """`np.add.reduceat(x, starts, axis)`"""
    name = f"np.{ufunc.__name__}.reduceat"
    if ufunc is not np.add:
        ev.refuse("SCT206", f"`{name}` is not supported", hint=f"call np.{ufunc.__name__}.reduce in a loop")
    x, starts, axis = bound(ev, name, args, kwargs, "array", "indices", "axis", axis=0)
    x, starts = array_of_floats(ev, name, array(ev, x), (1, 2, 3)), array(ev, selection(ev, starts))
    if type_of(ev, starts).rank != 1:
        ev.refuse("SCT501", "the starts of the segments are no vector", hint="pass an array of ints")
    k = Static(ev.ask(axis, "`axis`"))
    text = "numpy.add.reduceat(_0, _1)" if k == Static(0) else f"numpy.add.reduceat(_0, _1, axis={k.value})"
    return by_program(ev, text, [ev.operand(x), ev.as_int(ev.operand(starts))], Program(_sums, ()), [x, starts, k])


UFUNC_FALLBACKS["reduceat"] = _reduceat


# -- distances ---------------------------------------------------------------------------------------------------------


def _square(X: Any) -> Any:
    """The symmetric matrix of the distances of pairs, or these distances of the matrix."""
    if X.ndim == 2:
        return X[np.triu_indices(len(X), 1)]
    n = math.ceil(math.sqrt(2 * len(X)))
    i, j = np.triu_indices(n, 1)
    y = np.zeros((n, n))
    y[i, j] = X
    return y + y.T


register("scipy.spatial.distance", {"squareform": Program(_square, ("X",), ranks=(1, 2))})


# -- histograms with weights -------------------------------------------------------------------------------------------


def _weighed(x: Any, weights: Any, edges: Any, density: Any) -> Any:
    """The sum of the weights in each bin; the right edge belongs to the last one."""
    x, weights = np.ravel(x), np.ravel(weights)
    inside = np.flatnonzero((x >= edges[0]) & (x <= edges[-1]))
    bins = np.searchsorted(edges, x[inside], side="right") - 1
    y = np.zeros(len(edges) - 1)
    np.add.at(y, np.minimum(bins, len(edges) - 2), weights[inside])
    return y / np.diff(edges) / np.sum(y) if density else y


@of_scipy("numpy.histogram")
def _histogram(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """`np.histogram(x, bins, range, density, weights)` with differentiated weights: the histogram, and the edges."""
    arguments = dict(zip(("a", "bins", "range", "density", "weights"), args)) | dict(kwargs)
    weights = ev.array_of_list(arguments.get("weights", Static(None)))
    if not isinstance(weights, Ref) or ev.is_observed and not is_varied(ev, weights):
        ev.refuse("SCT207", "`histogram` is left to Python")
    if any(is_varied(ev, v) for key, v in arguments.items() if key != "weights"):
        ev.refuse("SCT402", "`np.histogram` is differentiated only by its weights",
                  hint="pass sct.stop_gradient(...) of the samples and the bins, if no derivative is meant to pass")
    x, w = (array_of_floats(ev, "numpy.histogram", arguments[key], (1, 2, 3)) for key in ("a", "weights"))
    density = Static(bool(ev.ask(arguments.get("density", Static(False)), "`density` of `np.histogram`")))
    operands: list[Operand] = []
    texts = [template_of(ev, v, operands) for v in args]
    texts += [None if (text := template_of(ev, v, operands)) is None else f"{key}={text}" for key, v in kwargs.items()]
    if None in texts:
        ev.refuse("SCT205", "these bins of `np.histogram` are not supported", hint="pass a number, a name or an array")
    solver_result = ev.emit(solver, *operands, text=f"numpy.histogram({', '.join(map(str, texts))})", type=OBJECT)
    count = ev.emit(part, solver_result, text="len(_0[0])", type=INT)
    edges = ev.wrap(ev.emit(solver, solver_result, text="_0[1].astype(float)",
                            type=Tensor("array", "f64", (size_of(count) + 1,))))
    with derivative_code(ev):
        like = ev.call(Static(_weighed), [x, w, edges, density])
    return Tup((standing_for(ev, solver_result, like, "_0[0]"), edges))
