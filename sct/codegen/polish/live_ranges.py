"""Liveness: the spans of positions in the text at which each value may still be read.

    s <- 0.0; for x in xs: t = s + x; s <- t     s is live up to the sum and from its assignment on; between them, t is

Statements are numbered in the order of the text; statement p reads at position 2p and assigns at 2p + 1. A value that
one branch of a conditional reads is not live in the other. After a jump, liveness continues at its target; after a
return, only what nested functions read is live. Two values may share a variable if their spans are disjoint.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from sct.codegen.polish.inline_expressions import Inlined
from sct.codegen.program.statement_ir import (
    Assign,
    Block,
    Define,
    Evaluate,
    If,
    Jump,
    Kernel,
    Loop,
    Push,
    Return,
    Select,
    Statement,
    Update,
    statements,
)
from sct.ir.core import Operand, Value, is_undef
from sct.ir.types import Undef
from sct.ir.uses import reachable

__all__ = ["LiveRanges", "Span"]

Span = tuple[int, int]
LiveState = dict[Value, int]
"""The live values, each with the last position of the span that the backward walk is in."""


class LiveRanges:
    """The live ranges of the values of a block, and the pairs of values that should share a variable.

    spans          where each value is live
    first          the number of the first statement that assigns it
    moves          (depth of loops, target, source) of each assignment of a value to a value
    inplace_pairs  (out, operand) of each statement that writes in place
    read           the values that something reads or that a statement writes to in place
    maybe_unbound  named values that are not bound on every path, each with the number of the statement that says so
    pushed_as      value that is read from a list -> an operand that is appended there
    """

    def __init__(self, block: Block, params: Iterable[Value], inlined: Inlined) -> None:
        self.inlined = inlined
        self.spans: dict[Value, list[Span]] = defaultdict(list)
        self.first: dict[Value, int] = dict.fromkeys(params, 0)
        self.moves: list[tuple[int, Value, Value]] = []
        self.inplace_pairs: list[tuple[Value, Value]] = []
        self.read: set[Value] = set()
        self.pushed_as = dict(_pushed_operands(block))
        self._numbering = _Numbering(self, block)
        self.maybe_unbound = dict(self._without_value(block))
        self._jump_targets: list[tuple[list[Value], list[Value]]] = []
        last = 2 * self._numbering.count + 2
        self._live_on_return: LiveState = {}
        for s in statements(block):
            if isinstance(s, Define):
                self._live_on_return.update(dict.fromkeys(self._numbering.captured(s), last))
                self.read.update(s.params)
        state: LiveState = dict(self._live_on_return)
        self._block(block, state)
        for v in dict.fromkeys([*params, *state]):
            self._assign([v], 1, state)
        self.spans = {v: _merged_spans(spans) for v, spans in self.spans.items()}

    def _without_value(self, block: Block) -> Iterator[tuple[Value, int]]:
        """The named values that a path leaves unbound, and where the paths part; not those that are None there."""
        placeholders = self._placeholders(block)
        branches = {inner: s for s in statements(block) if isinstance(s, If) for b in s.blocks for inner in b}
        for s in statements(block):
            if isinstance(s, Assign):
                start = self._numbering.start[branches.get(s, s)]
                yield from ((v, start) for v, x in s.pairs
                            if v.hint is not None and is_undef(x) and v not in placeholders)

    def _placeholders(self, block: Block) -> set[Value]:
        """The values that a list or a record holds, and those assigned to them: None stands for them if unbound."""
        sources: dict[Value, list[Value]] = defaultdict(list)
        work: list[Value] = []
        for s in statements(block):
            if isinstance(s, Push):
                work += self.leaves(x for x in s.items if x in s.maybe_unbound)
            elif isinstance(s, Evaluate) and s.eqn.op.name == "pack":
                work += self.leaves(x for x, like in zip(s.eqn.args, s.like.args) if isinstance(like.type, Undef))
            elif isinstance(s, Assign):
                for v, x in s.pairs:
                    sources[v] += self.leaves([x] if x in s.maybe_unbound else [])
        return reachable(work, sources.__getitem__)

    def around(self, s: Kernel) -> tuple[set[Value], set[Value]]:
        """The values that are live where `s` begins, and those where it ends."""
        begin, _, end = (2 * p for p in self._numbering.marks(s))
        return self._live_at(begin), self._live_at(end)

    def _live_at(self, p: int) -> set[Value]:
        return {v for v, spans in self.spans.items() if any(start <= p <= stop for start, stop in spans)}

    def leaves(self, xs: Iterable[Operand]) -> Iterator[Value]:
        """The variables that expressions read."""
        for x in xs:
            if isinstance(x, Value):
                expression = self.inlined.get(x)
                if expression is None:
                    yield x
                else:
                    yield from self.reads(expression)

    def reads(self, s: Statement) -> Iterator[Value]:
        """The variables that a statement itself reads."""
        yield from self.leaves(s.reads if isinstance(s, Select) else s.operands)

    # -- backwards through the text -----------------------------------------------------

    def _assign(self, values: Iterable[Value], p: int, state: LiveState) -> None:
        for v in values:
            self.spans[v].append((p, state.pop(v, p)))

    def _close(self, state: LiveState, p: int) -> None:
        """Begin at `p` the spans of all live values, at the start of a block."""
        for v, end in state.items():
            self.spans[v].append((p, end))

    def _block(self, block: Block, state: LiveState) -> None:
        """Walk a block backwards: `state` is liveness behind it, and becomes liveness before it."""
        for s in reversed(block):
            if isinstance(s, If):
                self._if(s, state)
            elif isinstance(s, Loop):
                self._loop(s, state)
            elif isinstance(s, Define):
                self._define(s, state)
            elif isinstance(s, Kernel):
                self._block(s.body, state)
            elif isinstance(s, Jump):
                state.clear()
                state.update(dict.fromkeys(self._jump_targets[-1][s.kind == "continue"], 2 * self._numbering.start[s]))
            else:
                if isinstance(s, Return):
                    state.clear()
                    state.update(self._live_on_return)
                self._simple(s, state)

    def _simple(self, s: Statement, state: LiveState) -> None:
        p = 2 * self._numbering.start[s]
        self._assign(s.targets, p + 1, state)
        written = _overwritten_operand(s)
        for v in self.reads(s):
            state[v] = max(state.get(v, 0), p if written is None or v is written else p + 1)

    def _if(self, s: If, state: LiveState) -> None:
        start, middle, end = (2 * p for p in self._numbering.marks(s))
        jumps, touched = s in self._numbering.jumping, self._numbering.touched[s]
        split = [v for v in state if jumps or v in touched]
        self._close({v: state.pop(v) for v in split}, end)
        orelse: LiveState = dict.fromkeys(split, end - 1)
        self._block(s.orelse, orelse)
        self._close(orelse, middle)
        then: LiveState = dict.fromkeys(split, middle - 1)
        self._block(s.then, then)
        state.update(dict.fromkeys(orelse, start))
        state.update(then)
        for v in self.reads(s):
            state.setdefault(v, start)

    def _loop(self, s: Loop, state: LiveState) -> None:
        start, middle, end = (2 * p for p in self._numbering.marks(s))
        touched = self._numbering.touched[s]
        after = {v: state.pop(v) for v in list(state) if v in touched}
        self._close(after, end)
        outer = [v for v in self._numbering.read_inside[s] if self.first.get(v, start) < self._numbering.start[s]]
        live_at_head = list(dict.fromkeys([*after, *outer]))
        self._jump_targets.append((list(after), live_at_head))
        body: LiveState = dict.fromkeys(live_at_head, end - 1)
        if s.index is not None and s.index in self._numbering.read_inside[s]:
            body[s.index] = end - 1
        self._block(s.body, body)
        self._jump_targets.pop()
        self._assign(s.bound, middle + 1, body)
        self._close(body, middle)
        head: LiveState = dict.fromkeys([*body, *after], middle - 1)
        if s.test is not None:
            for v in self.leaves([s.test]):
                head.setdefault(v, middle - 1)
            self._block(s.head, head)
        self._close(head, start + 1)
        state.update(dict.fromkeys([*live_at_head, *head], start))
        for v in self.reads(s):
            state.setdefault(v, start)

    def _define(self, s: Define, state: LiveState) -> None:
        start, _, end = (2 * p for p in self._numbering.marks(s))
        self._assign([s.eqn.out], end + 1, state)
        inner: LiveState = {}
        outer = self._jump_targets, self._live_on_return
        self._jump_targets, self._live_on_return = [], {}
        self._block(s.body, inner)
        self._jump_targets, self._live_on_return = outer
        self._assign(s.params, start + 1, inner)
        for v, p in inner.items():
            state.setdefault(v, p)


class _Numbering:
    """Numbers the statements, and records what the blocks in them read and assign.

    start        the number of a statement
    marks        the numbers where a statement starts, where its last block starts, and where it ends
    read_inside  the values that the blocks of a statement read
    touched      the values that are read or assigned in a statement
    jumping      the conditionals with a jump or a return in a branch
    """

    def __init__(self, live: LiveRanges, block: Block) -> None:
        self.live = live
        self.start: dict[Statement, int] = {}
        self.read_inside: dict[Statement, dict[Value, None]] = {}
        self.touched: dict[Statement, set[Value]] = {}
        self.jumping: set[Statement] = set()
        self._marks: dict[Statement, tuple[int, int]] = {}
        self.count = 1
        self._number(block, 0, {}, set())

    def marks(self, s: Statement) -> tuple[int, int, int]:
        return (self.start[s], *self._marks[s])

    def captured(self, s: Define) -> list[Value]:
        """The free variables of a nested function."""
        bound = {v for inner in statements(s.body) for v in inner.bound}
        return [v for v in self.read_inside[s] if v not in bound and v not in s.params]

    def _number(self, block: Block, depth: int, reads: dict[Value, None], touched: set[Value]) -> bool:
        """Number the statements of a block, add what it reads and touches; True if a statement in it jumps."""
        jumps = False
        for s in block:
            self.start[s] = self.count
            self.count += 1
            own = dict.fromkeys(self.live.reads(s))
            for v in s.bound:
                self.live.first.setdefault(v, self.start[s])
            self._note_relations(s, depth)
            inner = [self._nested(s, depth, own)] if isinstance(s, (If, Loop, Define)) else []
            if isinstance(s, Kernel):
                inner = [self._number(s.body, depth, reads, touched)]
                self._marks[s] = self.count, self.count
                self.count += 1
            jumps = jumps or isinstance(s, (Jump, Return)) or True in inner
            reads.update(own)
            touched.update(own)
            touched.update(s.targets)
            touched.update(self.touched.get(s, ()))
        self.live.read.update(reads)
        return jumps

    def _nested(self, s: If | Loop | Define, depth: int, reads: dict[Value, None]) -> bool:
        inside: dict[Value, None] = {}
        touched: set[Value] = set(s.bound)
        several = list(s.blocks)
        jumps = False
        middle = self.count
        for k, block in enumerate(several):
            if k + 1 == len(several):
                middle = self.count
                self.count += 1
            jumps = self._number(block, depth + isinstance(s, Loop), inside, touched) or jumps
        if isinstance(s, Loop) and s.test is not None:
            inside.update(dict.fromkeys(self.live.leaves([s.test])))
        self._marks[s] = middle, self.count
        self.count += 1
        self.read_inside[s] = inside
        self.touched[s] = touched | set(inside)
        reads.update(inside)
        if isinstance(s, If) and jumps:
            self.jumping.add(s)
        return jumps and isinstance(s, If)

    def _note_relations(self, s: Statement, depth: int) -> None:
        if isinstance(s, Assign):
            self._add_moves(depth, s.pairs)
        written = _overwritten_operand(s)
        if written is not None:
            self.live.inplace_pairs.append((s.targets[0], written))
            self.live.read.add(s.targets[0])  # a write that may raise names what it writes to
        if isinstance(s, Evaluate):
            self._add_moves(depth, [(s.eqn.outs[j], s.eqn.args[k]) for k, j in s.eqn.attrs.get("donates", ())])

    def _add_moves(self, depth: int, pairs: Iterable[tuple[Value, Operand]]) -> None:
        self.live.moves += [(depth, v, x) for v, x in pairs if isinstance(x, Value) and x not in self.live.inlined]


def _pushed_operands(block: Block) -> Iterator[tuple[Value, Operand]]:
    """Each value that is read from a list, and an operand that is appended there."""
    pushed = {s.tape: s.items for s in statements(block) if isinstance(s, Push)}
    for s in statements(block):
        for read in s.list_reads:
            if len(read.values) == len(appended := pushed.get(read.filled, ())):
                yield from zip(read.values, appended)


def _merged_spans(spans: list[Span]) -> list[Span]:
    """The spans in order, where those that overlap or adjoin are one."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _overwritten_operand(s: Statement) -> Value | None:
    """The operand that `s` writes into."""
    if isinstance(s, Update):
        x = s.eqn.args[0]
    elif isinstance(s, Evaluate) and s.eqn.inplace is not None:
        x = s.eqn.args[s.eqn.inplace]
    else:
        return None
    return x if isinstance(x, Value) else None
