"""The pytest plugin of sct: the fixture `sct_golden` compares a derivative with a committed file.

    def test_loss(sct_golden):
        sct_golden(grad(loss), np.ones(3), 0.5)         # against golden/test_model/test_loss.py

    pytest --sct-update                                 writes the files anew, and prints what changed

The file is the derivative as a module that stands alone: the emitted source with the constants that it needs.  The
fixture also runs the file, which must give the same result.
"""

from __future__ import annotations

import difflib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

__all__ = ["Golden", "pytest_addoption", "pytest_ignore_collect", "pytest_terminal_summary", "sct_golden"]

_PROPERTY = "sct_golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("sct").addoption(
        "--sct-update", action="store_true", help="write the files of `sct_golden` anew, and print what changed")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Golden files are not collected as tests, whatever their names."""
    directory = collection_path.parent
    owner = directory.parent.parent / f"{directory.name}.py"
    return True if directory.parent.name == "golden" and owner.is_file() else None


@pytest.fixture
def sct_golden(request: pytest.FixtureRequest) -> Golden:
    """`sct_golden(derivative, *args, name=...)` compares with `golden/MODULE/NAME.py` beside the test module MODULE."""
    return Golden(request.node, request.config.getoption("--sct-update"))


class Golden:
    """Compares derivatives with files in the directory `golden` beside the test module."""

    def __init__(self, item: pytest.Item, update: bool) -> None:
        self.item, self.update = item, update
        self.seen: set[str] = set()

    def __call__(self, derivative: Callable[..., Any], *args: Any, name: str | None = None, **kwargs: Any) -> Any:
        """The result of the derivative for these arguments.

        Fails if its source differs from the file, or if the file computes something else.  `name` is by default the
        name of the test, with its class and parameters.
        """
        from sct.export.golden import golden_module

        expected = golden_module(derivative, args, kwargs)
        path = self._path(name)
        old = path.read_text(encoding="utf-8") if path.is_file() else None
        if old != expected.text and not self.update:
            self._fail(path, old, expected.text)
        if old != expected.text:
            self._write(path, old, expected.text)
        wrong = expected.compare(path)
        if wrong:
            pytest.fail(f"{os.path.relpath(path)} computes something else than the derivative: {wrong}", pytrace=False)
        return expected.result

    def _path(self, name: str | None) -> Path:
        _, *parts = self.item.nodeid.split("::")
        stem = quote(name or ".".join(parts), safe=" []()+-=,.")
        if stem in self.seen:
            pytest.fail(f'the golden file {stem}.py is used twice in this test; give one a name: name="..."',
                        pytrace=False)
        self.seen.add(stem)
        return self.item.path.parent / "golden" / self.item.path.stem / f"{stem}.py"

    def _fail(self, path: Path, old: str | None, new: str) -> None:
        command, shown = f"pytest {self.item.nodeid!r} --sct-update", os.path.relpath(path)
        if old is None:
            pytest.fail(f"there is no {shown}; write it by\n    {command}", pytrace=False)
        pytest.fail(f"the derivative is not that of {shown} any more:\n\n{_diff(path, old, new)}\n"
                    f"if it is meant to be so:\n    {command}", pytrace=False)

    def _write(self, path: Path, old: str | None, new: str) -> None:
        """Replace the file atomically, because another process may read it."""
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
        with open(handle, "w", encoding="utf-8") as file:
            file.write(new)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
        self.item.user_properties.append((_PROPERTY, _diff(path, old or "", new)))


def _diff(path: Path, old: str, new: str) -> str:
    shown = os.path.relpath(path)
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), f"{shown} (committed)", f"{shown} (now)",
                                 lineterm="")
    return "\n".join(lines) + "\n"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the changes of `--sct-update`, those of all processes."""
    reports = [report for reports in terminalreporter.stats.values() for report in reports]
    diffs = {text for report in reports for key, text in getattr(report, "user_properties", ()) if key == _PROPERTY}
    if diffs:
        terminalreporter.section("golden files of sct written")
        for text in sorted(diffs):
            terminalreporter.write_line(text)
