"""Values that become expressions:  t = sin(x); y = t * x   ->   y = sin(x) * x

An unnamed value that is read once, in the block where it is made, is written where it
is read, unless that would

- change the order of what may raise or of effects,
- take it out of a `with`, or into it,
- read an array after a write that came behind the reading,
- read a variable after it was assigned anew, or
- make a line too long or too deep.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Literal, Union

from sct.codegen.polish.buffers import Buffers
from sct.codegen.polish.evaluation_order import Order
from sct.codegen.program.statement_ir import (
    Assign,
    Block,
    Define,
    Evaluate,
    If,
    Increment,
    Loop,
    Return,
    Select,
    Statement,
    Update,
    all_blocks,
    blocks,
    operands,
    reads,
    statements,
    targets,
)
from sct.codegen.program.templates import occurrences, width
from sct.ir.core import UNDEF, Eqn, Lit, Operand, Value
from sct.ir.types import BOOL, Tensor
from sct.ops import enter, leave
from sct.ops.program.list_ops import UPDATES

__all__ = ["Expression", "Inlined", "inline_expressions"]

Expression = Union[Evaluate, Select]
Inlined = dict[Value, Expression]

WIDEST = 72
WIDEST_OF_USER = 96
DEEPEST = 3
DEEPEST_OF_USER = 8
SHORT = 44


def inline_expressions(block: Block) -> Inlined:
    """Take the statements that become expressions out of `block`, in place; they are given back
    by the values that they make."""
    freed = list(_freed(block))
    folding = _Folding(block)
    folding.block(block)
    for s, k in freed:
        if s.eqn.args[k] not in folding.folded and s.eqn.out not in folding.folded:
            s.eqn = s.eqn.with_(inplace=k)
    return folding.folded


def _freed(block: Block) -> Iterator[tuple[Evaluate, int]]:
    """The statements that would take over an operand that may be written where it is read; they make a new
    array instead, of which NumPy takes over what it can."""
    uses = Counter(x for s in statements(block) for x in operands(s))
    for inner in all_blocks(block):
        made: dict[Operand, Evaluate] = {}
        for s in inner:
            if isinstance(s, Evaluate) and len(s.eqn.outs) == 1:
                k = s.eqn.inplace
                x = made.get(s.eqn.args[k]) if k is not None and s.eqn.op.name not in UPDATES else None
                if k is not None and x is not None and uses[x.eqn.out] == 1 \
                        and x.eqn.out.hint in (None, s.eqn.out.hint):
                    swap = _scalar_last(s.eqn)
                    s.eqn = s.eqn.with_(args=s.eqn.args[::-1] if swap else s.eqn.args, inplace=None)
                    yield s, 1 - k if swap else k
                made[s.eqn.out] = s


def _scalar_last(eqn: Eqn) -> bool:
    """Is this a product that `storage` wrote as array * scalar?"""
    ranks = [x.type.rank for x in eqn.args if isinstance(x.type, Tensor)]
    return eqn.op.name == "mul" and not eqn.primal and len(ranks) == 2 and ranks[0] > 0 == ranks[1]


class _Folding:
    def __init__(self, block: Block) -> None:
        self.folded: Inlined = {}
        self.uses: Counter[Value] = Counter()
        self.memory, self.order = Buffers(block), Order(block)
        for s in statements(block):
            self.uses.update(x for x in reads(s) if isinstance(x, Value))

    def block(self, block: Block, *, end: Sequence[Operand] = (), loose: bool = False) -> None:
        """Fold within `block` and the blocks in it; `end` is read after its last statement."""
        for s in block:
            self.inner(s)
        block[:] = [_as_select(s, self) for s in block]
        kept: set[Value] = set()
        inner = dict(self.folded)
        while late := self.walk(block, end, loose, kept):
            kept.update(late)
            self.folded = dict(inner)
        block[:] = [s for s in block if not (isinstance(s, (Evaluate, Select)) and _single(s) in self.folded)]

    def walk(self, block: Block, end: Sequence[Operand], loose: bool, kept: set[Value]) -> list[Value]:
        """Fold all but what is `kept`; what must not be folded either."""
        walk = _Walk(self, loose, kept)
        for s in block:
            walk.step(s)
        walk.consume(None, end)
        return self.order.late(block, end, self.folded)

    def inner(self, s: Statement) -> None:
        if isinstance(s, Loop) and s.test is not None:
            self.block(s.test[0], end=[s.test[1]], loose=True)
            self.block(s.body)
        elif isinstance(s, If) and _may_be_select(s):
            for arm in (s.then, s.orelse):
                self.block(arm, end=[x for m in arm if isinstance(m, Assign) for _, x in m.pairs])
        else:
            for each in blocks(s):
                self.block(each)


class _Walk:
    """One pass over a block.

    kept       what stays a statement
    waiting    the statements that may still become expressions, in order, and their number
    into       the value whose expression a folded one is a part of
    lookers    the expressions that read a buffer
    users      the expressions that read a value
    """

    def __init__(self, folding: _Folding, loose: bool, kept: Collection[Value]) -> None:
        self.folding, self.loose, self.kept = folding, loose, kept
        self.waiting: dict[Value, Expression] = {}
        self.number: dict[Value, int] = {}
        self.depth: dict[Value, int] = {}
        self.wide: dict[Value, int] = {}
        self.into: dict[Value, Value | None] = {}
        self.lookers: dict[Value, list[Value]] = {}
        self.users: dict[Operand, list[Value]] = {}
        self.count = 0
        self.read_at: dict[Operand, int] = {}

    def step(self, s: Statement) -> None:
        if isinstance(s, Evaluate) and s.eqn.op in (enter, leave):
            self.release([self.outermost(v) for v in self.waiting])
        self.consume(s, operands(s) if not isinstance(s, Assign) else self.late(s))
        candidate = isinstance(s, (Evaluate, Select)) and self.may_wait(s)
        if not candidate:
            self.emit(s)
        written = self.folding.memory.written(s) if not isinstance(s, Define) else set()
        if written or written is None:
            tree = self.tree(operands(s)) if candidate else set()
            seen = self.lookers.values() if written is None else [self.lookers.get(b, ()) for b in written]
            found = {v for group in seen for v in group if v in self.waiting and v not in tree}
            self.release(self.outermost(v) for v in sorted(found, key=self.number.__getitem__))
        self.reassigned(s)
        if candidate:
            v = _single(s)
            assert v is not None and isinstance(s, (Evaluate, Select))
            self.waiting[v] = s
            self.count += 1
            self.number[v] = self.count
            for b in self.looks_into(s):
                self.lookers.setdefault(b, []).append(v)
            for x in operands(s):
                self.users.setdefault(x, []).append(v)

    def may_wait(self, s: Expression) -> bool:
        v = _single(s)
        if v is None or self.folding.uses[v] != 1 or v in self.kept:
            return False
        if isinstance(s, Select):
            return v.hint is None or self.loose
        return not (s.eqn.inplace is not None or s.eqn.op.name in UPDATES or s.eqn.regions)

    # -- taking expressions into a statement -------------------------------------------------

    def consume(self, s: Statement | None, xs: Iterable[Operand]) -> None:
        """Fold what waits into `s`, where it may be an operand of it; `s` None: the end of the block."""
        members = [x for x in xs if isinstance(x, Value) and x in self.waiting and x not in self.folding.folded]
        members = [v for v in members if self.fits_in(v, s)]
        self.folding.folded.update((v, self.waiting[v]) for v in members)
        self.into.update(dict.fromkeys(members, _single(s) if s is not None else None))
        out = _single(s) if s is not None else None
        own = width(s) if s is not None else 0
        widest = WIDEST_OF_USER if s is not None and _is_users(s, *(self.waiting[v] for v in members)) else WIDEST
        while members and own + sum(self.wide[v] for v in members) > widest and not self.loose:
            worst = max(members, key=lambda v: self.wide[v])
            members.remove(worst)
            self.release([worst])
        if out is not None:
            self.depth[out] = max((self.depth[v] + _level(s, self.waiting[v]) for v in members), default=_level(s))
            self.wide[out] = own + sum(self.wide[v] for v in members)

    def fits_in(self, v: Value, s: Statement | None) -> bool:
        made = self.waiting[v]
        if s is None:
            return self.loose or v.hint is None
        if isinstance(s, Assign):
            return self.depth[v] < DEEPEST and v.hint in (None, next(t.hint for t, x in s.pairs if x is v))
        if v.hint is not None and isinstance(made, Evaluate) and made.eqn.op.name not in ("item_of", "pack") \
                and not self.loose and not self.is_short_write(v, made, s):
            out = _single(s)
            same = out is not None and out.hint == v.hint and isinstance(s, Evaluate) and not s.eqn.primal
            if not same or made.eqn.primal:
                return False
        if isinstance(s, (Evaluate, Update)) and not _foldable_operand(s, v):
            return False
        if self.loose or _is_users(made, s):
            return self.loose or self.depth[v] < DEEPEST_OF_USER
        return self.depth[v] < DEEPEST + (isinstance(s, Return) or _is_step(s, v) or self.wide[v] <= SHORT)

    def is_short_write(self, v: Value, made: Evaluate, s: Statement) -> bool:
        """Is what differentiation named written into an array at once, on a short line?"""
        return (not made.eqn.primal and self.wide[v] <= SHORT
                and (isinstance(s, Update) or isinstance(s, Evaluate) and s.eqn.op.name in UPDATES))

    def late(self, s: Assign) -> list[Operand]:
        """The sources of a parallel move that cannot be made in the variable they go to where they stand, as
        it is itself a source, or read further on."""
        sources = [x for _, x in s.pairs]
        return [x for v, x in s.pairs if v in sources or isinstance(x, Value) and x in self.waiting
                and self.read_at.get(v, 0) > self.number[x]]

    def emit(self, s: Statement) -> None:
        """`s` stays a statement: what it takes in is evaluated now."""
        self.count += 1
        inside = self.tree(operands(s))
        for each in (s, *(self.waiting[v] for v in inside)):
            self.read_at.update(dict.fromkeys(operands(each), self.count))
        for v in self.tree(operands(s)):
            self.waiting.pop(v, None)

    def tree(self, xs: Iterable[Operand]) -> set[Value]:
        found: set[Value] = set()
        work = [x for x in xs if isinstance(x, Value)]
        while work:
            v = work.pop()
            if self.is_folded(v) and v not in found:
                found.add(v)
                work += [x for x in operands(self.waiting[v]) if isinstance(x, Value)]
        return found

    def outermost(self, v: Value) -> Value:
        """The waiting expression that `v` is a part of."""
        while self.is_folded(v) and (into := self.into.get(v)) in self.waiting and into is not None:
            v = into
        return v

    def is_folded(self, v: Value) -> bool:
        return v in self.waiting and v in self.folding.folded

    def release(self, values: Iterable[Value]) -> None:
        """Make statements of these after all, the outermost first."""
        for v in sorted(dict.fromkeys(values), key=lambda v: -self.number[v]):
            if v in self.waiting:
                inside = self.tree(operands(self.waiting[v]))
                self.folding.folded.pop(v, None)
                for x in (v, *inside):
                    del self.waiting[x]

    # -- what must not be passed ----------------------------------------------------------------

    def looks_into(self, made: Expression) -> set[Value]:
        """The buffers that an expression reads."""
        memory = self.folding.memory
        parts = [made, *(_expressions(made, self.folding.folded) if isinstance(made, Select) else ())]
        return {b for s in parts for b in memory.read(s, operands(s))}

    def reassigned(self, s: Statement) -> None:
        """Release what reads a value that `s` assigns anew."""
        if isinstance(s, (Assign, Increment)):
            found = {v for x in targets(s) for v in self.users.get(x, ()) if v in self.waiting}
            self.release([self.outermost(v) for v in sorted(found, key=self.number.__getitem__)])


def _single(s: Statement) -> Value | None:
    made = targets(s) if isinstance(s, (Evaluate, Select)) else ()
    return made[0] if len(made) == 1 else None


def _level(s: Statement | None, part: Expression | None = None) -> int:
    """What `s` adds to the depth of an expression, around `part`: nothing in a row of sums or of products."""
    if not isinstance(s, Evaluate):
        return 1
    if isinstance(part, Evaluate) and s.eqn.args and s.eqn.args[0] is part.eqn.out \
            and any(s.eqn.op.name in row and part.eqn.op.name in row for row in _ROWS):
        return 0
    return int(s.eqn.op.name not in ("index", "neg", "dim", "item_of"))


_ROWS = (("add", "sub"), ("mul", "div"))


def _is_users(*parts: Statement) -> bool:
    """Is all of this the user's own arithmetic?  What has no name is then of one expression."""
    return all(isinstance(s, (Evaluate, Update)) and s.eqn.primal for s in parts)


