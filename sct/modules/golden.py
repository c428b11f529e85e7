"""A derivative as a file to be committed, and what it gives."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from sct.errors import SctError
from sct.frontend import root_of, trace
from sct.modules.outside import Copied
from sct.modules.writer import Writer

__all__ = ["GoldenModule", "golden"]


@dataclass(frozen=True)
class GoldenModule:
    """text is the module; result what the derivative returns for the arguments."""

    text: str
    name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    result: Any

    def compare(self, path: Path) -> str:
        """How the function in a file differs from the derivative for the arguments; "" if it does not."""
        module = ModuleType(path.stem)
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), vars(module))
        args, kwargs = copy.deepcopy((self.args, dict(self.kwargs)))
        return "; ".join(differences(getattr(module, self.name)(*args, **kwargs), self.result, "result"))


def golden(derivative: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> GoldenModule:
    """The module of a derivative for these arguments, which are left as they are."""
    if not hasattr(derivative, "__sct_transform__"):
        raise SctError("SCT902", f"a golden file is of a derivative, not of {derivative!r}", hint="grad(f)")
    result = derivative(*copy.deepcopy(args), **copy.deepcopy(dict(kwargs)))
    traced = trace(derivative, args, kwargs)
    traced = replace(traced, root=root_of(derivative))
    outside = Copied.of(traced.root)
    writer = Writer(outside)
    writer.names.add(traced.name)
    text = writer.add(traced.name, [traced])
    writer.define(traced.name, text)
    kept = {name: value for name, value in traced.free_values().items() if name in writer.parameters(text)}
    return GoldenModule(writer.module(), traced.name, args, {**kwargs, **kept}, result)


def differences(x: Any, y: Any, at: str) -> Iterator[str]:
    """Where two results differ, bit for bit."""
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
