"""Golden files: a derivative as a module to be committed, with the result of one call.

    golden_module(grad(f), (x,), {})     ->     GoldenModule(text, ..., result).compare(path)
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from sct.errors import SctError
from sct.export.free_variables import CopiedVariables
from sct.export.write_module import ModuleWriter
from sct.frontend import root_of, trace

__all__ = ["GoldenModule", "golden_module"]


@dataclass(frozen=True)
class GoldenModule:
    """A derivative as a module, and one call of it.

    text     the text of the module
    name     of the derivative in it
    classes  classes of the user's module, by name; the module has copies of those that it needs
    result   the result of the derivative for `args` and `kwargs`
    """

    text: str
    name: str
    classes: Mapping[str, type]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    result: Any

    def compare(self, path: Path) -> str:
        """The differences between the results of the function in a file and of the derivative; "" without any."""
        module = ModuleType(f"sct_golden_{path.stem}")
        sys.modules[module.__name__] = module  # the decorator of a dataclass looks its module up
        try:
            exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), vars(module))
        finally:
            del sys.modules[module.__name__]
        # The arguments are objects of the user's own classes, not of the copies.
        copied = [name for name in self.classes if isinstance(vars(module).get(name), type)]
        vars(module).update({name: self.classes[name] for name in copied})
        args, kwargs = copy.deepcopy((self.args, dict(self.kwargs)))
        return "; ".join(differences(getattr(module, self.name)(*args, **kwargs), self.result, "result"))


def golden_module(derivative: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> GoldenModule:
    """The module of a derivative for these arguments, which are not changed."""
    if not hasattr(derivative, "__sct_transform__"):
        raise SctError("SCT902", f"a golden file is of a derivative, not of {derivative!r}", hint="grad(f)")
    result = derivative(*copy.deepcopy(args), **copy.deepcopy(dict(kwargs)))
    traced = trace(derivative, args, kwargs)
    traced = replace(traced, root=root_of(derivative))
    variables = CopiedVariables.of(traced.root)
    writer = ModuleWriter(variables)
    writer.names.add(traced.name)
    text = writer.function_text(traced.name, [traced])
    writer.define(traced.name, text)
    free_values = {name: value for name, value in traced.free_values().items() if name in writer.parameters(text)}
    classes = {name: value for name, value in variables.namespace.items() if isinstance(value, type)}
    return GoldenModule(writer.module(), traced.name, classes, args, {**kwargs, **free_values}, result)


def differences(x: Any, y: Any, at: str) -> Iterator[str]:
    """The differences between two results, bit for bit."""
    if type(x) is not type(y):
        yield f"{at} is a {type(x).__name__}, not a {type(y).__name__}"
    elif isinstance(x, dict):
        if x.keys() != y.keys():
            yield f"{at} has the keys {list(x)}, not {list(y)}"
        for key in x.keys() & y.keys():
            yield from differences(x[key], y[key], f"{at}[{key!r}]")
    elif isinstance(x, (tuple, list)):
        if len(x) != len(y):
            yield f"{at} has {len(x)} items, not {len(y)}"
        for k, (a, b) in enumerate(zip(x, y)):
            yield from differences(a, b, f"{at}[{k}]")
    elif isinstance(x, (float, np.generic, np.ndarray)):
        a, b = np.asarray(x), np.asarray(y)
        if (a.dtype, a.shape) != (b.dtype, b.shape) or a.tobytes() != b.tobytes():
            yield f"{at} is {x!r}, not {y!r}"
    elif hasattr(x, "__dict__") and not callable(x):
        yield from differences(vars(x), vars(y), at)
    elif not callable(x) and x != y:
        yield f"{at} is {x!r}, not {y!r}"
