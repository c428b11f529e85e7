"""The directory of compiled modules: where it is, what it may hold, and how it is emptied.

A module is a file called by the hash of its content; what Numba compiles of it lies beside it,
in `__pycache__`.  Its modification time is always 0, since Numba compares it; its access time
says when it was used last.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import tempfile
import time
from pathlib import Path

import platformdirs

from sct.errors import SctError

__all__ = ["MOST_MODULES", "cache_dir", "clear", "module_file", "stored_modules"]

MOST_MODULES = 512
"""The modules used least recently are removed when there are more."""


def cache_dir() -> Path:
    """The directory: `SCT_CACHE_DIR`, or a directory among the user's caches."""
    if directory := os.environ.get("SCT_CACHE_DIR"):
        return Path(directory)
    return platformdirs.user_cache_path("sct", appauthor=False)


def module_file(name: str, text: str) -> Path:
    """The file of the module `name`, written if it is not there yet.

    Where the cache cannot be written it is in a directory of this process that nobody else can
    read, which is removed when the process ends.  Raises SctError SCT909 where neither works.
    """
    for directory in (cache_dir, _private_directory):
        with contextlib.suppress(OSError):
            return _stored(directory(), name, text)
    raise SctError("SCT909", f"no directory for compiled code: {cache_dir()} cannot be written",
                   hint="set SCT_CACHE_DIR to one that can")


def _stored(directory: Path, name: str, text: str) -> Path:
    path = directory / f"{name}.py"
    if not (path.exists() and path.read_text(encoding="utf-8") == text):
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=directory, suffix=".tmp")
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.utime(temporary, (time.time(), 0))
        os.replace(temporary, path)
        _bound(directory)
    with contextlib.suppress(OSError):  # the file may be another user's, to be read only
        os.utime(path, (time.time(), 0))
    return path


@functools.lru_cache(maxsize=1)
def _private_directory() -> Path:
    directory = Path(tempfile.mkdtemp(prefix="sct-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory


def stored_modules(directory: Path) -> list[Path]:
    """The modules in the directory, those used most recently first."""
    if not directory.is_dir():
        return []
    used = []
    for path in directory.glob("sct_*.py"):
        with contextlib.suppress(OSError):  # another process may have removed it meanwhile
            used.append((path.stat().st_atime, path))
    return [path for _, path in sorted(used, reverse=True)]


def clear(directory: Path, keep: int = 0) -> int:
    """Remove all modules but the `keep` used most recently, and what was compiled of them; how many these were."""
    stale = stored_modules(directory)[keep:]
    for path in stale:
        for file in (path, *(directory / "__pycache__").glob(f"{path.stem}.*")):
            with contextlib.suppress(OSError):
                file.unlink()
    return len(stale)


def _bound(directory: Path) -> None:
    clear(directory, keep=MOST_MODULES)
