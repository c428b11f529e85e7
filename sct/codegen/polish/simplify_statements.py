"""Simplifies statements before values are inlined and named.

- Adjacent conditionals with one predicate become one:  if c: a  else: b; if c: d   ->   if c: a; d  else: b
- An int that only tells two exits of a loop apart becomes a flag:  kind = 2; if kind == 2: ...   ->   if done: ...
- The next value of a carried variable is computed after the last read of the current one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping, Set
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
    _make_flags(block)
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
    merged: list[Statement | _Merged] = []
    for s in block:
        k = len(merged) - 1
        if isinstance(s, If) and k > 0 and isinstance(between := merged[k], Assign) and _independent(between, s):
            k -= 1
        last = merged[k] if k >= 0 else None
        if isinstance(s, If) and isinstance(last, _Merged) and last.may_add(s):
            last.add(s)
        else:
            merged.append(_Merged(s) if isinstance(s, If) else s)
    result = [s.conditional if isinstance(s, _Merged) else s for s in merged]
    for s in result:
        for inner in s.blocks:
            inner[:] = merge_conditionals(inner)
    return result


class _Merged:
    """A conditional, to which conditionals on the same predicate are added."""

    def __init__(self, conditional: If) -> None:
        self.conditional = conditional
        self.branches: tuple[_Branch, ...] = ()
        self.last = conditional

    def may_add(self, s: If) -> bool:
        return s.test is self.last.test and isinstance(s.test, Value) \
            and s.eqn is not None and self.last.eqn is not None and not _has_jump(self.last)

    def add(self, s: If) -> None:
        first = self.conditional
        assert first.eqn is not None and s.eqn is not None
        if not self.branches:
            self.branches = _Branch(first.then), _Branch(first.orelse)
        self.last = s
        for branch, second in zip(self.branches, s.blocks):
            branch.append(second)
        eqn = first.eqn.replace(regions=(*first.eqn.regions, *s.eqn.regions), primal=first.eqn.primal and s.eqn.primal)
        self.conditional = If(s.test, self.branches[0].block, self.branches[1].block, eqn)


def _independent(move: Statement, s: If) -> bool:
    """May the assignment `move` be moved behind `s`?"""
    inner = statements([s])
    read = {x for t in inner for x in t.reads}
    assigned = {v for t in inner for v in t.targets}
    return isinstance(move, Assign) and not any(v in read or v in assigned or x in assigned for v, x in move.pairs)


class _Branch:
    """A branch, to which the statements of other branches are added.

    sources     the operands that variables were assigned last, if neither was assigned since
    copies      the variables that have each of these
    predicates  what statements ask, with those that ask it
    assigned    the values that other statements bind
    """

    def __init__(self, block: Block) -> None:
        self.block: Block = []
        self.sources: dict[Value, Operand] = {}
        self.copies: dict[Value, list[Value]] = defaultdict(list)
        self.predicates: dict[Hashable, list[Statement]] = defaultdict(list)
        self.assigned: set[Value] = set()
        self._extend(block)

    def append(self, second: Block) -> None:
        """Add `second`, which reads the sources of the assignments before it instead of their targets."""
        assigned = {v for s in statements(second) if not isinstance(s, Evaluate) for v in s.bound} | self.assigned
        repeated = self._repeated_predicates(second, assigned)
        second = [s for s in second if not (isinstance(s, Evaluate) and s.targets and s.targets[0] in repeated)]
        assigned_later = {v for s in statements(second) for v in s.targets}

        def source(v: Operand) -> Operand:
            x = repeated.get(v, self.sources.get(v, v)) if isinstance(v, Value) and v not in assigned_later else v
            return v if x in assigned_later else x

        for s in statements(second):
            s.replace_operands(lambda x: source(source(x)))
        self._extend(second)

    def _repeated_predicates(self, second: Block, assigned: Set[Value]) -> dict[Value, Operand]:
        """The values of predicates in `second` that were computed before, and what these are there."""
        repeated: dict[Value, Operand] = {}
        for s in second:
            earlier = [t for t in self.predicates.get(_predicate(s), ()) if assigned.isdisjoint(t.operands)]
            if earlier:
                repeated[s.targets[0]] = earlier[-1].targets[0]
        return repeated

    def _extend(self, block: Block) -> None:
        self.block += block
        for s in block:
            assigned = {v for t in statements([s]) for v in t.targets}
            for v in assigned:
                self.sources.pop(v, None)
                for copy in self.copies.pop(v, ()):
                    if self.sources.get(copy) is v:
                        del self.sources[copy]
            for v, x in s.pairs if isinstance(s, Assign) else ():
                if not is_undef(x) and x not in assigned:
                    self.sources[v] = x
                    if isinstance(x, Value):
                        self.copies[x].append(v)
            if (key := _predicate(s)) is not None:
                self.predicates[key].append(s)
        self.assigned.update(v for s in statements(block) if not isinstance(s, Evaluate) for v in s.bound)


def _predicate(s: Statement) -> Hashable:
    """The test that a statement makes of operands that do not change; None if it does anything else."""
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

    def apply(self, replacements: dict[Value, Operand]) -> Value | None:
        """Make it a bool if the comparisons distinguish exactly two classes of its literals; what these then are."""
        outcomes_of = {n: tuple(_outcome(s.eqn, n) for s in self.tests) for n in self.literals}
        classes = list(dict.fromkeys(outcomes_of[n] for n in self.literals))
        if len(classes) != 2:
            return None
        flag = Value(BOOL, self.value.hint or "done")
        for move in self.moves:
            move.pairs = [(flag, Lit(outcomes_of[x.value] == classes[1])) if v is self.value and isinstance(x, Lit)
                          else (v, x) for v, x in move.pairs]
        for s, *outcomes in zip(self.tests, *classes):
            no, yes = outcomes
            if no == yes:
                replacements[s.eqn.out] = Lit(yes)
            elif yes:
                replacements[s.eqn.out] = flag
            else:
                s.eqn = s.like = Eqn(OPS["not_"], (flag,), s.eqn.outs, primal=False)
        return flag


def _make_flags(block: Block) -> None:
    """Make bools of the ints that only tell two cases apart."""
    replacements: dict[Value, Operand] = {}
    flags = {flag for candidate in _flag_candidates(block) if (flag := candidate.apply(replacements)) is not None}
    _substitute_and_drop(block, replacements)
    if flags:
        _drop_repeated_assignments(block, flags)


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


def _drop_repeated_assignments(block: Block, flags: Set[Value]) -> None:
    """In a loop that ends where a flag changes, drop assignments of the value that the flag already has."""
    before: dict[Value, Operand] = {}
    for s in block:
        if isinstance(s, Loop) and before:
            moves = [inner for inner in statements(s.body) if isinstance(inner, Assign)]
            repeated = {flag: before[flag] for flag in dict.fromkeys(v for move in moves for v, _ in move.pairs)
                        if flag in before and _changes_only_before_breaks(s.body, flag, before[flag])}
            for move in moves if repeated else ():
                move.pairs = [(v, x) for v, x in move.pairs if v not in repeated or x != repeated[v]]
        elif isinstance(s, Assign):
            before.update((v, x) for v, x in reversed(s.pairs) if v in flags)
        for body in s.blocks:
            _drop_repeated_assignments(body, flags)


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


def _sink_carries(block: Block) -> set[Value]:
    """Compute the next value of a carried variable after the last read of the current one; the values that are read.

    t = c * x; s = s + c; c <- t   ->   s = s + c; t = c * x; c <- t
    """
    last = block[-1] if block else None
    target = {x: v for v, x in last.pairs if isinstance(x, Value)} if isinstance(last, Assign) else {}
    read_in_block: set[Value] = set()
    later: set[Value] = set()
    sunk: list[Evaluate] = []
    for s in reversed(block):
        read = {x for x in s.reads if isinstance(x, Value)}.union(*map(_sink_carries, s.blocks))
        read_in_block |= read
        out = s.eqn.out if isinstance(s, Evaluate) and len(s.eqn.outs) == 1 else None
        if s is last:
            continue
        if isinstance(s, Evaluate) and out in target and target[out] in later and out not in later \
                and _may_sink(s.eqn):
            sunk.insert(0, s)
        else:
            later |= read
    if sunk:
        block[:] = [*(s for s in block[:-1] if s not in sunk), *_in_dependence_order(sunk, target), block[-1]]
    return read_in_block


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