def _is_step(s: Statement, v: Value) -> bool:
    """Is `v` what a variable is changed by, as in `dx += v`?"""
    if not isinstance(s, Evaluate) or s.eqn.op.name not in ("add", "sub") or s.eqn.args[1] is not v:
        return False
    before = s.eqn.args[0]
    return isinstance(before, Value) and before.hint is not None and before.hint == s.eqn.out.hint


def _foldable_operand(s: Evaluate | Update, v: Value) -> bool:
    """May `v` be an expression where `s` reads it?"""
    if isinstance(s, Update):
        return v is s.value or v in s.eqn.args[2:]
    if s.eqn.op.name in UPDATES or s.eqn.inplace is not None:
        k = s.eqn.inplace or 0
        if s.eqn.args[k] is v:
            return False
    return occurrences(s)[s.eqn.args.index(v)] == 1 if v in s.eqn.args else False


# -- branches as expressions ------------------------------------------------------------------


def _may_be_select(s: If) -> bool:
    """Is each arm one move of one value, and little else?"""
    moves = [[m for m in arm if isinstance(m, Assign)] for arm in (s.then, s.orelse)]
    if any(len(m) != 1 or len(m[0].pairs) != 1 for m in moves):
        return False
    value, other = (m[0].pairs[0][0] for m in moves)
    if value is not other or any(isinstance(x, Lit) and x.value is UNDEF for m in moves for _, x in m[0].pairs):
        return False
    others = [x for arm in (s.then, s.orelse) for x in arm if not isinstance(x, Assign)]
    if value.hint is not None and not _is_expression(s, value.hint):
        return False
    return len(others) <= 8 and all(isinstance(x, Evaluate) or isinstance(x, If) and _may_be_select(x) for x in others)


