"""python -m tests.mutation map|run: see the package."""

from __future__ import annotations

import argparse
import difflib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from typing import Any

from tests.mutation.sites import Mutation, mutations

ROOT = Path(__file__).resolve().parents[2]
FAST = 60
"""So many tests, the fastest, run first."""
MOST_TESTS = 600
"""So many tests of a function, the fastest, are run at most."""
RANDOM = ("test_fuzz.py", "test_python_fuzz.py")
"""Tests of random programs do not count: they enter everything, and are a third of the suite's time."""


@dataclass(frozen=True)
class Result:
    """What became of a mutation: "killed" by `test`, "survived" `tests` tests, or "untouched" by any."""

    mutation: Mutation
    status: str
    tests: int
    seconds: float


def touches(output: Path, jobs: int) -> None:
    """Run the suite once, and write which tests enter each function, the fastest first."""
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([sys.executable, "-m", "pytest", "-q", "-n", str(jobs), "-p", "no:cacheprovider",
                        *(f"--ignore=tests/{name}" for name in RANDOM),
                        "-p", "tests.mutation.touches", f"--touches={directory}"], cwd=ROOT, check=False)
        entered: dict[str, list[tuple[float, str]]] = {}
        for part in Path(directory).glob("*.json"):
            for test, (seconds, functions) in json.loads(part.read_text()).items():
                for file, line in functions:
                    entered.setdefault(f"{file}:{line}", []).append((seconds, test))
    fastest = {function: sorted(tests)[:MOST_TESTS] for function, tests in sorted(entered.items())}
    output.write_text(json.dumps(fastest))


def sample(packages: list[str], seed: int, number: int) -> list[Mutation]:
    """`number` mutations of the packages, at random."""
    every: list[Mutation] = []
    for package in packages:
        for path in sorted((ROOT / package).rglob("*.py")):
            every += mutations(path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix())
    return random.Random(seed).sample(every, min(number, len(every)))


def run(mutation: Mutation, tests: list[tuple[float, str]], tree: Path, most: float) -> Result:
    """Plant the mutation in the tree, and run the tests until one fails; restore the tree."""
    path = tree / mutation.file
    text = path.read_text(encoding="utf-8")
    start = time.monotonic()
    path.write_text(mutation.applied(text), encoding="utf-8")
    try:
        count = 0
        for chunk in _chunks(tests):
            if time.monotonic() - start > most:
                break
            count += len(chunk)
            if not _pass(chunk, tree):
                return Result(mutation, "killed", count, time.monotonic() - start)
        return Result(mutation, "survived" if tests else "untouched", count, time.monotonic() - start)
    finally:
        path.write_text(text, encoding="utf-8")


def _chunks(tests: list[tuple[float, str]]) -> Iterator[list[tuple[float, str]]]:
    if tests:
        yield tests[:FAST]
    for k in range(FAST, len(tests), 5 * FAST):
        yield tests[k : k + 5 * FAST]


def _pass(tests: list[tuple[float, str]], tree: Path) -> bool:
    """Do all of them pass?  What takes ten times the CPU time that it should does not."""
    limit = int(60.0 + 10.0 * sum(seconds for seconds, _ in tests))
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as names:
        names.write("\n".join(test for _, test in tests))
        names.flush()
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", f"@{names.name}"]
        environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "SCT_VERIFY": "1"}
        try:
            done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, check=False,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5)),
                                  timeout=10.0 * limit)
        except subprocess.TimeoutExpired:
            return False
    failed_to_import = b"ERROR collecting" in done.stdout
    if done.returncode not in (0, 1, 2, 3, -signal.SIGXCPU, -signal.SIGKILL) and not failed_to_import:
        raise RuntimeError(done.stdout.decode() + done.stderr.decode())
    return done.returncode == 0


def shown(mutation: Mutation) -> str:
    """The mutation as a diff."""
    text = (ROOT / mutation.file).read_text(encoding="utf-8")
    lines = difflib.unified_diff(text.splitlines(), mutation.applied(text).splitlines(),
                                 mutation.file, mutation.file, lineterm="", n=2)
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    commands = parser.add_subparsers(dest="command", required=True)
    mapping = commands.add_parser("map", help="run the suite once, and write what each test enters")
    mapping.add_argument("--output", type=Path, required=True)
    mapping.add_argument("--jobs", type=int, default=2)
    running = commands.add_parser("run", help="plant mutations, and run the tests that enter them")
    running.add_argument("--map", type=Path, required=True)
    running.add_argument("--seed", type=int, default=0)
    running.add_argument("--number", type=int, default=300)
    running.add_argument("--jobs", type=int, default=2)
    running.add_argument("--most", type=float, default=300.0, help="seconds for one mutation")
    running.add_argument("--packages", nargs="+", default=["sct/frontend", "sct/passes"])
    options = parser.parse_args(argv)
    if options.command == "map":
        touches(options.output, options.jobs)
        return 0
    entered = json.loads(options.map.read_text())
    trees: Queue[Path] = Queue()
    done: list[Result] = []

    def one(mutation: Mutation) -> Result:
        tree = trees.get()
        try:
            tests: Any = entered.get(f"{mutation.file}:{mutation.function}", [])
            return run(mutation, tests, tree, options.most)
        finally:
            trees.put(tree)

    with tempfile.TemporaryDirectory() as directory, ThreadPoolExecutor(options.jobs) as pool:
        for k in range(options.jobs):
            tree = Path(directory) / str(k)
            shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".git", "__pycache__", ".venv"))
            trees.put(tree)
        for result in pool.map(one, sample(options.packages, options.seed, options.number)):
            done.append(result)
            print(f"{len(done)}: {result.status} {result.mutation.file}:{result.mutation.line} "
                  f"({result.tests} tests, {result.seconds:.0f} s)", flush=True)
            if result.status != "killed":
                print(shown(result.mutation), flush=True)
    statuses = Counter(result.status for result in done)
    killed = statuses["killed"] / max(1, len(done))
    print(f"seed {options.seed}: {len(done)} mutations, {dict(statuses)}, {100.0 * killed:.1f} % killed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
