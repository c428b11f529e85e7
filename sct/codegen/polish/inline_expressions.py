"""Forward substitution of values by their expressions.

    t = sin(x); y = t * x   ->   y = sin(x) * x

An unnamed value that is read once, in the block that defines it, is inlined where it is read, unless that would

- change the order of what may raise or of effects,
- take it out of a `with`, or into it, or into a `try`,
- move the read of an array behind a write into it,
- move the read of a variable behind another assignment to it, or
- make a line too long or too deeply nested.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal, Union

from sct.codegen.polish.buffers import Buffers
from sct.codegen.polish.evaluation_order import EvaluationOrder
from sct.codegen.program.statement_ir import (
    Assign,
    Block,
    Define,
    Evaluate,
    If,
    Increment,
    Loop,
    Push,
    Return,
    Select,
    Statement,
    Update,
    all_blocks,
    statements,
)
from sct.codegen.program.templates import occurrences, width
from sct.ir.core import Eqn, Lit, Operand, Value, is_undef
from sct.ir.types import BOOL, Tensor
from sct.ops import aliases, attempt, copy, enter, leave
from sct.ops.arrays.indexing import written

__all__ = ["Expression", "Inlined", "inline_expressions"]

Expression = Union[Evaluate, Select]
Inlined = dict[Value, Expression]

MAX_WIDTH = 72
MAX_WIDTH_OF_USER = 96
MAX_DEPTH = 3
MAX_DEPTH_OF_USER = 8
SHORT_WIDTH = 44


def inline_expressions(block: Block) -> Inlined:
    """Remove the statements that become expressions from `block`, in place; returns them by the values they define."""
    freed = list(_inplace_to_fresh(block))
    inliner = _Inliner(block)
    inliner.block(block)
    for s, k in freed:
        if s.eqn.args[k] not in inliner.inlined and s.eqn.out not in inliner.inlined:
            s.eqn = s.eqn.replace(inplace=k)
    return inliner.inlined


def _inplace_to_fresh(block: Block) -> Iterator[tuple[Evaluate, int]]:
    """Make updates in place of an operand that may be inlined allocate a new array instead.

    NumPy itself reuses the buffer of such a temporary. Yields each statement, and the operand that it updated, if that
    has a buffer of its own: into that of another value, which is read later now, it cannot be updated any more.
    """
    uses = Counter(x for s in statements(block) for x in s.operands)
    views = _written_views(block)
    for inner in all_blocks(block):
        definitions: dict[Operand, Evaluate] = {}
        for s in inner:
            if isinstance(s, Evaluate) and len(s.eqn.outs) == 1:
                k = s.eqn.inplace
                operand = definitions.get(s.eqn.args[k]) if k is not None and not s.eqn.op.updates else None
                if k is not None and operand is not None and uses[operand.eqn.out] == 1 \
                        and s.eqn.out not in views and operand.eqn.out.hint in (None, s.eqn.out.hint):
                    swap = _scalar_last(s.eqn)
                    s.eqn = s.eqn.replace(args=s.eqn.args[::-1] if swap else s.eqn.args, inplace=None)
                    if _owns_buffer(operand, definitions, uses):
                        yield s, 1 - k if swap else k
                definitions[s.eqn.out] = s


def _written_views(block: Block) -> set[Operand]:
    """The values of views that are written in place and never stored into their base.

    A block for Numba may update a variable into itself, and several times.
    """
    operands: dict[Operand, list[Operand]] = {}
    todo: list[Operand] = []
    for s in statements(block):
        if isinstance(s, Evaluate) and s.eqn.inplace is not None:
            operands.setdefault(s.eqn.outs[0], []).append(s.eqn.args[s.eqn.inplace])
            todo += [s.eqn.args[1]] if s.eqn.op is written else []
    views: set[Operand] = set()
    while todo:
        x = todo.pop()
        if x in operands and x not in views:
            views.add(x)
            todo += operands[x]
    return views


def _owns_buffer(s: Evaluate, definitions: Mapping[Operand, Evaluate], uses: Mapping[Operand, int]) -> bool:
    """Is the value of `s`, or what it is a view of, new memory that nothing else reads?"""
    while aliases(s.like) != "none":
        base = s.eqn.args[s.eqn.op.alias_of]
        if base not in definitions or uses[base] != 1:
            return False
        s = definitions[base]
    return True


def _scalar_last(eqn: Eqn) -> bool:
    """Is this a product that the pass `in_place` has written as array * scalar?"""
    ranks = [x.type.rank for x in eqn.args if isinstance(x.type, Tensor)]
    return eqn.op.name == "mul" and not eqn.primal and len(ranks) == 2 and ranks[0] > 0 == ranks[1]


class _Inliner:
    """Inlines expressions in a block and the blocks in it.

    inlined  the expressions of the values that are inlined
    uses     value -> the number of its reads
    """

    def __init__(self, block: Block) -> None:
        self.inlined: Inlined = {}
        self.uses: Counter[Value] = Counter()
        self.buffers, self.evaluation_order = Buffers(block), EvaluationOrder(block)
        for s in statements(block):
            self.uses.update(x for x in s.reads if isinstance(x, Value))

    def block(self, block: Block, *, end: Sequence[Operand] = (), unlimited: bool = False) -> None:
        """Inline within `block` and the blocks in it.

        end        operands that are read after its last statement
        unlimited  inline without regard to names, width and depth
        """
        for s in block:
            self.inner_blocks(s)
        block[:] = [_to_select(s, self) for s in block]
        statements_only: set[Value] = set()
        inner = dict(self.inlined)
        while out_of_order := self.walk(block, end, unlimited, statements_only):
            statements_only.update(out_of_order)
            self.inlined = dict(inner)
        block[:] = [s for s in block if not (isinstance(s, (Evaluate, Select)) and _only_target(s) in self.inlined)]

    def walk(self, block: Block, end: Sequence[Operand], unlimited: bool, statements_only: set[Value]) -> list[Value]:
        """Inline all but `statements_only`; returns the expressions that this evaluates out of order."""
        walk = _BlockWalk(self, unlimited, statements_only)
        for s in block:
            walk.step(s)
        walk.inline_operands(None, end, None)
        return self.evaluation_order.out_of_order(block, end, self.inlined)

    def inner_blocks(self, s: Statement) -> None:
        if isinstance(s, Loop) and s.test is not None:
            self.block(s.head, end=[s.test], unlimited=True)
            self.block(s.body)
        elif isinstance(s, If) and _may_be_expression(s):
            for branch in (s.then, s.orelse):
                self.block(branch, end=[x for m in branch if isinstance(m, Assign) for _, x in m.pairs])
        else:
            for inner in s.blocks:
                self.block(inner)


class _BlockWalk:
    """One pass over a block.

    statements_only    values that stay statements
    pending            the statements that may still become expressions
    order              the order of these
    inlined_into       inlined value -> the value whose expression it is a part of
    readers_of_buffer  buffer -> the pending expressions that read it
    readers            value -> the pending expressions that read it
    last_read          operand -> the last statement that reads it, as a number in `order`
    """

    def __init__(self, inliner: _Inliner, unlimited: bool, statements_only: Collection[Value]) -> None:
        self.inliner, self.unlimited, self.statements_only = inliner, unlimited, statements_only
        self.pending: dict[Value, Expression] = {}
        self.order: dict[Value, int] = {}
        self.depth: dict[Value, int] = {}
        self.width: dict[Value, int] = {}
        self.inlined_into: dict[Value, Value | None] = {}
        self.readers_of_buffer: dict[Value, list[Value]] = {}
        self.readers: dict[Operand, list[Value]] = {}
        self.count = 0
        self.last_read: dict[Operand, int] = {}

    def step(self, s: Statement) -> None:
        """Visit the next statement of the block: inline its operands, and keep as statements what it must not pass."""
        if isinstance(s, Evaluate) and s.eqn.op in (enter, leave):
            self.keep_as_statements([self.outermost(v) for v in self.pending])
        if isinstance(s, Evaluate) and s.eqn.op is attempt:  # what it does not attempt stays outside of the `try`
            ordered = self.inliner.evaluation_order.is_ordered
            self.keep_as_statements([self.outermost(v) for v, e in self.pending.items() if ordered(e)])
        candidate = self.candidate(s)
        self.inline_operands(s, s.operands if not isinstance(s, Assign) else self.unmovable_sources(s), candidate)
        if candidate is None:
            self.evaluate(s)
        self.keep_readers(s, candidate)
        if candidate is not None and isinstance(s, (Evaluate, Select)):
            self.pending[candidate] = s
            self.count += 1
            self.order[candidate] = self.count
            for b in self.buffers_read(s):
                self.readers_of_buffer.setdefault(b, []).append(candidate)
            for x in s.operands:
                self.readers.setdefault(x, []).append(candidate)

    def candidate(self, s: Statement) -> Value | None:
        """The value that `s` defines, if its expression may be inlined where it is read."""
        v = _only_target(s)
        if v is None or self.inliner.uses[v] != 1 or v in self.statements_only:
            return None
        if isinstance(s, Evaluate):
            return None if s.eqn.inplace is not None or s.eqn.op.updates or s.eqn.regions else v
        return v if v.hint is None or self.unlimited else None

    # -- inlining expressions into a statement -----------------------------------------------

    def inline_operands(self, s: Statement | None, xs: Iterable[Operand], out: Value | None) -> None:
        """Inline pending expressions among the operands `xs` of `s`; `s` is None at the end of the block.

        out  the value of `s`, if that may be inlined in turn
        """
        parts = [x for x in xs if isinstance(x, Value) and x in self.pending and x not in self.inliner.inlined]
        parts = [v for v in parts if self.fits_in(v, s)]
        if not parts and out is None:
            return
        self.inliner.inlined.update((v, self.pending[v]) for v in parts)
        self.inlined_into.update(dict.fromkeys(parts, out))
        own_width = width(s) if s is not None else 0
        primal = s is not None and _is_primal(s, *(self.pending[v] for v in parts))
        max_width = MAX_WIDTH_OF_USER if primal else MAX_WIDTH
        while parts and own_width + sum(self.width[v] for v in parts) > max_width and not self.unlimited:
            widest = max(parts, key=lambda v: self.width[v])
            parts.remove(widest)
            self.keep_as_statements([widest])
        if out is not None:
            depths = (self.depth[v] + _added_depth(s, self.pending[v]) for v in parts)
            self.depth[out] = max(depths, default=_added_depth(s))
            self.width[out] = own_width + sum(self.width[v] for v in parts)

    def fits_in(self, v: Value, s: Statement | None) -> bool:
        """May the pending expression `v` be inlined into `s`?"""
        expr, depth = self.pending[v], self.depth[v]
        if s is None:
            return self.unlimited or v.hint is None
        if isinstance(s, Assign):
            return depth < MAX_DEPTH and v.hint in (None, next(t.hint for t, x in s.pairs if x is v))
        if v.hint is not None and isinstance(expr, Evaluate) and expr.eqn.op.name not in ("item_of", "pack") \
                and not self.unlimited and not self.is_short_write(v, expr, s):
            out = _only_target(s)
            same_name = out is not None and out.hint == v.hint and isinstance(s, Evaluate) and not s.eqn.primal
            if not same_name or expr.eqn.primal:
                return False
        if isinstance(s, (Evaluate, Update)) and not _is_inlinable_operand(s, v):
            return False
        if self.unlimited or _is_primal(expr, s):
            return self.unlimited or depth < MAX_DEPTH_OF_USER
        one_more = isinstance(s, Return) or _is_increment(s, v) or self.width[v] <= SHORT_WIDTH
        return depth < MAX_DEPTH + one_more

    def is_short_write(self, v: Value, expression: Evaluate, s: Statement) -> bool:
        """Is a named value of adjoint code only written into an array, or a copy put on a tape, on a short line?

        So is a value of the user's that has the name of the list into which it is written: `v[i] = v[i] + a`."""
        if isinstance(s, Push):
            return len(s.items) == 1 and expression.eqn.op is copy and self.width[v] <= SHORT_WIDTH
        is_write = isinstance(s, Update) or isinstance(s, Evaluate) and s.eqn.op.updates
        return is_write and self.width[v] <= SHORT_WIDTH and (
            not expression.eqn.primal or isinstance(s, Evaluate) and v.hint == s.eqn.args[0].hint)

    def unmovable_sources(self, s: Assign) -> list[Operand]:
        """The sources of a parallel assignment that cannot be computed in their target where they are defined.

        The target is itself a source, or it is read after the definition.
        """
        sources = {x for _, x in s.pairs}
        return [x for v, x in s.pairs if v in sources or isinstance(x, Value) and x in self.pending
                and self.last_read.get(v, 0) > self.order[x]]

    def evaluate(self, s: Statement) -> None:
        """`s` stays a statement, so the expressions inlined into it are evaluated here."""
        self.count += 1
        parts = self.inlined_parts(s.operands)
        for t in (s, *(self.pending[v] for v in parts)):
            self.last_read.update(dict.fromkeys(t.operands, self.count))
        for v in parts:
            self.pending.pop(v, None)

    def inlined_parts(self, xs: Iterable[Operand]) -> set[Value]:
        """The pending expressions that are inlined, directly or not, into the operands `xs`."""
        parts: set[Value] = set()
        work = [x for x in xs if isinstance(x, Value)]
        while work:
            v = work.pop()
            if self.is_inlined(v) and v not in parts:
                parts.add(v)
                work += [x for x in self.pending[v].operands if isinstance(x, Value)]
        return parts

    def outermost(self, v: Value) -> Value:
        """The pending expression that `v` is a part of."""
        while self.is_inlined(v) and (into := self.inlined_into.get(v)) in self.pending and into is not None:
            v = into
        return v

    def is_inlined(self, v: Value) -> bool:
        return v in self.pending and v in self.inliner.inlined

    def keep_as_statements(self, values: Iterable[Value]) -> None:
        """Give up the inlining of these values, the outermost first."""
        for v in sorted(dict.fromkeys(values), key=lambda v: -self.order[v]):
            if v in self.pending:
                parts = self.inlined_parts(self.pending[v].operands)
                self.inliner.inlined.pop(v, None)
                for x in (v, *parts):
                    del self.pending[x]

    # -- writes and assignments ------------------------------------------------------------------

    def buffers_read(self, expression: Expression) -> set[Value]:
        """The buffers that an expression reads."""
        inner = _branch_expressions(expression, self.inliner.inlined) if isinstance(expression, Select) else ()
        return {b for s in (expression, *inner) for b in self.inliner.buffers.read(s, s.operands)}

    def keep_readers(self, s: Statement, candidate: Value | None) -> None:
        """Keep as statements the pending expressions that read a buffer that `s` writes, or a value that it assigns."""
        written = self.inliner.buffers.written(s) if not isinstance(s, Define) else set()
        if written or written is None:
            own_parts = self.inlined_parts(s.operands) if candidate is not None else set()
            by_buffer = self.readers_of_buffer
            groups = by_buffer.values() if written is None else [by_buffer.get(b, ()) for b in written]
            self.keep_outermost({v for group in groups for v in group if v not in own_parts})
        if isinstance(s, (Assign, Increment)):
            self.keep_outermost({v for x in s.targets for v in self.readers.get(x, ())})

    def keep_outermost(self, values: set[Value]) -> None:
        """Give up the inlining of the pending expressions that these are parts of."""
        pending = sorted((v for v in values if v in self.pending), key=self.order.__getitem__)
        self.keep_as_statements([self.outermost(v) for v in pending])


