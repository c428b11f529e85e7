"""Distributions of vectors and matrices of `scipy.stats`: means, variances, entropies, and more densities.

SciPy drops axes of size 1 of what it returns, and so do the programs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs, of_scipy
from sct.frontend.heap.inactive import is_varied, leave_to_python
from sct.frontend.scipy_library.by_program import Program, register

__all__: list[str] = []


# -- matrices ----------------------------------------------------------------------------------------------------------


def _log_determinant(matrix: Any) -> Any:
    return 2.0 * np.sum(np.log(np.diag(np.linalg.cholesky(matrix))))


def _wishart_mean(df: Any, scale: Any) -> Any:
    return np.squeeze(df * scale)


def _wishart_variance(df: Any, scale: Any) -> Any:
    diagonal = np.diag(scale)
    return np.squeeze(df * (scale**2 + np.outer(diagonal, diagonal)))


def _wishart_entropy(df: Any, scale: Any, gammaln: Any, digamma: Any) -> Any:
    p = len(scale)
    at = 0.5 * (df - np.arange(p))
    multigamma = 0.25 * p * (p - 1) * math.log(math.pi) + np.sum(gammaln(at))
    return 0.5 * ((p + 1) * _log_determinant(scale) + p * (p + 1) * math.log(2.0)
                  - (df - p - 1.0) * np.sum(digamma(at)) + df * p) + multigamma


def _inverse_wishart_mode(df: Any, scale: Any) -> Any:
    return np.squeeze(scale / (df + len(scale) + 1.0))


def _inverse_wishart_entropy(df: Any, scale: Any, gammaln: Any, digamma: Any) -> Any:
    p = len(scale)
    at = 0.5 * (df - np.arange(p))
    multigamma = 0.25 * p * (p - 1) * math.log(math.pi) + np.sum(gammaln(at))
    return 0.5 * (p * df + (p + 1) * (_log_determinant(scale) - math.log(2.0))
                  - (df + p + 1.0) * np.sum(digamma(at))) + multigamma


def _matrix_entropy(rowcov: Any, colcov: Any) -> Any:
    n, p = len(rowcov), len(colcov)
    return 0.5 * (n * p * (1.0 + math.log(2.0 * math.pi)) + p * _log_determinant(rowcov)
                  + n * _log_determinant(colcov))


def _student_entropy(loc: Any, shape: Any, df: Any, gammaln: Any, digamma: Any) -> Any:
    """The location does not count."""
    n = len(shape)
    if df == math.inf:
        return 0.5 * (n * math.log(2.0 * math.pi * math.e) + _log_determinant(shape))
    half, whole = 0.5 * df, 0.5 * (df + n)
    return gammaln(half) - gammaln(whole) + 0.5 * n * np.log(df * math.pi) + whole * (
        digamma(whole) - digamma(half)) + 0.5 * _log_determinant(shape)


# -- counts ------------------------------------------------------------------------------------------------------------


def _dirichlet_covariance(alpha: Any) -> Any:
    total = np.sum(alpha)
    a = alpha / total
    return np.squeeze((np.diag(a) - np.outer(a, a)) / (total + 1.0))


def _compound_logpmf(x: Any, alpha: Any, n: Any, gammaln: Any) -> Any:
    """Of counts whose probabilities are those of Dirichlet's distribution; they must add up to n."""
    total = np.sum(alpha, axis=-1)
    terms = np.sum(gammaln(x + alpha) - gammaln(alpha) - gammaln(x + 1.0), axis=-1)
    logarithm = gammaln(total) + gammaln(n + 1.0) - gammaln(n + total) + terms
    return np.where(n == np.sum(x, axis=-1), logarithm, -math.inf)


def _compound_pmf(x: Any, alpha: Any, n: Any, gammaln: Any) -> Any:
    return np.exp(_compound_logpmf(x, alpha, n, gammaln))


def _compound_mean(alpha: Any, n: Any) -> Any:
    return n * alpha / np.sum(alpha)


def _compound_variance(alpha: Any, n: Any) -> Any:
    total = np.sum(alpha)
    a = alpha / total
    return n * a * (1.0 - a) * (n + total) / (1.0 + total)


def _completed(p: Any) -> Any:
    """The probabilities, of which SciPy computes the last one from the others."""
    return np.concatenate((p[..., :-1], 1.0 - np.sum(p[..., :-1], axis=-1, keepdims=True)), axis=-1)


def _multinomial_pmf(x: Any, p: Any, n: Any, gammaln: Any, xlogy: Any) -> Any:
    counted = gammaln(n + 1.0) - np.sum(gammaln(x + 1.0), axis=-1)
    logarithm = counted + np.sum(xlogy(x, _completed(p)), axis=-1)
    return np.where(n == np.sum(x, axis=-1), np.exp(logarithm), 0.0)


def _multinomial_mean(p: Any, n: Any) -> Any:
    return n * _completed(p)


def _multinomial_covariance(p: Any, n: Any) -> Any:
    p = _completed(p)
    return n * (np.diag(p) - np.outer(p, p))


# -- directions, and a mean with its variance --------------------------------------------------------------------------


def _direction_logpdf(x: Any, mu: Any, kappa: Any, ive: Any) -> Any:
    """Of unit vectors around the direction mu."""
    half = 0.5 * len(mu)
    norm = half * math.log(2.0 * math.pi) + np.log(ive(half - 1.0, kappa)) - (half - 1.0) * np.log(kappa)
    return kappa * (np.sum(x * mu, axis=-1) - 1.0) - norm


