"""Modules on disk, for what Numba keeps of them from one process to the next.

A module is a file called by the hash of its content, helpers included, so that Numba's
cache, which lies beside it, is never that of another text.
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

    plain    makes the same function without them; it runs where a kernel raises, and raises what
             Python does, or goes on, with a warning: kernels write into nothing that the caller
             can see. The list `again` of the function has it, once it was made
    effects  does the function print, or the like? Then nothing runs twice
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
    """The function of the source, in a module that is a file."""
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
    """Numba's refusal, at the user's line."""
    line = getattr(getattr(error, "loc", None), "line", 0)
    loc = source.lines.get(line) if line else None
    reason = str(getattr(error, "msg", error)).strip().splitlines()
    return SctError("SCT909", 'backend="numba": Numba does not compile this', loc=loc,
                    why=reason[0] if reason else type(error).__name__, hint='backend="numpy"')