def _only_target(s: Statement) -> Value | None:
    values = s.targets if isinstance(s, (Evaluate, Select)) else ()
    return values[0] if len(values) == 1 else None


def _added_depth(s: Statement | None, part: Expression | None = None) -> int:
    """The depth that `s` adds to an expression around `part`: none in a chain of sums or of products."""
    if not isinstance(s, Evaluate):
        return 1
    if isinstance(part, Evaluate) and s.eqn.args and s.eqn.args[0] is part.eqn.out \
            and any(s.eqn.op.name in chain and part.eqn.op.name in chain for chain in _CHAINS):
        return 0
    return int(s.eqn.op.name not in ("index", "neg", "dim", "item_of"))


_CHAINS = (("add", "sub"), ("mul", "div"))


def _is_primal(*parts: Statement) -> bool:
    """Is all of this the user's own arithmetic?  Its unnamed values then come from one expression of the user's."""
    return all(isinstance(s, (Evaluate, Update)) and s.eqn.primal for s in parts)


def _is_increment(s: Statement, v: Value) -> bool:
    """Is `v` the increment of a variable, as in `dx += v`?"""
    if not isinstance(s, Evaluate) or s.eqn.op.name not in ("add", "sub") or s.eqn.args[1] is not v:
        return False
    before = s.eqn.args[0]
    return isinstance(before, Value) and before.hint is not None and before.hint == s.eqn.out.hint


