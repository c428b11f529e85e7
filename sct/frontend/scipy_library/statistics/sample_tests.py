"""Tests of hypotheses of `scipy.stats`, its means, spreads and transforms of samples, and more densities of arrays.

    bartlett(x, y)   ->   what SciPy computes, with the derivative of `_bartlett`
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sct.frontend.scipy_library.by_program import Program, register
from sct.frontend.scipy_library.statistics.samples import weighted_mean

__all__: list[str] = []


# -- means and spreads -------------------------------------------------------------------------------------------------


def _mean(a: Any, axis: Any) -> Any:
    return np.mean(a, axis=axis)


def _variance(a: Any, axis: Any, ddof: Any) -> Any:
    return np.var(a, axis=axis, ddof=ddof)


def _deviation(a: Any, axis: Any, ddof: Any) -> Any:
    return np.std(a, axis=axis, ddof=ddof)


def _error_of_mean(a: Any, axis: Any, ddof: Any) -> Any:
    return np.std(a, axis=axis, ddof=ddof) / math.sqrt(a.size if axis is None else a.shape[axis])


def _least(a: Any, axis: Any) -> Any:
    return np.min(a, axis=axis)


def _greatest(a: Any, axis: Any) -> Any:
    return np.max(a, axis=axis)


def _median_deviation(x: Any, axis: Any, scale: Any) -> Any:
    deviations = np.abs(x - np.median(x, axis=axis, keepdims=True))
    return np.median(deviations, axis=axis) / (0.6744897501960817 if scale == "normal" else scale)


def _geometric_deviation(a: Any, axis: Any, ddof: Any) -> Any:
    return np.exp(np.std(np.log(a), axis=axis, ddof=ddof))


def _geometric_scores(a: Any, axis: Any, ddof: Any) -> Any:
    a = np.log(a)
    return (a - np.mean(a, axis=axis, keepdims=True)) / np.std(a, axis=axis, ddof=ddof, keepdims=True)


def _power_mean(a: Any, weights: Any, p: Any, axis: Any) -> Any:
    if p == 0:
        return np.exp(weighted_mean(np.log(a), weights, axis))
    return weighted_mean(a**p, weights, axis) ** (1.0 / p)


def _k_statistic(data: Any, n: Any, axis: Any) -> Any:
    x = np.ravel(data) if axis is None else np.moveaxis(data, axis, 0)
    count = x.shape[0]
    d = x - np.mean(x, axis=0)
    if n == 1:
        return np.mean(x, axis=0)
    if n == 2:
        return np.sum(d * d, axis=0) / (count - 1.0)
    if n == 3:
        return np.sum(d**3, axis=0) * count / ((count - 1.0) * (count - 2.0))
    fourth = (count + 1.0) * np.sum(d**4, axis=0) - 3.0 * (count - 1.0) / count * np.sum(d * d, axis=0) ** 2
    return fourth * count / ((count - 1.0) * (count - 2.0) * (count - 3.0))


def _directions(samples: Any, high: Any, low: Any, axis: Any) -> Any:
    """The means of the sines and the cosines."""
    angles = samples * (2.0 * math.pi / (high - low))
    return np.mean(np.sin(angles), axis=axis), np.mean(np.cos(angles), axis=axis)


def _circular_mean(samples: Any, high: Any, low: Any, axis: Any) -> Any:
    """The mean, but for multiples of the period."""
    s, c = _directions(samples, high, low, axis)
    return np.arctan2(s, c) * ((high - low) / (2.0 * math.pi))


def _circular_variance(samples: Any, high: Any, low: Any, axis: Any) -> Any:
    s, c = _directions(samples, high, low, axis)
    return 1.0 - np.sqrt(s * s + c * c)


def _circular_deviation(samples: Any, high: Any, low: Any, axis: Any, normalize: Any) -> Any:
    s, c = _directions(samples, high, low, axis)
    return np.sqrt(-np.log(s * s + c * c)) * (1.0 if normalize else (high - low) / (2.0 * math.pi))


# -- transforms --------------------------------------------------------------------------------------------------------


def _boxcox_likelihood(lmb: Any, data: Any, axis: Any, boxcox: Any) -> Any:
    n = data.shape[axis]
    return (lmb - 1.0) * np.sum(np.log(data), axis=axis) - 0.5 * n * np.log(np.var(boxcox(data, lmb), axis=axis))


def _yeojohnson(x: Any, lmbda: Any, boxcox1p: Any) -> Any:
    up = x >= 0.0
    return np.where(up, boxcox1p(np.where(up, x, 0.0), lmbda), -boxcox1p(np.where(up, 0.0, -x), 2.0 - lmbda))


def _yeojohnson_likelihood(lmb: Any, data: Any, axis: Any, boxcox1p: Any) -> Any:
    spread = np.var(_yeojohnson(data, lmb, boxcox1p), axis=axis)
    return (lmb - 1.0) * np.sum(np.sign(data) * np.log1p(np.abs(data)), axis=axis) \
        - 0.5 * data.shape[axis] * np.log(spread)


# -- tests -------------------------------------------------------------------------------------------------------------


def _above(f: Any, m: Any, n: Any, betainc: Any) -> Any:
    """The probability of a larger ratio of variances."""
    return betainc(0.5 * n, 0.5 * m, n / (n + m * f))


def _of_groups(groups: Any, axis: Any, betainc: Any) -> Any:
    """The variance between groups, relative to that inside of them."""
    count = sum([g.shape[axis] for g in groups])
    means = [np.mean(g, axis=axis, keepdims=True) for g in groups]
    whole = sum([g.shape[axis] * u for g, u in zip(groups, means)]) / count
    between = sum([g.shape[axis] * (u - whole) ** 2 for g, u in zip(groups, means)])
    inside = sum([np.sum((g - u) ** 2, axis=axis, keepdims=True) for g, u in zip(groups, means)])
    m, n = len(groups) - 1.0, count - 1.0 * len(groups)
    f = np.sum((between / m) / (inside / n), axis=axis)  # of one number each
    return f, _above(f, m, n, betainc)


def _f_oneway(samples: Any, axis: Any, betainc: Any) -> Any:
    return _of_groups(samples, axis, betainc)


def _levene(samples: Any, center: Any, axis: Any, betainc: Any) -> Any:
    find = np.median if center == "median" else np.mean
    return _of_groups([np.abs(x - find(x, axis=axis, keepdims=True)) for x in samples], axis, betainc)


def _bartlett(samples: Any, axis: Any, gammaincc: Any) -> Any:
    sizes = [x.shape[axis] - 1.0 if x.shape[axis] > 1 else math.nan for x in samples]
    spreads = [np.var(x, axis=axis, ddof=1) for x in samples]
    count = sum(sizes)
    pooled = sum([n * v for n, v in zip(sizes, spreads)]) / count
    numerator = count * np.log(pooled) - sum([n * np.log(v) for n, v in zip(sizes, spreads)])
    t = numerator / (1.0 + (sum([1.0 / n for n in sizes]) - 1.0 / count) / (3.0 * (len(sizes) - 1.0)))
    return t, gammaincc(0.5 * (len(sizes) - 1.0), 0.5 * t)


def _chisquare(f_obs: Any, f_exp: Any, ddof: Any, axis: Any, gammaincc: Any) -> Any:
    if f_exp is None:
        f_exp = np.mean(f_obs, axis=axis, keepdims=True)
    terms = (f_obs - f_exp) ** 2 / f_exp
    t = np.sum(terms, axis=axis)
    n = terms.size if axis is None else terms.shape[axis]
    return t, gammaincc(0.5 * (n - 1.0 - ddof), 0.5 * t)


def _jarque_bera(x: Any, axis: Any) -> Any:
    x = np.ravel(x) if axis is None else np.moveaxis(x, axis, 0)
    d = x - np.mean(x, axis=0)
    second = np.mean(d * d, axis=0)
    skew, kurtosis = np.mean(d**3, axis=0) / second**1.5, np.mean(d**4, axis=0) / second**2 - 3.0
    t = x.shape[0] / 6.0 * (skew * skew + 0.25 * kurtosis * kurtosis)
    return t, np.exp(-0.5 * t)


def _combined(pvalues: Any, axis: Any, gammaincc: Any) -> Any:
    t = -2.0 * np.sum(np.log(pvalues), axis=axis)
    return t, gammaincc(1.0 * (pvalues.size if axis is None else pvalues.shape[axis]), 0.5 * t)


def _skewtest(a: Any, axis: Any, erfc: Any) -> Any:
    """Of at least eight numbers: the z-score and its probability; of fewer, these are not numbers."""
    a = np.ravel(a) if axis is None else np.moveaxis(a, axis, 0)
    n, d = a.shape[0] if a.shape[0] > 7 else math.nan, a - np.mean(a, axis=0)
    y = np.mean(d**3, axis=0) / np.mean(d * d, axis=0) ** 1.5 * math.sqrt((n + 1.0) * (n + 3.0) / (6.0 * (n - 2.0)))
    b = 3.0 * (n * n + 27.0 * n - 70.0) * (n + 1.0) * (n + 3.0) / ((n - 2.0) * (n + 5.0) * (n + 7.0) * (n + 9.0))
    w = -1.0 + math.sqrt(2.0 * (b - 1.0))
    z = np.arcsinh(y / math.sqrt(2.0 / (w - 1.0))) / math.sqrt(0.5 * math.log(w))
    return z, erfc(np.abs(z) / math.sqrt(2.0))


def _kurtosistest(a: Any, axis: Any, erfc: Any) -> Any:
    """The same of at least five numbers."""
    a = np.ravel(a) if axis is None else np.moveaxis(a, axis, 0)
    n, d = a.shape[0] if a.shape[0] > 4 else math.nan, a - np.mean(a, axis=0)
    kurtosis = np.mean(d**4, axis=0) / np.mean(d * d, axis=0) ** 2
    spread = 24.0 * n * (n - 2.0) * (n - 3.0) / ((n + 1.0) * (n + 1.0) * (n + 3.0) * (n + 5.0))
    x = (kurtosis - 3.0 * (n - 1.0) / (n + 1.0)) / math.sqrt(spread)
    b = 6.0 * (n * n - 5.0 * n + 2.0) / ((n + 7.0) * (n + 9.0)) * math.sqrt(
        6.0 * (n + 3.0) * (n + 5.0) / (n * (n - 2.0) * (n - 3.0)))
    c = 6.0 + 8.0 / b * (2.0 / b + math.sqrt(1.0 + 4.0 / (b * b)))
    t = 1.0 + x * math.sqrt(2.0 / (c - 4.0))
    z = (1.0 - 2.0 / (9.0 * c) - np.sign(t) * ((1.0 - 2.0 / c) / np.abs(t)) ** (1.0 / 3.0)) / math.sqrt(2.0 / (9.0 * c))
    return z, erfc(np.abs(z) / math.sqrt(2.0))


def _normaltest(a: Any, axis: Any, erfc: Any) -> Any:
    skew, kurtosis = _skewtest(a, axis, erfc)[0], _kurtosistest(a, axis, erfc)[0]
    t = skew * skew + kurtosis * kurtosis
    return t, np.exp(-0.5 * t)


def _described(a: Any, axis: Any, ddof: Any) -> Any:
    """The size, the extremes, the mean, the variance, the skewness and the kurtosis."""
    a = np.ravel(a) if axis is None else np.moveaxis(a, axis, 0)
    mean = np.mean(a, axis=0)
    d = a - mean
    second = np.mean(d * d, axis=0)
    return (a.shape[0], (np.min(a, axis=0), np.max(a, axis=0)), mean, np.var(a, axis=0, ddof=ddof),
            np.mean(d**3, axis=0) / second**1.5, np.mean(d**4, axis=0) / second**2 - 3.0)


_TEST, _AXIS, _RANKS = ("statistic", "pvalue"), ("axis",), (1, 2, 3)
_GAMMA, _BETA, _ERROR = ("scipy.special.gammaincc",), ("scipy.special.betainc",), ("scipy.special.erfc",)
register("scipy.stats", {
    "tmean": Program(_mean, ("a",), _AXIS),
    "tvar": Program(_variance, ("a",), ("axis", "ddof")),
    "tstd": Program(_deviation, ("a",), ("axis", "ddof")),
    "tsem": Program(_error_of_mean, ("a",), ("axis", "ddof")),
    "gstd": Program(_geometric_deviation, ("a",), ("axis", "ddof")),
    "gzscore": Program(_geometric_scores, ("a",), ("axis", "ddof")),
    "median_abs_deviation": Program(_median_deviation, ("x",), ("axis", "scale")),
    "pmean": Program(_power_mean, ("a", "weights"), ("p", "axis")),
    "kstat": Program(_k_statistic, ("data",), ("n", "axis")),
    "circmean": Program(_circular_mean, ("samples",), ("high", "low", "axis")),
    "circvar": Program(_circular_variance, ("samples",), ("high", "low", "axis")),
    "circstd": Program(_circular_deviation, ("samples",), ("high", "low", "axis", "normalize")),
    "boxcox_llf": Program(_boxcox_likelihood, ("lmb", "data"), _AXIS, ranks=(0, 1, 2), needs=("scipy.special.boxcox",)),
    "yeojohnson": Program(_yeojohnson, ("x", "lmbda"), ranks=(0, 1, 2), needs=("scipy.special.boxcox1p",)),
    "yeojohnson_llf": Program(_yeojohnson_likelihood, ("lmb", "data"), _AXIS, ranks=(0, 1, 2),
                              needs=("scipy.special.boxcox1p",)),
    "tmin": Program(_least, ("a",), _AXIS),
    "tmax": Program(_greatest, ("a",), _AXIS),
    "f_oneway": Program(_f_oneway, ("samples",), _AXIS, _TEST, needs=_BETA),
    "levene": Program(_levene, ("samples",), ("center", "axis"), _TEST, needs=_BETA,
                      takes={"center": ("median", "mean").__contains__}),
    "bartlett": Program(_bartlett, ("samples",), _AXIS, _TEST, needs=_GAMMA),
    "chisquare": Program(_chisquare, ("f_obs", "f_exp"), ("ddof", "axis"), _TEST, needs=_GAMMA),
    "jarque_bera": Program(_jarque_bera, ("x",), _AXIS, _TEST),
    "combine_pvalues": Program(_combined, ("pvalues",), _AXIS, _TEST, needs=_GAMMA),
    "skewtest": Program(_skewtest, ("a",), _AXIS, _TEST, needs=_ERROR),
    "kurtosistest": Program(_kurtosistest, ("a",), _AXIS, _TEST, needs=_ERROR),
    "normaltest": Program(_normaltest, ("a",), _AXIS, _TEST, needs=_ERROR),
    "describe": Program(_described, ("a",), ("axis", "ddof"), (
        "nobs", "minmax", "mean", "variance", "skewness", "kurtosis"))})


# -- densities of vectors and matrices ---------------------------------------------------------------------------------


def _log_determinant(factor: Any) -> Any:
    return 2.0 * np.sum(np.log(np.diag(factor)))


def _normal_entropy(mean: Any, cov: Any) -> Any:
    """The mean does not count."""
    return 0.5 * (len(cov) * math.log(2.0 * math.pi * math.e) + _log_determinant(np.linalg.cholesky(cov)))


def _student_logpdf(x: Any, loc: Any, shape: Any, df: Any, gammaln: Any) -> Any:
    """Student's distribution of several numbers, at a point or at each row of `x`; normal where `df` is infinite."""
    factor = np.linalg.cholesky(shape)
    z = np.linalg.solve(factor, (x if loc is None else x - loc).T)
    n = len(shape)
    if df == math.inf:
        return -0.5 * (n * math.log(2.0 * math.pi) + _log_determinant(factor) + np.sum(z * z, axis=0))
    norm = gammaln(0.5 * (df + n)) - gammaln(0.5 * df) - 0.5 * (n * np.log(df * math.pi) + _log_determinant(factor))
    return norm - 0.5 * (df + n) * np.log1p(np.sum(z * z, axis=0) / df)


