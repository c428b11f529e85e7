"""The statement IR, between the IR and Python: structured statements that assign values.

Lowering turns results of regions into assignments, exits into jumps, and sequences into lists. Two choices remain:
which values become expressions (`inline_expressions`), and which share a variable (`variable_names`).

    v = cond(c, a, b)   ->   if c: v <- a   else: v <- b
    loop(..., init)     ->   p <- init; for ...: body; p <- result

A value may be assigned in several places. The passes of `polish` change blocks and statements in place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, Union

from sct.ir.core import Eqn, Operand, Value, free_values

__all__ = [
    "Assign", "Block", "CheckBound", "Define", "Evaluate", "If", "Increment", "Jump", "Kernel", "ListRead", "Loop",
    "NewList", "Pop", "Push", "ReadAt", "Return", "Select", "Statement", "Update", "Zip", "all_blocks", "blocks",
    "list_reads", "operands", "reads", "replace_operands", "statements", "targets",
]


@dataclass(eq=False)
class Evaluate:
    """outs = op(args); `inline_expressions` may make it an expression.

    like  the same equation with operands of the types to print by: `unwrap` has become its operand in `eqn`, whose
          type may be that of a variable that is not bound on every path
    """

    eqn: Eqn
    like: Eqn


@dataclass(eq=False)
class Assign:
    """Parallel assignment of operands to values; those in `maybe_unbound` are not bound on every path."""

    pairs: list[tuple[Value, Operand]]
    maybe_unbound: frozenset[Operand] = frozenset()


@dataclass(eq=False)
class If:
    test: Operand
    then: list[Statement]
    orelse: list[Statement]
    eqn: Eqn | None = None


@dataclass(eq=False)
class Select:
    """value = then if test else orelse; both branches are expressions.

    kind         "and" and "or" where the test is itself one of the operands
    conditional  the statement that this was
    """

    value: Value
    test: Operand
    then: Operand
    orelse: Operand
    kind: Literal["if", "and", "or"]
    conditional: If


@dataclass(eq=False)
class Update:
    """x[key] op= value, where `eqn` stores in place what `by` computes; x op= value where `by` reads all of x."""

    eqn: Eqn
    by: Eqn
    value: Operand


@dataclass(eq=False)
class Loop:
    """`for index in range(*bounds)`, `for values in tape`, `while test: ...` or `while tape:`.

    bounds   empty where the loop is not counted
    test     the statements and the value of the predicate, evaluated before each iteration
    tape     the list that is empty when the loop ends
    zipped   lists and arrays of which each iteration reads an element
    """

    body: list[Statement]
    index: Value | None = None
    bounds: tuple[Operand, ...] = ()
    reverse: bool = False
    test: tuple[list[Statement], Operand] | None = None
    tape: Value | None = None
    zipped: list[Zip] = field(default_factory=list)
    jumps: list[Jump] = field(default_factory=list)
    eqn: Eqn | None = None


@dataclass(eq=False)
class Zip:
    """for values in tape, or in reversed(tape), where `tape` may be an array; `filled` as in `Pop`."""

    tape: Value
    values: tuple[Value, ...]
    filled: Value
    backwards: bool


@dataclass(eq=False)
class Jump:
    kind: Literal["break", "continue"]


@dataclass(eq=False)
class CheckBound:
    """The user's code reads `value`, `free` of a function around: raise as Python does if it is not bound."""

    value: Value
    free: bool


@dataclass(eq=False)
class NewList:
    """tape = []"""

    tape: Value


@dataclass(eq=False)
class Push:
    """tape.append(operands); those in `maybe_unbound` are not bound on every path."""

    tape: Value
    operands: tuple[Operand, ...]
    maybe_unbound: frozenset[Operand] = frozenset()


@dataclass(eq=False)
class Pop:
    """values = tape.pop(); `filled` is the value that the list had where it was filled."""

    tape: Value
    values: tuple[Value, ...]
    filled: Value


@dataclass(eq=False)
class ReadAt:
    """values = tape[index]; `filled` as in `Pop`."""

    tape: Value
    values: tuple[Value, ...]
    filled: Value
    index: Operand


@dataclass(eq=False)
class Increment:
    """count += by"""

    count: Value
    by: int = 1


@dataclass(eq=False)
class Kernel:
    """Statements that become a function for Numba: it takes what they read and returns what they assign."""

    body: list[Statement]


@dataclass(eq=False)
class Define:
    """A nested function."""

    eqn: Eqn
    params: tuple[Value, ...]
    body: list[Statement]