def _is_inlinable_operand(s: Evaluate | Update, v: Value) -> bool:
    """May `v` be an expression where `s` reads it?"""
    if isinstance(s, Update):
        return v is s.value or v in s.eqn.args[2:]
    if s.eqn.op is written:
        return False
    if s.eqn.op.updates or s.eqn.inplace is not None:
        k = s.eqn.inplace or 0
        if s.eqn.args[k] is v:
            return False
    return occurrences(s)[s.eqn.args.index(v)] == 1 if v in s.eqn.args else False


# -- conditionals as expressions --------------------------------------------------------------


def _may_be_expression(s: If) -> bool:
    """Is each branch one assignment to the same value, and little else?"""
    moves = [[m for m in branch if isinstance(m, Assign)] for branch in (s.then, s.orelse)]
    if any(len(m) != 1 or len(m[0].pairs) != 1 for m in moves):
        return False
    value, other = (m[0].pairs[0][0] for m in moves)
    if value is not other or any(is_undef(x) for m in moves for _, x in m[0].pairs):
        return False
    others = [t for branch in (s.then, s.orelse) for t in branch if not isinstance(t, Assign)]
    if value.hint is not None and not _is_on_one_line(s, value.hint):
        return False
    return len(others) <= 8 and all(
        isinstance(t, Evaluate) or isinstance(t, If) and _may_be_expression(t) for t in others)