def _student_pdf(x: Any, loc: Any, shape: Any, df: Any, gammaln: Any) -> Any:
    return np.exp(_student_logpdf(x, loc, shape, df, gammaln))


def _wishart_logpdf(x: Any, df: Any, scale: Any, gammaln: Any) -> Any:
    p = len(scale)
    factor = np.linalg.cholesky(scale)
    # The Cholesky factor is read from the lower triangle, as SciPy reads it.
    lower = np.tril(scale) + np.tril(scale, -1).T
    trace = np.trace(np.linalg.solve(lower, x))
    multigamma = 0.25 * p * (p - 1) * math.log(math.pi) + np.sum(gammaln(0.5 * (df - np.arange(p))))
    return 0.5 * ((df - p - 1.0) * _log_determinant(np.linalg.cholesky(x)) - trace - df * p * math.log(2.0)
                  - df * _log_determinant(factor)) - multigamma


def _inverse_wishart_logpdf(x: Any, df: Any, scale: Any, gammaln: Any) -> Any:
    p = len(scale)
    factor, own = np.linalg.cholesky(scale), np.linalg.cholesky(x)
    z = np.linalg.solve(own, factor)
    multigamma = 0.25 * p * (p - 1) * math.log(math.pi) + np.sum(gammaln(0.5 * (df - np.arange(p))))
    return 0.5 * (df * _log_determinant(factor) - np.sum(z * z) - df * p * math.log(2.0)
                  - (df + p + 1.0) * _log_determinant(own)) - multigamma


