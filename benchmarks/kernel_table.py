"""The time of a gradient over that of its function, for the kernels of `kernels.py`.

    python -m benchmarks.kernel_table [--json FILE] [NAME...]

Every gradient is first compared with central differences along a random direction, on smaller arguments.  Times are
of the processor, medians of interleaved rounds; the emitted function is called by itself.  Set `OMP_NUM_THREADS=1`,
and the variables `MALLOC_...` of the README, or page faults of new arrays are measured as well.
"""

import argparse
import json
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import kernels
from benchmarks.kernel_gradients import BY_HAND
from benchmarks.timing import alone, assert_close, copied, interleaved, table
from sct import value_and_grad

Rng = np.random.Generator
Args = tuple[Any, ...]


@dataclass(frozen=True)
class Kernel:
    """A function, its arguments for a size, the size that is timed, the one that is checked, the active arguments."""

    function: Callable[..., float]
    args: Callable[[Rng, int], Args]
    size: int
    small: int
    argnums: tuple[int, ...]

    @property
    def name(self) -> str:
        return self.function.__name__


def arrays(*shapes: tuple[int, ...]) -> Callable[[Rng, int], Args]:
    """Arrays whose shapes are `shapes` times the size."""
    return lambda rng, n: tuple(rng.random([n * k for k in shape]) for shape in shapes)


def after(values: Args, *shapes: tuple[int, ...]) -> Callable[[Rng, int], Args]:
    return lambda rng, n: (*values, *arrays(*shapes)(rng, n))


def definite(rng: Rng, n: int) -> Args:
    A = rng.random((n, n))
    return (A @ A.T + n * np.eye(n),)


def dominant(rng: Rng, n: int) -> Args:
    return (rng.random((n, n)) + n * np.eye(n),)


def fields(rng: Rng, n: int) -> Args:
    return (40, *arrays((1, 1), (1, 1), (1, 1))(rng, n), rng.random(40))


def layers(rng: Rng, n: int) -> Args:
    widths = (3 * n, 4 * n, 2 * n, 10)
    weights = [w for k in range(3) for w in (rng.normal(size=widths[k : k + 2]) / n, rng.normal(size=widths[k + 1]))]
    return (rng.normal(size=(8, 3 * n)), *weights)


