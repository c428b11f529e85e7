"""The code in the pages tutorial, complex, implicit, memory, rules, ops and limits of docs/ is run.

    pytest tests/test_pages.py --update-golden      writes the emitted source into docs/ops.md
"""

from __future__ import annotations

import dataclasses
import doctest
import linecache
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sct
from sct.frontend import user_rules
from sct.ir.core import Op

DOCS = Path(__file__).parent.parent / "docs"
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
SOURCE = re.compile(r"(<!-- begin source -->\n).*?(<!-- end -->)", re.DOTALL)
LIMIT = re.compile(r"```python\n# (SCT\d+)\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize(("page", "least"), [
    ("tutorial.md", 30), ("complex.md", 8), ("implicit.md", 8), ("memory.md", 5), ("rules.md", 15),
    ("debugging.md", 14)])
def test_the_examples_of_a_page(page: str, least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(user_rules, "_rules", dict(user_rules._rules))  # those of the page end with it
    failures, tests = doctest.testfile(str(DOCS / page), module_relative=False)
    assert tests > least and not failures


def test_the_page_of_validation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCT_VALIDATE", "first")
    failures, tests = doctest.testfile(str(DOCS / "validation.md"), module_relative=False)
    assert tests and not failures


def test_a_wrong_line_of_the_tutorial_is_found(tmp_path: Path) -> None:
    text = (DOCS / "tutorial.md").read_text()
    page = tmp_path / "page.md"
    page.write_text(text.replace("12.0\n", "13.0\n"))
    assert doctest.testfile(str(page), module_relative=False, report=False).failed == 1


def test_the_page_of_ops(tmp_path: Path, update_golden: bool) -> None:
    path = DOCS / "ops.md"
    text = path.read_text()
    program = tmp_path / "page.py"
    program.write_text("\n".join(PYTHON.findall(SOURCE.sub("", text))))
    printed = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert printed.returncode == 0, printed.stderr
    made = SOURCE.sub(lambda m: f"{m[1]}```python\n{printed.stdout.strip()}\n```\n{m[2]}", text)
    if update_golden:
        path.write_text(made)
    assert path.read_text() == made, "docs/ops.md is out of date: pytest tests/test_pages.py --update-golden"


def test_the_page_of_ops_lists_every_field() -> None:
    named = set(re.findall(r"`(\w+)[`(]", (DOCS / "ops.md").read_text()))
    assert {field.name for field in dataclasses.fields(Op)} <= named


def limits() -> list[tuple[str, str]]:
    return LIMIT.findall((DOCS / "limits.md").read_text())


@pytest.mark.parametrize(("code", "program"), limits(), ids=lambda text: text[:40].split("\n")[0])
def test_a_limit(code: str, program: str) -> None:
    """The last line of the program is refused, with this code and a caret."""
    name = f"<limit {code} {hash(program)}>"
    linecache.cache[name] = (len(program), None, program.splitlines(True), name)
    with pytest.raises(sct.SctError) as error:
        exec(compile(program, name, "exec"), {"math": math, "np": np, "sct": sct, "grad": sct.grad})
    assert error.value.code == code, str(error.value)
    assert error.value.hint or error.value.why, str(error.value)


def test_there_are_limits() -> None:
    assert len(limits()) > 10