def _wishart_pdf(x: Any, df: Any, scale: Any, gammaln: Any) -> Any:
    return np.exp(_wishart_logpdf(x, df, scale, gammaln))


def _inverse_wishart_pdf(x: Any, df: Any, scale: Any, gammaln: Any) -> Any:
    return np.exp(_inverse_wishart_logpdf(x, df, scale, gammaln))


def _matrix_logpdf(X: Any, mean: Any, rowcov: Any, colcov: Any) -> Any:
    """A matrix of normal numbers, with covariances of its rows and of its columns."""
    n, p = X.shape
    rows = np.eye(n) if rowcov is None else np.linalg.cholesky(rowcov)
    columns = np.eye(p) if colcov is None else np.linalg.cholesky(colcov)
    z = np.linalg.solve(columns, np.linalg.solve(rows, X if mean is None else X - mean).T)
    return -0.5 * (n * p * math.log(2.0 * math.pi) + p * _log_determinant(rows) + n * _log_determinant(columns)
                   + np.sum(z * z))


def _matrix_pdf(X: Any, mean: Any, rowcov: Any, colcov: Any) -> Any:
    return np.exp(_matrix_logpdf(X, mean, rowcov, colcov))


def _dirichlet_mean(alpha: Any) -> Any:
    return alpha / np.sum(alpha)


