"""A conditional that decides the result returns from its branches, the first one early.

    if c: a; v <- x  else: b; v <- y; return v   ->   if c: a; return x; b; return y
"""

from __future__ import annotations

from sct.codegen.program.statement_ir import Assign, Block, Define, If, Jump, Return, Statement, statements
from sct.ir.core import Operand, Value

__all__ = ["return_early"]


def return_early(block: Block) -> Block:
    """The block of a function, where conditionals before a `return`, also of nested functions, return early."""
    for s in statements(block):
        if isinstance(s, Define):
            s.body = return_early(s.body)
    if len(block) < 2 or not isinstance(block[-1], Return) or not isinstance(block[-2], If):
        return block
    conditional, last = block[-2], block[-1]
    if not _decides(conditional, last):
        return block
    then, orelse = (return_early(_with_return(branch, last)) for branch in (conditional.then, conditional.orelse))
    return [*block[:-2], If(conditional.test, then, [], conditional.eqn), *orelse]


def _decides(conditional: If, last: Return) -> bool:
    """Does each branch end with the assignment of the result?"""
    ends = [dict(_last_pairs(branch)) for branch in (conditional.then, conditional.orelse)]
    read = [x for x in last.results if isinstance(x, Value)]
    return bool(read) and all(x in ends[0] and x in ends[1] or _is_unchanged(x, conditional) for x in read) \
        and any(x in ends[0] for x in read) and not _only_adjusts(conditional)


def _only_adjusts(conditional: If) -> bool:
    """Does one branch change the result in a few statements, and the other leave it as it is?"""
    short, long = sorted((conditional.then, conditional.orelse), key=len)
    return len(short) == 1 and len(long) <= 3 and all(isinstance(x, Value) for _, x in _last_pairs(short))


def _is_unchanged(x: Value, conditional: If) -> bool:
    """Does no branch assign `x`?"""
    assigned = {v for branch in (conditional.then, conditional.orelse) for s in statements(branch)
                if isinstance(s, Assign) for v, _ in s.pairs}
    return x not in assigned


def _last_pairs(branch: Block) -> list[tuple[Value, Operand]]:
    """The pairs of the assignment at the end of a branch; none if it may bind nothing, or the branch jumps."""
    if not branch or any(isinstance(s, (Jump, Return)) for s in branch):
        return []
    last = branch[-1]
    return [] if not isinstance(last, Assign) or last.maybe_unbound else last.pairs


def _with_return(branch: Block, last: Return) -> Block:
    """The branch, ending in `last`."""
    pairs = dict(_last_pairs(branch))
    rest: list[Statement] = branch[:-1] if pairs else branch
    return [*rest, Return(tuple(pairs.get(x, x) if isinstance(x, Value) else x for x in last.results))]
