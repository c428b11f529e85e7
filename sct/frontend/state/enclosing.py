"""What is around a differentiated region: the heap that the region may not write."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from sct.errors import Loc
from sct.frontend.state.parts import Changed, changed
from sct.frontend.state.store import Store

__all__ = ["Enclosing"]


@dataclass
class Enclosing:
    """The heap outside a differentiated region, which the region may not write.

    last_addr  its last address; `kept`: other addresses of it
    written    its cells of which a region writes a copy
    passed     its cells of which the region has a copy; `read`: where the region reads such a cell itself
    copies     the copies in a region that user code calls
    order      how many differentiated regions there are around; `rules`: how many rules of the user
    callers    the calls in progress around the innermost rule, which does not call itself where it calls them
    hidden     how many blocks are around the innermost equation that is solved: it reads no residuals of these
    """

    last_addr: int = 0
    kept: frozenset[int] = frozenset()
    written: set[int] = field(default_factory=set)
    passed: frozenset[int] = frozenset()
    copies: frozenset[int] = frozenset()
    read: dict[int, Loc | None] = field(default_factory=dict)
    order: int = 0
    rules: int = 0
    callers: int = 0
    hidden: int = 0

    def around(self, store: Store, copies: Collection[tuple[int, int]]) -> Changed:
        """Evaluates a region: the cells of `store` are outside of it.  Those of its arguments are copied: each with
        the address of its copy."""
        return changed(self, last_addr=max([self.last_addr, *store.cells]),
                       kept=self.kept | frozenset(a for a in store.cells if a < 0),
                       passed=self.passed.union(a for a, _ in copies), read={}, order=self.order + 1,
                       copies=self.copies.union(copy for _, copy in copies if self.order))

    def can_read(self, addr: int) -> bool:
        """Can the code around the region read what is at this address in the region, after it?"""
        return 0 <= addr <= self.last_addr or addr in self.kept or addr in self.copies

    def in_rule(self, callers: int) -> Changed:
        """Evaluates a rule of the user, which is no differentiated region itself."""
        return changed(self, order=self.order - 1, rules=self.rules + 1, callers=callers)

    def in_equation(self, blocks: int) -> Changed:
        """Evaluates the residual of an equation that is solved, in so many blocks."""
        return changed(self, hidden=blocks)

    def note_read(self, addr: int, loc: Loc | None) -> None:
        if addr in self.passed:
            self.read.setdefault(addr, loc)

    def none(self) -> Changed:
        """Evaluates a function with a heap of its own."""
        return changed(self, last_addr=0)
