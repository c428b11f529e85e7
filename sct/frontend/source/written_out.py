"""Functions of libraries that are not written in Python, written out.

    np.sin   ->   def sin(x): return np.sin(x)

The compiler reads the text of functions, and these have none.
"""

from __future__ import annotations

import functools
import inspect
import linecache
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

__all__ = ["library_function", "written_out"]

ALIASES = {"numpy": "np"}
"""Packages that programs import by another name."""

MODULES = ("numpy", "scipy.special", "math", "operator")
"""Modules of functions that do not name the module from which programs import them."""


def written_out(f: Any) -> Any:
    """A function of Python that calls `f`, if `f` is a function of a library that has no text in Python; else `f`."""
    if isinstance(f, functools.partial):
        inner = written_out(f.func)
        return f if inner is f.func else functools.partial(inner, *f.args, **f.keywords)
    if isinstance(f, (types.FunctionType, types.MethodType, type)) or hasattr(type(f).__call__, "__code__"):
        return f
    try:
        return _written_out(f)
    except TypeError:  # it has no hash
        return f


def library_function(f: Any) -> Any:
    """The function of which `f` is the form that is written out; else `f`."""
    if isinstance(f, functools.partial):
        return functools.partial(library_function(f.func), *f.args, **f.keywords)
    return getattr(f, "__sct_library_function__", f)


@functools.lru_cache(maxsize=1024)
def _written_out(f: Callable[..., Any]) -> Any:
    name = getattr(f, "__name__", "")
    module = next((m for m in _modules_of(f) if getattr(sys.modules.get(m), name, None) is f), None)
    if module is None or not name.isidentifier():
        return f
    package, *rest = module.split(".")
    spelling = ".".join((ALIASES.get(package, package), *rest, name))
    parameters = ", ".join(_parameters(f))
    text = f"def {name}({parameters}):\n    return {spelling}({parameters})\n"
    file = f"<{module}.{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"__name__": file, ALIASES.get(package, package): sys.modules[package]}
    exec(compile(text, file, "exec"), scope)
    wrapper = scope.pop(name)
    wrapper.__doc__ = f.__doc__
    wrapper.__sct_library_function__ = f
    return wrapper


def _modules_of(f: Any) -> Iterator[str]:
    """The modules from which a program may import `f`: first that which it names."""
    module = getattr(f, "__module__", None)
    if isinstance(module, str) and not any(part.startswith("_") for part in module.split(".")):
        yield module
    yield from MODULES


def _parameters(f: Callable[..., Any]) -> list[str]:
    """The parameters of `f` that have no default, and all others as a whole; the options of ufuncs are left out."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return ["*args", "**kwargs"]
    required = [p.name for p in parameters if p.default is inspect.Parameter.empty
                and p.kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    whole = isinstance(f, np.ufunc) or len(required) == len(parameters)
    return required if whole else [*required, "*args", "**kwargs"]
