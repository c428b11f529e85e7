"""The directory of compiled modules: private, bounded, emptied by `sct cache --clear`."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from sct.cli import main
from sct.codegen import cache_directory


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SCT_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def stored(number: int) -> Path:
    return cache_directory.module_file(f"sct_{number:024x}", f"x = {number}\n")


def test_a_module_is_written_once_and_its_modification_time_is_fixed(directory: Path) -> None:
    path = stored(1)
    assert path.parent == directory and path.read_text() == "x = 1\n"
    inode = path.stat().st_ino
    assert stored(1).stat().st_ino == inode
    assert path.stat().st_mtime == 0.0
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700


def test_the_modules_used_least_recently_are_removed(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_directory, "MOST_MODULES", 3)
    paths = []
    for number in range(3):
        paths.append(stored(number))
        os.utime(paths[-1], (100.0 + number, 0))
    compiled = directory / "__pycache__" / f"{paths[1].stem}.f-1.py311.nbi"
    compiled.parent.mkdir()
    compiled.write_text("")
    os.utime(stored(0), (200.0, 0))
    newest = stored(3)
    assert set(directory.glob("*.py")) == {paths[0], paths[2], newest}
    assert not compiled.exists()


def test_the_command_shows_and_empties_the_directory(directory: Path) -> None:
    stored(1)
    stored(2)
    assert CliRunner().invoke(main, ["cache"]).output.split("\n")[:2] == [str(directory), "2 modules"]
    assert "2 modules removed" in CliRunner().invoke(main, ["cache", "--clear"]).output
    assert not list(directory.glob("*.py"))
    assert "0 modules" in CliRunner().invoke(main, ["cache"]).output


def test_the_fallback_is_private_and_removed_at_exit(tmp_path: Path) -> None:
    """Where the cache cannot be written: a directory with a name that nobody can know in advance."""
    (tmp_path / "file").write_text("")
    script = "import os, sys; from sct.codegen.cache_directory import module_file; " \
             "p = module_file('sct_1', 'x = 1'); " \
             "print(p.parent, oct(os.stat(p.parent).st_mode & 0o777))"
    shown = [
        subprocess.run([sys.executable, "-c", script], env={**os.environ, "SCT_CACHE_DIR": str(tmp_path / "file")},
                       capture_output=True, text=True, check=True).stdout.split()
        for _ in range(2)
    ]
    assert shown[0][0] != shown[1][0]
    for path, mode in shown:
        assert mode == "0o700" and not Path(path).exists()
