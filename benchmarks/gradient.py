"""sct against hand-written gradients and against HIPS autograd, in one run.

    python -m benchmarks.gradient [NAME...]

`emitted` is the function that sct writes, called as the hand-written one is: the
target is a ratio of at most 1.3.  `called` has the look-up of the specialization
in it.  Times are medians of interleaved rounds.
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.handwritten import PAIRS, Pair
from benchmarks.timing import alone, assert_close, copied, interleaved, table
from sct import grad, value_and_grad

TARGET = 1.3
AUTOGRAD_TARGET = 100.0


def measured(pair: Pair) -> tuple[str, float, float, float, float]:
    """Name, microseconds by hand, emitted over by hand, called over by hand, emitted microseconds."""
    args = pair.large(np.random.default_rng(0))
    derivative = (value_and_grad if pair.value else grad)(pair.function, pair.argnums)
    assert_close(derivative(*copied_all(args)), pair.gradient(*args), pair.name)
    emitted = alone(derivative.source)
    by_hand, written, called = interleaved(
        [lambda: pair.gradient(*args), lambda: emitted(*args), lambda: derivative(*args)]
    )
    return pair.name, 1e6 * by_hand, 1e6 * written, written / by_hand, called / by_hand


def copied_all(args: tuple[Any, ...]) -> list[Any]:
    return [copied(arg) for arg in args]


def against_hand_written(names: list[str]) -> bool:
    rows: list[tuple[Any, ...]] = []
    for pair in PAIRS:
        if names and pair.name not in names:
            continue
        try:
            rows.append((*measured(pair), ""))
        except Exception as error:  # one program that fails does not hide the others
            rows.append((pair.name, "-", "-", "-", "-", f"{type(error).__name__}: {str(error).splitlines()[0]}"))
    print(table(("program", "by hand, us", "emitted, us", "emitted/hand", "called/hand", ""), rows))
    ratios = [row[3] for row in rows]
    met = [isinstance(ratio, float) and ratio <= TARGET for ratio in ratios]
    print(f"\n{sum(met)} of {len(met)} within {TARGET} times the hand-written gradient\n")
    return all(met)


def sine_loop(sin: Callable[[float], float]) -> Callable[[float], float]:
    def loop(x):
        for _ in range(100):
            x = sin(x) + 0.5 * x
        return x

    return loop


def logistic_loop(x):
    for _ in range(100):
        x = 3.7 * x * (1.0 - x)
    return x


def against_autograd() -> bool:
    import math

    import autograd
    import autograd.numpy

    rows = []
    for name, ours, theirs in (
        ("logistic map, 100 steps", logistic_loop, logistic_loop),
        ("sine, 100 steps", sine_loop(math.sin), sine_loop(autograd.numpy.sin)),
    ):
        derivative, reference = grad(ours), autograd.grad(theirs)
        assert_close(derivative(0.3), reference(0.3), name)
        slow, fast = interleaved([lambda r=reference: r(0.3), lambda d=derivative: d(0.3)])
        rows.append((name, 1e6 * slow, 1e6 * fast, slow / fast))
    print(table(("loop", "autograd, us", "sct, us", "times faster"), rows))
    return all(row[3] >= AUTOGRAD_TARGET for row in rows)


def main() -> None:
    names = sys.argv[1:]
    met = against_hand_written(names)
    if not names:
        met = against_autograd() and met
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