def pictures(rng: Rng, n: int) -> Args:
    left = ((n - 4) // 2 - 4) // 2
    return (rng.random((4, n, n, 1)), rng.normal(size=(5, 5, 1, 6)), rng.random(6), rng.normal(size=(5, 5, 6, 16)) / 10,
            rng.random(16), rng.normal(size=(16 * left * left, 40)) / 20, rng.random(40),
            rng.normal(size=(40, 10)) / 6, rng.random(10))


def bodies(rng: Rng, n: int) -> Args:
    return 20.0 * np.ones((n, 1)) / n, rng.normal(size=(n, 3)), rng.normal(size=(n, 3)), 10, 0.01, 1.0, 0.1


def cells(rng: Rng, n: int) -> Args:
    return (rng.normal(size=(4, 56)) / 4, rng.normal(size=(3, 14)) / 4, rng.normal(size=(4, 14)) / 4,
            rng.normal(size=(n, 14)))


def columns(rng: Rng, n: int) -> Args:
    cube = (n, n, 20)
    field = [rng.random(cube) for _ in range(4)]
    return field[0], field[1], 0.1 * rng.random((n + 1, n, 20)), field[2], field[3], 3.0


def cavity(rng: Rng, n: int) -> Args:
    u, v, p = (0.01 * rng.random((n, n)) for _ in range(3))
    return 6, 10, u, v, 0.001, 2.0 / (n - 1), 2.0 / (n - 1), p, 1.0, 0.1


def channels(rng: Rng, n: int) -> Args:
    return rng.random((2, n, n, 3)), rng.normal(size=(4, 4, 3, 8)), rng.random(8)


def rings(rng: Rng, n: int) -> Args:
    return rng.random(n), rng.random(n), min(n // 10, 100)


def mixture(rng: Rng, n: int) -> Args:
    return rng.normal(size=10), rng.normal(size=(10, 4)), 0.1 * rng.normal(size=(10, 4)), rng.normal(size=(n, 4))


def clusters(rng: Rng, n: int) -> Args:
    return rng.normal(size=(n, 8)), rng.normal(size=(20, 8))


KERNELS = (
    Kernel(kernels.gemm, after((1.5, 1.2), (1, 1), (1, 1), (1, 1)), 150, 5, (2, 3, 4)),
    Kernel(kernels.gemver, after((1.5, 1.2), (1, 1), *[(1,)] * 8), 250, 5, tuple(range(2, 11))),
    Kernel(kernels.k2mm, after((1.5, 1.2), (1, 1), (1, 1), (1, 1), (1, 1)), 120, 4, (2, 3, 4, 5)),
    Kernel(kernels.k3mm, arrays((1, 1), (1, 1), (1, 1), (1, 1)), 120, 4, (0, 1, 2, 3)),
    Kernel(kernels.atax, arrays((1, 1), (1,)), 300, 5, (0, 1)),
    Kernel(kernels.bicg, arrays((1, 1), (1,), (1,)), 300, 5, (0, 1, 2)),
    Kernel(kernels.mvt, arrays((1,), (1,), (1,), (1,), (1, 1)), 300, 5, (0, 1, 2, 3, 4)),
    Kernel(kernels.gesummv, after((1.5, 1.2), (1, 1), (1, 1), (1,)), 300, 5, (2, 3, 4)),
    Kernel(kernels.doitgen, arrays((1, 1, 1), (1, 1)), 40, 3, (0, 1)),
    Kernel(kernels.syrk, after((1.5, 1.2), (1, 1), (1, 1)), 60, 4, (2, 3)),
    Kernel(kernels.syr2k, after((1.5, 1.2), (1, 1), (1, 1), (1, 1)), 50, 4, (2, 3, 4)),
    Kernel(kernels.trmm, after((1.5,), (1, 1), (1, 1)), 50, 4, (1, 2)),
    Kernel(kernels.symm, after((1.5, 1.2), (1, 1), (1, 1), (1, 1)), 50, 4, (2, 3, 4)),
    Kernel(kernels.covariance, arrays((1, 1)), 120, 4, (0,)),
    Kernel(kernels.correlation, arrays((1, 1)), 120, 5, (0,)),
    Kernel(kernels.cholesky, definite, 60, 5, (0,)),
    Kernel(kernels.lu, dominant, 50, 5, (0,)),
    Kernel(kernels.trisolv, lambda rng, n: (*dominant(rng, n), rng.random(n)), 250, 5, (0, 1)),
    Kernel(kernels.gramschmidt, dominant, 50, 5, (0,)),
    Kernel(kernels.durbin, lambda rng, n: (rng.random(n) / n,), 300, 5, (0,)),
    Kernel(kernels.floyd_warshall, arrays((1, 1)), 80, 6, (0,)),
    Kernel(kernels.jacobi_1d, after((100,), (1,), (1,)), 800, 6, (1, 2)),
    Kernel(kernels.jacobi_2d, after((30,), (1, 1), (1, 1)), 100, 6, (1, 2)),
    Kernel(kernels.heat_3d, after((15,), (1, 1, 1), (1, 1, 1)), 20, 5, (1, 2)),
    Kernel(kernels.seidel_2d, after((5,), (1, 1)), 50, 6, (1,)),
    Kernel(kernels.fdtd_2d, fields, 80, 6, (1, 2, 3, 4)),
    Kernel(kernels.adi, after((5,), (1, 1)), 80, 6, (1,)),
    Kernel(kernels.hdiff, lambda rng, n: (rng.random((n + 4, n + 4, 16)), rng.random((n, n, 16))), 40, 4, (0, 1)),
    Kernel(kernels.vadv, columns, 32, 3, (0, 1, 2, 3, 4)),
    Kernel(kernels.cavity_flow, cavity, 60, 7, (2, 3, 7)),
    Kernel(kernels.softmax_loss, arrays((1, 1)), 200, 4, (0,)),
    Kernel(kernels.mlp, layers, 100, 5, (1, 2, 3, 4, 5, 6)),
    Kernel(kernels.conv2d_bias, channels, 20, 6, (0, 1, 2)),
    Kernel(kernels.lenet, pictures, 28, 20, tuple(range(1, 9))),
    Kernel(kernels.go_fast, arrays((1, 1)), 300, 4, (0,)),
    Kernel(kernels.arc_distance, lambda rng, n: tuple(0.1 + 0.3 * rng.random((4, n))), 30000, 5, (0, 1, 2, 3)),
    Kernel(kernels.compute, lambda rng, n: (*rng.normal(size=(2, n, n)), 4.0, 3.0, 9.0), 250, 4, (0, 1)),
    Kernel(kernels.azimint, rings, 20000, 50, (0,)),
    Kernel(kernels.nbody, bodies, 50, 4, (1, 2)),
    Kernel(kernels.kmeans, clusters, 1000, 9, (1,)),
    Kernel(kernels.gmm, mixture, 1000, 9, (0, 1, 2)),
    Kernel(kernels.lstm, cells, 60, 5, (0, 1)),
)


def check(kernel: Kernel) -> None:
    """The value is that of the function, and the gradient agrees with central differences along a direction."""
    rng = np.random.default_rng(1)
    args = kernel.args(rng, kernel.small)
    value, gradients = value_and_grad(kernel.function, kernel.argnums)(*map(copied, args))
    assert value == kernel.function(*map(copied, args)), f"{kernel.name}: another value"
    directions = {k: rng.normal(size=np.shape(args[k])) for k in kernel.argnums}
    slope = sum(np.sum(g * d) for g, d in zip(gradients, directions.values(), strict=True))

    def along(eps: float) -> float:
        return kernel.function(*[arg + eps * directions[k] if k in directions else copied(arg)
                                 for k, arg in enumerate(args)])

    eps = 1e-6
    expected = (8.0 * (along(eps) - along(-eps)) - (along(2 * eps) - along(-2 * eps))) / (12.0 * eps)
    scale = abs(expected) + 1e-3 * abs(value)
    assert abs(slope - expected) <= 1e-6 * scale, f"{kernel.name}: {slope} by sct, {expected} by differences"
    if kernel.name in BY_HAND:
        assert_close(BY_HAND[kernel.name](*map(copied, args))[1], gradients, f"{kernel.name}, by hand")


def measured(kernel: Kernel) -> tuple[float, float, float | None]:
    """Seconds of the function, of its gradient, and of its gradient by hand, if there is one."""
    args = kernel.args(np.random.default_rng(0), kernel.size)
    derivative = value_and_grad(kernel.function, kernel.argnums)
    derivative(*map(copied, args))
    emitted = alone(derivative.source)
    calls = [lambda: kernel.function(*args), lambda: emitted(*args)]
    if kernel.name in BY_HAND:
        calls.append(lambda: BY_HAND[kernel.name](*args))
    primal, gradient, *by_hand = interleaved(calls, rounds=9)
    return primal, gradient, by_hand[0] if by_hand else None


def main() -> None:
    words = argparse.ArgumentParser()
    words.add_argument("names", nargs="*", help="the kernels to run (all)")
    words.add_argument("--json", type=Path, help="where the ratios are written; those that are there are shown beside")
    asked = words.parse_args()
    before = json.loads(asked.json.read_text()) if asked.json and asked.json.exists() else {}
    rows: list[tuple[Any, ...]] = []
    ratios: dict[str, float] = {}
    for kernel in KERNELS:
        if asked.names and kernel.name not in asked.names:
            continue
        try:
            check(kernel)
            primal, gradient, by_hand = measured(kernel)
        except Exception as error:  # one kernel that fails does not hide the others
            rows.append((kernel.name, "-", "-", "-", "-", f"{type(error).__name__}: {str(error).splitlines()[0]}"))
            continue
        ratios[kernel.name] = round(gradient / primal, 2)
        relative = "" if by_hand is None else gradient / by_hand
        rows.append((kernel.name, 1e3 * primal, 1e3 * gradient, ratios[kernel.name], relative,
                     before.get(kernel.name, "")))
    print(table(("kernel", "primal, ms", "gradient, ms", "gradient/primal", "relative to by hand", "before"), rows))
    if ratios:
        mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
        print(f"\n{mean:.2f} in the geometric mean over {len(ratios)} of {len(rows)} kernels")
    if asked.json:
        asked.json.write_text(json.dumps({**before, **ratios}, indent=1) + "\n")
    sys.exit(len(ratios) < len(rows))


if __name__ == "__main__":
    main()
