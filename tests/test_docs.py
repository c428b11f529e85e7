"""Every command in docs/cli.md and docs/golden-files.md is run, and shows what the page says.

    pytest tests/test_docs.py --update-golden      writes what is printed into the pages
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from sct.cli import main

ROOT = Path(__file__).parent.parent
FILE = re.compile(r"<!-- file (\S+) -->\n```python\n(.*?)```", re.DOTALL)
STEPS = re.compile(r"```sh\n(.*?)```|<!-- output ?(\S*) -->\n```\w*\n(.*?)```", re.DOTALL)


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """shell(command): what it prints, in a directory with the files of both pages."""
    for page in ("cli.md", "golden-files.md"):
        for name, text in FILE.findall((ROOT / "docs" / page).read_text()):
            (tmp_path / name).write_text(text)
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    monkeypatch.chdir(tmp_path)
    pytest_command = [sys.executable, "-m", "pytest", *plugin()]

    def run(command: str, status: int = 0) -> str:
        program, *options = shlex.split(command, comments=True)
        if program == "sct":
            result = CliRunner().invoke(main, options)
            assert result.exit_code == status, f"{command}\n{result.output}"
            return result.stdout
        done = subprocess.run([*pytest_command, *options], env={**os.environ, "PYTHONPATH": str(ROOT)},
                              capture_output=True, text=True)
        assert done.returncode == status, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    return run


def plugin() -> list[str]:
    from test_pytest_plugin import PLUGIN

    return [*PLUGIN, "-p", "no:cacheprovider"]


def steps(page: str) -> list[tuple[str, str]]:
    """(command, "") and (file or "", what it or standard output holds), in order."""
    found = []
    for commands, file, output in STEPS.findall((ROOT / "docs" / page).read_text()):
        found += [(line, "") for line in commands.splitlines() if line] if commands else [(file, output)]
    return found


def test_commands_of_the_cli_page(shell, tmp_path: Path, update_golden: bool) -> None:
    page = ROOT / "docs/cli.md"
    printed, text = "", page.read_text()
    for command, output in steps("cli.md"):
        if output and command:
            assert output.strip() in (tmp_path / command).read_text()
        elif output and update_golden:
            text = text.replace(output, printed)
        elif output:
            assert output == printed, "pytest tests/test_docs.py --update-golden"
        elif command.startswith("sct") and "FILE" not in command:
            printed = shell(command)
    page.write_text(text)


def test_the_heading_lists_the_commands(shell) -> None:
    listed = [line.split()[1] for line, output in steps("cli.md")[:3] if not output]
    assert all(f"  {name}" in shell("sct --help") for name in listed)


def test_completion(tmp_path: Path) -> None:
    (line,) = [line for line, output in steps("cli.md") if "_SCT_COMPLETE" in line]
    variable, value = re.search(r"(_SCT_COMPLETE)=(\w+)", line).groups()
    done = subprocess.run([sys.executable, "-c", "from sct.cli import main; main(prog_name='sct')"], text=True,
                          env={**os.environ, "PYTHONPATH": str(ROOT), variable: value}, capture_output=True)
    assert "_sct_completion" in done.stdout


def test_commands_of_the_golden_page(shell, tmp_path: Path) -> None:
    (first, second), *_ = [[c for c, output in steps("golden-files.md") if not output]]
    assert "there is no golden/test_model/test_loss.py" in shell(first, status=1)
    assert "golden files of sct written" in shell(second)
    shell(first)
    for file, output in steps("golden-files.md"):
        assert not output or output.strip() in (tmp_path / file).read_text()
    model = tmp_path / "model.py"
    model.write_text(model.read_text().replace("SCALE = 2.0", "SCALE = 3.0"))
    assert "+SCALE = 3.0" in shell(first, status=1)