def _dirichlet_variance(alpha: Any) -> Any:
    total = np.sum(alpha)
    return alpha * (total - alpha) / (total * total * (total + 1.0))


def _dirichlet_entropy(alpha: Any, gammaln: Any, digamma: Any) -> Any:
    total = np.sum(alpha)
    return np.sum(gammaln(alpha)) - gammaln(total) + (total - len(alpha)) * digamma(total) - np.sum(
        (alpha - 1.0) * digamma(alpha))


def _multinomial_logpmf(x: Any, p: Any, n: Any, xlogy: Any) -> Any:
    """SciPy computes the last probability of the others wherever their sum is not 1 to the last digits."""
    p = np.concatenate((p[..., :-1], 1.0 - np.sum(p[..., :-1], axis=-1, keepdims=True)), axis=-1)
    return np.sum(xlogy(x, p), axis=-1)


_LOG_GAMMA = ("scipy.special.gammaln",)
register("scipy.stats", {
    "multivariate_normal.entropy": Program(_normal_entropy, ("mean", "cov"), ranks=(1, 2)),
    "multivariate_t.logpdf": Program(_student_logpdf, ("x", "loc", "shape", "df"), ranks=(0, 1, 2), needs=_LOG_GAMMA),
    "multivariate_t.pdf": Program(_student_pdf, ("x", "loc", "shape", "df"), ranks=(0, 1, 2), needs=_LOG_GAMMA),
    "wishart.logpdf": Program(_wishart_logpdf, ("x", "df", "scale"), ranks=(0, 2), needs=_LOG_GAMMA),
    "invwishart.logpdf": Program(_inverse_wishart_logpdf, ("x", "df", "scale"), ranks=(0, 2), needs=_LOG_GAMMA),
    "wishart.pdf": Program(_wishart_pdf, ("x", "df", "scale"), ranks=(0, 2), needs=_LOG_GAMMA),
    "invwishart.pdf": Program(_inverse_wishart_pdf, ("x", "df", "scale"), ranks=(0, 2), needs=_LOG_GAMMA),
    "matrix_normal.logpdf": Program(_matrix_logpdf, ("X", "mean", "rowcov", "colcov"), ranks=(2,)),
    "matrix_normal.pdf": Program(_matrix_pdf, ("X", "mean", "rowcov", "colcov"), ranks=(2,)),
    "dirichlet.mean": Program(_dirichlet_mean, ("alpha",), ranks=(1,)),
    "dirichlet.var": Program(_dirichlet_variance, ("alpha",), ranks=(1,)),
    "dirichlet.entropy": Program(_dirichlet_entropy, ("alpha",), ranks=(1,), needs=(
        *_LOG_GAMMA, "scipy.special.digamma")),
    "multinomial.logpmf": Program(_multinomial_logpmf, ("x", "p"), ("n",), ranks=(1, 2), counts=("x",),
                                  needs=("scipy.special.xlogy",))})
