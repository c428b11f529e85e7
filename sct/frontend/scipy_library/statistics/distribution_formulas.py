"""The programs of methods of distributions of `scipy.stats`, and formulas in the place of SciPy's.

A program takes what SciPy computes, the formulas of the standard distribution, the ends of its support, the density at
the argument, the argument, and the parameters: each is a number, or has the shape of the result.  As SciPy does, it
takes the elements for which there is a formula.  These are those inside of the support, and those at its ends at which
the density is not 0.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = [
    "checked", "density", "deviation", "entropy", "log_density", "log_difference", "log_mass", "mean",
    "probability", "quantile", "variance", "with_own_formulas", "without_derivative"]


def _where(inside: Any, y: Any, f: Any, arguments: Any) -> Any:
    """`f` of the arguments inside, and 0 elsewhere."""
    if np.ndim(y) == 0:
        return f(*[np.float64(v) for v in arguments]) if inside else np.float64(0.0)
    values = np.zeros(y.shape)
    values[inside] = f(*[v[inside] if np.ndim(v) else v for v in arguments])
    return values


def without_derivative(values: Any, places: Any, arguments: Any) -> Any:
    """The values; at these places their derivatives by the arguments are nan."""
    nan = np.where(places, np.nan, 0.0) if np.ndim(places) else np.nan if places else 0.0
    return values + nan * sum(arguments)


def checked(values: Any, y: Any, arguments: Any) -> Any:
    """The values; where SciPy's are nan, since a parameter is invalid, the derivatives are nan."""
    return without_derivative(values, np.isnan(y), arguments)


def _standardized(x: Any, loc: Any, scale: Any) -> Any:
    z = x if loc is None else x - loc
    return z if scale is None else z / scale


