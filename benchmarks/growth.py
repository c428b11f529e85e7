"""How the cost of a derivative grows with the trips of the loop it differentiates.

    python -m benchmarks.growth

Two tables.  Nanoseconds an element for 1e3 to 1e6 elements: flat, if an element
costs O(1).  Bytes of arrays made a trip, for two sizes: equal, if nothing of the
size of an array is copied in a loop.  They are counted by running the emitted
function on arrays that note every buffer made from them.
"""

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import programs
from benchmarks.timing import alone, once, table
from sct import grad

SIZES = (1_000, 10_000, 100_000, 1_000_000)
FLAT = 2.5  # the caches are left on the way from 1e3 to 1e6


def reads(a, x):
    for i in range(len(a)):
        x = math.tanh(a[i] * x)
    return x


def writes(a, x):
    b = a.copy()
    for i in range(1, len(a)):
        b[i] += x * b[i - 1] * b[i]
    return b[len(a) - 1]


def written_in_branches(a, x):
    b = a.copy()
    for i in range(1, len(a)):
        if b[i] > 0.0:
            b[i] = x * b[i - 1]
        else:
            b[i] *= 0.5 * b[i]
    return np.sum(b)


def nested(A, x):
    B = A.copy()
    n, m = A.shape
    for i in range(1, n):
        for j in range(1, m):
            B[i, j] = math.sin(B[i - 1, j]) * x + B[i, j - 1] * 0.5
    return B[n - 1, m - 1]


def elements(f: Callable[..., Any], n: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(0)
    if f is nested:
        side = math.isqrt(n)
        return rng.normal(size=(side, side)), 0.7
    return rng.normal(size=n), 0.7


def lu(A):
    A = A.copy()
    n = A.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            A[i, k] /= A[k, k]
            for j in range(k + 1, n):
                A[i, j] -= A[i, k] * A[k, j]
    return A[n - 1, n - 1]


@dataclass(frozen=True)
class Counted:
    """A program, its arguments of size n, and how many trips its innermost loops make."""

    function: Callable[..., Any]
    args: Callable[[np.random.Generator, int], tuple[Any, ...]]
    trips: Callable[[int], int]
    sizes: tuple[int, int] = (200, 800)


def vectors(count: int, *rest: Any) -> Callable[[np.random.Generator, int], tuple[Any, ...]]:
    return lambda rng, n: (*(4.0 + rng.random(n) for _ in range(count)), *rest)


COUNTED = (
    Counted(reads, vectors(1, 0.7), lambda n: n),
    Counted(writes, vectors(1, 0.01), lambda n: n),
    Counted(written_in_branches, vectors(1, 0.01), lambda n: n),
    Counted(nested, lambda rng, n: (rng.normal(size=(n, n)), 0.7), lambda n: n * n, (15, 30)),
    Counted(programs.thomas, vectors(4), lambda n: 2 * n),
    Counted(programs.seidel, vectors(2, 3), lambda n: 3 * n),
    Counted(lu, lambda rng, n: (rng.normal(size=(n, n)) + n * np.eye(n),), lambda n: n**3 // 3, (10, 20)),
    Counted(
        programs.lu_logdet, lambda rng, n: (rng.normal(size=(n, n)) + n * np.eye(n),), lambda n: n**3 // 3, (20, 60)
    ),
    Counted(programs.soft_dtw, vectors(2, 0.7), lambda n: n * n, (15, 30)),
)


class Noted(np.ndarray):
    """An array; every buffer made from it, by whatever means, is added to `made`."""

    made = 0

    def __array_finalize__(self, parent: Any) -> None:
        if self.base is None:
            Noted.made += self.nbytes


class NotingNumpy:
    """numpy, whose functions give Noted arrays."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        if isinstance(found, type) or not callable(found):
            return found

        def noting(*args: Any, **kwargs: Any) -> Any:
            result = found(*args, **kwargs)
            if isinstance(result, np.ndarray) and not isinstance(result, Noted):
                Noted.made += result.nbytes if result.base is None else 0
                return result.view(Noted)
            return result

        return noting


def bytes_a_trip(counted: Counted, n: int) -> float:
    args = counted.args(np.random.default_rng(0), n)
    derivative = grad(counted.function)
    derivative(*args)
    emitted = alone(derivative.source, np=NotingNumpy())
    noted = [arg.view(Noted) if isinstance(arg, np.ndarray) else arg for arg in args]
    Noted.made = 0
    emitted(*noted)
    return Noted.made / counted.trips(n)


def time_table() -> bool:
    rows, flat = [], True
    for f in (reads, writes, written_in_branches, nested):
        derivative = grad(f)
        try:
            derivative(*elements(f, 100))
            costs = [1e9 * nanoseconds(derivative, elements(f, n), n) for n in SIZES]
        except Exception as error:
            rows.append((f.__name__, *["-"] * len(SIZES), f"{type(error).__name__}: {str(error).splitlines()[0]}"))
            flat = False
            continue
        growth = max(costs) / min(costs)
        flat = flat and growth < FLAT
        rows.append((f.__name__, *costs, growth))
    print("Nanoseconds an element")
    print(table(("program", *(f"{n:.0e}" for n in SIZES), "largest/least"), rows))
    return flat


def nanoseconds(derivative: Callable[..., Any], args: tuple[Any, ...], n: int) -> float:
    repeats = max(1, 100_000 // n)
    return min(once(lambda: derivative(*args), repeats) for _ in range(3)) / n


def byte_table() -> bool:
    rows, flat = [], True
    for counted in COUNTED:
        name = counted.function.__name__
        try:
            small, large = (bytes_a_trip(counted, n) for n in counted.sizes)
        except Exception as error:
            rows.append((name, "-", "-", f"{type(error).__name__}: {str(error).splitlines()[0]}"))
            flat = False
            continue
        flat = flat and large <= 1.1 * small + 8.0
        rows.append((name, small, large, "O(1)" if large <= 1.1 * small + 8.0 else "grows"))
    print("\nBytes of arrays made a trip, for n trips and for more")
    print(table(("program", "small", "large", ""), rows))
    return flat


def main() -> None:
    flat = time_table()
    constant = byte_table()
    sys.exit(0 if flat and constant else 1)


if __name__ == "__main__":
    main()