def _is_on_one_line(s: If, name: str) -> bool:
    """Is this a conditional expression of the user's on one line, and no branch keeps the old value of `name`?"""
    loc = s.eqn.loc if s.eqn is not None and s.eqn.primal else None
    sources = [x for branch in (s.then, s.orelse) for m in branch if isinstance(m, Assign) for _, x in m.pairs]
    return loc is not None and loc.line == loc.end_line and all(x.hint != name for x in sources)


def _to_select(s: Statement, inliner: _Inliner) -> Statement:
    """The conditional as an expression, if its branches are only expressions after inlining."""
    if not isinstance(s, If) or not _may_be_expression(s) or len(s.then) != 1 or len(s.orelse) != 1:
        return s if not isinstance(s, If) else _restore_statements(s, inliner)
    (then,), (orelse,) = s.then, s.orelse
    assert isinstance(then, Assign) and isinstance(orelse, Assign)
    (value, a), (_, b) = then.pairs[0], orelse.pairs[0]
    kind: Literal["if", "and", "or"] = "if"
    if b is s.test or b == Lit(False) and s.test.type == BOOL or a == Lit(False) and b != Lit(True):
        kind = "and"
    elif a is s.test or a == Lit(True) and s.test.type == BOOL or b == Lit(True) and a != Lit(False):
        kind = "or"
    if isinstance(s.test, Value) and (a is s.test or b is s.test):
        inliner.uses[s.test] -= 1
    return Select(value, s.test, a, b, kind, s)


def _restore_statements(s: If, inliner: _Inliner) -> If:
    """A conditional that stays one: the expressions inlined into its assignments are statements again."""
    if _may_be_expression(s):
        for branch in (s.then, s.orelse):
            branch[:] = [t for m in branch for t in _with_inlined_sources(m, inliner)]
    return s


def _with_inlined_sources(s: Statement, inliner: _Inliner) -> list[Statement]:
    if not isinstance(s, Assign):
        return [s]
    sources = [inliner.inlined.pop(x) for _, x in s.pairs if isinstance(x, Value) and x in inliner.inlined]
    return [*sources, s]


def _branch_expressions(s: Select, inlined: Inlined) -> list[Expression]:
    """All expressions in the branches of a conditional expression."""
    expressions: list[Expression] = []
    work: list[Operand] = [s.then, s.orelse]
    while work:
        x = work.pop()
        expression = inlined.get(x) if isinstance(x, Value) else None
        if expression is not None:
            expressions.append(expression)
            work += expression.reads
    return expressions
