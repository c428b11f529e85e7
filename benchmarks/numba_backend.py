"""`backend="numba"` against gradients written by hand for Numba, against JAX, and against NumPy, in one run.

    python -m benchmarks.numba_backend [NAME...]

Of the first four programs the targets are: at most 1.3 times the hand-written gradient, no slower
than JAX (`lax.scan`, double precision, jitted).  Times are medians of interleaved rounds.  A second
table says how the time grows with the trips; then what the first gradient of a process costs.
"""

import os
import subprocess
import sys
import tempfile
import time
from typing import Any

import numba
import numpy as np

from benchmarks import numba_jax
from benchmarks.numba_handwritten import PROGRAMS, Program
from benchmarks.timing import interleaved, table
from sct import value_and_grad

TARGET = 1.3
TARGETS = ("logistic_map", "recurrence", "thomas", "seidel")
FIRST = 0.4  # seconds of a second process, beyond those of a trivial cached function
HEADS = ("program", "by hand, us", "sct, us", "sct/hand", "JAX, us", "sct/JAX", "NumPy, us", "compile s", "hand s")


def row(program: Program) -> list[Any]:
    args = program.inputs(np.random.default_rng(0), program.large)
    derivative = value_and_grad(program.function, program.argnums, backend="numba")
    by_hand = numba.njit(error_model="numpy")(program.gradient)
    small = program.inputs(np.random.default_rng(0), program.small)
    compiled = [seconds(call, *small) for call in (derivative, by_hand)]
    check(derivative(*args), by_hand(*args), program.name)
    plain = value_and_grad(program.function, program.argnums)
    calls = [lambda: by_hand(*args), lambda: derivative(*args), lambda: plain(*args)]
    jitted = numba_jax.gradient(program, args)
    if jitted is not None:
        check(jitted(), by_hand(*args), f"{program.name}, JAX")
        calls.append(jitted)
    hand, ours, numpy, *jax = (1e6 * t for t in interleaved(calls))
    theirs = [jax[0], ours / jax[0]] if jax else ["-", "-"]
    return [program.name, hand, ours, ours / hand, *theirs, numpy, *compiled]


def seconds(call: Any, *args: Any) -> float:
    start = time.perf_counter()
    call(*args)
    return time.perf_counter() - start


def check(found: Any, expected: Any, name: str) -> None:
    value, gradients = found
    gradients = gradients if isinstance(gradients, tuple) else (gradients,)
    for got, wanted in zip((value, *gradients), expected, strict=True):
        scale = float(np.max(np.abs(wanted), initial=1e-300))
        np.testing.assert_allclose(got, wanted, rtol=1e-6, atol=1e-9 * scale, err_msg=name)


def growth(program: Program) -> list[Any]:
    """Time for a size and for twice as many trips."""
    derivative = value_and_grad(program.function, program.argnums, backend="numba")
    more = {"lu": 2 ** (1 / 3), "seidel": 2 ** (1 / 3), "soft_dtw": 2**0.5}.get(program.name, 2.0)
    sizes = (program.large, round(more * program.large))
    inputs = [program.inputs(np.random.default_rng(0), n) for n in sizes]
    calls = [lambda args=args: derivative(*args) for args in inputs]
    once, twice = (1e6 * t for t in interleaved(calls))
    return [program.name, once, twice, twice / once]


TRIVIAL = """
from numba import njit

@njit(cache=True)
def f(x):
    return x + 1.0
f(1.0)
"""
FIRST_GRADIENT = """
from benchmarks.numba_handwritten import recurrence
from sct import grad
import numpy as np
grad(recurrence, backend="numba")(0.3, np.linspace(0.0, 1.0, 100))
"""


def first_gradients() -> tuple[float, float, float]:
    """Seconds of the processor that a process takes: with a trivial cached function; with a gradient
    that is compiled, and with one that was."""
    with tempfile.TemporaryDirectory() as place:
        path = f"{place}/trivial.py"
        with open(path, "w") as file:
            file.write(TRIVIAL)

        def run(*command: str) -> float:
            before = os.times()
            subprocess.run([sys.executable, *command], check=True, env=environment(place))
            after = os.times()
            return after.children_user + after.children_system - before.children_user - before.children_system

        run(path)
        first = run("-c", FIRST_GRADIENT)
        return min(run(path) for _ in range(3)), first, min(run("-c", FIRST_GRADIENT) for _ in range(3))


def environment(place: str) -> dict[str, str]:
    """As of an installed package: with its bytecode on disk."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": os.getcwd(), "SCT_CACHE_DIR": place}


def main() -> None:
    names = sys.argv[1:]
    chosen = [p for p in PROGRAMS if not names or p.name in names]
    os.environ["SCT_CACHE_DIR"] = tempfile.mkdtemp()  # what compiling costs
    chosen.sort(key=lambda p: (p.name not in TARGETS, p.name))
    rows = [row(p) for p in chosen]
    print(f"numba {numba.__version__}, numpy {np.__version__}")
    print(table(HEADS, rows))
    slow = [r[0] for r in rows if r[0] in TARGETS and not (r[3] <= TARGET and r[5] <= 1.0)]
    print("\nTwice the trips")
    grown = [growth(p) for p in chosen]
    print(table(("program", "us", "us for twice", "ratio"), grown))
    trivial, first, second = first_gradients()
    print(f"\nSeconds of the processor a process: {trivial:.2f} with a trivial cached njit function, "
          f"{first:.2f} with a first gradient, {second:.2f} when that is in the cache")
    met = not slow and second - trivial <= FIRST
    print("targets met" if met else f"targets missed: {', '.join(slow) or 'the first gradient'}")
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
