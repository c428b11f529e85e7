"""Functions of scipy.special: the value is SciPy's, first and second derivatives are those of mpmath.

The samples of the ops (`test_ops.py`) sweep shapes, precisions and mixed operands; here are the ends of domains, large
and small arguments, and what is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from oracle import agrees, refuses, same_value
from scipy import special

from sct import grad, jacobian, jvp, stop_gradient, value_and_grad

mp.mp.dps = 30


def student(t: Any, v: float) -> Any:
    tail = mp.betainc(v / 2, 0.5, 0, v / (v + t * t), regularized=True) / 2
    return tail if t < 0 else 1 - tail


def voigt(x: Any, s: Any, g: Any) -> Any:
    z = (x + 1j * g) / (s * mp.sqrt(2))
    return mp.re(mp.exp(-z * z) * mp.erfc(-1j * z)) / (s * mp.sqrt(2 * mp.pi))


def owen(h: Any, a: Any) -> Any:
    return mp.quad(lambda t: mp.exp(-h * h * (1 + t * t) / 2) / (1 + t * t), [0, a]) / 2 / mp.pi


CASES: list[tuple[str, Callable[[Any], Any], list[float]]] = [
    ("erfcx(x)", lambda x: mp.exp(x * x) * mp.erfc(x), [-5.0, 0.1, 1.0, 49.0, 51.0, 300.0, 1e4]),
    ("dawsn(x)", lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(-x * x) * mp.erfi(x), [-3.0, 0.1, 49.0, 51.0, -300.0, 1e4]),
    ("erfi(x)", mp.erfi, [-3.0, 0.1, 1.0, 3.0]),
    ("erfinv(x)", mp.erfinv, [-0.99, -0.3, 0.1, 0.9]),
    ("ndtr(x)", mp.ncdf, [-10.0, -1.0, 0.3, 5.0]),
    ("log_ndtr(x)", lambda x: mp.log1p(-mp.ncdf(-x)) if x > 0 else mp.log(mp.ncdf(x)),
     [-300.0, -30.0, -1.0, 0.3, 5.0, 12.0]),
    ("ndtri(x)", lambda x: mp.sqrt(2) * mp.erfinv(2 * x - 1), [1e-6, 0.1, 0.5, 0.9]),
    ("owens_t(x, 0.7)", lambda h: owen(h, mp.mpf(0.7)), [-2.0, 0.3]),
    ("owens_t(0.6, x)", lambda a: owen(mp.mpf(0.6), a), [0.3]),
    ("voigt_profile(x, 0.7, 0.4)", lambda x: voigt(x, mp.mpf(0.7), mp.mpf(0.4)), [-2.0, 0.3, 5.0]),
    ("voigt_profile(0.8, x, 0.4)", lambda s: voigt(mp.mpf(0.8), s, mp.mpf(0.4)), [0.3, 2.0]),
    ("voigt_profile(0.8, 0.7, x)", lambda g: voigt(mp.mpf(0.8), mp.mpf(0.7), g), [0.3, 2.0]),
    ("expit(x)", lambda x: 1 / (1 + mp.exp(-x)), [-30.0, -1.0, 0.3, 5.0]),
    ("log_expit(x)", lambda x: -mp.log1p(mp.exp(-x)), [-5.0, -1.0, 0.3, 30.0]),
    ("xlogy(x, x)", lambda x: x * mp.log(x), [0.1, 3.0]),
    ("exprel(x)", lambda x: mp.expm1(x) / x, [-30.0, -1.0, 1e-9, 0.3, 20.0]),
    ("cosm1(x)", lambda x: mp.cos(x) - 1, [1e-9, 0.1, 3.0]),
    ("boxcox(2.0, x)", lambda p: (mp.power(2, p) - 1) / p, [-1.0, 1e-9, 0.3, 2.0]),
    ("boxcox(x, 0.3)", lambda x: (mp.power(x, mp.mpf(0.3)) - 1) / mp.mpf(0.3), [0.01, 0.3, 2.0]),
    ("inv_boxcox(0.5, x)", lambda p: mp.power(p / 2 + 1, 1 / p), [-0.5, 1e-9, 0.3, 2.0]),
    ("rgamma(x)", mp.rgamma, [-3.0, -2.5, -1.0, 0.0, 0.3, 0.5, 1.0, 7.0]),
    ("loggamma(x)", mp.loggamma, [0.1, 3.0, 100.0]),
    ("binom(x, 3)", lambda x: mp.binomial(x, 3), [0.5, 2.0, 1.0, 4.7, 0.0]),
    ("binom(5.5, x)", lambda x: mp.binomial(mp.mpf(5.5), x), [0.5, 2.0, 4.7]),
    ("poch(x, 2.5)", lambda x: mp.rf(x, 2.5), [0.5, 2.0, 10.0]),
    ("zeta(2.5, x)", lambda x: mp.zeta(2.5, x), [0.1, 3.0, 100.0]),
    ("gammainc(2.5, x)", lambda x: mp.gammainc(2.5, 0, x, regularized=True), [1e-3, 0.3, 2.0, 20.0]),
    ("gammaincc(200.0, x)", lambda x: mp.gammainc(200, x, mp.inf, regularized=True), [100.0, 180.0, 200.0, 250.0]),
    ("betainc(2.5, 1.5, x)", lambda x: mp.betainc(2.5, 1.5, 0, x, regularized=True), [0.01, 0.3, 0.8, 0.999]),
    ("stdtr(3.0, x)", lambda t: student(t, 3.0), [-10.0, -1.0, 0.7, 5.0]),
    ("fdtr(3.0, 4.0, x)", lambda x: mp.betainc(1.5, 2, 0, 3 * x / (3 * x + 4), regularized=True), [0.1, 1.0, 9.0]),
    ("pdtr(3, x)", lambda x: mp.gammainc(4, x, mp.inf, regularized=True), [0.1, 2.0, 10.0]),
    ("bdtr(3, 7, x)", lambda x: mp.betainc(4, 4, 0, 1 - x, regularized=True), [0.1, 0.5, 0.9]),
    ("nbdtr(3, 7, x)", lambda x: mp.betainc(7, 4, 0, x, regularized=True), [0.1, 0.5, 0.9]),
    ("gdtr(x, 2.5, 1.3)", lambda a: mp.gammainc(2.5, 0, a * mp.mpf(1.3), regularized=True), [0.1, 1.0]),
    ("jv(2.5, x)", lambda x: mp.besselj(2.5, x), [0.1, 2.0, 30.0]),
    ("j1(x)", lambda x: mp.besselj(1, x), [-3.0, 1e-8, 0.0, 2.0, 30.0]),
    ("y1(x)", lambda x: mp.bessely(1, x), [2.3]),
    ("i1(x)", lambda x: mp.besseli(1, x), [-3.0, 0.0, 0.1, 2.0, 30.0]),
    ("i1e(x)", lambda x: mp.besseli(1, x) * mp.exp(-abs(x)), [0.1, 2.0, 30.0, -2.0]),
    ("kve(1.5, x)", lambda x: mp.besselk(1.5, x) * mp.exp(x), [0.1, 2.0, 30.0]),
    ("k1e(x)", lambda x: mp.besselk(1, x) * mp.exp(x), [0.1, 2.3]),
    ("kn(0, x)", lambda x: mp.besselk(0, x), [0.1, 2.0]),
    ("struve(1.5, x)", lambda x: mp.struveh(1.5, x), [0.1, 2.0, 10.0]),
    ("modstruve(1.5, x)", lambda x: mp.struvel(1.5, x), [0.1, 2.0, 10.0]),
    ("spherical_jn(3, x)", lambda x: mp.sqrt(mp.pi / 2 / x) * mp.besselj(3.5, x), [1e-3, 0.5, 10.0]),
    ("airy(x)[1]", lambda x: mp.airyai(x, derivative=1), [-5.0, 0.0, 0.5, 3.0]),
    ("airye(x)[0]", lambda x: mp.airyai(x) * mp.exp(mp.mpf(2) / 3 * x**1.5), [0.5, 3.0, 20.0]),
    ("ber(x)", lambda x: mp.ber(0, x), [0.0, 0.5, 3.0]),
    ("ellipk(x)", mp.ellipk, [-100.0, -3.0, -0.5, -1e-9, 0.0, 1e-9, 0.3, 0.5, 0.9, 0.9999]),
    ("ellipe(x)", mp.ellipe, [-100.0, -3.0, -0.5, -1e-9, 0.0, 1e-9, 0.3, 0.5, 0.9, 0.9999]),
    ("ellipkm1(x)", lambda p: mp.ellipk(1 - p), [1e-6, 0.1, 0.5, 1.0, 1.2, 1.9]),
    ("ellipkinc(1.2, x)", lambda m: mp.ellipf(1.2, m), [-3.0, 1e-3, 0.3, 0.9]),
    ("ellipkinc(4.0, x)", lambda m: mp.ellipf(4, m), [-3.0, 1e-3, 0.3, 0.9]),
    ("ellipeinc(4.0, x)", lambda m: mp.ellipe(4, m), [-3.0, 1e-3, 0.3, 0.9]),
    ("ellipj(1.5, x)[0]", lambda m: mp.ellipfun("sn", 1.5, m=m), [0.01, 0.3, 0.9]),
    ("ellipj(1.5, x)[2]", lambda m: mp.ellipfun("dn", 1.5, m=m), [0.01, 0.3, 0.9]),
    ("spence(x)", lambda x: mp.polylog(2, 1 - x), [1e-3, 0.3, 0.99, 1.0, 1.01, 1.9]),
    ("expn(3, x)", lambda x: mp.expint(3, x), [0.1, 1.0, 10.0]),
    ("expn(0, x)", lambda x: mp.expint(0, x), [0.1, 1.0, 10.0]),
    ("expi(x)", mp.ei, [-2.0, 0.1, 1.0, 10.0]),
    ("sici(x)[0]", mp.si, [-2.0, 0.0, 0.1, 1.0, 10.0]),
    ("shichi(x)[0]", mp.shi, [-2.0, 0.0, 0.1, 1.0, 10.0]),
    ("fresnel(x)[1]", mp.fresnelc, [0.0, 0.1, 0.7]),
    ("hyp2f1(0.5, 1.5, 2.0, x)", lambda x: mp.hyp2f1(0.5, 1.5, 2, x), [-10.0, -1.0, 0.3, 0.9]),
    ("hyp1f1(0.5, 1.5, x)", lambda x: mp.hyp1f1(0.5, 1.5, x), [-10.0, -1.0, 0.3, 9.0]),
    ("eval_legendre(5, x)", lambda x: mp.legendre(5, x), [-1.0, -0.5, 0.3, 1.0]),
    ("eval_chebyt(5, x)", lambda x: mp.chebyt(5, x), [-1.0, -0.5, 0.3, 1.0]),
    ("eval_laguerre(5, x)", lambda x: mp.laguerre(5, 0, x), [0.0, 0.3, 4.0]),
    ("kn(2.9, x)", lambda x: mp.besselk(2, x), [0.1, 2.0]),
    ("yn(3.7, x)", lambda x: mp.bessely(3, x), [0.5, 2.0]),
    ("expn(0.6, x)", lambda x: mp.expint(0, x), [0.1, 1.0, 10.0]),
    ("nbdtr(3.2, 7.9, x)", lambda x: mp.betainc(7, 4, 0, x, regularized=True), [0.1, 0.5, 0.9]),
    ("agm(x, 2.0)", lambda x: mp.agm(x, 2), [1e-3, 1.0, 2.0, 30.0]),
    ("elliprc(x, 2.0)", lambda x: mp.elliprc(x, 2), [1e-3, 1.0, 2.0, 30.0]),
    ("elliprd(x, 2.0, 3.0)", lambda x: mp.elliprd(x, 2, 3), [1e-3, 1.0, 3.0, 30.0]),
    ("elliprg(x, 2.0, 3.0)", lambda x: mp.elliprg(x, 2, 3), [1e-3, 1.0, 2.0, 30.0]),
    ("elliprj(1.0, 2.0, 3.0, x)", lambda p: mp.elliprj(1, 2, 3, p), [0.1, 4.0, 30.0]),
    ("it2j0y0(x)[0]", lambda x: mp.quad(lambda t: (1 - mp.besselj(0, t)) / t, [0, x]), [1e-4, 0.3, 3.0]),
    ("lpmv(1, 3, x)", lambda x: mp.mpf(-1.5) * mp.sqrt(1 - x * x) * (5 * x * x - 1), [-0.9, 0.0, 0.3, 0.999]),
    ("wright_bessel(1.0, 1.5, x)", lambda x: mp.hyp0f1(1.5, x) / mp.gamma(1.5), [0.1, 2.0]),
    ("eval_hermite(5, x)", lambda x: mp.hermite(5, x), [-1.0, 0.0, 0.3, 4.0]),
]


@pytest.fixture(scope="module")
def functions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Callable[..., Any]]:
    """The expressions as functions of a module of their own."""
    path = tmp_path_factory.mktemp("special") / "special_functions.py"
    path.write_text("from scipy.special import *\n\n" + "".join(
        f"def f{k}(x):\n    return {text}\n\n\n" for k, (text, _, _) in enumerate(CASES)))
    spec = spec_from_file_location("special_functions", path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return {text: getattr(module, f"f{k}") for k, (text, _, _) in enumerate(CASES)}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("text, exact, points", CASES, ids=[case[0] for case in CASES])
def test_against_mpmath(text: str, exact: Callable[[Any], Any], points: list[float],
                        functions: dict[str, Callable[..., Any]]) -> None:
    f = functions[text]
    first, second = value_and_grad(f), grad(grad(f))
    for x in points:
        value, slope = first(x)
        assert same_value(value, f(x))
        np.testing.assert_allclose(slope, float(mp.diff(exact, mp.mpf(x))), rtol=1e-10, atol=1e-300)
        np.testing.assert_allclose(second(x), float(mp.diff(exact, mp.mpf(x), 2)), rtol=1e-7, atol=1e-14)


# -- carriers and precisions ----------------------------------------------------------------------------------------


def mixture(x: np.ndarray, y: float) -> Any:
    return np.sum(special.xlogy(x, y) + special.erfcx(x) * special.jv(1, x) + special.betainc(2.0, 1.5, y / (1.0 + x)))


def test_arrays_of_both_precisions() -> None:
    x = np.array([0.2, 0.7, 1.9])
    agrees(mixture, x, 0.6)
    agrees(lambda y: mixture(x, y), 0.6)
    single = grad(mixture)(x.astype("f4"), 0.6)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, grad(mixture)(x, 0.6), rtol=1e-4)


def test_integers_count_as_real() -> None:
    f = lambda n: special.gammaln(n) * special.ndtr(n)
    np.testing.assert_allclose(grad(f)(3), grad(f)(3.0))


def test_the_same_derivative_again_with_other_types() -> None:
    f = lambda x: np.sum(special.log_ndtr(x) * special.expit(x))
    g = value_and_grad(f)
    for x in (0.3, np.float64(-40.0), np.array([0.1, -3.0]), np.ones((2, 2), "f4"), np.array(0.7)):
        value, slope = g(x)
        assert same_value(value, f(x))
        np.testing.assert_allclose(slope, jacobian(lambda v: special.log_ndtr(v) * special.expit(v))(x).sum(-1)
                                   if np.ndim(x) == 1 else slope)
        assert np.all(np.isfinite(slope))


# -- ends of domains ---------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("f, x, expected", [
    (lambda x: special.gammainc(1.0, x), 0.0, 1.0),
    (lambda x: special.gammainc(0.5, x), 0.0, np.inf),
    (lambda x: special.gammainc(2.0, x), 0.0, 0.0),
    (lambda x: special.betainc(1.0, 1.0, x), 1.0, 1.0),
    (lambda x: special.xlogy(0.0, x), 0.0, 0.0),
    (lambda x: special.xlogy(x, 2.0), 0.0, np.log(2.0)),
    (lambda x: special.rel_entr(0.0, x), 0.0, 0.0),
    (lambda x: special.huber(1.0, x), -3.0, -1.0),
    (lambda x: special.huber(1.0, x), 0.5, 0.5),
    (lambda x: special.huber(x, 3.0), 1.0, 2.0),
    (lambda x: special.logit(x), 0.0, np.inf),
    (lambda x: special.ndtri(x), 0.0, np.inf),
    (lambda x: special.bdtr(5, 5, x), 0.3, 0.0),
    (lambda x: special.tklmbda(x, 0.5), 3.0, 0.0),
    (lambda x: special.comb(x, 2), 0.0, 0.0),
    (lambda x: special.jv(0, x), 0.0, 0.0),
    (lambda x: special.iv(1, x), 0.0, 0.5),
    (lambda x: special.struve(1.0, x), 0.0, 0.0),
    (lambda x: special.spherical_jn(0, x), 0.0, 0.0),
    (lambda x: special.eval_chebyu(0, x), 0.3, 0.0),
    (lambda x: special.log_ndtr(x), 50.0, 0.0),
    (lambda x: special.beip(x), 0.0, 0.5),
])
def test_edge(f: Callable[[Any], Any], x: float, expected: float) -> None:
    for at in (x, np.float64(x)):
        value, slope = value_and_grad(f)(at)
        assert same_value(value, f(at))
        np.testing.assert_allclose(slope, expected, atol=1e-15)
        np.testing.assert_allclose(jvp(f, (at,), (1.0,))[1], expected, atol=1e-15)


# -- what is refused ---------------------------------------------------------------------------------


@pytest.mark.parametrize("f", [
    lambda v: special.jv(v, 1.5), lambda v: special.gammainc(v, 1.5), lambda v: special.betainc(v, 1.0, 0.5),
    lambda v: special.kve(v, 1.5), lambda v: special.hyp2f1(v, 1.0, 2.0, 0.5), lambda v: special.eval_legendre(v, 0.5),
    lambda v: special.stdtr(v, 0.5), lambda v: special.zeta(v, 0.5), lambda v: special.pbdv(v, 0.5)[0],
    lambda v: special.bdtr(2, v, 0.5)])
def test_no_derivative_by_an_order(f: Callable[[Any], Any]) -> None:
    refuses(f, 2.5, code="SCT402")
    assert grad(lambda v: f(stop_gradient(v)) * v)(2.5) == f(2.5)


def test_keywords_that_are_not_supported() -> None:
    refuses(lambda v: special.comb(v, 2.0, repetition=True), 2.5, code="SCT501")
    refuses(lambda v: special.spherical_jn(2, v, derivative=True), 2.5, code="SCT501")
