"""The files that the paths of a command line name, and the status line that says which is worked on."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click

__all__ = ["PATHS", "Status", "files_in", "shown"]

PATHS = click.argument("paths", metavar="PATH...", nargs=-1, required=True,
                       type=click.Path(exists=True, allow_dash=True, path_type=Path))

_SUFFIXES = (".py", ".ipynb")
_SKIPPED = frozenset(("__pycache__", "node_modules", "build", "dist", "site-packages"))


def files_in(paths: Iterable[Path]) -> list[Path]:
    """The files; of a directory, those of Python and the notebooks below it.

    Left out are hidden directories, virtual environments, and those that tools of Python write.
    """
    return list(dict.fromkeys(file for path in paths for file in (_files_below(path) if path.is_dir() else [path])))


def _files_below(directory: Path) -> Iterator[Path]:
    for where, directories, names in os.walk(directory):
        directories[:] = sorted(name for name in directories if not name.startswith(".") and name not in _SKIPPED
                                and not (Path(where) / name / "pyvenv.cfg").exists())
        yield from (Path(where) / name for name in sorted(names) if name.endswith(_SUFFIXES))


def shown(path: str | Path) -> str:
    """A path as users write it: below the current directory, without that."""
    try:
        return Path(path).relative_to(Path.cwd()).as_posix() if Path(path).is_absolute() else Path(path).as_posix()
    except ValueError:
        return Path(path).as_posix()


class Status:
    """A line on a terminal that says which of many files is worked on."""

    def __init__(self, files: Sequence[Path]) -> None:
        self.files = files
        self.is_shown = len(files) > 1 and sys.stderr.isatty()

    def each(self) -> Iterator[Path]:
        """The files, one after the other."""
        for number, file in enumerate(self.files, 1):
            self._write(f"[{number}/{len(self.files)}] {shown(file)}"[:79])
            yield file
        self._write("")

    def _write(self, text: str) -> None:
        if self.is_shown:
            click.echo(f"\r\x1b[K{text}", err=True, nl=False)

    def echo(self, *args: Any, **options: Any) -> None:
        """`click.echo` of a line of its own."""
        self._write("")
        click.echo(*args, **options)


