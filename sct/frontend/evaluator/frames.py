"""Calls in progress."""

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

__all__ = ["Frame"]


@dataclass
class Frame:
    """A call in progress.

    function  the Python function that is called, or in which the called closure was created
    locals    its variables; `outside`: those that it declares `global`
    parent    the call of the enclosing function, for a closure
    live      the liveness of its variables; `now`: those live in the statement in progress
    returns   the `return` statements inside loops; `returned_at`: the place of the last `return`
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
        """Identifies the called code: its syntax, in the Python function that contains it."""
        return self.source.node, self.function

    def home(self, name: str) -> Frame | None:
        """The call whose variable this name is; None if it belongs to no function that is being evaluated."""
        if name in self.locals:
            return self
        return None if name in self.outside or self.parent is None else self.parent.home(name)

    def is_global(self, name: str) -> bool:
        """Is the name declared `global` here or in an enclosing function?"""
        return name in self.outside or self.parent is not None and self.parent.is_global(name)
