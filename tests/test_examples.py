"""Every example runs; its main() asserts what it shows."""

import importlib
from pathlib import Path

import pytest

import examples

NAMES = sorted(path.stem for path in Path(examples.__path__[0]).glob("[a-z]*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    importlib.import_module(f"examples.{name}").main()
    assert capsys.readouterr().out, "an example prints what it shows"
