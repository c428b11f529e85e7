"""Statistics of samples, by SciPy, in programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import agrees, refuses, same_value
from scipy import optimize, spatial, stats
from scipy.spatial import distance
from scipy.spatial.transform import Rotation

from sct import SctError, check_grads, grad, hvp, jvp, value_and_grad

X, Y = np.array([0.3, 1.2, 0.7, 2.1, 1.5, 0.4]), np.array([0.2, 1.3, 0.9, 1.1, 1.7, 0.1])
M = np.outer(X, X[:4]) + 0.01 * np.arange(24.0).reshape(6, 4) ** 2


def standardized(m):
    """The moments of scores: a constant mean and deviation."""
    z = stats.zscore(m, axis=0, ddof=1)
    return np.sum(z**3) + np.sum(stats.skew(m) * stats.kurtosis(m, axis=0)) + stats.skew(m[:, 0], bias=False)


def diversity(x):
    p = x / x.sum()
    return stats.entropy(p) + stats.entropy(Y, qk=x, base=2) + stats.gmean(x) * stats.hmean(x) / stats.sem(x)


def correlated(x):
    r, p = stats.pearsonr(x, Y)
    line = stats.linregress(Y, x)
    slope, intercept, *rest = stats.linregress(x, [1, 2, 3, 5, 4, 6])
    return 2.0 * r + p + line.slope * line.intercept + line.pvalue * line.stderr + slope - intercept + rest[0]


def significance(x):
    t, p = stats.ttest_ind(x, Y)
    of_pairs = stats.ttest_rel(x, Y)
    return t * p + of_pairs.statistic + of_pairs.pvalue + stats.ttest_1samp(x, 0.9).pvalue


def of_groups(x):
    """Sums over segments, one of them empty in NumPy's sense: its first element."""
    sums = np.add.reduceat(x**2, [0, 2, 2, 1])
    return np.sum(np.log(sums)) + stats.trim_mean(x, 0.2) * stats.iqr(x)


def of_several_groups(x):
    groups = [x, Y * x, x**2]
    levene, (skew, kurtosis) = stats.levene(*groups), stats.describe(x)[4:]
    return stats.f_oneway(*groups).statistic * stats.bartlett(*groups)[1] + levene.pvalue + skew * kurtosis \
        + stats.ttest_ind(x, Y, equal_var=False).statistic + stats.jarque_bera(x)[0] + stats.describe(x).minmax[1]


def densities(x):
    """Of vectors and matrices, one of them of counts."""
    a = np.outer(x[:3], x[:3]) + np.eye(3)
    scale = 2.0 * np.eye(3) + a
    return stats.multivariate_t.logpdf(Y[:3], x[:3], a, x[4]) + stats.wishart.logpdf(a, 3.0 + x[4], scale) \
        + stats.invwishart.logpdf(a, 5, a @ a) + stats.multinomial.logpmf([1, 0, 2], 3, x[:3] / np.sum(x[:3]))


def distances(x):
    p, q = x.reshape(3, 2), Y.reshape(3, 2)
    return np.sum(distance.cdist(p, q, "minkowski", p=3)) + np.sum(distance.pdist(p, "canberra")) \
        + np.sum(distance.cdist(p, q, metric="mahalanobis", VI=np.eye(2) + np.outer(x[:2], x[:2]))) \
        + np.sum(distance.cdist(p, p, "jensenshannon")) + np.sum(distance.pdist(p, "seuclidean"))


TURN = Rotation.from_euler("z", 0.4)


def pose(x):
    """Points after a rotation by a vector, one by angles, and one that is made elsewhere."""
    r = Rotation.from_rotvec(x[:3]) * Rotation.from_euler("XYZ", x[3:], degrees=False).inv()
    return np.sum(TURN.apply(r.apply(Y.reshape(2, 3))) ** 3) + r.magnitude() + np.sum(r.as_rotvec() * r.as_quat()[:3])