def _direction_pdf(x: Any, mu: Any, kappa: Any, ive: Any) -> Any:
    return np.exp(_direction_logpdf(x, mu, kappa, ive))


def _normal_gamma_logpdf(x: Any, s2: Any, mu: Any, lmbda: Any, a: Any, b: Any, gammaln: Any) -> Any:
    """nan where a parameter is invalid, or the density 0."""
    mu, lmbda, a, b = 0.0 if mu is None else mu, *[1.0 if v is None else v for v in (lmbda, a, b)]
    s2 = s2 * np.where((s2 > 0.0) & (lmbda > 0.0) & (a > 0.0) & (b > 0.0), 1.0, np.nan)
    return 0.5 * (np.log(lmbda) - np.log(2.0 * math.pi * s2)) + a * np.log(b) - gammaln(a) - (
        a + 1.0) * np.log(s2) - (2.0 * b + lmbda * (x - mu) ** 2) / (2.0 * s2)


def _normal_gamma_pdf(x: Any, s2: Any, mu: Any, lmbda: Any, a: Any, b: Any, gammaln: Any) -> Any:
    inside = s2 > 0.0
    logarithm = _normal_gamma_logpdf(x, np.where(inside, s2, 1.0), mu, lmbda, a, b, gammaln)
    return np.where(inside, np.exp(logarithm), 0.0)


_LOG_GAMMA, _XLOGY, _BESSEL = "scipy.special.gammaln", "scipy.special.xlogy", "scipy.special.ive"
_GAMMAS = (_LOG_GAMMA, "scipy.special.digamma")
_OF_SCALE, _OF_NORMAL_GAMMA = ("df", "scale"), ("x", "s2", "mu", "lmbda", "a", "b")
register("scipy.stats", {
    "wishart.mean": Program(_wishart_mean, _OF_SCALE, ranks=(0, 2)),
    "wishart.var": Program(_wishart_variance, _OF_SCALE, ranks=(0, 2)),
    "wishart.entropy": Program(_wishart_entropy, _OF_SCALE, ranks=(0, 2), needs=_GAMMAS),
    "invwishart.mode": Program(_inverse_wishart_mode, _OF_SCALE, ranks=(0, 2)),
    "invwishart.entropy": Program(_inverse_wishart_entropy, _OF_SCALE, ranks=(0, 2), needs=_GAMMAS),
    "matrix_normal.entropy": Program(_matrix_entropy, ("rowcov", "colcov"), ranks=(2,)),
    "multivariate_t.entropy": Program(_student_entropy, ("loc", "shape", "df"), ranks=(0, 1, 2), needs=_GAMMAS),
    "dirichlet.cov": Program(_dirichlet_covariance, ("alpha",), ranks=(1,)),
    "dirichlet_multinomial.logpmf": Program(_compound_logpmf, ("x", "alpha", "n"), ranks=(0, 1, 2), counts=("x", "n"),
                                            needs=(_LOG_GAMMA,)),
    "dirichlet_multinomial.pmf": Program(_compound_pmf, ("x", "alpha", "n"), ranks=(0, 1, 2), counts=("x", "n"),
                                         needs=(_LOG_GAMMA,)),
    "dirichlet_multinomial.mean": Program(_compound_mean, ("alpha", "n"), ranks=(0, 1), counts=("n",)),
    "dirichlet_multinomial.var": Program(_compound_variance, ("alpha", "n"), ranks=(0, 1), counts=("n",)),
    "multinomial.pmf": Program(_multinomial_pmf, ("x", "p"), ("n",), ranks=(1, 2), counts=("x",),
                               needs=(_LOG_GAMMA, _XLOGY)),
    "multinomial.mean": Program(_multinomial_mean, ("p",), ("n",), ranks=(1,)),
    "multinomial.cov": Program(_multinomial_covariance, ("p",), ("n",), ranks=(1,)),
    "vonmises_fisher.logpdf": Program(_direction_logpdf, ("x", "mu", "kappa"), ranks=(0, 1, 2), needs=(_BESSEL,)),
    "vonmises_fisher.pdf": Program(_direction_pdf, ("x", "mu", "kappa"), ranks=(0, 1, 2), needs=(_BESSEL,)),
    "normal_inverse_gamma.logpdf": Program(_normal_gamma_logpdf, _OF_NORMAL_GAMMA, ranks=(0, 1, 2),
                                           needs=(_LOG_GAMMA,)),
    "normal_inverse_gamma.pdf": Program(_normal_gamma_pdf, _OF_NORMAL_GAMMA, ranks=(0, 1, 2), needs=(_LOG_GAMMA,))})

# -- distribution functions: no formula --------------------------------------------------------------------------------


def _integrated(name: str) -> Callable[..., NoReturn]:
    def handler(ev: Evaluator, args: Args, kwargs: Kwargs) -> NoReturn:
        arguments = [*args, *kwargs.values()]
        leave_to_python(ev, name, arguments)
        if not any(is_varied(ev, v) for v in arguments):
            ev.refuse("SCT207", f"`{name}` is left to Python")
        ev.refuse("SCT402", f"`scipy.stats.{name}` is not differentiated",
                  why="SciPy integrates over random points, to a tolerance, and has no formula of its derivative",
                  hint="pass sct.stop_gradient(...) of its arguments, if no derivative is meant to pass")

    return handler


for _name in ("multivariate_normal.cdf", "multivariate_normal.logcdf", "multivariate_t.cdf"):
    of_scipy(f"scipy.stats.{_name}")(_integrated(_name))
