"""The timing on README's first screen: one gradient by sct, JAX and HIPS autograd.

    python -m benchmarks.first_screen          needs sct-grad[bench]

The logistic map, 1,000 trips, one float.  JAX runs it as a `lax.scan` under `jit`, with 64-bit
floats; what is not timed is its compilation, and sct's.  Medians of interleaved rounds.
"""

from typing import Any

import autograd
import jax
import numpy as np

from benchmarks.timing import assert_close, interleaved, table
from sct import grad

TRIPS = 1000


def logistic(x: float, n: int) -> float:
    v = x
    for _ in range(n):
        v = 4.0 * v * (1.0 - v)
    return v


def scanned(x: Any) -> Any:
    """The same as JAX wants it."""
    def step(v: Any, _: None) -> tuple[Any, None]:
        return 4.0 * v * (1.0 - v), None

    return jax.lax.scan(step, x, None, length=TRIPS)[0]


def main() -> None:
    jax.config.update("jax_enable_x64", True)
    x = 0.3
    compiled = jax.jit(jax.grad(scanned))
    by = {
        "sct": lambda: grad_numpy(x, TRIPS),
        'sct, backend="numba"': lambda: grad_numba(x, TRIPS),
        "JAX, lax.scan and jit": lambda: compiled(x).block_until_ready(),
        "HIPS autograd": lambda: by_autograd(x, TRIPS),
    }
    grad_numpy, grad_numba = grad(logistic), grad(logistic, backend="numba")
    by_autograd = autograd.grad(logistic)
    expected = by["sct"]()
    for name, call in by.items():
        assert_close(np.asarray(call()) / expected, 1.0, name)
    seconds = interleaved(list(by.values()))
    print(table(("", "microseconds", "times sct"),
                [(name, 1e6 * t, t / seconds[0]) for name, t in zip(by, seconds)]))


if __name__ == "__main__":
    main()