PROGRAMS = [(standardized, M), (diversity, X), (correlated, X), (significance, X), (of_groups, X),
            (of_several_groups, X), (densities, X), (distances, X), (pose, X)]


@pytest.mark.parametrize(("f", "x"), PROGRAMS, ids=lambda v: getattr(v, "__name__", ""))
def test_program(f: Callable[..., Any], x: np.ndarray) -> None:
    agrees(f, x)
    check_grads(f, (x,), order=2 if f is of_groups else 1)


def test_distances_with_an_exponent_where_points_coincide() -> None:
    p = X.reshape(3, 2)
    for exponent in (1, 2, 2.5, np.inf):
        f = lambda a: np.sum(spatial.distance_matrix(a, p, p=exponent) * np.arange(9.0).reshape(3, 3))
        agrees(f, Y.reshape(3, 2))
        assert np.isfinite(grad(f)(p.copy())).all()
    agrees(lambda a: np.sum(spatial.minkowski_distance(a, p[0], 3.0)), Y.reshape(3, 2))


TESTS_OF_ORDER = ("spearmanr", "kendalltau", "weightedtau", "mannwhitneyu", "wilcoxon", "ranksums", "brunnermunzel",
                  "ansari", "mood", "ks_2samp", "kruskal")


@pytest.mark.parametrize("name", TESTS_OF_ORDER)
def test_statistics_of_order_are_constants(name: str) -> None:
    """No two of the numbers, nor of the differences, are equal."""
    test, x = getattr(stats, name), X + 0.01 * np.arange(6.0) ** 2

    def weighed(x):
        result = test(x, Y)
        return result.statistic * np.sum(x * Y) + np.nan_to_num(result[1]) * x[0]

    agrees(weighed, x)
    np.testing.assert_allclose(grad(weighed)(x) - test(x, Y)[0] * Y, [np.nan_to_num(test(x, Y)[1]), 0, 0, 0, 0, 0],
                               atol=1e-15)
    assert not hvp(weighed, (x,), (Y,)).any()


def test_options_of_statistics_of_order() -> None:
    agrees(lambda x: stats.kendalltau(x, Y, variant="c", alternative="less").pvalue * np.sum(x), X)
    agrees(lambda x: stats.mannwhitneyu(x, Y, method="asymptotic", use_continuity=False)[1] * np.sum(x), X)
    agrees(lambda x: stats.friedmanchisquare(x, Y, x * Y).statistic * np.sum(x), X)
    agrees(lambda x: np.sum(stats.rankdata(x) * x), np.array([0.3, 0.1, 0.3, 2.0]))
    refuses(lambda x: np.sum(stats.rankdata(x, method="ordinal") * x), X, code="SCT402")
    refuses(lambda x: stats.spearmanr(M)[0][0, 1] * np.sum(x) + stats.spearmanr(x, axis=1)[0], M, code="SCT402")


def test_least_greatest_and_the_correlation_with_a_bool() -> None:
    x = X + 0.01 * np.arange(6.0) ** 2
    f = lambda x: stats.tmin(x) * stats.tmax(x) + np.sum(stats.tmin(x.reshape(2, 3), axis=1)) + np.sum(
        stats.tmax(x.reshape(2, 3)) ** 2) + stats.pointbiserialr(np.arange(6) > 2, x).statistic
    agrees(f, x)
    check_grads(f, (x,), order=2)
    refuses(lambda x: stats.tmin(x, lowerlimit=0.2), x, code="SCT402")


@pytest.mark.parametrize("test", [stats.f_oneway, stats.levene, stats.bartlett])
def test_a_statistic_by_itself(test: Callable[..., Any]) -> None:
    agrees(lambda x: test(x, Y).statistic, X)
    agrees(lambda x: test(x, Y, x * Y)[1], X)


