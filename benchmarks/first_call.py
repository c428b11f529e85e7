"""How long a first call takes: compilation and validation, of programs of tests/programs.

    python -m benchmarks.first_call [TREE] [NAME ...]

Milliseconds of the processor, each program in a process of its own in which another one has been compiled before.
With TREE, another working tree of sct: also how many times that is what it takes there, the rounds interleaved.
"""

import importlib
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from benchmarks.timing import table
from sct import value_and_grad

PROGRAMS = Path(__file__).parents[1] / "tests" / "programs"
EACH = 3
"""So many programs of each file."""

ROUNDS = 3


def programs(names: list[str]) -> list[tuple[str, Callable[..., Any], tuple[Any, ...]]]:
    """The names of the programs, with their functions and arguments."""
    chosen = []
    for path in sorted(PROGRAMS.glob("[a-z]*.py")):
        module = importlib.import_module(f"tests.programs.{path.stem}")
        inputs = sorted(module.INPUTS)
        for name in inputs[::max(1, len(inputs) // EACH)][:EACH]:
            if not names or any(part in f"{path.stem}.{name}" for part in names):
                chosen.append((f"{path.stem}.{name}", getattr(module, name),
                               module.INPUTS[name](np.random.default_rng(0))))
    return chosen


def first_call(f: Callable[..., Any], args: tuple[Any, ...]) -> float:
    """Milliseconds, in a process of its own."""
    wrt = tuple(k for k, x in enumerate(args) if not isinstance(x, (int, str, bool, type(None))))
    reader, writer = os.pipe()
    if not (child := os.fork()):
        derivative, start = value_and_grad(f, wrt), process_time()
        try:
            derivative(*args)
        finally:
            os.write(writer, str(1e3 * (process_time() - start)).encode())
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as text:
        milliseconds = float(text.read())
    os.waitpid(child, 0)
    return milliseconds


def measured(names: list[str]) -> dict[str, float]:
    value_and_grad(lambda x, u: x * u[0] + np.sum(u))(0.5, np.ones(3))  # what is imported and set up once
    return {name: first_call(f, args) for name, f, args in programs(names)}


def in_tree(tree: Path, names: list[str]) -> dict[str, float]:
    """The milliseconds of these programs with the sct of a tree."""
    run = subprocess.run([sys.executable, __file__, "--json", *names], check=True, stdout=subprocess.PIPE, text=True,
                         cwd=tree, env={**os.environ, "PYTHONPATH": str(tree)})
    times: dict[str, float] = json.loads(run.stdout)
    return times


def main() -> None:
    if sys.argv[1:2] == ["--json"]:
        print(json.dumps(measured(sys.argv[2:])))
        return
    here = Path(__file__).parents[1]
    others = [Path(arg).resolve() for arg in sys.argv[1:2] if Path(arg).is_dir()]
    names = sys.argv[1 + len(others):]
    rounds = [[in_tree(tree, names) for tree in (here, *others)] for _ in range(ROUNDS)]
    least = [{name: min(times[name] for times in column) for name in column[0]} for column in zip(*rounds, strict=True)]
    rows = [(name, ms, *(ms / other[name] for other in least[1:])) for name, ms in least[0].items()]
    print(table(("program", "ms", *("times" for _ in others)), sorted(rows, key=lambda row: -row[1])))
    for k in range(1, 2 + len(others)):
        print(f"geometric mean {statistics.geometric_mean(row[k] for row in rows):.3g}")


if __name__ == "__main__":
    main()
