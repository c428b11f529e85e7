"""Operands on which the generic tests run every op: (args, attrs) pairs.

Each op names the maker whose domain suits it; a maker covers carriers, float32,
broadcasting, empty arrays, rank 0 and views that are not contiguous.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

__all__ = [
    "Samples", "arrays", "binary", "divisions", "layouts", "numbers", "pairs", "positives", "reals",
    "reductions", "reductions_one", "unary",
]

Sample = tuple[tuple[Any, ...], dict[str, Any]]
Samples = Callable[[], Iterable[Sample]]

LAYOUTS: list[tuple[int, ...]] = [(), (3,), (2, 3), (0,), (2, 0)]
BROADCASTS: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((3,), (3,)), ((2, 3), (3,)), ((3, 1), (4,)), ((1,), (3,)), ((), (3,)), ((2, 3), ()), ((0,), (1,)),
    ((2, 1, 3), (4, 1))]


def arrays(shape: tuple[int, ...], lo: float = -2.0, hi: float = 2.0, *, seed: int = 0, dtype: str = "f8") -> Any:
    """Distinct numbers in (lo, hi) in no order, away from its ends."""
    n = int(np.prod(shape))
    order = np.random.default_rng(seed).permutation(n)
    offset = 0.31 + 0.07 * (seed % 5)
    return (lo + (hi - lo) * (order + offset) / max(n, 1)).astype(dtype).reshape(shape)


def number(lo: float, hi: float, seed: int = 0) -> float:
    return float(lo + (hi - lo) * (0.37 + 0.11 * (seed % 5)))


def strided(shape: tuple[int, ...], lo: float, hi: float, seed: int = 0) -> Any:
    """A view with gaps, transposed where there are two axes."""
    return arrays(tuple(2 * n for n in shape[::-1]), lo, hi, seed=seed)[tuple(slice(None, None, 2) for _ in shape)].T


def unary(lo: float, hi: float) -> Samples:
    """One operand in (lo, hi)."""

    def make() -> Iterable[Sample]:
        x = number(lo, hi)
        yield (x,), {}
        yield (np.float64(x),), {}
        yield (np.float32(x),), {}
        for shape in LAYOUTS:
            yield (arrays(shape, lo, hi),), {}
        yield (arrays((4,), lo, hi, dtype="f4"),), {}
        yield (strided((3, 2), lo, hi),), {}

    return make


def binary(x: tuple[float, float], y: tuple[float, float]) -> Samples:
    """Two operands in their intervals."""

    def make() -> Iterable[Sample]:
        a, b = number(*x), number(*y, seed=1)
        yield (a, b), {}
        yield (np.float64(a), b), {}
        yield (a, np.float64(b)), {}
        yield (np.float32(a), b), {}
        yield (np.float32(a), np.float64(b)), {}
        for p, q in BROADCASTS:
            yield (arrays(p, *x), arrays(q, *y, seed=1)), {}
        yield (arrays((2, 3), *x), b), {}
        yield (a, arrays((3,), *y, seed=1)), {}
        yield (arrays((3,), *x, dtype="f4"), b), {}
        yield (arrays((3,), *x, dtype="f4"), arrays((2, 3), *y, seed=1, dtype="f4")), {}
        yield (arrays((3,), *x, dtype="f4"), arrays((3,), *y, seed=1)), {}
        yield (strided((3, 2), *x), arrays((3, 1), *y, seed=1)), {}

    return make


def numbers() -> Iterable[Sample]:
    """One scalar of each carrier."""
    yield (1.25,), {}
    yield (np.float64(-1.75),), {}
    yield (np.array(0.75),), {}


reals = unary(-2.0, 2.0)
positives = unary(0.2, 3.0)
pairs = binary((-2.0, 2.0), (-1.5, 2.5))
divisions = binary((-2.0, 2.0), (0.5, 2.5))


def layouts() -> Iterable[Sample]:
    """Arrays of several ranks and layouts."""
    for shape in ((2, 3), (3,), (), (0, 2), (2, 1, 3), (1,)):
        yield (arrays(shape),), {}
    yield (strided((3, 2), -2.0, 2.0),), {}
    yield (arrays((2, 2), dtype="f4"),), {}


def reductions() -> Samples:
    """An array, over every kind of axis, with and without keepdims."""

    def make() -> Iterable[Sample]:
        x = arrays((2, 3, 2))
        for axis in (None, 0, -1, 1, (0, 2), (-1, 1)):
            yield (x,), {"axis": axis}
            yield (x,), {"axis": axis, "keepdims": True}
        yield (arrays((4,), dtype="f4"),), {}
        yield (arrays((3, 2), dtype="f4"),), {"axis": 1}
        yield (strided((3, 2), -2.0, 2.0),), {"axis": 0}
        yield (arrays(()),), {}
        yield (number(-2.0, 2.0),), {}

    return make


def reductions_one() -> Iterable[Sample]:
    """As `reductions`, over one axis or all."""
    return [(args, attrs) for args, attrs in reductions()() if not isinstance(attrs.get("axis"), tuple)]
