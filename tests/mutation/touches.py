"""A plugin of pytest: which test enters which function of the compiler, and how much CPU time each test takes.

    pytest -p tests.mutation.touches --touches DIRECTORY

Each process writes one JSON file into the directory: {test: [seconds, [[file, first line], ...]]}.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = str(ROOT / "sct") + os.sep


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--touches", help="the directory for what the tests enter")


def pytest_configure(config: pytest.Config) -> None:
    directory = config.getoption("--touches")
    if directory:
        config.pluginmanager.register(Recorder(Path(directory)), "touches")


class Recorder:
    """Records the code objects that are entered while a test runs."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.entered: set[CodeType] = set()
        self.tests: dict[str, Any] = {}

    def _enter(self, frame: FrameType, event: str, argument: Any) -> None:
        self.entered.add(frame.f_code)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.entered = set()
        start = time.process_time()
        sys.settrace(self._enter)
        try:
            yield
        finally:
            sys.settrace(None)
        inside = {(code.co_filename.removeprefix(str(ROOT) + os.sep), code.co_firstlineno)
                  for code in self.entered if code.co_filename.startswith(PACKAGE)}
        self.tests[item.nodeid] = round(time.process_time() - start, 4), sorted(inside)

    def pytest_sessionfinish(self) -> None:
        if self.tests:
            self.directory.mkdir(parents=True, exist_ok=True)
            (self.directory / f"{os.getpid()}.json").write_text(json.dumps(self.tests))
