"""Returns out of branches:  if c: a; v <- x  else: b; v <- y; return v   ->   if c: a; return x; b; return y

What ends with a branch that decides the result leaves from its arms, the first arm early.
"""

from __future__ import annotations

from sct.codegen.program.statement_ir import Block, Define, If, Jump, Move, Return, Statement, statements
from sct.ir.core import Operand, Value

__all__ = ["returned_early"]


def returned_early(block: Block) -> Block:
    """The block of a function, and those of the functions in it, with returns in their last branches."""
    for s in statements(block):
        if isinstance(s, Define):
            s.body = returned_early(s.body)
    if len(block) < 2 or not isinstance(block[-1], Return) or not isinstance(block[-2], If):
        return block
    branch, last = block[-2], block[-1]
    if not _decides(branch, last):
        return block
    then, orelse = (returned_early(_ended(arm, last)) for arm in (branch.then, branch.orelse))
    return [*block[:-2], If(branch.test, then, [], branch.eqn), *orelse]


def _decides(branch: If, last: Return) -> bool:
    """Does each arm end with what is returned?"""
    ends = [dict(_end(arm)) for arm in (branch.then, branch.orelse)]
    read = [x for x in last.results if isinstance(x, Value)]
    return bool(read) and all(x in ends[0] and x in ends[1] or _is_outer(x, branch) for x in read) \
        and any(x in ends[0] for x in read) and not _adds(branch)


def _adds(branch: If) -> bool:
    """Does one arm change the result a little, and the other leave it as it is?"""
    short, long = sorted((branch.then, branch.orelse), key=len)
    return len(short) == 1 and len(long) <= 3 and all(isinstance(x, Value) for _, x in _end(short))


def _is_outer(x: Value, branch: If) -> bool:
    """Is `x` what it is, whatever arm is taken?"""
    assigned = {v for arm in (branch.then, branch.orelse) for s in statements(arm) if isinstance(s, Move)
                for v, _ in s.pairs}
    return x not in assigned


def _end(arm: Block) -> list[tuple[Value, Operand]]:
    if not arm or any(isinstance(s, (Jump, Return)) for s in arm):
        return []
    last = arm[-1]
    return [] if not isinstance(last, Move) or last.unsure else last.pairs


def _ended(arm: Block, last: Return) -> Block:
    pairs = dict(_end(arm))
    rest: list[Statement] = arm[:-1] if pairs else arm
    return [*rest, Return(tuple(pairs.get(x, x) if isinstance(x, Value) else x for x in last.results))]