def _is_expression(s: If, name: str) -> bool:
    """Did the user write this branch on a line, and not to change `name` in an arm?"""
    loc = s.eqn.loc if s.eqn is not None and s.eqn.primal else None
    sources = [x for arm in (s.then, s.orelse) for m in arm if isinstance(m, Assign) for _, x in m.pairs]
    return loc is not None and loc.line == loc.end_line and all(x.hint != name for x in sources)


def _as_select(s: Statement, folding: _Folding) -> Statement:
    """The branch as an expression, if its arms are nothing else after folding."""
    if not isinstance(s, If) or not _may_be_select(s) or len(s.then) != 1 or len(s.orelse) != 1:
        return s if not isinstance(s, If) else _unfolded(s, folding)
    (then,), (orelse,) = s.then, s.orelse
    assert isinstance(then, Assign) and isinstance(orelse, Assign)
    (value, a), (_, b) = then.pairs[0], orelse.pairs[0]
    kind: Literal["if", "and", "or"] = "if"
    if b is s.test or b == Lit(False) and s.test.type == BOOL:
        kind = "and"
    elif a is s.test or a == Lit(True) and s.test.type == BOOL:
        kind = "or"
    if isinstance(s.test, Value) and (a is s.test or b is s.test):
        folding.uses[s.test] -= 1
    return Select(value, s.test, a, b, kind, s)


def _unfolded(s: If, folding: _Folding) -> If:
    """Arms that stay blocks: what was folded into their moves are statements again."""
    if _may_be_select(s):
        for arm in (s.then, s.orelse):
            arm[:] = [x for m in arm for x in _spelled_out(m, folding)]
    return s


def _spelled_out(s: Statement, folding: _Folding) -> list[Statement]:
    if not isinstance(s, Assign):
        return [s]
    made = [folding.folded.pop(x) for _, x in s.pairs if isinstance(x, Value) and x in folding.folded]
    return [*made, s]


def _expressions(s: Select, folded: Inlined) -> list[Expression]:
    """Everything that is evaluated for a branch that is an expression."""
    found: list[Expression] = []
    work: list[Operand] = [s.then, s.orelse]
    while work:
        x = work.pop()
        made = folded.get(x) if isinstance(x, Value) else None
        if made is not None:
            found.append(made)
            work += [*operands(made), *((made.then, made.orelse) if isinstance(made, Select) else ())]
    return found
