"""Tapes that the same iterations fill and empty are one tape.

    tape.append(x); y = f(x); tape1.append(y)     ->   y = f(x); tape.append((x, y))
    while tape: x = tape.pop(); y = tape1.pop()   ->   while tape: x, y = tape.pop()

Tapes have been laid out by the branches that fill them; this is for those whose branches have become one block since.
Between the appends nothing leaves the block, nothing writes to an array, and no variable that is appended gets its next
value.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

from sct.codegen.program.statement_ir import (
    Assign,
    Block,
    Evaluate,
    Loop,
    NewList,
    Pop,
    Push,
    Return,
    Statement,
    Update,
    all_blocks,
    statements,
)
from sct.ir.core import Operand, Value, has_effect
from sct.ops.program.call_ops import call

__all__ = ["join_tapes"]


def join_tapes(block: Block) -> Block:
    """The block, changed in place."""
    while _joins_two(block):
        pass
    return block


def _joins_two(block: Block) -> bool:
    everything, blocks = statements(block), all_blocks(block)
    uses = Counter(x for s in everything for x in (*s.reads, *s.targets) if isinstance(x, Value))
    conditions = Counter(s.tape for s in everything if isinstance(s, Loop) and s.tape is not None)
    pops = {s.tape: (s, b) for b in blocks for s in b if isinstance(s, Pop) and s.tape is s.filled}
    homes = {s.tape: b for b in blocks for s in b if isinstance(s, NewList)}
    successors = [pair for s in everything if isinstance(s, Assign) for pair in s.pairs]
    for inner in blocks:
        pushes = [s for s in inner if isinstance(s, Push) and s.tape in pops and s.tape in homes
                  and uses[s.tape] - conditions[s.tape] == 3]
        for first, last in itertools.pairwise(pushes):
            (pop, beside), (other, home) = pops[first.tape], pops[last.tape]
            between = inner[inner.index(first) + 1:inner.index(last)]
            if beside is home and homes[first.tape] is homes[last.tape] and _keeps(between, first, successors):
                _remove_list(homes[last.tape], last.tape)
                for s in everything:
                    if isinstance(s, Loop) and s.tape is last.tape:
                        s.tape = first.tape
                _join_pushes(inner, first, last)
                _join_pops(beside, pop, other)
                return True
    return False


def _keeps(between: Sequence[Statement], push: Push, successors: Sequence[tuple[Value, Operand]]) -> bool:
    """Does `push` append the same behind these statements, which always come to their end?

    successors  the values of variables, and the values that they get next
    """
    bound = {*push.items, *(x for v, x in successors if v in push.items)}
    return not any(s.blocks or isinstance(s, (Return, Update)) or not bound.isdisjoint(s.bound)
                   or isinstance(s, Evaluate) and (
                       has_effect(s.eqn) or s.eqn.inplace is not None or s.eqn.op.updates or s.eqn.op is call)
                   for s in between)


def _remove_list(block: Block, tape: Value) -> None:
    block[:] = [s for s in block if not (isinstance(s, NewList) and s.tape is tape)]


def _join_pushes(block: Block, first: Push, last: Push) -> None:
    last.items, last.tape = (*first.items, *last.items), first.tape
    last.maybe_unbound |= first.maybe_unbound
    block.remove(first)


def _join_pops(block: Block, first: Pop, last: Pop) -> None:
    earlier = min(first, last, key=block.index)
    values = (*first.values, *last.values)
    block[:] = [s for s in block if s not in (first, last) or s is earlier]
    earlier.values, earlier.tape, earlier.filled = values, first.tape, first.filled
