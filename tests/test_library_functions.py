"""Functions of libraries that are plain Python are evaluated as the user's own are; iterators over items."""

from __future__ import annotations

import itertools
import math
import statistics
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.polynomial.polynomial as npp
import pytest
from oracle import agrees, refuses

import sct

X = np.array([0.3, 1.5, 0.7, 2.0])
Program = Callable[[np.ndarray], Any]


def teed(x):
    a, b = itertools.tee(v * v for v in x)
    next(b)
    return sum(u * v for u, v in zip(a, b))


def grouped(x):
    s = 0.0
    for k, group in itertools.groupby(zip([0, 0, 1, 1], x), key=lambda t: t[0]):
        s += (k + 1) * sum(v * v for _, v in group)
    return s


def taken_from_a_generator(x):
    def squares():
        for v in x:
            yield v * v
    return np.sum(np.fromiter(squares(), dtype=float) * x)


def of_triangles(x):
    A = np.outer(x, x[:3])
    B = np.outer(x, x)
    B[np.diag_indices_from(B)] += 1.0
    return np.sum(A[np.tril_indices_from(A)] ** 2) + np.sum(A[np.triu_indices_from(A, k=1)]) + np.sum(B ** 2)


def of_polynomials(x):
    y = np.polyval(np.polyder(x), 1.5) + np.polyval(np.polyint(x, 2, k=[x[0], 3.0]), 0.5)
    return y + np.sum(np.polysub(x[1:], np.polymul(x, x)) ** 2)


def of_order_and_zeros(x):
    order = np.lexsort((x, np.array([1, 0, 1, 0])))
    padded = np.concatenate([np.zeros(2), x, np.zeros(3)])
    return np.sum(x[order] * np.arange(4.0)) + np.sum(np.trim_zeros(padded) ** 2) + np.nanmedian(x) * x[0]


def of_reductions(x):
    A = np.outer(x, x)
    y = np.zeros(4, dtype=np.result_type(x, np.float32))
    y[:] = np.subtract.reduce(A, axis=1) * np.divide.reduce(A) + np.hypot.reduce(x[:1])
    return np.sum(y) * math.dist(x[:2], x[2:])


@np.vectorize
def leaky(v, slope):
    if v > 0.9:
        return v * v
    return slope * v


horner = np.vectorize(lambda v, c: c[0] * v + c[1], excluded=["c"], otypes=[float])


def of_vectorized_functions(x):
    s, c = np.vectorize(lambda v: (v * v, v))(x)
    return np.sum(leaky(x, 0.5) * s * c) + np.sum(horner(x, c=x))


def of_positions_in_ranges(x):
    r = range(1, len(x))
    return sum(x[k] * (k - r.start) for k in r) * r.stop * x[range(0, 8, 2).index(4)]


PROGRAMS: dict[str, Program] = {
    "triangles": of_triangles,
    "polynomials": of_polynomials,
    "order": of_order_and_zeros,
    "reductions": of_reductions,
    "vectorize": of_vectorized_functions,
    "ranges": of_positions_in_ranges,
    "polyval": lambda x: npp.polyval(x[0], x),
    "polyval of an array": lambda x: np.sum(npp.polyval(x, np.array([1.0, 2.0, 3.0]))),
    "chebval": lambda x: np.polynomial.chebyshev.chebval(0.3, x),
    "legval": lambda x: np.polynomial.legendre.legval(x[1] * 0.3, x),
    "hermval": lambda x: np.polynomial.hermite.hermval(0.3, x),
    "lagval": lambda x: np.polynomial.laguerre.lagval(0.3, x),
    "polyadd": lambda x: np.sum(np.polyadd(x, x[1:]) ** 2),
    "fmean": lambda x: statistics.fmean(x) ** 2,
    "tee": teed,
    "groupby": grouped,
    "fromiter": taken_from_a_generator,
    "fromiter with a count": lambda x: np.sum(np.fromiter((v * v for v in x), float, count=2)),
    "compress": lambda x: sum(v * v for v in itertools.compress(x, [1, 0, 1, 0])),
}


@pytest.mark.parametrize("f", PROGRAMS.values(), ids=PROGRAMS)
def test_agrees(f: Program) -> None:
    agrees(f, X)
    agrees(f, X * 0.5)


def test_what_is_not_evaluated_is_refused() -> None:
    refuses(lambda x: statistics.mean(list(x)), X, code="SCT207")
    refuses(lambda x: np.sum(np.vectorize(lambda v: v if v < 0.0 else 0)(x)), X, code="SCT504")
    refuses(lambda x: np.sum(np.vectorize(np.sum, signature="(n)->()")(x)), X, code="SCT207")


def warned(x):
    if np.sum(x) > 2.0:
        warnings.warn("large", RuntimeWarning, stacklevel=1)
    return np.sum(x * x)


def test_a_warning_of_a_class_is_given_once():
    derivative = sct.value_and_grad(warned)
    for n in (1, 3, 2, 4):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            value, slope = derivative(np.ones(n))
        assert value == n and slope.tolist() == [2.0] * n
        assert [w.category for w in caught] == [RuntimeWarning] * (n > 2)
    assert "RuntimeWarning" in derivative.source
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="large"):
            derivative(np.ones(3))


def test_a_fit_to_points_that_do_not_tell_the_polynomial_warns_as_numpy_does():
    def f(y, x):
        return np.sum(np.polyfit(x, y, 2) ** 2)

    derivative = sct.value_and_grad(f)
    y = np.array([1.0, 2.0, 4.0, 3.0])
    with pytest.warns(Warning, match="poorly conditioned"):
        assert derivative(y, np.ones(4))[0] == f(y, np.ones(4))
    x = np.array([0.5, 1.0, 2.0, 3.5])
    assert derivative(y, x)[0] == f(y, x)


@pytest.mark.parametrize("x, dx", [
    (1.5, 3.0), (np.float64(1.5), 3.0), (1.5 + 1e-15j, 3.0 + 0.0j), (1.5 + 2.0j, 3.0 + 4.0j),
    (np.complex64(2.0j), 4.0j)])
def test_a_function_in_python_is_evaluated_for_numbers_as_for_arrays(x, dx):
    def f(x):
        return np.real_if_close(x) * x
    value, tangent = sct.jvp(f, (x,), (1.0,))
    expected = f(x)
    assert type(value) is type(expected) and value.dtype == expected.dtype and value == expected
    np.testing.assert_allclose(tangent, dx, rtol=1e-6)


def test_a_function_in_python_that_cannot_be_evaluated_is_called_where_no_derivative_passes():
    def f(x):
        return x * len(np.array2string(x))
    assert sct.value_and_grad(f)(np.float64(1.5)) == (4.5, 3.0)
