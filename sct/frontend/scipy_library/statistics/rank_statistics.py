"""Statistics of the order of samples: they are piecewise constant, so their derivative is 0 wherever they have one.

    spearmanr(x, y).statistic   ->   what SciPy computes, as a constant
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sct.frontend.scipy_library.by_program import Program, register

__all__: list[str] = []


def _test_of_order(*_: Any) -> tuple[np.float64, np.float64]:
    """A statistic and its significance."""
    return np.float64(0.0), np.float64(0.0)


def _ranks(a: Any) -> Any:
    return np.zeros(len(a))


def _test(*samples: str, options: tuple[str, ...] = ()) -> Program:
    return Program(_test_of_order, samples, options, ("statistic", "pvalue"), ranks=(1,))


register("scipy.stats", {
    "rankdata": Program(_ranks, ("a",), ranks=(1,)),
    "spearmanr": _test("a", "b", options=("alternative",)),
    "kendalltau": _test("x", "y", options=("method", "variant", "alternative")),
    "weightedtau": _test("x", "y", options=("rank", "additive")),
    "mannwhitneyu": _test("x", "y", options=("use_continuity", "alternative", "method")),
    "wilcoxon": _test("x", "y", options=("zero_method", "correction", "alternative", "method")),
    "ranksums": _test("x", "y", options=("alternative",)),
    "brunnermunzel": _test("x", "y", options=("alternative", "distribution")),
    "ansari": _test("x", "y", options=("alternative",)),
    "mood": _test("x", "y", options=("alternative",)),
    "ks_2samp": _test("data1", "data2", options=("alternative", "method")),
    "kruskal": _test("samples"),
    "friedmanchisquare": _test("samples")})
