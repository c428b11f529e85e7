"""How many of the names that emitted code assigns are temporaries:  python -m tests.temporaries

A name is no temporary if it is the user's, `d` and a name of the user's, or made of such a name and words
(`exp_tau`, `F_inv`). Everything else is one, and so is a name with a number at its end that the user has not
written (`t`, `t1`, `x1`).
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sct.frontend.standard_library.python_fallbacks import OF_HEAPS

ROOT = Path(__file__).parent
WORDS = {"_", "tape", "residuals", "value", "done", "iterations", "segment", "first", "last"}
"""Names that say what they are in any program."""


def assigned(source: str) -> list[str]:
    """The names that each function of the source assigns, each once."""
    names: list[str] = []
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef):
            stored = [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
            names += dict.fromkeys(stored)
    return names


def names_in(source: str) -> set[str]:
    """All that the user's file names: variables, parameters, functions, attributes, keywords."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        for field in ("id", "arg", "name", "attr"):
            name = getattr(node, field, None)
            if isinstance(name, str):
                found.add(name)
    return found


def is_temporary(name: str, users: set[str]) -> bool:
    def is_users(part: str) -> bool:
        return part in users or part.startswith("d") and part[1:] in users

    if name in WORDS or is_users(name):
        return False
    parts = name.split("_")
    return name[-1].isdigit() or len(parts) == 1 or not any(is_users(part) for part in parts)


def share(sources: list[tuple[str, set[str]]]) -> tuple[int, int]:
    """(temporaries, names assigned) of pairs (emitted source, the user's names)."""
    names = [is_temporary(name, users) for source, users in sources for name in assigned(source)]
    return sum(names), len(names)


def of_goldens() -> list[tuple[str, set[str]]]:
    import test_golden

    return [(golden.path.read_text(encoding="utf-8"), users_of(golden.derivative().__wrapped__))
            for golden in test_golden.GOLDENS]


def of_programs() -> list[tuple[str, set[str]]]:
    import test_programs

    from sct import value_and_grad

    pairs = []
    for program in test_programs.every_scalar_program.args[1]:
        args = program.args()
        derivative = value_and_grad(program.function, test_programs.active(args))
        derivative(*args)
        pairs.append((derivative.source, users_of(program.function)))
    return pairs


def users_of(function: Callable[..., Any]) -> set[str]:
    """The names in the file of a function, and those of the programs of heapq, if it is read there."""
    source = Path(inspect.getfile(inspect.unwrap(function))).read_text(encoding="utf-8")
    of_heaps = "heapq" in inspect.getsource(inspect.unwrap(function))
    return names_in("\n".join([source, *map(inspect.getsource, OF_HEAPS if of_heaps else ())]))


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT.parent)]
    for label, pairs in (("goldens", of_goldens()), ("programs", of_programs())):
        some, all_ = share(pairs)
        print(f"{label}: {some} of {all_} names are temporaries, {100.0 * some / all_:.1f} %")
