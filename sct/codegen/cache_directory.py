"""The directory of compiled modules: its path, the limit on its size, and its removal.

A module is a file named by the hash of its content; Numba's machine code lies beside it, in `__pycache__`. The
modification time of the file is always 0, since Numba compares it; the access time is that of its last use.
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
"""The largest number of modules; beyond it the least recently used ones are removed."""


def cache_dir() -> Path:
    """The directory `SCT_CACHE_DIR`, or one among the user's caches."""
    if directory := os.environ.get("SCT_CACHE_DIR"):
        return Path(directory)
    return platformdirs.user_cache_path("sct", appauthor=False)


def module_file(name: str, text: str) -> Path:
    """The file of the module `name`, written unless it exists.

    If the cache is not writable, the file is in a private directory that is removed when the process ends. Raises
    SctError SCT909 if neither works.
    """
    for directory in (cache_dir, _private_directory):
        with contextlib.suppress(OSError):
            return _write_module(directory(), name, text)
    raise SctError("SCT909", f"no directory for compiled code: {cache_dir()} cannot be written",
                   hint="set SCT_CACHE_DIR to one that can")


def _write_module(directory: Path, name: str, text: str) -> Path:
    path = directory / f"{name}.py"
    if not (path.exists() and path.read_text(encoding="utf-8") == text):
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=directory, suffix=".tmp")
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.utime(temporary, (time.time(), 0))
        os.replace(temporary, path)
        _limit_size(directory)
    with contextlib.suppress(OSError):  # the file may be another user's, to be read only
        os.utime(path, (time.time(), 0))
    return path


@functools.lru_cache(maxsize=1)
def _private_directory() -> Path:
    directory = Path(tempfile.mkdtemp(prefix="sct-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory


def stored_modules(directory: Path) -> list[Path]:
    """The modules in the directory, the most recently used first."""
    if not directory.is_dir():
        return []
    used = []
    for path in directory.glob("sct_*.py"):
        with contextlib.suppress(OSError):  # another process may have removed it meanwhile
            used.append((path.stat().st_atime, path))
    return [path for _, path in sorted(used, reverse=True)]


def clear(directory: Path, keep: int = 0) -> int:
    """Remove all modules but the `keep` most recently used, with their machine code; the number that was removed."""
    stale = stored_modules(directory)[keep:]
    for path in stale:
        for file in (path, *(directory / "__pycache__").glob(f"{path.stem}.*")):
            with contextlib.suppress(OSError):
                file.unlink()
    return len(stale)


def _limit_size(directory: Path) -> None:
    clear(directory, keep=MOST_MODULES)
