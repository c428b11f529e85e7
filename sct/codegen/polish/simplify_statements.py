"""Simplifies statements before values are inlined and named.

- Adjacent conditionals with one predicate become one:  if c: a  else: b; if c: d   ->   if c: a; d  else: b
- An int that only tells two exits of a loop apart becomes a flag:  kind = 2; if kind == 2: ...   ->   if done: ...
- The next value of a carried variable is computed after the last read of the current one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field

from sct.codegen.program.recover_jumps import COMPARISONS
from sct.codegen.program.statement_ir import (
    Assign,
    Block,
    Evaluate,
    If,
    Jump,
    Loop,
    Statement,
    all_blocks,
    statements,
)
from sct.ir.core import Eqn, Lit, Operand, Value, is_effect, is_number, is_undef
from sct.ir.types import BOOL
from sct.ops import OPS

__all__ = ["merge_conditionals", "simplify_statements"]


def simplify_statements(block: Block) -> Block:
    """The block, simplified in place."""
    _remove_negations(block)
    block = merge_conditionals(block)
    for flag in _flag_candidates(block):
        flag.apply(block)
    _remove_negations(block)
    if _replace_copied_flags(block):
        block = merge_conditionals(block)
    _sink_carries(block)
    return block


# -- conditionals -----------------------------------------------------------------------------


def merge_conditionals(block: Block) -> Block:
    """if c: a  else: b;  if c: d  else: e   ->   if c: a; d  else: b; e

    An assignment between the two moves behind them if the second does not depend on it.
    """
    merged: Block = []
    for s in block:
        k = len(merged) - 1
        if isinstance(s, If) and k > 0 and isinstance(merged[k], Assign) and _independent(merged[k], s):
            k -= 1
        last = merged[k] if k >= 0 else None
        if isinstance(s, If) and isinstance(last, If) and s.test is last.test and isinstance(s.test, Value) \
                and s.eqn is not None and last.eqn is not None and not _has_jump(last):
            eqn = last.eqn.replace(regions=(*last.eqn.regions, *s.eqn.regions), primal=last.eqn.primal and s.eqn.primal)
            merged[k] = If(s.test, _join_branches(last.then, s.then), _join_branches(last.orelse, s.orelse), eqn)
        else:
            merged.append(s)
    for s in merged:
        for inner in s.blocks:
            inner[:] = merge_conditionals(inner)
    return merged


def _independent(move: Statement, s: If) -> bool:
    """May the assignment `move` be moved behind `s`?"""
    inner = statements([s])
    read = {x for t in inner for x in t.reads}
    assigned = {v for t in inner for v in t.targets}
    return isinstance(move, Assign) and not any(v in read or v in assigned or x in assigned for v, x in move.pairs)


def _join_branches(first: Block, second: Block) -> Block:
    """Both blocks in sequence; `second` reads the sources of the assignments in `first` instead of their targets."""
    if first and isinstance(first[-1], Evaluate) and first[-1].eqn.op.name == "raise_":
        return first
    replacements: dict[Value, Operand] = {}
    for s in first:
        assigned = {v for t in statements([s]) for v in t.targets}
        replacements = {v: x for v, x in replacements.items() if v not in assigned and x not in assigned}
        if isinstance(s, Assign):
            replacements.update((v, x) for v, x in s.pairs if not is_undef(x) and x not in assigned)
    second, repeated = _without_repeated_predicates(first, second)
    replacements.update(repeated)
    assigned_later = {v for s in statements(second) for v in s.targets}
    replacements = {v: x for v, x in replacements.items() if v not in assigned_later and x not in assigned_later}
    _substitute(second, {v: replacements.get(x, x) if isinstance(x, Value) else x for v, x in replacements.items()})
    return [*first, *second]


def _without_repeated_predicates(first: Block, second: Block) -> tuple[Block, dict[Value, Operand]]:
    """`second` without predicates that `first` has computed, and what these are there."""
    assigned = {v for s in (*statements(first), *statements(second)) if not isinstance(s, Evaluate) for v in s.bound}
    predicates = {key: s.targets[0] for s in first if (key := _predicate(s)) and not assigned.intersection(s.operands)}
    repeated: dict[Value, Operand] = {
        s.targets[0]: predicates[key] for s in second if (key := _predicate(s)) in predicates}
    return [s for s in second if not (isinstance(s, Evaluate) and s.targets and s.targets[0] in repeated)], repeated


def _predicate(s: Statement) -> Hashable:
    """What a statement asks of its operands, which do not change; None if it does anything else."""
    if not isinstance(s, Evaluate) or len(s.targets) != 1 or s.targets[0].type != BOOL:
        return None
    compares = s.eqn.op.name in COMPARISONS and all(map(is_number, s.eqn.args))
    if not compares and s.eqn.op.name not in ("part", "is_none"):
        return None
    return s.eqn.op, s.eqn.args, repr(sorted(s.eqn.attrs.items()))


def _remove_negations(block: Block) -> None:
    """t = not c; if t: a  else: b   ->   if c: b  else: a"""
    negated = {
        s.eqn.out: s.eqn.args[0] for s in statements(block) if isinstance(s, Evaluate) and s.eqn.op.name == "not_"}
    for s in statements(block):
        while isinstance(s, If) and isinstance(s.test, Value) and isinstance(negated.get(s.test), Value):
            s.test, s.then, s.orelse = negated[s.test], s.orelse, s.then


def _has_jump(s: If) -> bool:
    return any(isinstance(inner, Jump) for branch in (s.then, s.orelse) for inner in statements(branch))


# -- flags ------------------------------------------------------------------------------------

@dataclass
class _FlagCandidate:
    """An int that is only set to literals and only compared with literals.

    tests  the comparisons with it
    """

    value: Value
    moves: list[Assign] = field(default_factory=list)
    literals: list[int] = field(default_factory=list)
    tests: list[Evaluate] = field(default_factory=list)

    def apply(self, block: Block) -> None:
        """Make it a bool if the comparisons distinguish exactly two classes of its literals."""
        outcomes_of = {n: tuple(_outcome(s.eqn, n) for s in self.tests) for n in self.literals}
        classes = list(dict.fromkeys(outcomes_of[n] for n in self.literals))
        if len(classes) != 2:
            return
        flag = Value(BOOL, self.value.hint or "done")
        for move in self.moves:
            move.pairs = [(flag, Lit(outcomes_of[x.value] == classes[1])) if v is self.value and isinstance(x, Lit)
                          else (v, x) for v, x in move.pairs]
        replacements: dict[Value, Operand] = {}
        for s, *outcomes in zip(self.tests, *classes):
            no, yes = outcomes
            if no == yes:
                replacements[s.eqn.out] = Lit(yes)
            elif yes:
                replacements[s.eqn.out] = flag
            else:
                s.eqn = s.like = Eqn(OPS["not_"], (flag,), s.eqn.outs, primal=False)
        _substitute_and_drop(block, replacements)
        _drop_repeated_assignments(block, flag)


def _flag_candidates(block: Block) -> Iterator[_FlagCandidate]:
    """The unnamed values that are only set to int literals and compared with int literals."""
    candidates: dict[Value, _FlagCandidate] = defaultdict(lambda: _FlagCandidate(Value(BOOL)))
    used_otherwise: set[Value] = set()
    for s in statements(block):
        if isinstance(s, Assign):
            for v, x in s.pairs:
                if isinstance(x, Lit) and type(x.value) is int:
                    candidates.setdefault(v, _FlagCandidate(v)).moves.append(s)
                    candidates[v].literals.append(x.value)
                else:
                    used_otherwise.add(v)
                    used_otherwise.update([x] if isinstance(x, Value) else [])
        elif isinstance(s, Evaluate) and s.eqn.op.name in COMPARISONS and isinstance(s.eqn.args[0], Value) \
                and isinstance(s.eqn.args[1], Lit) and type(s.eqn.args[1].value) is int:
            candidates.setdefault(s.eqn.args[0], _FlagCandidate(s.eqn.args[0])).tests.append(s)
        else:
            used_otherwise.update(x for x in s.reads if isinstance(x, Value))
    computed = {v for s in statements(block) if isinstance(s, Evaluate) for v in s.eqn.outs}
    for v, flag in candidates.items():
        if v not in used_otherwise and v not in computed and flag.tests and flag.moves and v.hint is None:
            yield flag


def _replace_copied_flags(block: Block) -> bool:
    """if c: flag = True  else: flag = False   ->   c in place of the flag; is there one?

    The flag is assigned nowhere else, and `c` not after the conditional, so that it is what it was there.
    """
    order = statements(block)
    places: dict[Value, list[int]] = defaultdict(list)
    for k, s in enumerate(order):
        for v in s.targets:
            places[v].append(k)
    replacements: dict[Value, Operand] = {}
    for k, s in enumerate(order):
        if isinstance(s, If) and isinstance(s.test, Value) and s.test.type == BOOL:
            for v in _set_to_outcome(s) if max(places[s.test], default=0) < k else ():
                if len(places[v]) == 2:
                    replacements[v] = replacements.get(s.test, s.test)
    for s in order if replacements else ():
        if isinstance(s, Assign):
            s.pairs = [(v, x) for v, x in s.pairs if v not in replacements]
    _substitute(block, replacements)
    return bool(replacements)


def _set_to_outcome(s: If) -> Iterator[Value]:
    """The variables that are True behind the conditional if its predicate holds, and else False."""
    ends = [dict(last.pairs) if branch and isinstance(last := branch[-1], Assign) else {} for branch in s.blocks]
    yield from (v for v, x in ends[0].items() if x == Lit(True) and ends[1].get(v) == Lit(False))


def _outcome(eqn: Eqn, n: int) -> bool:
    bound = eqn.args[1]
    assert isinstance(bound, Lit)
    return bool(COMPARISONS[eqn.op.name](n, bound.value))


def _substitute_and_drop(block: Block, replacements: dict[Value, Operand]) -> None:
    """Replace these values, and drop the statements that define them."""
    if replacements:
        _substitute(block, replacements)
        for inner in all_blocks(block):
            inner[:] = [t for t in inner
                        if not (isinstance(t, Evaluate) and len(t.eqn.outs) == 1 and t.eqn.out in replacements)]


def _substitute(block: Block, replacements: Mapping[Value, Operand]) -> None:
    """Replace these values by other operands."""

    def replaced(x: Operand) -> Operand:
        return replacements.get(x, x) if isinstance(x, Value) else x

    for s in statements(block) if replacements else ():
        s.replace_operands(replaced)


def _drop_repeated_assignments(block: Block, flag: Value) -> None:
    """In a loop that ends where the flag changes, drop assignments of the value that the flag already has."""
    before: Operand | None = None
    for s in block:
        if isinstance(s, Loop) and before is not None and _changes_only_before_breaks(s.body, flag, before):
            for inner in statements(s.body):
                if isinstance(inner, Assign):
                    inner.pairs = [(v, x) for v, x in inner.pairs if v is not flag or x != before]
        elif isinstance(s, Assign):
            before = next((x for v, x in s.pairs if v is flag), before)
        for body in s.blocks:
            _drop_repeated_assignments(body, flag)


def _changes_only_before_breaks(block: Block, flag: Value, before: Operand) -> bool:
    """Is a `break` next wherever the flag is set to another value than `before`?"""
    for s, following in zip(block, [*block[1:], None]):
        if isinstance(s, Assign) and any(v is flag and x != before for v, x in s.pairs) \
                and not (isinstance(following, Jump) and following.kind == "break"):
            return False
        if isinstance(s, Loop) and any(isinstance(m, Assign) and any(v is flag for v, _ in m.pairs)
                                       for m in statements(s.body)):
            return False
        if isinstance(s, If) and not all(_changes_only_before_breaks(branch, flag, before) for branch in s.blocks):
            return False
    return True


# -- carried variables ------------------------------------------------------------------------


def _sink_carries(block: Block) -> None:
    """Compute the next value of a carried variable after the last read of the current one.

    t = c * x; s = s + c; c <- t   ->   s = s + c; t = c * x; c <- t
    """
    for s in block:
        for inner in s.blocks:
            _sink_carries(inner)
    if not block or not isinstance(block[-1], Assign):
        return
    target = {x: v for v, x in block[-1].pairs if isinstance(x, Value)}
    later: set[Operand] = set()
    sunk: list[Evaluate] = []
    for s in reversed(block[:-1]):
        out = s.eqn.out if isinstance(s, Evaluate) and len(s.eqn.outs) == 1 else None
        if isinstance(s, Evaluate) and out in target and target[out] in later and out not in later and _may_sink(s.eqn):
            sunk.insert(0, s)
        else:
            later.update(x for t in statements([s]) for x in t.reads)
    block[:] = [*(s for s in block[:-1] if s not in sunk), *_in_dependence_order(sunk, target), block[-1]]


def _may_sink(eqn: Eqn) -> bool:
    return not eqn.primal and not is_effect(eqn) and all(isinstance(x, Lit) or is_number(x) for x in eqn.args)


def _in_dependence_order(definitions: list[Evaluate], target: dict[Value, Value]) -> Block:
    """The definitions, each behind those that read its target, unless they form a cycle."""

    def is_target_read(s: Evaluate) -> bool:
        return any(target[s.eqn.out] in t.operands for t in remaining if t is not s)

    ordered: Block = []
    remaining = list(definitions)
    while remaining:
        ready = next((s for s in remaining if not is_target_read(s)), remaining[0])
        remaining.remove(ready)
        ordered.append(ready)
    return ordered
