"""Checks that a variable is bound go where it is bound on every path that gets there.

    y = undef; done = False                      the check in the second conditional goes: where `done` holds, `y` is
    for ...: if c: y = f(x); done = True; break  bound
    if done: check y

The statements are executed for predicates and for whether variables are bound, on all paths at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Optional

from sct.codegen.program.statement_ir import (
    Assign,
    Block,
    CheckBound,
    Define,
    Evaluate,
    If,
    Jump,
    Loop,
    Return,
    Statement,
    all_blocks,
    statements,
)
from sct.ir.core import Lit, Operand, Value, is_undef, undef
from sct.ir.types import Undef
from sct.ir.uses import reachable
from sct.ops import attempt

__all__ = ["bound_by_no_path", "remove_needless_checks"]

_MOST_STATES = 32

_MOST_STEPS, _MOST_IN_ALL = 10_000, 100_000
"""So many statements are executed for one check, and for all checks of a function, each counted in every state."""

_State = frozenset[tuple[Value, bool]]
"""What is known on a path: the outcomes of predicates, and whether variables that may be unbound are bound."""


def remove_needless_checks(block: Block) -> Block:
    """The block without needless checks, changed in place."""
    read = {x for s in statements(block) for x in s.reads}
    left = _MOST_IN_ALL
    sources = _sources(block)
    for inner in all_blocks(block):
        for check in [s for s in inner if _checked(s) is not None and read.isdisjoint(s.targets)]:
            paths = _Paths(block, check, sources, min(left, _MOST_STEPS))
            if paths.is_bound():
                inner.remove(check)
                if paths.forget_unbound():
                    sources = _sources(block)
            left = max(0, left - paths.steps)
    return block


def _checked(s: Statement) -> Value | None:
    """The variable, if the statement only makes sure that it is bound."""
    if isinstance(s, CheckBound):
        return None if s.always else s.value
    if isinstance(s, Evaluate) and s.eqn.op.name == "unwrap" and s.eqn.primal and isinstance(s.eqn.args[0], Value):
        return s.eqn.args[0]
    return None


def bound_by_no_path(block: Block) -> set[Value]:
    """The values that are assigned only where they are unbound, or from such values."""
    everything = statements(block)
    pairs = [pair for s in everything if isinstance(s, Assign) for pair in s.pairs]
    copies: dict[Operand, list[Value]] = defaultdict(list)
    for v, x in pairs:
        copies[x].append(v)
    targets = {v for v, _ in pairs}
    bound = [v for s in everything if not isinstance(s, Assign) for v in s.bound]
    bound += [v for v, x in pairs if not is_undef(x) and x not in targets]
    assigned = reachable(bound, lambda v: copies.get(v, ()))
    return targets - assigned


class _TooManyStates(Exception):
    """There are too many paths to follow."""


class _Paths:
    """Follows the paths to one check.

    relevant  the variable that is checked, the predicates around, and what is assigned to these
    ends      the states behind the jumps of the innermost loop, those that leave it and those that go on
    sources   for each assignment of a variable that may be unbound: whether it is bound, on each path
    steps     the statements that were executed, each counted in every state; at most `most`
    """

    def __init__(self, block: Block, check: Statement, sources: _Sources, most: int) -> None:
        self.block, self.check, self.value = block, check, _checked(check)
        self.steps, self.most = 0, most
        relevant: list[Operand] = [*filter(None, [self.value]), *_predicates_before(block, check)]
        self.relevant = reachable(relevant, lambda x: sources.get(x, ()))
        self.at_check: set[_State] = set()
        self.ends: tuple[set[_State], set[_State]] = set(), set()
        self.sources: dict[tuple[Assign, Value], set[bool | None]] = {}

    def is_bound(self) -> bool:
        home = next((s.body for s in statements(self.block) if isinstance(s, Define)
                     and self.check in statements(s.body)), self.block)
        try:
            self.run(home, {frozenset()})
        except _TooManyStates:
            return False
        return all((self.value, True) in state for state in self.at_check)

    def forget_unbound(self) -> bool:
        """Assign nothing where what is assigned is unbound on every path: the former value is not kept for that.

        Is there such a place?
        """
        unbound = [pair for pair, bound in self.sources.items() if bound == {False}]
        for s, x in unbound:
            s.pairs = [(v, undef(x.type) if y is x else y) for v, y in s.pairs]
        return bool(unbound)

    def run(self, block: Block, states: set[_State]) -> set[_State]:
        """The states at the end of a block."""
        for s in block:
            self.steps += len(states)
            if len(states) > _MOST_STATES or self.steps > self.most:
                raise _TooManyStates
            states = self.statement(s, states)
        return states

    def statement(self, s: Statement, states: set[_State]) -> set[_State]:
        if isinstance(s, If):
            then, orelse = (self.where(s.test, outcome, states) for outcome in (True, False))
            return self.run(s.then, then) | self.run(s.orelse, orelse)
        if isinstance(s, Loop):
            return self.loop(s, states)
        if isinstance(s, Jump):
            self.ends[s.kind == "continue"].update(states)
            return set()
        if isinstance(s, Return) or isinstance(s, Evaluate) and s.eqn.op.name == "raise_":
            return set()
        if s is self.check:
            self.at_check |= states
        if isinstance(s, Evaluate) and s.eqn.op is attempt:
            ok, _, *results = s.eqn.outs
            return {_with(state, [(v, outcome) for v in (ok, *results) if v in self.relevant])
                    for state in states for outcome in (True, False)}
        if not any(v in self.relevant for v in s.targets):
            return states
        return {_with(state, self.assigned(s, dict(state))) for state in states}

    def assigned(self, s: Statement, facts: dict[Value, bool]) -> list[tuple[Value, bool | None]]:
        """The facts about the values that a statement assigns."""
        if isinstance(s, Evaluate) and s.eqn.op.name == "not_":
            outcome = _outcome(s.eqn.args[0], facts)
            return [(s.eqn.out, None if outcome is None else not outcome)]
        sources = dict(s.pairs) if isinstance(s, Assign) else {}
        for x in sources.values():
            if isinstance(s, Assign) and isinstance(x, Value) and _is_maybe_unbound(x) and x in self.relevant:
                self.sources.setdefault((s, x), set()).add(facts.get(x))
        return [(v, None if v not in sources else _bound(sources[v], facts) if _is_maybe_unbound(v)
                 else _outcome(sources[v], facts)) for v in s.targets if v in self.relevant]

    def where(self, test: Operand, outcome: bool, states: set[_State]) -> set[_State]:
        """The states in which the predicate can have this outcome."""
        if test not in self.relevant or not isinstance(test, Value) or _is_maybe_unbound(test):
            return states
        return {_with(state, [(test, outcome)]) for state in states if dict(state).get(test, outcome) is outcome}

    def loop(self, s: Loop, states: set[_State]) -> set[_State]:
        """The states behind a loop, which may run any number of times."""
        endless = not s.bounds and not s.zipped and s.tape is None and s.test is None
        outer, self.ends = self.ends, (set(), set())
        heads: set[_State] = set()
        tested: set[_State] = set()
        while not states <= heads:
            heads |= {_with(state, [(v, None) for v in s.bound if v in self.relevant]) for state in states}
            tested = self.run(s.head, heads)
            states = self.run(s.body, tested if s.test is None else self.where(s.test, True, tested)) | self.ends[1]
        left = self.ends[0]
        if not endless:
            left |= heads if s.test is None else self.where(s.test, False, tested)
        self.ends = outer
        return left


_Sources = dict[Operand, list[Operand]]


def _sources(block: Block) -> _Sources:
    """For a value: the operands that are assigned to it, or the predicate that tells whether it is bound."""
    sources: _Sources = {}
    for s in statements(block):
        if isinstance(s, Assign):
            for v, x in s.pairs:
                sources.setdefault(v, []).append(x)
        elif isinstance(s, Evaluate) and s.eqn.op.name == "not_":
            sources.setdefault(s.eqn.out, []).append(s.eqn.args[0])
        elif isinstance(s, Evaluate) and s.eqn.op is attempt:
            sources.update((v, [s.eqn.outs[0]]) for v in s.eqn.outs[2:])
    return sources


def _predicates_before(block: Block, check: Statement) -> list[Operand]:
    """The predicates of the conditionals around `check`, and of those before it that leave the function."""
    return _predicates_up_to(block, check)[0]


def _predicates_up_to(block: Block, check: Statement) -> tuple[list[Operand], bool]:
    """These predicates in a block, and whether `check` is there."""
    tests: list[Operand] = []
    for s in block:
        if s is check:
            return tests, True
        leaves = isinstance(s, If) and any(map(_leaves_function, s.blocks))
        inner: list[Operand] = []
        for b in s.blocks:
            more, is_there = _predicates_up_to(b, check)
            inner += more
            if is_there:
                return [*tests, *([s.test] if isinstance(s, If) else []), *inner], True
        tests += [s.test, *inner] if isinstance(s, If) and leaves else inner
    return tests, False


def _leaves_function(block: Block) -> bool:
    last = block[-1] if block else None
    return isinstance(last, Return) or isinstance(last, Evaluate) and last.eqn.op.name == "raise_"


def _outcome(x: Operand, facts: dict[Value, bool]) -> bool | None:
    """The outcome of a predicate."""
    if isinstance(x, Lit):
        return x.value if type(x.value) is bool else None
    return None if _is_maybe_unbound(x) else facts.get(x)


def _bound(x: Operand, facts: dict[Value, bool]) -> bool | None:
    return not is_undef(x) if isinstance(x, Lit) else facts.get(x) if _is_maybe_unbound(x) else True


def _is_maybe_unbound(x: Value) -> bool:
    return isinstance(x.type, Undef)


def _with(state: _State, facts: Iterable[tuple[Value, Optional[bool]]]) -> _State:
    """The state with these facts in place of the former ones; None stands for what is not known."""
    all_facts = {**dict(state), **dict(facts)}
    return frozenset((v, fact) for v, fact in all_facts.items() if fact is not None)
