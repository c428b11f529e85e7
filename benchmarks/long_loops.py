"""Time and peak memory of long loops with checkpoints:  python -m benchmarks.long_loops [--whole]

Each row is a process of its own. The ratio of times is measured where storing everything fits; with `--whole`, also the
simulation of 1e6 steps and 1e4 numbers, which takes some minutes.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from sct import checkpointed, grad

CELLS = 10_000


def stored(u: Any, k: float, n: int) -> Any:
    for _ in range(n):
        u[1:-1] += k * u[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def in_segments(u: Any, k: float, n: int) -> Any:
    for _ in checkpointed(range(n)):
        u[1:-1] += k * u[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def scalars(x: float, r: float, n: int) -> float:
    for _ in checkpointed(range(n)):
        x = r * x * (1.0 - x)
    return x


ROWS: dict[str, tuple[Callable[..., Any], str, int]] = {
    "store all, 2e3 steps": (stored, "numpy", 2_000),
    "checkpointed, 2e3 steps": (in_segments, "numpy", 2_000),
    "checkpointed, 8e3 steps": (in_segments, "numpy", 8_000),
    "1e8 scalar steps, Numba": (scalars, "numba", 100_000_000),
    "checkpointed, 1e6 steps": (in_segments, "numpy", 1_000_000),
}


def measure(name: str) -> None:
    """Print seconds of CPU and the peak of megabytes of one row."""
    f, backend, n = ROWS[name]
    args = (0.3, 3.2) if f is scalars else (np.linspace(0.0, 1.0, CELLS), 0.1)
    gradient = grad(f, backend=backend)
    gradient(*args, 10)
    start = time.process_time()
    gradient(*args, n)
    seconds = time.process_time() - start
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(f"{name:28}{seconds:10.2f} s{megabytes:10.0f} MB", flush=True)


def main() -> None:
    rows = list(ROWS) if "--whole" in sys.argv else list(ROWS)[:-2]
    for name in rows:
        subprocess.run([sys.executable, "-m", "benchmarks.long_loops", name], check=True,
                       env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] in ROWS:
        measure(sys.argv[1])
    else:
        main()
