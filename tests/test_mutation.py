"""The script of mutations notices what a test notices, and nothing else."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.mutation.__main__ import run, sample, shown
from tests.mutation.sites import mutations

MODULE = '''"""A module."""

LIMIT = 3


def clipped(x: int) -> int:
    if x > LIMIT and x != 7:
        x = LIMIT - 1
    for k in range(2):
        x += k
    return x if not x == 9 else 0
'''


def test_mutations_are_valid_programs_that_differ_in_one_place() -> None:
    seen = set()
    for mutation in mutations(MODULE, "module.py"):
        text = mutation.applied(MODULE)
        assert ast.dump(ast.parse(text)) != ast.dump(ast.parse(MODULE))
        seen.add(text)
    news = [m.new for m in mutations(MODULE, "module.py")]
    assert len(seen) == len(news)
    assert {"(True)", "(False)", "x >= LIMIT", "x == 7", "8", "(LIMIT + 1)", "pass", "(x == 9)", "3"} <= set(news)
    assert all(m.function == 6 for m in mutations(MODULE, "module.py"))


def test_sample_is_that_of_its_seed() -> None:
    first = sample(["sct/passes"], 1, 5)
    assert first == sample(["sct/passes"], 1, 5) != sample(["sct/passes"], 2, 5)
    for mutation in first:
        assert mutation.file.startswith("sct/passes/") and "@@" in shown(mutation)


def test_a_mutation_is_killed_by_a_test_that_notices_it(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(MODULE)
    (tmp_path / "test_module.py").write_text(
        "from module import clipped\n\ndef test_blind():\n    clipped(1)\n\n"
        "def test_it():\n    assert clipped(5) == 3 and clipped(1) == 2\n")
    by_new = {m.new: m for m in mutations(MODULE, "module.py")}
    both = [(0.1, "test_module.py::test_blind"), (0.1, "test_module.py::test_it")]
    assert run(by_new["(LIMIT + 1)"], both, tmp_path, 60.0).status == "killed"
    assert run(by_new["(LIMIT + 1)"], both[:1], tmp_path, 60.0).status == "survived"
    assert run(by_new["8"], both, tmp_path, 60.0).status == "survived"
    assert run(by_new["8"], [], tmp_path, 60.0).status == "untouched"
    assert (tmp_path / "module.py").read_text() == MODULE
