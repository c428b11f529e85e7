"""What a cached call costs beyond the emitted function, in microseconds.

    python -m benchmarks.overhead

The difference of the medians of interleaved repetitions: `derivative(*args)` against a direct call of the function
that it emitted, with the same arguments and free variables.  The aim is 1 microsecond for
scalars, 2 for up to four arrays, then 0.3 a leaf.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.timing import interleaved
from sct import grad
from sct.frontend import root_of

SCALE = 2.0


def square(x: float) -> float:
    return x * x


def outside(x: float) -> float:
    return SCALE * square(x)


def many(*numbers: float) -> float:
    return sum(numbers)


def arrays(*xs: np.ndarray) -> float:
    return sum([x[0] for x in xs])


def params(p: dict[str, np.ndarray]) -> float:
    return sum([p[name][0] for name in p])


def closure() -> Callable[..., float]:
    y, scale = np.ones(3), 2.0
    return lambda x: x[0] * y[0] * scale


def guarded(x: np.ndarray, axis: int) -> float:
    return x.sum(axis=axis)[0]


def written(x: np.ndarray, y: np.ndarray) -> float:
    x[0] = y[0]
    return x[0]


def cases() -> dict[str, tuple[Callable[..., float], tuple[Any, ...]]]:
    vector = [np.ones(3) for _ in range(8)]
    found: dict[str, tuple[Callable[..., float], tuple[Any, ...]]] = {
        "a float": (square, (2.0,)),
        "a float, a global and a helper": (outside, (2.0,)),
        **{f"{n} floats": (many, (2.0,) * n) for n in (2, 4, 8)},
        **{f"{n} array{'s' * (n > 1)}": (arrays, tuple(vector[:n])) for n in (1, 2, 4, 8)},
        "4 arrays of 4 sizes": (arrays, tuple(np.ones(n) for n in (3, 4, 5, 6))),
        "2 matrices": (lambda a, b: a[0, 0] * b[0, 0], (np.ones((3, 4)), np.ones((4, 5)))),
        **{f"a dict of {n} arrays": (params, ({f"w{k}": vector[k] for k in range(n)},)) for n in (2, 4, 8)},
        "an array, a closure over an array and a float": (closure(), (vector[0],)),
        "an array, a guard on an int": (guarded, (np.ones((3, 4)), 0)),
        "2 arrays, one written": (written, (vector[0], vector[1])),
    }
    return found


def overhead(f: Callable[..., float], args: tuple[Any, ...]) -> tuple[float, float]:
    """(overhead, time of the emitted function)."""
    derivative = grad(f)
    derivative(*args)
    made = derivative._latest
    assert made is not None
    run, free = made.run, made.traced.free_values(root_of(derivative))
    whole, direct = interleaved([lambda: derivative(*args), lambda: run(*args, **free)], rounds=41)
    return (whole - direct) * 1e6, direct * 1e6


def main() -> None:
    print(f"{'arguments':48}{'overhead':>10}{'emitted':>10}   (microseconds)")
    for name, (f, args) in cases().items():
        beyond, direct = overhead(f, args)
        print(f"{name:48}{beyond:10.2f}{direct:10.2f}")


if __name__ == "__main__":
    main()
