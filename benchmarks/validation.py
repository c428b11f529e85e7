"""What it costs, at the first call, that a function is compared with Python.

    python -m benchmarks.validation

Milliseconds of the first call of `value_and_grad(f)`, and how many times that is with validation: two runs of the
function on copies, one as it is, one as it was read; on small inputs, and on those that `gradient.py` times.
"""

import os
import statistics
import time
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.handwritten import PAIRS, Pair, copied
from benchmarks.timing import table
from sct import value_and_grad

ROUNDS = 5


def first_call(f: Callable[..., Any], argnums: Any, args: tuple[Any, ...], mode: str) -> float:
    """Seconds of the processor for a function of which nothing is compiled yet."""
    fresh = types.FunctionType(f.__code__.replace(), f.__globals__, f.__name__, f.__defaults__)
    os.environ["SCT_VALIDATE"] = mode
    given = copied(args)
    start = time.process_time()
    value_and_grad(fresh, argnums)(*given)
    return time.process_time() - start


def measured(pair: Pair, inputs: Callable[[np.random.Generator], tuple[Any, ...]]) -> tuple[float, float]:
    """(milliseconds without validation, times as much with it), the rounds interleaved."""
    args = inputs(np.random.default_rng(0))
    pairs = [[first_call(pair.function, pair.argnums, args, mode) for mode in ("0", "first")] for _ in range(ROUNDS)]
    off, on = (statistics.median(column) for column in zip(*pairs, strict=True))
    return 1e3 * off, on / off


def main() -> None:
    before = os.environ.get("SCT_VALIDATE")
    rows, ratios = [], []
    try:
        first_call(PAIRS[0].function, PAIRS[0].argnums, PAIRS[0].small(np.random.default_rng(0)), "first")
        for pair in PAIRS:
            (off, small), (_, large) = measured(pair, pair.small), measured(pair, pair.large)
            rows.append([pair.name, off, small, large])
            ratios.append((small, large))
    finally:
        os.environ.pop("SCT_VALIDATE")
        if before is not None:
            os.environ["SCT_VALIDATE"] = before
    print(table(["", "ms without", "times, small", "times, large"], rows))
    means = [statistics.geometric_mean(column) for column in zip(*ratios, strict=True)]
    print(f"geometric mean {means[0]:.2f} on small inputs, {means[1]:.2f} on large ones")


if __name__ == "__main__":
    main()
