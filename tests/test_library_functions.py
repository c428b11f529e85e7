"""Functions of libraries that are plain Python are evaluated as the user's own are; iterators over items."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.polynomial.polynomial as npp
import pytest
from oracle import agrees, refuses

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


PROGRAMS: dict[str, Program] = {
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
