"""From a program to its emitted primal and gradient, and back to numbers to compare."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.numba_spike.emit import emit, load
from sct.frontend import Transform, trace
from sct.ir.core import Fn
from sct.passes import manager

Argnums = int | tuple[int, ...]
NJIT = {"error_model": "numpy"}


@dataclass(frozen=True)
class Built:
    """A function after `storage`, its source, and the seconds that took."""

    fn: Fn
    source: str
    name: str
    seconds: float

    def compiled(self) -> Callable[..., Any]:
        return load(self.source, self.name, **NJIT)


def built(target: Any, name: str, args: tuple[Any, ...]) -> Built:
    """`target`, a function or a derivative of one, for arguments of these types."""
    start = time.process_time()
    fn = manager.run(trace(target, args, {}).fn)
    source = emit(fn, name)
    return Built(fn, source, name, time.process_time() - start)


def primal(function: Callable[..., Any], args: tuple[Any, ...]) -> Built:
    """The function itself, of flat arguments: its value in a tuple."""
    return built(function, function.__name__, args)


def gradient(function: Callable[..., Any], argnums: Argnums, args: tuple[Any, ...]) -> Built:
    """Value and gradients, flat."""
    return built(Transform("value_and_grad", function, argnums), f"{function.__name__}_grad", args)


def differences(function: Callable[..., Any], argnums: Argnums, args: tuple[Any, ...], eps: float = 1e-6) -> list[Any]:
    """The gradients by central differences."""
    wrt = (argnums,) if isinstance(argnums, int) else argnums
    return [_difference(function, args, k, eps) for k in wrt]


def _difference(f: Callable[..., Any], args: tuple[Any, ...], k: int, eps: float) -> Any:
    x = np.array(args[k])
    found = np.empty_like(x)
    for place in np.ndindex(x.shape):
        ends = []
        for step in (eps, -eps):
            moved = x.copy()
            moved[place] += step
            ends.append(f(*args[:k], moved if x.ndim else float(moved), *args[k + 1 :]))
        found[place] = (ends[0] - ends[1]) / (2 * eps)
    return found
