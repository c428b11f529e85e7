"""Checks the five programs under Numba and prints what they cost."""

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np

from benchmarks.numba_spike import build
from benchmarks.numba_spike.programs import PROGRAMS, Program
from benchmarks.timing import table

HEADS = (
    "program",
    "primal us",
    "from IR",
    "gradient us",
    "by hand us",
    "grad/primal",
    "hand/primal",
    "grad/hand",
    "sct ms",
    "njit primal s",
    "njit grad s",
    "njit hand s",
)
"""Of the primal, `from IR` is the emitted one's time over the user's own."""


def medians(calls: Sequence[Callable[[], Any]], rounds: int = 9, least: float = 0.01) -> list[float]:
    """Seconds of this process a call, medians of interleaved rounds: other processes may be busy."""
    counts = [max(1, round(least / spent(call))) for call in calls]
    times = [[spent(call, count) for call, count in zip(calls, counts, strict=True)] for _ in range(rounds)]
    return [statistics.median(column) for column in zip(*times, strict=True)]


def spent(call: Callable[[], Any], count: int = 1) -> float:
    start = time.process_time()
    for _ in range(count):
        call()
    return max(time.process_time() - start, 1e-6) / count


def row(program: Program, show: bool) -> list[Any]:
    args = program.inputs(np.random.default_rng(0), program.small)
    primal, gradient = build.primal(program.function, args), build.gradient(program.function, program.argnums, args)
    if show:
        print(primal.source, gradient.source, sep="\n", end="\n\n")
    calls = [
        numba.njit(**build.NJIT)(program.function),
        primal.compiled(),
        gradient.compiled(),
        numba.njit(**build.NJIT)(program.gradient),
    ]
    first = [spent(lambda call=call: call(*args)) for call in calls]
    large = program.inputs(np.random.default_rng(0), program.large)
    for inputs in (args, large):
        check([call(*inputs) for call in calls], program.name)
    user, again, grad, hand = medians([lambda call=call: call(*large) for call in calls])
    microseconds = [1e6 * user, again / user, 1e6 * grad, 1e6 * hand]
    ratios = [grad / user, hand / user, grad / hand]
    return [program.name, *microseconds, *ratios, round(1e3 * gradient.seconds), first[0], first[2], first[3]]


def check(found: list[Any], name: str) -> None:
    """All agree: the value of four, the gradients of two."""
    user, (again,), grad, hand = found
    for value in (again, grad[0], hand[0]):
        np.testing.assert_allclose(value, user, rtol=1e-10, err_msg=name)
    for got, expected in zip(grad[1:], hand[1:], strict=True):
        scale = np.max(np.abs(expected), initial=1e-300)
        np.testing.assert_allclose(got, expected, rtol=1e-7, atol=1e-10 * scale, err_msg=name)


def warm_up() -> None:
    """Numba's own first compilation takes longer."""
    logistic = next(p for p in PROGRAMS if p.name == "logistic_map")
    build.gradient(logistic.function, 0, (0.2, 3)).compiled()(0.2, 3)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.numba_spike")
    parser.add_argument("names", nargs="*", help="programs, all if there are none")
    parser.add_argument("--source", action="store_true", help="print the emitted code")
    options = parser.parse_args()
    warm_up()
    rows = [row(p, options.source) for p in PROGRAMS if not options.names or p.name in options.names]
    print(f"numba {numba.__version__}, numpy {np.__version__}; medians of interleaved rounds, CPU time")
    print(table(HEADS, rows))


if __name__ == "__main__":
    main()
