"""Programs between the IR and Python: structured statements over values that are assigned.

Lowering turns results of regions into moves, exits into jumps and sequences into lists,
so that what is left is to choose which values are expressions (`fold`) and which share
a variable (`names`).

    v = cond(c, a, b)   ->   if c: v <- a   else: v <- b
    loop(..., init)     ->   p <- init; for ...: body; p <- result
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Union

from sct.ir.core import Eqn, Operand, Value, free_values

__all__ = [
    "Assigned", "At", "Block", "Define", "If", "Jump", "Kernel", "Let", "Loop", "Move", "NewList", "Pop", "Push",
    "Return", "Select", "Statement", "Tick", "Update", "Zip", "blocks", "operands", "statements", "targets",
]


@dataclass(eq=False)
class Let:
    """outs = op(args); an expression where `fold` says so.

    like  the equation whose operands have the types to print by: what is known to be
          assigned, where `eqn` reads what may be unassigned
    """

    eqn: Eqn
    like: Eqn


@dataclass(eq=False)
class Move:
    """Parallel assignment of operands to values; some sources may be unassigned."""

    pairs: list[tuple[Value, Operand]]
    unsure: frozenset[Operand] = frozenset()


@dataclass(eq=False)
class If:
    test: Operand
    then: list[Statement]
    orelse: list[Statement]
    eqn: Eqn | None = None


@dataclass(eq=False)
class Select:
    """value = then if test else orelse; the arms hold expressions alone.

    kind  "if", or "and", "or" where the test is itself one of the operands
    """

    value: Value
    test: Operand
    then: Operand
    orelse: Operand
    kind: str
    made_of: If


@dataclass(eq=False)
class Update:
    """x[key] op= value, of the in-place `store` of `by`; x op= value where `by` reads all of x."""

    eqn: Eqn
    by: Eqn
    value: Operand


@dataclass(eq=False)
class Loop:
    """`for index in range(*bounds)`, `for values in tape`, `while test: ...` or `while tape:`.

    bounds   empty where the loop is not counted
    test     the statements and the value of the test, evaluated before each trip
    tape     the list that the loop runs until it is empty
    zipped   lists and arrays read in step
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
    """for values in tape, or in reversed(tape), where `tape` may be an array; see Pop for `filled`"""

    tape: Value
    values: tuple[Value, ...]
    filled: Value
    backwards: bool


@dataclass(eq=False)
class Jump:
    """`break` or `continue`."""

    kind: str


@dataclass(eq=False)
class Assigned:
    """The user's code reads `value`: where None stands for what is not assigned, raise as Python does."""

    value: Value


@dataclass(eq=False)
class NewList:
    """tape = []"""

    tape: Value


@dataclass(eq=False)
class Push:
    """tape.append(operands), some of which may be unassigned"""

    tape: Value
    operands: tuple[Operand, ...]
    unsure: frozenset[Operand] = frozenset()


@dataclass(eq=False)
class Pop:
    """values = tape.pop(); `filled` is what the list was called when it was filled."""

    tape: Value
    values: tuple[Value, ...]
    filled: Value


@dataclass(eq=False)
class At:
    """values = tape[index]; see Pop for `filled`"""

    tape: Value
    values: tuple[Value, ...]
    filled: Value
    index: Operand


@dataclass(eq=False)
class Tick:
    """count += by"""

    count: Value
    by: int = 1


@dataclass(eq=False)
class Kernel:
    """Statements that are compiled as a function of what they read and assign."""

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


Statement = Union[
    Assigned, Let, Move, If, Loop, Jump, Kernel, NewList, Push, Pop, At, Tick, Define, Return, Select, Update]
Block = list[Statement]


def blocks(s: Statement) -> Iterator[Block]:
    """The blocks in a statement, in order."""
    if isinstance(s, If):
        yield s.then
        yield s.orelse
    elif isinstance(s, Loop):
        if s.test is not None:
            yield s.test[0]
        yield s.body
    elif isinstance(s, (Define, Kernel)):
        yield s.body


def statements(block: Block) -> Iterator[Statement]:
    """Every statement of a block and of the blocks in it, in order."""
    todo = block[::-1]
    while todo:
        s = todo.pop()
        yield s
        for inner in reversed([*blocks(s)]):
            todo += reversed(inner)


def operands(s: Statement) -> tuple[Operand, ...]:
    """What a statement itself reads, in the order of evaluation; not what its blocks read."""
    if isinstance(s, Let):
        return s.eqn.args if not s.eqn.regions else (*s.eqn.args, *(v for f in s.eqn.regions for v in free_values(f)))
    if isinstance(s, Move):
        return tuple(x for _, x in s.pairs)
    if isinstance(s, If):
        return (s.test,)
    if isinstance(s, Loop):
        lists = (*(z.tape for z in s.zipped), *([s.tape] if s.tape else []))
        return (*s.bounds, *lists)
    if isinstance(s, Push):
        return (s.tape, *s.operands)
    if isinstance(s, Pop):
        return (s.tape,)
    if isinstance(s, At):
        return (s.tape, s.index)
    if isinstance(s, Tick):
        return (s.count,)
    if isinstance(s, Return):
        return s.results
    if isinstance(s, Assigned):
        return (s.value,)
    if isinstance(s, Select):
        return (s.test,)
    if isinstance(s, Update):
        return (s.value, *s.eqn.args[:1], *s.eqn.args[2:])
    return ()


def targets(s: Statement) -> tuple[Value, ...]:
    """What a statement itself assigns."""
    if isinstance(s, Let):
        return s.eqn.outs
    if isinstance(s, Move):
        return tuple(v for v, _ in s.pairs)
    if isinstance(s, (Pop, At)):
        return s.values
    if isinstance(s, NewList):
        return (s.tape,)
    if isinstance(s, Tick):
        return (s.count,)
    if isinstance(s, (Define, Update)):
        return (s.eqn.out,)
    if isinstance(s, Select):
        return (s.value,)
    return ()
