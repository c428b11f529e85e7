"""Modules on disk, for what Numba keeps of them from one process to the next.

A module is a file called by the hash of its content, helpers included, so that Numba's
cache, which lies beside it, is never that of another text.  `SCT_CACHE_DIR` says where;
else it is the user's directory of caches.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sct.codegen.interface import Source
from sct.errors import SctError

__all__ = ["cache_dir", "load_compiled"]


def cache_dir() -> Path:
    """The directory of compiled modules."""
    if given := os.environ.get("SCT_CACHE_DIR"):
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "sct" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "sct"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sct"


def load_compiled(source: Source, plain: Callable[[], Callable[..., Any]], effects: bool) -> Callable[..., Any]:
    """The function of a module with kernels.

    plain    makes the same function without them; it runs where a kernel raises, and raises what
             Python does, or goes on: kernels write into nothing that the caller can see. The
             list `again` of the function has it, once it was made
    effects  does the function print, or the like? Then nothing runs twice
    """
    from numba.core.errors import NumbaError

    run = imported(source)
    again: list[Callable[..., Any]] = []

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            result = run(*args, **kwargs)
            if isinstance(result, tuple) and callable(result[1]):
                return (result[0], refusing(result[1]), *result[2:])
            return result
        except NumbaError as error:
            raise _refused(source, error) from error
        except Exception:
            if effects:
                raise
            if not again:
                again.append(plain())
        return again[0](*args, **kwargs)

    def refusing(pullback: Callable[..., Any]) -> Callable[..., Any]:
        def pull(*args: Any) -> Any:
            try:
                return pullback(*args)
            except NumbaError as error:
                raise _refused(source, error) from error

        return pull

    call.__dict__["again"] = again
    return call


def imported(source: Source) -> Any:
    """The function of the source, in a module that is a file."""
    name = f"sct_{hashlib.sha256(source.text.encode()).hexdigest()[:24]}"
    path = _written(name, source.text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    module.__dict__.update(source.bindings)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return getattr(module, source.function_name)


def _written(name: str, text: str) -> Path:
    """The file of a module, where it can be kept; it is there at once and as a whole."""
    for place in (cache_dir(), Path(tempfile.gettempdir()) / f"sct-{os.getpid()}"):
        path = place / f"{name}.py"
        with contextlib.suppress(OSError):
            if path.exists() and path.read_text(encoding="utf-8") == text:
                return path
            place.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=place, suffix=".tmp")
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            os.utime(temporary, (0, 0))  # Numba asks for the time: the same, whichever process was first
            os.replace(temporary, path)
            return path
    raise SctError("SCT909", f"no directory for compiled code: {cache_dir()} cannot be written",
                   hint="set SCT_CACHE_DIR to one that can")


def _refused(source: Source, error: Any) -> SctError:
    """Numba's refusal, at the user's line."""
    line = getattr(getattr(error, "loc", None), "line", 0)
    loc = source.lines.get(line) if line else None
    reason = str(getattr(error, "msg", error)).strip().splitlines()
    return SctError("SCT909", 'backend="numba": Numba does not compile this', loc=loc,
                    why=reason[0] if reason else type(error).__name__, hint='backend="numpy"')
