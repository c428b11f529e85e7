"""The statement IR, between the IR and Python: structured statements that assign values.

Lowering turns results of regions into assignments, exits into jumps, and sequences into lists. Two choices remain:
which values become expressions (`inline_expressions`), and which share a variable (`variable_names`).

    v = cond(c, a, b)   ->   if c: v <- a   else: v <- b
    loop(..., init)     ->   p <- init; for ...: body; p <- result

A value may be assigned in several places. The passes of `polish` change blocks and statements in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Union

from sct.ir.core import Eqn, Loc, Operand, Value, free_values
from sct.ir.types import Optional

__all__ = [
    "Assign", "Block", "CheckBound", "Define", "Evaluate", "If", "Increment", "Jump", "Kernel", "ListRead", "Loop",
    "NewList", "Pop", "Push", "ReadAt", "Return", "Select", "Statement", "Update", "Zip", "all_blocks", "leaves",
    "statements", "uses_none",
]

Role = Callable[[Any], Sequence[Any]]
NOTHING: tuple[()] = ()


class Statement:
    """A statement. Each kind declares the roles of its fields, as functions of the statement.

    operands    what it reads whenever it runs, in the order of evaluation, without its blocks
    reads       the operands, and what it reads besides in each iteration or in one of its branches
    targets     the values that it assigns
    bound       the targets, and the variables of its blocks
    blocks      the blocks in it, in order
    list_reads  its reads of lists
    """

    operands: tuple[Operand, ...]
    reads: tuple[Operand, ...]
    targets: tuple[Value, ...]
    bound: tuple[Value, ...]
    blocks: tuple[Block, ...]
    list_reads: Sequence[ListRead]

    def __init_subclass__(cls, *, operands: Role | tuple[()], targets: Role | tuple[()], reads: Role | None = None,
                          bound: Role | None = None, blocks: Role | tuple[()] = NOTHING,
                          list_reads: Role | tuple[()] = NOTHING) -> None:
        roles = {"operands": operands, "reads": reads or operands, "targets": targets, "bound": bound or targets,
                 "blocks": blocks, "list_reads": list_reads}
        for name, role in roles.items():
            setattr(cls, name, property(role) if callable(role) else role)

    def replace_operands(self, replaced: Replacement) -> None:
        """Replace the operands, in place, but for lists and positions in lists."""


Block = list[Statement]
Replacement = Callable[[Operand], Operand]


@dataclass(eq=False)
class Evaluate(Statement, operands=lambda s: s.eqn.args if not s.eqn.regions else _with_free_values(s.eqn),
               targets=lambda s: s.eqn.outs):
    """outs = op(args); `inline_expressions` may make it an expression.

    like  the same equation with operands of the types to print by: `unwrap` has become its operand in `eqn`, whose
          type may be that of a variable that is not bound on every path
    """

    eqn: Eqn
    like: Eqn

    def replace_operands(self, replaced: Replacement) -> None:
        self.eqn = self.eqn.replace(args=_all(replaced, self.eqn.args))


@dataclass(eq=False)
class Assign(Statement, operands=lambda s: tuple([x for _, x in s.pairs]),
             targets=lambda s: tuple([v for v, _ in s.pairs])):
    """Parallel assignment of operands to values; those in `maybe_unbound` are not bound on every path."""

    pairs: list[tuple[Value, Operand]]
    maybe_unbound: frozenset[Operand] = frozenset()

    def replace_operands(self, replaced: Replacement) -> None:
        self.pairs = [(v, replaced(x)) for v, x in self.pairs]
        self.maybe_unbound = frozenset(map(replaced, self.maybe_unbound))


@dataclass(eq=False)
class If(Statement, operands=lambda s: (s.test,), targets=NOTHING, blocks=lambda s: (s.then, s.orelse)):
    test: Operand
    then: Block
    orelse: Block
    eqn: Eqn | None = None

    def replace_operands(self, replaced: Replacement) -> None:
        self.test = replaced(self.test)


@dataclass(eq=False)
class Select(Statement, operands=lambda s: (s.test,), reads=lambda s: (s.test, s.then, s.orelse),
             targets=lambda s: (s.value,)):
    """value = then if test else orelse; both branches are expressions.

    kind         "and" and "or" where one of the operands is the test, or a bool that the other one decides:
                 `test and then`, and `not test and orelse` where `then` is False
    conditional  the statement that this was
    """

    value: Value
    test: Operand
    then: Operand
    orelse: Operand
    kind: Literal["if", "and", "or"]
    conditional: If


@dataclass(eq=False)
class Update(Statement, operands=lambda s: (s.value, s.eqn.args[0], *s.eqn.args[2:]), targets=lambda s: s.eqn.outs):
    """x[key] op= value, where `eqn` stores in place what `by` computes; x op= value where `by` reads all of x."""

    eqn: Eqn
    by: Eqn
    value: Operand

    def replace_operands(self, replaced: Replacement) -> None:
        self.eqn, self.value = self.eqn.replace(args=_all(replaced, self.eqn.args)), replaced(self.value)


@dataclass(eq=False)
class Loop(Statement, operands=lambda s: (*s.bounds, *(z.tape for z in s.zipped), *_present(s.tape)),
           reads=lambda s: (*s.operands, *_present(s.test)), targets=NOTHING,
           bound=lambda s: (*_present(s.index), *(v for z in s.zipped for v in z.values)),
           blocks=lambda s: (s.head, s.body), list_reads=lambda s: s.zipped):
    """`for index in range(*bounds)`, `for values in tape`, `while test: ...` or `while tape:`.

    bounds   empty where the loop is not counted
    head     the statements before the predicate `test`, which are evaluated before each iteration
    tape     the list that is empty when the loop ends
    zipped   lists and arrays of which each iteration reads an element
    derives  the user's statement that a loop over elements differentiates
    """

    body: Block
    index: Value | None = None
    bounds: tuple[Operand, ...] = ()
    reverse: bool = False
    head: Block = field(default_factory=list)
    test: Operand | None = None
    tape: Value | None = None
    zipped: list[Zip] = field(default_factory=list)
    jumps: list[Jump] = field(default_factory=list)
    eqn: Eqn | None = None
    derives: Loc | None = None

    def replace_operands(self, replaced: Replacement) -> None:
        self.bounds = _all(replaced, self.bounds)
        self.test = None if self.test is None else replaced(self.test)


@dataclass(eq=False)
class Zip:
    """for values in tape, or in reversed(tape), where `tape` may be an array; `filled` as in `Pop`."""

    tape: Value
    values: tuple[Value, ...]
    filled: Value
    backwards: bool


@dataclass(eq=False)
class Jump(Statement, operands=NOTHING, targets=NOTHING):
    kind: Literal["break", "continue"]


@dataclass(eq=False)
class CheckBound(Statement, operands=lambda s: (s.value,), targets=NOTHING):
    """The user's code reads `value`, `free` of a function around: raise as Python does if it is not bound.

    always  no path binds it
    """

    value: Value
    free: bool
    always: bool = False


@dataclass(eq=False)
class NewList(Statement, operands=NOTHING, targets=lambda s: (s.tape,)):
    """tape = []"""

    tape: Value


@dataclass(eq=False)
class Push(Statement, operands=lambda s: (s.tape, *s.items), targets=NOTHING):
    """tape.append(items); those in `maybe_unbound` are not bound on every path."""

    tape: Value
    items: tuple[Operand, ...]
    maybe_unbound: frozenset[Operand] = frozenset()

    def replace_operands(self, replaced: Replacement) -> None:
        self.items = _all(replaced, self.items)
        self.maybe_unbound = frozenset(map(replaced, self.maybe_unbound))


@dataclass(eq=False)
class Pop(Statement, operands=lambda s: (s.tape,), targets=lambda s: s.values, list_reads=lambda s: (s,)):
    """values = tape.pop(); `filled` is the value that the list had where it was filled."""

    tape: Value
    values: tuple[Value, ...]
    filled: Value


@dataclass(eq=False)
class ReadAt(Statement, operands=lambda s: (s.tape, s.index), targets=lambda s: s.values, list_reads=lambda s: (s,)):
    """values = tape[index]; `filled` as in `Pop`."""

    tape: Value
    values: tuple[Value, ...]
    filled: Value
    index: Operand


@dataclass(eq=False)
class Increment(Statement, operands=lambda s: (s.count,), targets=lambda s: (s.count,)):
    """count += by"""

    count: Value
    by: int = 1


@dataclass(eq=False)
class Kernel(Statement, operands=NOTHING, targets=NOTHING, blocks=lambda s: (s.body,)):
    """Statements that become a function for Numba: it takes what they read and returns what they assign.

    is_in_range  are all subscripts of arrays proved to be in range, or checked by statements?
    """

    body: Block
    is_in_range: bool = False


@dataclass(eq=False)
class Define(Statement, operands=NOTHING, targets=lambda s: s.eqn.outs, bound=lambda s: (*s.eqn.outs, *s.params),
             blocks=lambda s: (s.body,)):
    """A nested function."""

    eqn: Eqn
    params: tuple[Value, ...]
    body: Block


@dataclass(eq=False)
class Return(Statement, operands=lambda s: s.results, targets=NOTHING):
    results: tuple[Operand, ...]

    def replace_operands(self, replaced: Replacement) -> None:
        self.results = _all(replaced, self.results)


ListRead = Union[Pop, ReadAt, Zip]


def uses_none(s: Evaluate) -> bool:
    """May an operand be None that is used as a number or an array, so that Python raises?"""
    return any(isinstance(x.type, Optional) and not isinstance(y.type, Optional)
               for x, y in zip(s.eqn.args, s.like.args))


def statements(block: Block) -> Block:
    """Every statement of a block and of the blocks in it, in order."""
    inner: Block = []

    def visit(block: Block) -> None:
        for s in block:
            inner.append(s)
            for b in s.blocks:
                visit(b)

    visit(block)
    return inner


def all_blocks(block: Block) -> list[Block]:
    """The block and all blocks in it."""
    return [block, *(inner for s in statements(block) for inner in s.blocks)]


def leaves(block: Block) -> bool:
    """Does control never reach the end of the block?"""
    last = block[-1] if block else None
    if isinstance(last, If):
        return leaves(last.then) and leaves(last.orelse)
    return isinstance(last, (Jump, Return)) or isinstance(last, Evaluate) and last.eqn.op.name == "raise_"


def _all(replaced: Replacement, xs: Iterable[Operand]) -> tuple[Operand, ...]:
    return tuple(map(replaced, xs))


def _present(x: Operand | None) -> tuple[Operand, ...]:
    return () if x is None else (x,)


def _with_free_values(eqn: Eqn) -> tuple[Operand, ...]:
    """The operands of `eqn`, and the free values of its regions."""
    return (*eqn.args, *(v for f in eqn.regions for v in free_values(f)))
