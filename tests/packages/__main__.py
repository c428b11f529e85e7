"""The commands `draw` and `run`.

    python -m tests.packages draw --seed 1      writes drawn.json: the functions and their arguments
    python -m tests.packages run                differentiates each, and says what came of it
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from importlib.metadata import version
from itertools import cycle
from pathlib import Path
from typing import Any

import click

from tests.packages.check import check
from tests.packages.functions import Case, usable

DRAWN = Path(__file__).parent / "drawn.json"

PACKAGES = {
    "PyAstronomy": "PyAstronomy", "chemicals": "chemicals", "chempy": "chempy", "colour-science": "colour",
    "filterpy": "filterpy", "fluids": "fluids", "haversine": "haversine", "ht": "ht", "hydroeval": "hydroeval",
    "numpy-financial": "numpy_financial", "opfunu": "opfunu", "properscoring": "properscoring",
    "psychrolib": "psychrolib", "pvlib": "pvlib", "pymap3d": "pymap3d", "pytweening": "pytweening",
    "seawater": "seawater", "thermofeel": "thermofeel", "transforms3d": "transforms3d",
}
"""Distributions, and the packages that one imports of them."""

SETTINGS = {"validated": "first", "not validated": "0"}
SECONDS = 60
OUTCOMES = ["right", "refused", "timeout", "crash", "wrong"]


def read(path: Path) -> list[Case]:
    return [Case(**fields) for fields in json.loads(path.read_text())]


@click.group()
def main() -> None:
    """Functions of published packages, differentiated as shipped."""


@main.command()
@click.option("--seed", type=int, required=True)
@click.option("--count", default=100)
@click.option("--to", type=click.Path(path_type=Path), default=DRAWN)
def draw(seed: int, count: int, to: Path) -> None:
    """Draw functions, as evenly from the packages as these have them, and write the list."""
    to = to.absolute()
    drawn: list[Case] = []
    sources = {d: usable(f"{d}=={version(d)}", root, seed) for d, root in PACKAGES.items()}
    with tempfile.TemporaryDirectory() as place:  # a function that writes a file writes it here
        before = os.getcwd()
        os.chdir(place)
        for distribution in cycle(PACKAGES):
            if len(drawn) == count or not sources:
                break
            if distribution in sources:
                case = next(sources[distribution], None)
                if case is None:
                    del sources[distribution]
                else:
                    drawn.append(case)
        os.chdir(before)
    lines = [json.dumps(asdict(case)) for case in sorted(drawn, key=lambda case: case.name.lower())]
    to.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    click.echo(f"{len(drawn)} functions of {len({case.package for case in drawn})} packages")


@main.command()
@click.argument("fields")
def one(fields: str) -> None:
    """Differentiate one function, a line of the list, under the present settings; print what came of it."""
    click.echo("\n" + json.dumps(check(Case(**json.loads(fields)))))


def outcome(case: Case) -> tuple[str, str]:
    """The worst outcome of the settings, with its message; each setting has a process of its own."""
    outcomes: list[tuple[str, str]] = []
    for setting, validate in SETTINGS.items():
        command = [sys.executable, "-m", "tests.packages", "one", json.dumps(asdict(case))]
        try:
            done = subprocess.run(command, env=os.environ | {"SCT_VALIDATE": validate, "MPLBACKEND": "Agg"}, text=True,
                                  capture_output=True, timeout=SECONDS, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            outcomes.append(("timeout", setting))
            continue
        try:
            kind, message = json.loads(done.stdout.splitlines()[-1])
        except (IndexError, ValueError):
            kind, message = "crash", done.stderr
        outcomes.append((kind, f"{setting}: {message}"))
    return max(outcomes, key=lambda pair: OUTCOMES.index(pair[0]))


@main.command()
@click.option("--from", "path", type=click.Path(path_type=Path, exists=True), default=DRAWN)
@click.option("-k", "part", default="", help="Only functions whose name has this part.")
@click.option("--jobs", default=2)
def run(path: Path, part: str, jobs: int) -> None:
    """Differentiate the functions of the list; the exit status is 1 if one is wrong or a crash, or under 85 % right."""
    cases = [case for case in read(path) if part in case.name]
    by_package: dict[str, Counter[str]] = {}
    with ThreadPoolExecutor(jobs) as pool:
        for case, (kind, message) in zip(cases, pool.map(outcome, cases)):
            by_package.setdefault(case.package, Counter())[kind] += 1
            if kind != "right":
                click.echo(f"\n{kind}: {case.name}{tuple(case.args)}\n{message}")
    totals: Counter[Any] = sum(by_package.values(), Counter())
    click.echo(f"\n{'':28}" + "".join(f"{kind:>9}" for kind in OUTCOMES))
    for package, counts in [*sorted(by_package.items()), ("all", totals)]:
        click.echo(f"{package:28}" + "".join(f"{counts[kind] or '':>9}" for kind in OUTCOMES))
    sys.exit(totals["wrong"] + totals["crash"] > 0 or totals["right"] < 0.85 * len(cases))


if __name__ == "__main__":
    main()