@dataclass(eq=False)
class Return:
    results: tuple[Operand, ...]


ListRead = Union[Pop, ReadAt, Zip]
Statement = Union[
    Assign, CheckBound, Define, Evaluate, If, Increment, Jump, Kernel, Loop, NewList, Pop, Push, ReadAt, Return, Select,
    Update]
Block = list[Statement]


def blocks(s: Statement) -> tuple[Block, ...]:
    """The blocks in a statement, in order."""
    if isinstance(s, If):
        return s.then, s.orelse
    if isinstance(s, Loop):
        return (s.body,) if s.test is None else (s.test[0], s.body)
    return (s.body,) if isinstance(s, (Define, Kernel)) else ()


def statements(block: Block) -> Iterator[Statement]:
    """Every statement of a block and of the blocks in it, in order."""
    todo = block[::-1]
    while todo:
        s = todo.pop()
        yield s
        for inner in reversed(blocks(s)):
            todo += reversed(inner)


def all_blocks(block: Block) -> list[Block]:
    """The block and all blocks in it."""
    return [block, *(inner for s in statements(block) for inner in blocks(s))]


def list_reads(s: Statement) -> Sequence[ListRead]:
    """The reads of lists in a statement itself."""
    return [s] if isinstance(s, (Pop, ReadAt)) else s.zipped if isinstance(s, Loop) else []


def reads(s: Statement) -> tuple[Operand, ...]:
    """The operands of a statement, the predicate of a loop, and both branches of a `Select`."""
    more: tuple[Operand, ...] = ()
    if isinstance(s, Loop) and s.test is not None:
        more = (s.test[1],)
    elif isinstance(s, Select):
        more = (s.then, s.orelse)
    return (*operands(s), *more)


def operands(s: Statement) -> tuple[Operand, ...]:
    """The operands that a statement itself reads, in the order of evaluation, without those of its blocks."""
    if isinstance(s, Evaluate):
        return s.eqn.args if not s.eqn.regions else (*s.eqn.args, *(v for f in s.eqn.regions for v in free_values(f)))
    if isinstance(s, Assign):
        return tuple(x for _, x in s.pairs)
    if isinstance(s, If):
        return (s.test,)
    if isinstance(s, Loop):
        tapes = (*(z.tape for z in s.zipped), *([s.tape] if s.tape else []))
        return (*s.bounds, *tapes)
    if isinstance(s, Push):
        return (s.tape, *s.operands)
    if isinstance(s, Pop):
        return (s.tape,)
    if isinstance(s, ReadAt):
        return (s.tape, s.index)
    if isinstance(s, Increment):
        return (s.count,)
    if isinstance(s, Return):
        return s.results
    if isinstance(s, CheckBound):
        return (s.value,)
    if isinstance(s, Select):
        return (s.test,)
    if isinstance(s, Update):
        return (s.value, *s.eqn.args[:1], *s.eqn.args[2:])
    return ()


def replace_operands(s: Statement, replaced: Callable[[Operand], Operand]) -> None:
    """Replace the operands of a statement, in place, but for lists and positions in lists."""

    def all_replaced(xs: Iterable[Operand]) -> tuple[Operand, ...]:
        return tuple(map(replaced, xs))

    if isinstance(s, Evaluate):
        s.eqn = s.eqn.replace(args=all_replaced(s.eqn.args))
    elif isinstance(s, Update):
        s.eqn, s.value = s.eqn.replace(args=all_replaced(s.eqn.args)), replaced(s.value)
    elif isinstance(s, Assign):
        s.pairs = [(v, replaced(x)) for v, x in s.pairs]
    elif isinstance(s, If):
        s.test = replaced(s.test)
    elif isinstance(s, Push):
        s.operands = all_replaced(s.operands)
    elif isinstance(s, Return):
        s.results = all_replaced(s.results)
    elif isinstance(s, Loop):
        s.bounds = all_replaced(s.bounds)
        s.test = None if s.test is None else (s.test[0], replaced(s.test[1]))


def targets(s: Statement) -> tuple[Value, ...]:
    """The values that a statement itself assigns."""
    if isinstance(s, Evaluate):
        return s.eqn.outs
    if isinstance(s, Assign):
        return tuple(v for v, _ in s.pairs)
    if isinstance(s, (Pop, ReadAt)):
        return s.values
    if isinstance(s, NewList):
        return (s.tape,)
    if isinstance(s, Increment):
        return (s.count,)
    if isinstance(s, (Define, Update)):
        return (s.eqn.out,)
    if isinstance(s, Select):
        return (s.value,)
    return ()
