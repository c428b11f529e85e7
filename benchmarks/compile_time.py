"""How long sct takes to differentiate a function, by its length and its nesting.

    python -m benchmarks.compile_time

Milliseconds for 100 source lines are flat up to 5,000 lines and up to six nested
loops; `sct show-ir` of a 50-line function answers in under a second.
"""

import importlib.util
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import table
from sct import grad

LENGTHS = (50, 100, 200, 500, 1_000, 2_000, 5_000)
DEPTHS = (1, 2, 3, 4, 5, 6)
FLAT = 2.0

STATEMENTS = (  # each keeps values within -1 and 1
    "{a} = 0.5 * {b} * {c} + 0.3",
    "{a} = math.sin({b} - {c})",
    "{a} = {a} / (1.0 + {b} * {b})",
    "u[{k}] = 0.5 * (u[{l}] + {a})",
    "{a} = 0.5 * {a} + 0.2 * u[{k}]",
)


def statements(count: int, rng: np.random.Generator) -> list[str]:
    """Straight-line code over four floats and an array."""
    lines = []
    for _ in range(count):
        a, b, c = rng.choice(list("pqrs"), size=3)
        k, line = rng.integers(0, 8, size=2), rng.choice(STATEMENTS)
        lines.append(line.format(a=a, b=b, c=c, k=k[0], l=k[1]))
    return lines


def indented(lines: list[str], depth: int = 1) -> list[str]:
    return ["    " * depth + line for line in lines]


def long_function(length: int) -> list[str]:
    """Blocks of ten lines: straight lines, a branch, a loop, in turn."""
    rng = np.random.default_rng(length)
    body: list[str] = []
    while len(body) < length - 4:
        body += statements(4, rng)
        body += ["if p > q:", *indented(statements(1, rng)), "else:", *indented(statements(1, rng))]
        body += ["for i in range(3):", *indented(statements(1, rng))]
    return function(body[: length - 4] if body[length - 5].startswith(" ") or length < 20 else body)


def nested_function(depth: int, length: int = 60) -> list[str]:
    """The same number of lines whatever the depth, spread over the levels."""
    rng = np.random.default_rng(depth)
    body: list[str] = []
    for level in range(depth):
        body += indented(statements((length - depth) // depth, rng), level)
        body += indented([f"for i{level} in range(2):"], level)
    return function([*body, *indented(statements(2, rng), depth)])


def function(body: list[str]) -> list[str]:
    lines = ["u = u.copy()", "p, q, r, s = x, 0.5 * x, 1.0 - x, x * x", *body, "return p + q + r + s + np.sum(u)"]
    return ["import math", "", "import numpy as np", "", "", "def f(x: float, u: np.ndarray):", *indented(lines), ""]


def imported(lines: list[str], folder: Path, name: str) -> Callable[..., Any]:
    path = folder / f"{name}.py"
    path.write_text("\n".join(lines))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def compile_seconds(f: Callable[..., Any]) -> float:
    """The first call less the second, which only runs."""
    args = (0.3, np.linspace(0.1, 0.8, 8))
    derivative = grad(f, argnums=(0, 1))
    start = time.perf_counter()
    derivative(*args)
    middle = time.perf_counter()
    derivative(*args)
    return (middle - start) - (time.perf_counter() - middle)


def by_length(folder: Path, lengths: tuple[int, ...]) -> bool:
    rows = []
    for length in lengths:
        lines = long_function(length)
        seconds = compile_seconds(imported(lines, folder, f"long{length}"))
        rows.append((len(lines) - 6, 1e3 * seconds, 1e5 * seconds / (len(lines) - 6)))
        print(f"  {rows[-1][0]} lines: {seconds:.2f} s", file=sys.stderr)
    print(table(("lines", "ms", "ms for 100 lines"), rows))
    return max(row[2] for row in rows[1:]) < FLAT * min(row[2] for row in rows[1:])


def by_depth(folder: Path) -> bool:
    rows = []
    for depth in DEPTHS:
        lines = nested_function(depth)
        seconds = compile_seconds(imported(lines, folder, f"nested{depth}"))
        rows.append((depth, len(lines) - 6, 1e3 * seconds, 1e5 * seconds / (len(lines) - 6)))
    print(table(("nested loops", "lines", "ms", "ms for 100 lines"), rows))
    return max(row[3] for row in rows) < FLAT * min(row[3] for row in rows)


def show_ir(folder: Path) -> bool:
    path = folder / "fifty.py"
    lines = long_function(50)
    place = lines.index("def f(x: float, u: np.ndarray):")
    path.write_text("\n".join([*lines[:3], "from sct import grad", "", "", "@grad", *lines[place:]]))
    start = time.perf_counter()
    run = subprocess.run(
        [sys.executable, "-m", "sct", "show-ir", str(path)], capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - start
    print(f"sct show-ir of {len(lines) - 6} lines: {seconds:.2f} s")
    if run.returncode:
        print(run.stderr)
    return run.returncode == 0 and seconds < 1.0


def main() -> None:
    lengths = tuple(map(int, sys.argv[1:])) or LENGTHS
    compile_seconds(lambda x, u: x * u[0])  # what is imported and set up once
    with tempfile.TemporaryDirectory() as name:
        met = [by_length(Path(name), lengths), by_depth(Path(name)), show_ir(Path(name))]
    sys.exit(0 if all(met) else 1)


if __name__ == "__main__":
    main()
