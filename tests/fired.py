"""python -m tests.fired [--seeds N]: the rewrite rules that no program of the tests fires.

The programs are those of `tests/programs`, those of ints that count as real, and the first seeds of each fuzz family,
in reverse mode with the value and without, and in forward mode.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import importlib
import io
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sct
from sct.passes.rewriting import driver
from sct.passes.rewriting.table import Rule
from tests.fuzz import calls, control, heap, lists, python
from tests.fuzz.program import clone, run

FAMILIES = (calls, control, heap, lists, python)


def counted(name: str, rule: Rule, fired: Counter[str]) -> Rule:
    """The rule, which counts how often it has something to say."""

    def apply(*args: Any, **attrs: Any) -> Any:
        result = rule.apply(*args, **attrs)
        fired[name] += result is not None
        return result

    return dataclasses.replace(rule, apply=apply)


def count() -> tuple[list[str], Counter[str]]:
    """The names of all rules, and how often each is fired from now on."""
    fired: Counter[str] = Counter()
    names = []
    for (_, op), rules in driver.BY_OP.items():
        own = [f"{r.apply.__name__} of {op}" for r in rules]
        rules[:] = [counted(name, r, fired) for name, r in zip(own, rules)]
        names += own
    return names, fired


def derive(f: Callable[..., Any], args: tuple[Any, ...], wrt: tuple[int, ...]) -> None:
    for mode in (sct.value_and_grad, sct.grad, sct.jacfwd):
        run(lambda: mode(f, argnums=wrt)(*clone(args)), seconds=60.0)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fired", description=__doc__)
    parser.add_argument("--seeds", type=int, default=100, help="how many of each fuzz family")
    seeds = parser.parse_args().seeds
    sys.path.append(str(Path(__file__).parent))  # where pytest looks for `programs`
    programs = importlib.import_module("tests.test_programs")
    reals = importlib.import_module("tests.test_reals")
    names, fired = count()
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        for program in programs.PROGRAMS:
            args = program.args()
            derive(program.function, args, programs.active(args))
        for function, x in reals.PROGRAMS:
            derive(function, (x,), (0,))
        for family in FAMILIES:
            for p in map(family.generate, range(seeds)):
                derive(p.load(), p.points[0], p.wrt)
    for name in names:
        if not fired[name]:
            print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
