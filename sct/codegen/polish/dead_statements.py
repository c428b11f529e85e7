"""Removes statements that no result and no effect needs.

    kind <- 2; break  ->  break

Once exits are jumps, nothing reads the codes that guarded the rest of a block; once a loop runs until a list is empty,
nothing reads its length. Marking begins at the results, the effects and what may raise, and follows operands backwards.
A column of a list of tuples is needed only if some reader needs it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from sct.codegen.program.statement_ir import (
    Assign,
    Block,
    CheckBound,
    Evaluate,
    If,
    ListRead,
    Loop,
    Pop,
    Push,
    ReadAt,
    Return,
    Statement,
    statements,
    uses_none,
)
from sct.ir.core import Operand, Value, has_effect
from sct.ops.registry import may_raise

__all__ = ["remove_dead_statements"]


def remove_dead_statements(block: Block) -> Block:
    """The statements of the block that are needed; their blocks, tuples and assignments are changed in place."""
    marking = _Marking(block)
    marking.run()
    return list(marking.sweep(block))


class _Marking:
    """Marks the statements and values that are needed.

    definitions       value -> the statements that assign it, and the operands that each reads for it
    readers           value -> the read of a list that binds it, and its index in the tuples of the list
    columns           list -> the indices in its tuples that are needed
    marked            the statements that are needed
    needed            the values that are needed
    pops_until_empty  pops of lists whose end is the end of a loop
    """

    def __init__(self, block: Block) -> None:
        self.parent: dict[Statement, Statement | None] = {}
        self.definitions: dict[Value, list[tuple[Statement, tuple[Operand, ...]]]] = defaultdict(list)
        self.readers: dict[Value, tuple[ListRead, int]] = {}
        self.pushes: dict[Value, list[Push]] = defaultdict(list)
        self.pops: dict[Value, list[Pop | ReadAt]] = defaultdict(list)
        self.columns: dict[Value, set[int]] = defaultdict(set)
        self.marked: set[Statement] = set()
        self.needed: set[Value] = set()
        self.work: list[Operand] = []
        self.pops_until_empty: list[Pop | ReadAt] = []
        self.scan(block, None)
        self.roots = [s for s in statements(block) if _is_root(s)]

    def scan(self, block: Block, parent: Statement | None) -> None:
        for s in block:
            self.parent[s] = parent
            for v, sources in _definitions(s):
                self.definitions[v].append((s, sources))
            if isinstance(s, Push):
                self.pushes[s.tape].append(s)
            elif isinstance(s, (Pop, ReadAt)):
                self.pops[s.tape].append(s)
            for read in s.list_reads:
                self.readers.update((v, (read, k)) for k, v in enumerate(read.values))
            for inner in s.blocks:
                self.scan(inner, s)

    def run(self) -> None:
        for s in self.roots:
            self.mark(s)
        self.follow()
        for pop in self.pops_until_empty:
            if not self.columns[pop.filled]:
                self.need_item(pop, 0)
                self.follow()

    def follow(self) -> None:
        while self.work:
            x = self.work.pop()
            if isinstance(x, Value) and x not in self.needed:
                self.needed.add(x)
                self.need_value(x)

    def need_value(self, v: Value) -> None:
        if v in self.readers:
            self.need_item(*self.readers[v])
        for s, sources in self.definitions[v]:
            self.mark(s)
            self.work += sources
        if self.pushes[v] and len(self.pushes[v][0].items) == 1:
            self.need_column(v, 0)

    def need_item(self, read: ListRead, k: int) -> None:
        """Need the `k`-th item of each tuple that `read` reads."""
        self.work.append(read.tape)
        self.need_column(read.filled, k)

    def need_column(self, tape: Value, k: int) -> None:
        """Need the `k`-th item of each tuple that is appended to `tape`."""
        if k in self.columns[tape]:
            return
        self.columns[tape].add(k)
        for s, _ in self.definitions[tape]:
            self.mark(s)
        for push in self.pushes[tape]:
            self.mark(push)
            self.work.append(push.items[k])

    def mark(self, s: Statement | None) -> None:
        """Need `s`, and what decides whether it runs."""
        while s is not None and s not in self.marked:
            self.marked.add(s)
            if isinstance(s, (Evaluate, If, Return)) or isinstance(s, CheckBound) and s.free:
                self.work += s.operands
                self.work += s.targets
            elif isinstance(s, Loop):
                self.work += s.bounds or [z.tape for z in s.zipped]
                self.work += [s.test] if s.test is not None else []
                for jump in s.jumps:
                    self.mark(jump)
                if s.tape is not None:
                    self.need_pops(s.tape)
            s = self.parent[s]

    def need_pops(self, tape: Value) -> None:
        """Need the pops of `tape`, since a loop runs until it is empty."""
        self.pops_until_empty += self.pops[tape]
        for pop in self.pops[tape]:
            self.mark(pop)

    # -- the statements that are needed ---------------------------------------------------

    def sweep(self, block: Block) -> Iterator[Statement]:
        """The statements of a block that are needed."""
        for s in block:
            if isinstance(s, Assign):
                s.pairs = [(v, x) for v, x in s.pairs if v in self.needed]
                if s.pairs:
                    yield s
            elif s in self.marked or isinstance(s, CheckBound) and s.value in self.needed:
                if isinstance(s, Push):
                    s.items = tuple(self.needed_items(s.tape, s.items))
                elif isinstance(s, (Pop, ReadAt)):
                    s.values = tuple(self.needed_items(s.filled, s.values))
                elif isinstance(s, Loop):
                    s.zipped = [z for z in s.zipped if not s.bounds or any(v in self.needed for v in z.values)]
                    for z in s.zipped:
                        z.values = tuple(self.needed_items(z.filled, z.values))
                for inner in s.blocks:
                    inner[:] = self.sweep(list(inner))
                yield s

    def needed_items(self, tape: Value, items: Iterable[Any]) -> Iterator[Any]:
        """The items of a tuple of `tape` that are needed; all of them if none is."""
        columns = self.columns[tape]
        return (x for k, x in enumerate(items) if k in columns or len(columns) == 0)


def _is_root(s: Statement) -> bool:
    if isinstance(s, Evaluate):
        return has_effect(s.eqn) or s.eqn.primal and not s.eqn.regions and (may_raise(s.like) or uses_none(s))
    return isinstance(s, Return)


def _definitions(s: Statement) -> Iterable[tuple[Value, tuple[Operand, ...]]]:
    """The values that a statement assigns, each with the operands that it reads for this value alone."""
    if isinstance(s, Assign):
        return ((v, (x,)) for v, x in s.pairs)
    own = (s.index,) if isinstance(s, ReadAt) else ()
    return ((v, own) for v in s.bound)