def log_density(name: str) -> Callable[..., Any]:
    """The logarithm of a density or of a probability, inside of the support and at its ends."""
    def program(y: Any, standard: Any, ends: Any, density: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        z = _standardized(x, loc, scale)
        inside = y != -math.inf
        values = _where(inside, y, getattr(standard, name), (z, *shapes))
        if ends is not None:
            values = without_derivative(values, _is_log_of_zero(y, z, ends), (z, *shapes))
        return values if scale is None else values - np.log(scale) * inside

    return program


def _is_log_of_zero(y: Any, z: Any, ends: Any) -> Any:
    """Is this the logarithm of 0, at an end of the support?"""
    return (y == -math.inf) & np.isfinite(z) & ((z == ends[0]) | (z == ends[1]))


def density(name: str) -> Callable[..., Any]:
    """A density or a probability, where it is not 0."""
    def program(y: Any, standard: Any, ends: Any, density: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        values = _where(y != 0.0, y, getattr(standard, name), (_standardized(x, loc, scale), *shapes))
        return values if scale is None else values / scale

    return program


def probability(name: str, of_logarithm: bool = False, of_counts: bool = False) -> Callable[..., Any]:
    """A distribution function or its logarithm, inside of the support, including its least count.

    of_logarithm  the formula is that of the function, of which the logarithm is taken
    """
    def program(y: Any, standard: Any, ends: Any, density: Any, x: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        z = _standardized(x, loc, scale)
        a, b = standard._get_support(*shapes) if ends is None else ends
        inside = np.isfinite(y) & (a <= z) & (z < b) if of_counts else (a < z) & (z < b) | (density != 0.0)
        f = getattr(standard, name)
        values = _where(inside, y, (lambda *args: np.log(f(*args))) if of_logarithm else f, (z, *shapes))
        if of_counts or "log" not in name and not of_logarithm:
            return values
        return without_derivative(values, _is_log_of_zero(y, z, (a, b)) & (density == 0.0), (z, *shapes))

    return program


def quantile(name: str) -> Callable[..., Any]:
    def program(y: Any, standard: Any, ends: Any, density: Any, q: Any, shapes: Any, loc: Any, scale: Any) -> Any:
        inside = np.ones(y.shape, dtype=bool) if np.ndim(y) else True
        values = _where(inside, y, getattr(standard, name), (q, *shapes))
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


def mean(y: Any, standard: Any, ends: Any, density: Any, takes_names: Any, shapes: Any, loc: Any,
         scale: Any) -> Any:
    values = _where(np.abs(y) != math.inf, y, lambda *args: _moments(standard, takes_names, args)[0], shapes)
    values = values if scale is None else values * scale
    return values if loc is None else values + loc


def variance(y: Any, standard: Any, ends: Any, density: Any, takes_names: Any, shapes: Any, loc: Any,
             scale: Any) -> Any:
    values = _where(np.abs(y) != math.inf, y, lambda *args: _moments(standard, takes_names, args)[1], shapes)
    return values if scale is None else values * (scale * scale)


def deviation(y: Any, standard: Any, ends: Any, density: Any, takes_names: Any, shapes: Any, loc: Any,
              scale: Any) -> Any:
    values = _where(np.abs(y) != math.inf, y, lambda *args: np.sqrt(_moments(standard, takes_names, args)[1]), shapes)
    return values if scale is None else values * scale


def entropy(y: Any, standard: Any, ends: Any, density: Any, takes_names: Any, shapes: Any, loc: Any,
            scale: Any) -> Any:
    values = _where(np.abs(y) != math.inf, y, standard._entropy, shapes)
    return values if scale is None else values + np.log(scale)


def log_mass(a: Any, b: Any, log_ndtr: Any) -> Any:
    """The logarithm of the normal probability of an interval, on the side of 0 where it is accurate."""
    a, b = np.broadcast_arrays(a, b)
    low, high = _on_one_side(a, b, log_ndtr)
    return high + np.log(-np.expm1(low - high))


def _on_one_side(a: Any, b: Any, log_ndtr: Any) -> Any:
    """The logarithms of the normal distribution function at the ends of an interval, or of its mirror image."""
    return log_ndtr(np.maximum(np.where(a > 0.0, -b, a), -1e4)), log_ndtr(np.where(a > 0.0, -a, b))


def log_difference(p: Any, q: Any) -> Any:
    return p + np.log(-np.expm1(q - p))


# -- formulas in the place of SciPy's, which call code that is not Python, or do not hold for all parameters -------
# Their own `special` is the module `scipy.special`.


def _log_ratio(special: Any, x: Any, c: Any) -> Any:
    """log(1 + c * x) / c, whose limit is x where c is 0."""
    u = c * x
    near = np.abs(u) < 0.5
    return np.where(near, x * special.hyp2f1(1.0, 1.0, 2.0, np.where(near, -u, 0.0)),
                    np.log1p(np.where(near, 0.0, u)) / np.where(near, 1.0, c))


def _extreme_loglogcdf(self: Any, x: Any, c: Any) -> Any:
    return -_log_ratio(self.special, x, -c)


def _extreme_logpdf(self: Any, x: Any, c: Any) -> Any:
    logarithm = -_log_ratio(self.special, x, -c)
    return (1.0 - c) * logarithm - np.exp(logarithm)


def _extreme_ppf(self: Any, q: Any, c: Any) -> Any:
    return -self.special.boxcox(np.log(1.0 / q), c)


def _extreme_isf(self: Any, q: Any, c: Any) -> Any:
    return -self.special.boxcox(-np.log1p(-q), c)


def _pareto_logpdf(self: Any, x: Any, c: Any) -> Any:
    return -(c + 1.0) * _log_ratio(self.special, x, c)


def _pareto_logsf(self: Any, x: Any, c: Any) -> Any:
    return -_log_ratio(self.special, x, c)


def _kappa_logcdf(self: Any, x: Any, h: Any, k: Any) -> Any:
    return -_log_ratio(self.special, np.exp(-_log_ratio(self.special, x, -k)), -h)


def _kappa_logpdf(self: Any, x: Any, h: Any, k: Any) -> Any:
    logarithm = -_log_ratio(self.special, x, -k)
    return (1.0 - k) * logarithm - (1.0 - h) * _log_ratio(self.special, np.exp(logarithm), -h)


def _kappa_ppf(self: Any, q: Any, h: Any, k: Any) -> Any:
    return -self.special.boxcox(-self.special.boxcox(q, h), k)


def _triangle_pdf(self: Any, x: Any, c: Any) -> Any:
    rises = (x < c) | (c == 1.0)
    return np.where(rises, 2.0 * x / np.where(rises, c, 1.0), 2.0 * (1.0 - x) / (1.0 - np.where(rises, 0.0, c)))


def _triangle_cdf(self: Any, x: Any, c: Any) -> Any:
    rises = (x < c) | (c == 1.0)
    rest = 1.0 - (1.0 - x) * (1.0 - x) / (1.0 - np.where(rises, 0.0, c))
    return np.where(rises, x * x / np.where(rises, c, 1.0), rest)


def _triangle_ppf(self: Any, q: Any, c: Any) -> Any:
    rises = (q < c) | (c == 1.0)
    root = np.sqrt(np.where(rises, c * q, (1.0 - c) * (1.0 - q)))
    return np.where(rises, root, 1.0 - root)


def _skew_pdf(self: Any, x: Any, a: Any) -> Any:
    return np.exp(-0.5 * x * x) * math.sqrt(2.0 / math.pi) * self.special.ndtr(a * x)


def _skew_logpdf(self: Any, x: Any, a: Any) -> Any:
    return 0.5 * math.log(2.0 / math.pi) - 0.5 * x * x + self.special.log_ndtr(a * x)


def _noncentral_logpdf(self: Any, x: Any, df: Any, nc: Any) -> Any:
    """By a series in nc * x where that is small, and by a Bessel function, scaled, where it is not."""
    order, near = 0.5 * df - 1.0, nc * x < 100.0
    series = self.special.hyp0f1(0.5 * df, np.where(near, 0.25 * nc * x, 0.0))
    a, b = np.sqrt(np.where(near, 1.0, x)), np.sqrt(np.where(near, 1.0, nc))
    return np.where(
        near, self.special.xlogy(order, 0.5 * x) - math.log(2.0) - 0.5 * (x + nc) - self.special.gammaln(
            0.5 * df) + np.log(series),
        order * np.log(a / b) - 0.5 * (a - b) * (a - b) + np.log(0.5 * self.special.ive(order, a * b)))


def _truncated_cdf(self: Any, x: Any, a: Any, b: Any) -> Any:
    low, high = _on_one_side(a, x, self.special.log_ndtr)
    return -np.exp(high - log_mass(a, b, self.special.log_ndtr)) * np.expm1(low - high)


def _truncated_sf(self: Any, x: Any, a: Any, b: Any) -> Any:
    low, high = _on_one_side(x, b, self.special.log_ndtr)
    return -np.exp(high - log_mass(a, b, self.special.log_ndtr)) * np.expm1(low - high)


def _truncated_logcdf(self: Any, x: Any, a: Any, b: Any) -> Any:
    return log_mass(a, x, self.special.log_ndtr) - log_mass(a, b, self.special.log_ndtr)


def _truncated_logsf(self: Any, x: Any, a: Any, b: Any) -> Any:
    return log_mass(x, b, self.special.log_ndtr) - log_mass(a, b, self.special.log_ndtr)


def _truncated_ppf(self: Any, q: Any, a: Any, b: Any) -> Any:
    """The quantile of exp(low) + p * exp(mass), on the side of 0 where it is accurate."""
    left = a < 0.0
    p = np.where(left, q, 1.0 - q)
    low = self.special.log_ndtr(np.maximum(np.where(left, a, -b), -1e4))
    mass = log_mass(a, b, self.special.log_ndtr)
    near = mass - low < 30.0
    summed = np.where(near, low + np.log1p(p * np.exp(np.where(near, mass - low, 0.0))),
                      np.logaddexp(low, np.log(np.where(near, 1.0, p)) + mass))
    return np.where(left, 1.0, -1.0) * self.special.ndtri_exp(summed)


def _truncated_isf(self: Any, q: Any, a: Any, b: Any) -> Any:
    return -_truncated_ppf(self, q, -b, -a)


def _exp_of_logpdf(self: Any, x: Any, *shapes: Any) -> Any:
    return np.exp(self._logpdf(x, *shapes))


def _cosine_cdf(self: Any, x: Any) -> Any:
    return 0.5 + (x + np.sin(x)) / (2.0 * math.pi)


def _cosine_sf(self: Any, x: Any) -> Any:
    return 0.5 - (x + np.sin(x)) / (2.0 * math.pi)


def _binomial_cdf(self: Any, x: Any, n: Any, p: Any) -> Any:
    k = np.floor(x)
    return self.special.betainc(n - k, k + 1.0, 1.0 - p)


def _binomial_sf(self: Any, x: Any, n: Any, p: Any) -> Any:
    k = np.floor(x)
    return self.special.betainc(k + 1.0, n - k, p)


def _negative_cdf(self: Any, x: Any, n: Any, p: Any) -> Any:
    return self.special.betainc(n, np.floor(x) + 1.0, p)


def _negative_sf(self: Any, x: Any, n: Any, p: Any) -> Any:
    return self.special.betainc(np.floor(x) + 1.0, n, 1.0 - p)


_OWN_FORMULAS: dict[str, dict[str, Any]] = {
    "binom": {"_cdf": _binomial_cdf, "_sf": _binomial_sf},
    "cosine": {"_cdf": _cosine_cdf, "_sf": _cosine_sf},
    "genextreme": {"_loglogcdf": _extreme_loglogcdf, "_logpdf": _extreme_logpdf, "_ppf": _extreme_ppf,
                   "_isf": _extreme_isf},
    "genpareto": {"_logpdf": _pareto_logpdf, "_logsf": _pareto_logsf},
    "kappa4": {"_logcdf": _kappa_logcdf, "_logpdf": _kappa_logpdf, "_ppf": _kappa_ppf},
    "nbinom": {"_cdf": _negative_cdf, "_sf": _negative_sf},
    "ncx2": {"_pdf": _exp_of_logpdf, "_logpdf": _noncentral_logpdf},
    "skewnorm": {"_pdf": _skew_pdf, "_logpdf": _skew_logpdf},
    "triang": {"_pdf": _triangle_pdf, "_cdf": _triangle_cdf, "_ppf": _triangle_ppf},
    "truncnorm": {"_cdf": _truncated_cdf, "_sf": _truncated_sf, "_logcdf": _truncated_logcdf,
                  "_logsf": _truncated_logsf, "_ppf": _truncated_ppf, "_isf": _truncated_isf}}


def with_own_formulas(distribution: Any) -> Any:
    """The class of a distribution, with the formulas that take the place of SciPy's."""
    family: Any = type(distribution)
    return _subclass(family, distribution.name) if distribution.name in _OWN_FORMULAS else family


@functools.cache
def _subclass(family: Any, name: str) -> Any:
    return type(family.__name__, (family,), _OWN_FORMULAS[name])
