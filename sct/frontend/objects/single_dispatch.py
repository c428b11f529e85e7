"""`functools.singledispatch`: the function that is registered for the class of the first argument is called.

    area(Circle(r))   ->   the function that `@area.register` gave for `Circle`
"""

from __future__ import annotations

import functools
import types
from typing import Any

from sct.frontend.arguments.lift import lift
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.exceptions import raise_at_run_time
from sct.frontend.objects.class_of import possible_classes, python_class
from sct.frontend.values.abstract_values import Abstract, Path

__all__ = ["implementation", "is_dispatcher"]

_EXAMPLE: Any = functools.singledispatch(lambda x: x)


def is_dispatcher(f: Any) -> bool:
    """Has `functools.singledispatch` made this function?"""
    return isinstance(f, types.FunctionType) and f.__code__ is _EXAMPLE.__code__


def implementation(ev: Evaluator, f: Any, path: Path, name: str, args: Any) -> Abstract:
    """The function that `f` calls for these arguments; `path`: where a call finds `f`."""
    if not args:
        raise_at_run_time(ev, "TypeError", f"{name} requires at least 1 positional argument")
    implementations = {f.dispatch(cls) for cls in possible_classes(args[0]) or (python_class(ev, args[0]),)}
    if len(implementations) > 1:
        ev.refuse("SCT504", f"which function `{name}` calls is not known",
                  why="its argument may be an int or a float", hint="convert it: `float(...)`")
    (chosen,) = implementations
    at = (*path, ("attr", "registry"))
    ev.outside.note(at, "keys", tuple(f.registry))
    key = next(cls for cls, registered in f.registry.items() if registered is chosen)
    return lift(ev, chosen, (*at, ("item", key)))
