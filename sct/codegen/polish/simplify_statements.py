"""Programs made plainer before values are folded and named.

- neighbouring branches on one condition become one
- an int that only says which of two ways a loop was left becomes a flag
- the next value of a carry is made where the old one is not needed any more
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sct.codegen.program.statement_ir import (
    Assign,
    Block,
    Evaluate,
    If,
    Jump,
    Loop,
    Push,
    Return,
    Statement,
    all_blocks,
    blocks,
    operands,
    reads,
    statements,
    targets,
)
from sct.ir.core import UNDEF, Eqn, Lit, Operand, Value, is_effect
from sct.ir.types import BOOL, Tensor
from sct.ops import OPS

__all__ = ["simplify_statements"]


def simplify_statements(block: Block) -> Block:
    """The block, its branches merged, its codes made flags, its carries renewed late."""
    _negations(block)
    block = _merged(block)
    for flag in _flags(block):
        flag.apply(block)
    _negations(block)
    _sink(block)
    return block


# -- branches ---------------------------------------------------------------------------------


def _merged(block: Block) -> Block:
    """if c: a  else: b;  if c: d  else: e   ->   if c: a; d  else: b; e

    A move between the two goes behind them if the second does not depend on it.
    """
    found: Block = []
    for s in block:
        k = len(found) - 1
        if isinstance(s, If) and k > 0 and isinstance(found[k], Assign) and _independent(found[k], s):
            k -= 1
        last = found[k] if k >= 0 else None
        if isinstance(s, If) and isinstance(last, If) and s.test is last.test and isinstance(s.test, Value) \
                and s.eqn is not None and last.eqn is not None and not _jumps(last):
            eqn = last.eqn.with_(regions=(*last.eqn.regions, *s.eqn.regions), primal=last.eqn.primal and s.eqn.primal)
            found[k] = If(s.test, _joined(last.then, s.then), _joined(last.orelse, s.orelse), eqn)
        else:
            found.append(s)
    for s in found:
        for inner in blocks(s):
            inner[:] = _merged(inner)
    return found


def _independent(move: Statement, s: If) -> bool:
    """Can `move` go behind `s`?"""
    inner = [t for arm in blocks(s) for t in statements(arm)]
    read = {x for t in (s, *inner) for x in _reads(t)}
    made = {v for t in inner for v in targets(t)}
    return isinstance(move, Assign) and not any(v in read or v in made or x in made for v, x in move.pairs)


def _joined(first: Block, second: Block) -> Block:
    """The arm that does both; `second` reads what `first` moves where it comes from."""
    known: dict[Value, Operand] = {}
    for s in first:
        made = {v for t in (s, *(t for arm in blocks(s) for t in statements(arm))) for v in targets(t)}
        known = {v: x for v, x in known.items() if v not in made and x not in made}
        if isinstance(s, Assign):
            known.update((v, x) for v, x in s.pairs if not _is_undef(x) and x not in made)
    changed = {v for s in statements(second) for v in targets(s)}
    known = {v: x for v, x in known.items() if v not in changed and x not in changed}
    _read_instead(second, {v: known[x] if isinstance(x, Value) and x in known else x for v, x in known.items()})
    return [*first, *second]


def _is_undef(x: Operand) -> bool:
    return isinstance(x, Lit) and x.value is UNDEF


def _negations(block: Block) -> None:
    """t = not c; if t: a  else: b   ->   if c: b  else: a"""
    made = {s.eqn.out: s.eqn.args[0] for s in statements(block) if isinstance(s, Evaluate) and s.eqn.op.name == "not_"}
    for s in statements(block):
        if isinstance(s, If) and isinstance(s.test, Value) and isinstance(made.get(s.test), Value):
            s.test, s.then, s.orelse = made[s.test], s.orelse, s.then


def _jumps(s: If) -> bool:
    return any(isinstance(inner, Jump) for arm in (s.then, s.orelse) for inner in statements(arm))


# -- flags ------------------------------------------------------------------------------------

_COMPARE = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b,
            "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}


@dataclass
class _Flag:
    """An int that is only set to literals and only compared with literals.

    tests  the comparisons
    """

    value: Value
    moves: list[Assign] = field(default_factory=list)
    literals: list[int] = field(default_factory=list)
    tests: list[Evaluate] = field(default_factory=list)

    def apply(self, block: Block) -> None:
        """Write False and True where the comparisons tell two kinds of values apart."""
        ways = {n: tuple(_outcome(s.eqn, n) for s in self.tests) for n in self.literals}
        kinds = list(dict.fromkeys(ways[n] for n in self.literals))
        if len(kinds) != 2:
            return
        flag = Value(BOOL, self.value.hint or "done")
        for move in self.moves:
            move.pairs = [(flag, Lit(ways[x.value] == kinds[1])) if v is self.value and isinstance(x, Lit) else (v, x)
                          for v, x in move.pairs]
        known: dict[Value, Operand] = {}
        for s, *outcomes in zip(self.tests, *kinds):
            no, yes = outcomes
            if no == yes:
                known[s.eqn.out] = Lit(yes)
            elif yes:
                known[s.eqn.out] = flag
            else:
                s.eqn = s.like = Eqn(OPS["not_"], (flag,), s.eqn.outs, primal=False)
        _replace(block, known)
        _drop_repeated(block, flag)


def _flags(block: Block) -> Iterator[_Flag]:
    """The values that may be flags."""
    found: dict[Value, _Flag] = defaultdict(lambda: _Flag(Value(BOOL)))
    other: set[Value] = set()
    for s in statements(block):
        if isinstance(s, Assign):
            for v, x in s.pairs:
                if isinstance(x, Lit) and type(x.value) is int:
                    found.setdefault(v, _Flag(v)).moves.append(s)
                    found[v].literals.append(x.value)
                else:
                    other.add(v)
                    other.update([x] if isinstance(x, Value) else [])
        elif isinstance(s, Evaluate) and s.eqn.op.name in _COMPARE and isinstance(s.eqn.args[0], Value) \
                and isinstance(s.eqn.args[1], Lit) and type(s.eqn.args[1].value) is int:
            found.setdefault(s.eqn.args[0], _Flag(s.eqn.args[0])).tests.append(s)
        else:
            other.update(x for x in reads(s) if isinstance(x, Value))
    made = {v for s in statements(block) if isinstance(s, Evaluate) for v in s.eqn.outs}
    for v, flag in found.items():
        if v not in other and v not in made and flag.tests and flag.moves and v.hint is None:
            yield flag


def _outcome(eqn: Eqn, n: int) -> bool:
    bound = eqn.args[1]
    assert isinstance(bound, Lit)
    return bool(_COMPARE[eqn.op.name](n, bound.value))


def _replace(block: Block, known: dict[Value, Operand]) -> None:
    """Read other operands instead of these values, which are not made any more."""
    if known:
        _read_instead(block, known)
        for inner in all_blocks(block):
            inner[:] = [
                t for t in inner if not (isinstance(t, Evaluate) and len(t.eqn.outs) == 1 and t.eqn.out in known)]


def _read_instead(block: Block, known: Mapping[Value, Operand]) -> None:
    """Read other operands instead of these values."""

    def read(x: Operand) -> Operand:
        return known.get(x, x) if isinstance(x, Value) else x

    for s in statements(block) if known else ():
        if isinstance(s, Evaluate):
            s.eqn = s.eqn.with_(args=tuple(map(read, s.eqn.args)))
        elif isinstance(s, Assign):
            s.pairs = [(v, read(x)) for v, x in s.pairs]
        elif isinstance(s, If):
            s.test = read(s.test)
        elif isinstance(s, Push):
            s.operands = tuple(map(read, s.operands))
        elif isinstance(s, Return):
            s.results = tuple(map(read, s.results))
        elif isinstance(s, Loop):
            s.bounds = tuple(map(read, s.bounds))
            s.test = None if s.test is None else (s.test[0], read(s.test[1]))


def _drop_repeated(block: Block, flag: Value) -> None:
    """Within a loop that is left where the flag changes, do not set it to what it is."""
    before: Operand | None = None
    for s in block:
        if isinstance(s, Loop) and before is not None and _changes_at_breaks(s.body, flag, before):
            for inner in statements(s.body):
                if isinstance(inner, Assign):
                    inner.pairs = [(v, x) for v, x in inner.pairs if v is not flag or x != before]
            _drop_empty(s.body)
        elif isinstance(s, Assign):
            before = next((x for v, x in s.pairs if v is flag), before)
        for body in blocks(s):
            _drop_repeated(body, flag)


def _changes_at_breaks(block: Block, flag: Value, before: Operand) -> bool:
    for s, following in zip(block, [*block[1:], None]):
        if isinstance(s, Assign) and any(v is flag and x != before for v, x in s.pairs) \
                and not (isinstance(following, Jump) and following.kind == "break"):
            return False
        if isinstance(s, Loop) and any(isinstance(m, Assign) and any(v is flag for v, _ in m.pairs)
                                       for m in statements(s.body)):
            return False
        if isinstance(s, If) and not all(_changes_at_breaks(arm, flag, before) for arm in blocks(s)):
            return False
    return True


def _drop_empty(block: Block) -> None:
    for s in block:
        for inner in blocks(s):
            _drop_empty(inner)
    block[:] = [s for s in block if not (isinstance(s, Assign) and not s.pairs)]


# -- carries ----------------------------------------------------------------------------------


def _sink(block: Block) -> None:
    """t = c * x; s = s + c; c <- t   ->   s = s + c; c <- c * x"""
    for s in block:
        for inner in blocks(s):
            _sink(inner)
    if not block or not isinstance(block[-1], Assign):
        return
    target = {x: v for v, x in block[-1].pairs if isinstance(x, Value)}
    later: set[Operand] = set()
    sunk: list[Evaluate] = []
    for s in reversed(block[:-1]):
        out = s.eqn.out if isinstance(s, Evaluate) and len(s.eqn.outs) == 1 else None
        if isinstance(s, Evaluate) and out in target and target[out] in later and out not in later and _sinks(s.eqn):
            sunk.insert(0, s)
        else:
            later.update(_reads(s))
    block[:] = [*(s for s in block[:-1] if s not in sunk), *_ordered(sunk, target), block[-1]]


def _reads(s: Statement) -> Iterator[Operand]:
    """All that a statement reads, and the blocks in it."""
    for t in (s, *(t for b in blocks(s) for t in statements(b))):
        yield from reads(t)


def _sinks(eqn: Eqn) -> bool:
    return not eqn.primal and not is_effect(eqn) and all(isinstance(x, Lit) or _is_number(x) for x in eqn.args)


def _is_number(x: Operand) -> bool:
    return isinstance(x.type, Tensor) and x.type.is_scalar


def _ordered(lets: list[Evaluate], target: dict[Value, Value]) -> Block:
    """Those first that read the carries which others go to."""
    found: Block = []
    waiting = list(lets)
    while waiting:
        free = next((s for s in waiting if not any(target[s.eqn.out] in operands(t) for t in waiting if t is not s)),
                    waiting[0])
        waiting.remove(free)
        found.append(free)
    return found
