"""Where each value is live: spans of positions in the text of the program.

Statements are numbered in the order of the text; at 2p statement p reads, at 2p + 1 it
assigns.  Arms of a branch exclude each other, so a value read in one arm alone is not
live in the other; an arm that ends in a jump goes on where the jump leads, and after a
return nothing is live but what nested functions read.  Two values may share a variable
if no spans of theirs meet.
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
    blocks,
    list_reads,
    operands,
    statements,
    targets,
)
from sct.ir.core import UNDEF, Lit, Operand, Value

__all__ = ["Liveness", "Span"]

Span = tuple[int, int]
State = dict[Value, int]
"""The live values, each with the last position of the span that is being followed backwards."""


class Liveness:
    """
    spans  where each value is live
    first  the number of the statement that assigns it first
    moves  (depth of loops, target, source) of each move from value to value
    takes  (out, operand) of each statement that writes in place
    read   the values that something reads
    unassigned  names of the user's that some path leaves unassigned
    pairs  (what is taken out of a list, what was appended there)
    """

    def __init__(self, block: Block, params: Iterable[Value], folded: Inlined) -> None:
        self.folded = folded
        self.spans: dict[Value, list[Span]] = defaultdict(list)
        self.first: dict[Value, int] = dict.fromkeys(params, 0)
        self.moves: list[tuple[int, Value, Value]] = []
        self.takes: list[tuple[Value, Value]] = []
        self.read: set[Value] = set()
        self.pairs = dict(_pairs(block))
        self.unassigned = {v for s in statements(block) if isinstance(s, Assign) for v, x in s.pairs
                           if v.hint is not None and isinstance(x, Lit) and x.value is UNDEF}
        self._text = _Text(self, block)
        self._exits: list[tuple[list[Value], list[Value]]] = []
        last = 2 * self._text.count + 2
        self._lasting: State = {}
        for s in statements(block):
            if isinstance(s, Define):
                self._lasting.update(dict.fromkeys(self._text.captured(s), last))
                self.read.update(s.params)
        state: State = dict(self._lasting)
        self._block(block, state)
        for v in dict.fromkeys([*params, *state]):
            self._assign([v], 1, state)
        self.spans = {v: _joined(spans) for v, spans in self.spans.items()}

    def around(self, s: Kernel) -> tuple[set[Value], set[Value]]:
        """What is live where `s` begins and where it ends."""
        begin, _, end = (2 * p for p in self._text.marks(s))
        return self._live_at(begin), self._live_at(end)

    def _live_at(self, p: int) -> set[Value]:
        return {v for v, spans in self.spans.items() if any(start <= p <= stop for start, stop in spans)}

    def leaves(self, xs: Iterable[Operand]) -> Iterator[Value]:
        """The variables that expressions read."""
        for x in xs:
            if isinstance(x, Value):
                made = self.folded.get(x)
                if made is None:
                    yield x
                else:
                    yield from self.reads(made)

    def reads(self, s: Statement) -> Iterator[Value]:
        """The variables that a statement itself reads."""
        yield from self.leaves(operands(s))
        if isinstance(s, Select):
            yield from self.leaves((s.then, s.orelse))

    # -- backwards through the text -----------------------------------------------------

    def _assign(self, values: Iterable[Value], p: int, state: State) -> None:
        for v in values:
            self.spans[v].append((p, state.pop(v, p)))

    def _close(self, state: State, p: int) -> None:
        """End all spans that are followed at the start of a block."""
        for v, end in state.items():
            self.spans[v].append((p, end))

    def _block(self, block: Block, state: State) -> None:
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
                state.update(dict.fromkeys(self._exits[-1][s.kind == "continue"], 2 * self._text.start[s]))
            else:
                if isinstance(s, Return):
                    state.clear()
                    state.update(self._lasting)
                self._plain(s, state)

    def _plain(self, s: Statement, state: State) -> None:
        p = 2 * self._text.start[s]
        self._assign(targets(s), p + 1, state)
        written = _written(s)
        for v in self.reads(s):
            state[v] = max(state.get(v, 0), p if written is None or v is written else p + 1)

    def _if(self, s: If, state: State) -> None:
        start, middle, end = (2 * p for p in self._text.marks(s))
        jumps, touched = s in self._text.jumping, self._text.touched[s]
        split = [v for v in state if jumps or v in touched]
        self._close({v: state.pop(v) for v in split}, end)
        orelse: State = dict.fromkeys(split, end - 1)
        self._block(s.orelse, orelse)
        self._close(orelse, middle)
        then: State = dict.fromkeys(split, middle - 1)
        self._block(s.then, then)
        state.update(dict.fromkeys(orelse, start))
        state.update(then)
        for v in self.reads(s):
            state.setdefault(v, start)

    def _loop(self, s: Loop, state: State) -> None:
        start, middle, end = (2 * p for p in self._text.marks(s))
        touched = self._text.touched[s]
        after = {v: state.pop(v) for v in list(state) if v in touched}
        self._close(after, end)
        outer = [v for v in self._text.inside[s] if self.first.get(v, start) < self._text.start[s]]
        again = list(dict.fromkeys([*after, *outer]))
        self._exits.append((list(after), again))
        body: State = dict.fromkeys(again, end - 1)
        if s.index is not None and s.index in self._text.inside[s]:
            body[s.index] = end - 1
        self._block(s.body, body)
        self._exits.pop()
        self._assign(_bound(s), middle + 1, body)
        self._close(body, middle)
        head: State = dict.fromkeys([*body, *after], middle - 1)
        if s.test is not None:
            for v in self.leaves([s.test[1]]):
                head.setdefault(v, middle - 1)
            self._block(s.test[0], head)
        self._close(head, start + 1)
        state.update(dict.fromkeys([*again, *head], start))
        for v in self.reads(s):
            state.setdefault(v, start)

    def _define(self, s: Define, state: State) -> None:
        start, _, end = (2 * p for p in self._text.marks(s))
        self._assign([s.eqn.out], end + 1, state)
        inner: State = {}
        outer = self._exits, self._lasting
        self._exits, self._lasting = [], {}
        self._block(s.body, inner)
        self._exits, self._lasting = outer
        self._assign(s.params, start + 1, inner)
        for v, p in inner.items():
            state.setdefault(v, p)


class _Text:
    """Numbers of the statements, and what the blocks in them read and assign.

    marks    where a statement starts, where its second block does, where it ends
    touched  what is read or assigned inside
    jumping  the branches with a jump or a return in an arm
    """

    def __init__(self, live: Liveness, block: Block) -> None:
        self.live = live
        self.start: dict[Statement, int] = {}
        self.inside: dict[Statement, dict[Value, None]] = {}
        self.touched: dict[Statement, set[Value]] = {}
        self.jumping: set[Statement] = set()
        self._marks: dict[Statement, tuple[int, int]] = {}
        self.count = 1
        self._number(block, 0, {}, set())

    def marks(self, s: Statement) -> tuple[int, int, int]:
        return (self.start[s], *self._marks[s])

    def captured(self, s: Define) -> list[Value]:
        """What a nested function reads of the variables around it."""
        made = {v for inner in statements(s.body) for v in _bound(inner)}
        return [v for v in self.inside[s] if v not in made and v not in s.params]

    def _number(self, block: Block, depth: int, reads: dict[Value, None], touched: set[Value]) -> bool:
        """Number a block; note what it reads and touches; does it jump?"""
        jumps = False
        for s in block:
            self.start[s] = self.count
            self.count += 1
            own = dict.fromkeys(self.live.reads(s))
            for v in _bound(s):
                self.live.first.setdefault(v, self.start[s])
            self._note(s, depth)
            inner = [self._nested(s, depth, own)] if isinstance(s, (If, Loop, Define)) else []
            if isinstance(s, Kernel):
                inner = [self._number(s.body, depth, reads, touched)]
                self._marks[s] = self.count, self.count
                self.count += 1
            jumps = jumps or isinstance(s, (Jump, Return)) or True in inner
            reads.update(own)
            touched.update(own)
            touched.update(targets(s))
            touched.update(self.touched.get(s, ()))
        self.live.read.update(reads)
        return jumps

    def _nested(self, s: If | Loop | Define, depth: int, reads: dict[Value, None]) -> bool:
        inside: dict[Value, None] = {}
        touched: set[Value] = set(_bound(s))
        several = list(blocks(s))
        jumps = False
        middle = self.count
        for k, block in enumerate(several):
            if k + 1 == len(several):
                middle = self.count
                self.count += 1
            jumps = self._number(block, depth + isinstance(s, Loop), inside, touched) or jumps
        if isinstance(s, Loop) and s.test is not None:
            inside.update(dict.fromkeys(self.live.leaves([s.test[1]])))
        self._marks[s] = middle, self.count
        self.count += 1
        self.inside[s] = inside
        self.touched[s] = touched | set(inside)
        reads.update(inside)
        if isinstance(s, If) and jumps:
            self.jumping.add(s)
        return jumps and isinstance(s, If)

    def _note(self, s: Statement, depth: int) -> None:
        if isinstance(s, Assign):
            self._pair(depth, s.pairs)
        written = _written(s)
        if written is not None:
            self.live.takes.append((targets(s)[0], written))
        if isinstance(s, Evaluate):
            self._pair(depth, [(s.eqn.outs[j], s.eqn.args[k]) for k, j in s.eqn.attrs.get("takes", ())])

    def _pair(self, depth: int, pairs: Iterable[tuple[Value, Operand]]) -> None:
        self.live.moves += [(depth, v, x) for v, x in pairs if isinstance(x, Value) and x not in self.live.folded]


def _pairs(block: Block) -> Iterator[tuple[Value, Operand]]:
    """Each value that is taken out of a list, and an operand that is appended there."""
    pushed = {s.tape: s.operands for s in statements(block) if isinstance(s, Push)}
    for s in statements(block):
        for taken in list_reads(s):
            if len(taken.values) == len(appended := pushed.get(taken.filled, ())):
                yield from zip(taken.values, appended)


def _joined(spans: list[Span]) -> list[Span]:
    """The same positions as few spans, in order."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1] + 1:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def _written(s: Statement) -> Value | None:
    """The operand that `s` writes into."""
    if isinstance(s, Update):
        x = s.eqn.args[0]
    elif isinstance(s, Evaluate) and s.eqn.inplace is not None:
        x = s.eqn.args[s.eqn.inplace]
    else:
        return None
    return x if isinstance(x, Value) else None


def _bound(s: Statement) -> list[Value]:
    """What `s` assigns, with the variables of a loop and the parameters of a function."""
    if isinstance(s, Loop):
        return [v for v in (s.index, *(v for z in s.zipped for v in z.values)) if v is not None]
    return [*targets(s), *(s.params if isinstance(s, Define) else ())]
