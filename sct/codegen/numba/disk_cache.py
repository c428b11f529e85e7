"""Compiled modules on disk, where Numba caches their machine code from one process to the next.

In: a `Source` with kernels. Out: its function, from a module that is a file.

Invariant: the file is named by the hash of its content, helpers included, so that Numba's cache beside it never belongs
to another text.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import sys
import warnings
from collections.abc import Callable
from typing import Any

from sct.codegen.cache_directory import module_file
from sct.codegen.interface import Source
from sct.errors import SctError, SctWarning

__all__ = ["load_compiled"]


def load_compiled(source: Source, plain: Callable[[], Callable[..., Any]], effects: bool) -> Callable[..., Any]:
    """The function of a module with kernels.

    plain    makes the same function without kernels. It runs again where a kernel raises, since kernels write into
             nothing that the caller can see; it raises what Python raises, or returns the result, with a warning.
             It is in the list `again` of the function once it has been made
    effects  does the function print, or have other effects?  Then nothing runs twice
    """
    from numba.core.errors import NumbaError

    run = imported(source)
    again: list[Callable[..., Any]] = []

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            result = run(*args, **kwargs)
        except NumbaError as error:
            raise _refused(source, error) from error
        except Exception as error:
            if effects:
                raise
            raised = error
        else:
            if isinstance(result, tuple) and len(result) > 1 and callable(result[1]):
                return (result[0], refusing(result[1]), *result[2:])
            return result
        if not again:
            again.append(plain())
        result = again[0](*args, **kwargs)
        warnings.warn(f'backend="numba": {source.function_name} ran as plain Python, as its compiled loops raised '
                      f"{type(raised).__name__}: {raised}", SctWarning, stacklevel=2)
        return result

    def refusing(pullback: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(pullback)
        def pull(*args: Any) -> Any:
            try:
                return pullback(*args)
            except NumbaError as error:
                raise _refused(source, error) from error

        return pull

    call.__dict__["again"] = again
    return call


def imported(source: Source) -> Any:
    """The function of the source, from a module that is a file."""
    name = f"sct_{hashlib.sha256(source.text.encode()).hexdigest()[:24]}"
    path = module_file(name, source.text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    module.__dict__.update(source.bindings, __sct_lines__=source.lines, __sct_source__=source)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return getattr(module, source.function_name)


def _refused(source: Source, error: Any) -> SctError:
    """Numba's refusal as an error at the user's line."""
    line = getattr(getattr(error, "loc", None), "line", 0)
    loc = source.lines.get(line) if line else None
    reason = str(getattr(error, "msg", error)).strip().splitlines()
    return SctError("SCT909", 'backend="numba": Numba does not compile this', loc=loc,
                    why=reason[0] if reason else type(error).__name__, hint='backend="numpy"')