def test_what_is_given_of_zscores_has_no_slope_along_shifts_and_scales() -> None:
    slope = grad(lambda x: np.sum(stats.zscore(x) ** 3))(X)
    np.testing.assert_allclose([np.sum(slope), slope @ X], 0.0, atol=1e-12)


def test_squares_of_distances_of_points_that_coincide() -> None:
    """Of f = sum |a - b|**2 over pairs, the second derivative in a direction is 2 * (da - db), summed over them."""
    a, da = np.zeros((2, 2)), np.array([[1.0, 2.0], [3.0, 5.0]])
    for f, scale in ((lambda a: np.sum(distance.pdist(a) ** 2), 1.0),
                     (lambda a: np.sum(distance.cdist(a, a) ** 2), 2.0)):
        np.testing.assert_array_equal(hvp(f, (a,), (da,)), scale * 2.0 * (da - da[::-1]))
    value, slope = jvp(distance.pdist, (a[:1],), (da[:1],))
    assert value.shape == slope.shape == (0,)


@pytest.mark.parametrize("between", [
    lambda a: distance.pdist(a, "minkowski"), lambda a: distance.pdist(a, "minkowski", p=2, w=np.array([2.0, 0.5])),
    lambda a: distance.pdist(a, "seuclidean", V=np.array([1.0, 2.0])), lambda a: spatial.distance_matrix(a, a),
    lambda a: distance.pdist(a, "mahalanobis", VI=np.array([[2.0, 0.5], [0.5, 1.0]])),
    lambda a: distance.cdist(a, X.reshape(3, 2), "seuclidean", V=np.array([1.0, 2.0])),
    lambda a: distance.minkowski(a[0], a[1]), lambda a: distance.seuclidean(a[0], a[1], np.array([1.0, 2.0])),
    lambda a: distance.mahalanobis(a[0], a[1], np.array([[2.0, 0.5], [0.5, 1.0]])),
    lambda a: spatial.minkowski_distance(a, a[::-1], 2)])
@pytest.mark.parametrize("of", [lambda y: np.sum(y ** 2), lambda y: 0.5 * np.sum(y ** 2),
                                lambda y: np.sum(np.exp(-y ** 2))])
def test_functions_of_squares_of_distances_of_points_that_coincide(between: Any, of: Any) -> None:
    a, da = X.reshape(3, 2)[[0, 0, 2]], np.array([[1.0, 2.0], [3.0, 5.0], [-1.0, 0.5]])
    f = lambda a: of(between(a))
    agrees(f, Y.reshape(3, 2))
    change = (grad(f)(a + 1e-5 * da) - grad(f)(a - 1e-5 * da)) / 2e-5
    np.testing.assert_allclose(hvp(f, (a,), (da,)), change, rtol=1e-6, atol=1e-6)


def test_exponents_of_distances() -> None:
    p, q = X.reshape(3, 2), Y.reshape(3, 2)
    check_grads(lambda e: np.sum(distance.cdist(p, q, "minkowski", p=e)) + distance.minkowski(p[0], q[0], e), (2.7,),
                order=2)


def test_what_scipy_raises() -> None:
    f = lambda c: stats.multivariate_normal.logpdf(np.ones(2), None, c)
    with pytest.raises(ValueError, match="positive semidefinite"):
        value_and_grad(f)(np.array([[1.0, 2.0], [2.0, 1.0]]))


def test_bounds_at_ties() -> None:
    """The solution has no derivative where a bound only just holds."""
    a = np.array([[1.0, 0.3], [0.2, 1.0], [0.5, -0.4]])
    f = lambda b: optimize.nnls(a, b)[0][1]
    assert grad(f)(np.array([1.0, -2.0, 0.3]))[0] == 0.0
    with pytest.raises(SctError, match="at a tie"):
        grad(f)(2.0 * a[:, 0])
    g = lambda b: optimize.linprog([-1.0, -1.0], A_ub=[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], b_ub=b).fun
    np.testing.assert_allclose(grad(g)(np.array([1.0, 2.0, 2.5])), [0.0, 0.0, -1.0], atol=1e-12)
    with pytest.raises(SctError, match="at a tie"):
        grad(g)(np.array([1.0, 2.0, 3.0]))


