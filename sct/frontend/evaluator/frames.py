"""Calls in progress, and how an evaluation of a path may end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sct.errors import Loc
from sct.frontend.source.name_liveness import Liveness
from sct.frontend.source.parse import SourceFunction
from sct.frontend.values.abstract_values import (
    Abstract,
)

__all__ = ["Dead", "Doubt", "Frame"]


class Dead(Exception):
    """The path being evaluated raises for certain."""


class Doubt(Exception):
    """Sizes do not go together, which may be because of what is assumed of a function that calls itself."""

    def __init__(self, function: Any) -> None:
        self.function = function


@dataclass
class Frame:
    """A call in progress.

    function  the Python function that is called, or in which the one that is called was made
    locals   its variables; `outside` what it declares `global`
    parent   the call of the function around it
    """

    id: int
    source: SourceFunction
    globals: Mapping[str, Any]
    cells: Mapping[str, Any]
    function: Any
    live: Liveness
    locals: set[str]
    parent: Frame | None = None
    outside: frozenset[str] = frozenset()
    loop_depth: int = 0
    returns: list[Any] = field(default_factory=list)
    now: frozenset[str] = frozenset()
    arguments: Mapping[str, Abstract] = field(default_factory=dict)
    returned_at: Loc | None = None

    @property
    def code(self) -> Any:
        """What is called: the text, as a part of the Python function that it stands in."""
        return self.source.node, self.function

    def home(self, name: str) -> Frame | None:
        """The call whose variable a name is here; None where it is of no function being evaluated."""
        if name in self.locals:
            return self
        return None if name in self.outside or self.parent is None else self.parent.home(name)

    def is_global(self, name: str) -> bool:
        """Is a name, which has no home, declared `global` here or in a function around?"""
        return name in self.outside or self.parent is not None and self.parent.is_global(name)
