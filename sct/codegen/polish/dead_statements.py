"""Statements that nothing needs:  kind <- 2; break  ->  break

Once exits are jumps, the codes that guarded the rest of a block are not read any more;
once a list tells when a loop is over, its length is not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from sct.codegen.program.statement_ir import (
    Assign,
    Block,
    CheckBound,
    Define,
    Evaluate,
    If,
    Increment,
    ListRead,
    Loop,
    NewList,
    Pop,
    Push,
    ReadAt,
    Return,
    Statement,
    blocks,
    list_reads,
    statements,
)
from sct.ir.core import Operand, Value, free_values, has_effect
from sct.ops.registry import may_raise

__all__ = ["remove_dead_statements"]


def remove_dead_statements(block: Block) -> Block:
    """The block without what no result and no effect needs."""
    needed = _Needed(block)
    needed.run()
    return list(needed.kept(block))


class _Needed:
    """
    makers   the statements that assign a value, and what each reads for it
    takers   what takes a value out of a list, and its place in the tuples
    members  which places of the tuples of a list are needed
    """

    def __init__(self, block: Block) -> None:
        self.parent: dict[Statement, Statement | None] = {}
        self.makers: dict[Value, list[tuple[Statement, tuple[Operand, ...]]]] = defaultdict(list)
        self.takers: dict[Value, tuple[ListRead, int]] = {}
        self.pushes: dict[Value, list[Push]] = defaultdict(list)
        self.pops: dict[Value, list[Pop | ReadAt]] = defaultdict(list)
        self.members: dict[Value, set[int]] = defaultdict(set)
        self.marked: set[Statement] = set()
        self.values: set[Value] = set()
        self.work: list[Operand] = []
        self.drained: list[Pop | ReadAt] = []
        self.scan(block, None)
        self.roots = [s for s in statements(block) if _is_root(s)]

    def scan(self, block: Block, parent: Statement | None) -> None:
        for s in block:
            self.parent[s] = parent
            for v, reads in _made(s):
                self.makers[v].append((s, reads))
            if isinstance(s, Push):
                self.pushes[s.tape].append(s)
            elif isinstance(s, (Pop, ReadAt)):
                self.pops[s.tape].append(s)
            for taken in list_reads(s):
                self.takers.update((v, (taken, k)) for k, v in enumerate(taken.values))
            for inner in blocks(s):
                self.scan(inner, s)

    def run(self) -> None:
        for s in self.roots:
            self.mark(s)
        self.follow()
        for pop in self.drained:
            if not self.members[pop.filled]:
                self.take(pop, 0)
                self.follow()

    def follow(self) -> None:
        while self.work:
            x = self.work.pop()
            if isinstance(x, Value) and x not in self.values:
                self.values.add(x)
                self.need(x)

    def need(self, v: Value) -> None:
        if v in self.takers:
            self.take(*self.takers[v])
        for s, reads in self.makers[v]:
            self.mark(s)
            self.work += reads
        if self.pushes[v] and len(self.pushes[v][0].operands) == 1:
            self.fill(v, 0)

    def take(self, taken: ListRead, k: int) -> None:
        """Need the `k`-th of what each element of a list holds."""
        self.work.append(taken.tape)
        self.fill(taken.filled, k)

    def fill(self, tape: Value, k: int) -> None:
        if k in self.members[tape]:
            return
        self.members[tape].add(k)
        for s, _ in self.makers[tape]:
            self.mark(s)
        for push in self.pushes[tape]:
            self.mark(push)
            self.work.append(push.operands[k])

    def mark(self, s: Statement | None) -> None:
        """`s` stays, and so does what decides whether it runs."""
        while s is not None and s not in self.marked:
            self.marked.add(s)
            if isinstance(s, Evaluate):
                self.work += _reads(s)
                self.work += s.eqn.outs
            elif isinstance(s, Return):
                self.work += s.results
            elif isinstance(s, If):
                self.work.append(s.test)
            elif isinstance(s, Loop):
                self.work += s.bounds or [z.tape for z in s.zipped]
                self.work += [s.test[1]] if s.test else []
                for jump in s.jumps:
                    self.mark(jump)
                if s.tape is not None:
                    self.drain(s.tape)
            s = self.parent[s]

    def drain(self, tape: Value) -> None:
        """A loop runs until `tape` is empty."""
        self.drained += self.pops[tape]
        for pop in self.pops[tape]:
            self.mark(pop)

    # -- what is left -------------------------------------------------------------------

    def kept(self, block: Block) -> Iterator[Statement]:
        for s in block:
            if isinstance(s, Assign):
                s.pairs = [(v, x) for v, x in s.pairs if v in self.values]
                if s.pairs:
                    yield s
            elif s in self.marked or isinstance(s, CheckBound) and s.value in self.values:
                if isinstance(s, Push):
                    s.operands = tuple(self.chosen(s.tape, s.operands))
                elif isinstance(s, (Pop, ReadAt)):
                    s.values = tuple(self.chosen(s.filled, s.values))
                elif isinstance(s, Loop):
                    s.zipped = [z for z in s.zipped if not s.bounds or any(v in self.values for v in z.values)]
                    for z in s.zipped:
                        z.values = tuple(self.chosen(z.filled, z.values))
                for inner in blocks(s):
                    inner[:] = self.kept(list(inner))
                yield s

    def chosen(self, tape: Value, items: Iterable[Any]) -> Iterator[Any]:
        members = self.members[tape]
        return (x for k, x in enumerate(items) if k in members or len(members) == 0)


def _is_root(s: Statement) -> bool:
    if isinstance(s, Evaluate):
        return has_effect(s.eqn) or s.eqn.primal and not s.eqn.regions and may_raise(s.like)
    return isinstance(s, Return)


def _made(s: Statement) -> Iterator[tuple[Value, tuple[Operand, ...]]]:
    if isinstance(s, Evaluate):
        for v in s.eqn.outs:
            yield v, ()
    elif isinstance(s, Assign):
        for v, x in s.pairs:
            yield v, (x,)
    elif isinstance(s, (Pop, ReadAt)):
        for v in s.values:
            yield v, (s.index,) if isinstance(s, ReadAt) else ()
    elif isinstance(s, Loop):
        yield from ((v, ()) for z in s.zipped for v in z.values)
    elif isinstance(s, NewList):
        yield s.tape, ()
    elif isinstance(s, Increment):
        yield s.count, ()
    elif isinstance(s, Define):
        yield s.eqn.out, ()


def _reads(s: Evaluate) -> list[Operand]:
    return [*s.eqn.args, *(v for region in s.eqn.regions for v in free_values(region))]