def test_constants_are_left_to_scipy() -> None:
    assert grad(lambda x: x * stats.pearsonr(X, Y).confidence_interval().low)(1.0) != 0.0


def test_statistics_of_few_numbers() -> None:
    """SciPy does not correct a bias that it cannot, and some statistics of few numbers are not numbers."""
    for n in (2, 3):
        agrees(lambda x, n=n: stats.skew(x[:n], bias=False) + np.sum(stats.skew(x.reshape(-1, n), 1, bias=False)), X)
        agrees(lambda x, n=n: stats.kurtosis(x[:n], bias=False) * x[3] + stats.kurtosis(x[:n]), X)
    few = [(lambda x: stats.skewtest(x)[1], 7), (lambda x: stats.kurtosistest(x)[0], 4),
           (lambda x: stats.normaltest(x)[0], 7), (lambda x: stats.bartlett(x, Y)[0], 1),
           (lambda x: stats.skew(x, bias=False), 1)]
    for f, n in few:
        x = np.arange(1.0, n + 1.0) ** 2
        value, slope = value_and_grad(f)(x)
        assert same_value(value, f(x)) and np.isnan(value) and np.isnan(slope).all()


@pytest.mark.parametrize("shape", [(3, 4), (4,), (1, 4), (3, 1), (1, 1), (1,), (2, 1, 1)])
def test_weights_are_broadcast(shape: tuple[int, ...]) -> None:
    a, w = 0.1 + M[:3], np.cos(0.1 * np.arange(float(np.prod(shape)))).reshape(shape)
    for axis in (0, -1):
        f = lambda a, w, axis=axis: np.sum(np.sin(stats.gmean(a, axis, weights=w))) * np.sum(
            stats.pmean(a, 3, axis=axis, weights=w)) + np.sum(stats.hmean(a, axis, weights=w) ** 2)
        agrees(f, a, w)
        agrees(lambda w, a, f=f: f(a, w), w, a)
    q = lambda w: np.sum(stats.entropy(a, w, axis=1) ** 2) + np.sum(stats.entropy(w, a, axis=-1))
    agrees(q, w)


def test_weights_of_a_square_are_those_of_its_columns() -> None:
    f = lambda w: np.sum(stats.hmean(M[:4] + 0.1, axis=0, weights=w) ** 2)
    agrees(f, X[:4])
    check_grads(f, (X[:4],), order=2)


def test_refused() -> None:
    assert "statistic" in refuses(lambda x: stats.pearsonr(x, Y).correlation, X, code="SCT203").hint
    refuses(lambda x: stats.ttest_ind(x, Y, equal_var=False).pvalue, X, code="SCT402")
    refuses(lambda x: stats.ttest_ind(x, Y, trim=0.1).statistic, X, code="SCT402")
    refuses(lambda x: stats.zscore(x, nan_policy="omit")[0], X, code="SCT402")
    refuses(lambda x: np.sum(np.maximum.reduceat(x, [0, 3])), X, code="SCT206")


def test_densities_of_matrices_and_moments_of_dirichlet() -> None:
    def f(x):
        a = np.outer(x[:3], x[:3]) + np.eye(3)
        m = x.reshape(3, 2)
        return stats.wishart.pdf(a, 3.0 + x[4], a @ a) + stats.invwishart.pdf(a @ a, 5, a) \
            + stats.matrix_normal.logpdf(m, m**2, a, np.eye(2) + x[0] * x[1]) * stats.matrix_normal.pdf(m, m[::-1], a) \
            + np.sum(stats.dirichlet.mean(x) * stats.dirichlet.var(x)) * stats.dirichlet.entropy(x)

    agrees(f, X)
    check_grads(f, (X,), order=2)
