"""Defaults of parameters, read from the function as Python does; those that are constants are guarded."""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sct.frontend.arguments.lift import lift
from sct.frontend.root_function import defaults_of, is_made_anew, is_read_at_calls
from sct.frontend.values.abstract_values import Abstract, Path

if TYPE_CHECKING:
    from sct.frontend.evaluator.evaluator import Evaluator

__all__ = ["Default", "guarded_defaults"]


def guarded_defaults(ev: Evaluator, f: types.FunctionType) -> dict[str, Default]:
    """The defaults of `f`, by name.  Guards that its code and its constant defaults stay the same."""
    at = ev.anchor(f)
    new = at[0] is None and is_made_anew(f)
    defaults = {name: Default(ev, name, x, (*at, *path), is_read_at_calls(x, new))
                for name, (path, x) in defaults_of(f).items()}
    facts: list[tuple[str, Any, Path]] = [("is", f.__code__, (("attr", "__code__"),))]
    for name in ("__defaults__", "__kwdefaults__"):
        there = getattr(f, name)
        facts.append(("is" if there is None else "len", None if there is None else len(there), (("attr", name),)))
    for how, fact, path in facts:
        ev.outside.note((*at, *path), how, fact)
    for default in defaults.values():
        if not default.read:
            ev.outside.note(default.path, "is", default.value)
    return defaults


@dataclass(frozen=True)
class Default:
    """The default of a parameter, lifted where it is used; `read`: it is read at every call of the derivative."""

    ev: Evaluator
    name: str
    value: Any
    path: Path
    read: bool

    def lifted(self) -> Abstract:
        fixed = isinstance(self.value, (bool, int, float, str, type(None))) and not self.read
        self.ev.outside.default_names.setdefault(self.path, self.name)
        return lift(self.ev, self.value, None if fixed else self.path)
