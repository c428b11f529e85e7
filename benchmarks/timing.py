"""What the benchmarks share: interleaved timings, tables, the emitted function by itself."""

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.handwritten import copied


def interleaved(calls: Sequence[Callable[[], Any]], rounds: int = 15, least: float = 0.005) -> list[float]:
    """The median seconds of one call of each; every round times them all, one after the other.

    Seconds are of the processor, which other programs on the machine disturb less.
    """
    for call in calls:
        call()
    counts = [max(1, round(least / once(call, 1))) for call in calls]
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds):
        for call, count, found in zip(calls, counts, times, strict=True):
            found.append(once(call, count))
    return [statistics.median(found) for found in times]


def once(call: Callable[[], Any], count: int) -> float:
    start = time.process_time()
    for _ in range(count):
        call()
    return (time.process_time() - start) / count


def alone(source: str, **names: Any) -> Callable[..., Any]:
    """The function of an emitted source, which needs nothing of sct; `names` replace its globals."""
    namespace: dict[str, Any] = {}
    exec(compile(source, "<emitted>", "exec"), namespace)
    made = [each for each in namespace.values() if getattr(each, "__globals__", None) is namespace]
    namespace.update(names)
    return made[-1]


def table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Columns as wide as they need; the first to the left, numbers to the right."""
    cells = [list(heads), *([shown(cell) for cell in row] for row in rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(heads))]
    lines = []
    for row in cells:
        first, *rest = (cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        lines.append("  ".join([row[0].ljust(len(first)), *rest]))
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def shown(cell: Any) -> str:
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


def assert_close(got: Any, expected: Any, name: str) -> None:
    """Equal trees of numbers, to rounding."""
    if isinstance(expected, dict):
        for key in expected:
            assert_close(got[key], expected[key], f"{name}, {key}")
    elif isinstance(expected, tuple):
        for k in range(len(expected)):
            assert_close(got[k], expected[k], f"{name}, {k}")
    elif expected is not None:
        scale = float(np.max(np.abs(expected), initial=1e-300))
        np.testing.assert_allclose(got, expected, rtol=1e-7, atol=1e-9 * scale, err_msg=name)


__all__ = ["alone", "assert_close", "copied", "interleaved", "once", "table"]
