"""Tapes hold what the backward pass cannot tell by itself, under the name and the sign that the forward pass has.

- A predicate is on the tape as it is tested:    tape.append(not c), and `if not_c:`   ->   tape.append(c), `if not c:`
- What is on the tape twice, also negated, is there once; a predicate that holds in all items is not there.
- An iteration in which the backward loop does nothing has no item; the forward loop appends behind its exit:

    tape.append((x, c)); if c: break     ->   if c: break; tape.append(x)
    while tape: x, c = tape.pop()        ->   while tape: x = tape.pop()
        if not c: dx = f(x, dx)                   dx = f(x, dx)

Only lists that this function alone fills and reads, in one place, are changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Optional

from sct.codegen.program.bound_checks import bound_by_no_path
from sct.codegen.program.predicate_facts import PredicateFacts, is_not
from sct.codegen.program.statement_ir import (
    Assign,
    Block,
    Evaluate,
    If,
    ListRead,
    Loop,
    NewList,
    Pop,
    Push,
    Return,
    Statement,
    all_blocks,
    leaves,
    statements,
)
from sct.ir.core import Lit, Operand, Value, has_effect, undef
from sct.ir.types import Tensor
from sct.ops import attempt
from sct.ops.registry import may_raise

__all__ = ["simplify_tapes"]


def simplify_tapes(block: Block) -> Block:
    """The block, changed in place."""
    program = _Program(block)
    steps = _test_as_appended, _merge_columns, _leave_out_idle_iterations, _drop_constant_columns, _append_less
    for step in steps if _tapes(block) else ():
        for tape in _tapes(block):
            step(tape, program)
    return block


class _Program:
    """The statements, and what is computed of them once until they change.

    tests    where values are read
    parents  the statement in whose blocks each statement stands
    homes    the block in which each list is created
    loops    the loop whose body begins with each statement
    bound    what the statements of a loop bind
    unbound  the values that no path binds
    flags    the outcomes of attempts
    """

    def __init__(self, block: Block) -> None:
        self.block = block

    def changed(self) -> None:
        """Forget what was computed."""
        block = self.block
        vars(self).clear()
        self.block = block

    @cached_property
    def tests(self) -> _Tests:
        return _Tests(self.block)

    @cached_property
    def parents(self) -> dict[Statement, Statement]:
        return {inner: s for s in statements(self.block) for b in s.blocks for inner in b}

    @cached_property
    def homes(self) -> dict[Value, Block]:
        return {s.tape: b for b in reversed(all_blocks(self.block)) for s in b if isinstance(s, NewList)}

    @cached_property
    def loops(self) -> dict[Statement, Loop]:
        return {s.body[0]: s for s in statements(self.block) if isinstance(s, Loop) and s.body}

    @cached_property
    def unbound(self) -> set[Value]:
        return bound_by_no_path(self.block)

    @cached_property
    def flags(self) -> set[Value]:
        return {s.eqn.outs[0] for s in statements(self.block) if isinstance(s, Evaluate) and s.eqn.op is attempt}

    @cached_property
    def bound(self) -> dict[Loop, set[Value]]:
        return {s: {v for t in statements([s]) for v in t.bound} for s in statements(self.block) if isinstance(s, Loop)}

    def facts_at(self, pushes: Iterable[Push]) -> dict[Push, PredicateFacts]:
        """The facts that hold where each of these items is appended to a list."""
        around: set[Statement] = set()
        for push in pushes:
            s: Statement | None = push
            while s is not None and s not in around:
                around.add(s)
                s = self.parents.get(s)
        at: dict[Push, PredicateFacts] = {}
        self._follow(self.block, PredicateFacts(), around, at)
        return at

    def _follow(self, block: Block, facts: PredicateFacts, around: Set[Statement], at: dict[Push, PredicateFacts]
                ) -> PredicateFacts:
        """The facts at the end of a block that begins with `facts`; `at` gets those at the appends in `around`."""
        for s in block:
            if isinstance(s, Push):
                if s in around:
                    at[s] = PredicateFacts(facts.truths)
            elif isinstance(s, If):
                ends = [self._follow(branch, facts.where(s.test, outcome), around, at)
                        for branch, outcome in ((s.then, True), (s.orelse, False))]
                ends = [end for end, branch in zip(ends, (s.then, s.orelse)) if not leaves(branch)]
                common = set.intersection(*(set(end.truths.items()) for end in ends)) if ends else ()
                facts = PredicateFacts(dict(common))
            elif isinstance(s, Loop):
                facts.forget(self.bound[s] if facts.truths else ())
                if s in around:
                    self._follow(s.body, self._follow(s.head, PredicateFacts(facts.truths), around, at), around, at)
            else:
                for inner in s.blocks if s in around else ():
                    self._follow(inner, PredicateFacts(), around, at)
                facts.after(s)
        return facts


@dataclass
class _Tape:
    """A list with predicates that is filled and read in this function alone, and read by one statement, `reader`."""

    filled: Value
    pushes: list[Push]
    read: ListRead
    reader: Statement

    def columns(self) -> Iterator[tuple[int, Value, list[Operand]]]:
        """Each value that is read, with its index and the operands that are appended for it."""
        for k, v in enumerate(self.read.values):
            yield k, v, [push.items[k] for push in self.pushes]

    def truths(self, push: Push, facts: PredicateFacts) -> dict[Value, bool | None]:
        """The outcomes of the predicates that `push` appends, by the values that are read."""
        return {v: facts.truth(x) for v, x in zip(self.read.values, push.items)}

    def drop(self, k: int) -> None:
        self.read.values = self.read.values[:k] + self.read.values[k + 1:]
        for push in self.pushes:
            push.items = push.items[:k] + push.items[k + 1:]


def _tapes(block: Block) -> list[_Tape]:
    everything = statements(block)
    pushes: dict[Value, list[Push]] = {}
    reads: dict[Value, list[tuple[ListRead, Statement]]] = {}
    inner: set[Operand] = set()
    used_otherwise: set[Operand] = set()
    for s in everything:
        if isinstance(s, Push):
            pushes.setdefault(s.tape, []).append(s)
            inner.update(s.items)
        elif isinstance(s, Loop):
            used_otherwise.update(s.bounds)
        elif isinstance(s, (Evaluate, Assign, Return)):
            used_otherwise.update((*s.reads, *s.targets))
        for read in s.list_reads:
            reads.setdefault(read.filled, []).append((read, s))
    return [_Tape(v, of_tape, *reads[v][0]) for v, of_tape in pushes.items()
            if v not in used_otherwise and len(reads.get(v, ())) == 1 and (v in inner) == (reads[v][0][0].tape is not v)
            and any(_is_predicate(x) for push in of_tape for x in push.items)]


# -- predicates -------------------------------------------------------------------------------


class _Tests:
    """Where values are read: `only_tests` are those that conditionals alone read, as their predicate."""

    def __init__(self, block: Block) -> None:
        self.uses = Counter(x for s in statements(block) for x in s.reads if isinstance(x, Value))
        self.conditionals: dict[Operand, list[If]] = {}
        for s in statements(block):
            if isinstance(s, If):
                self.conditionals.setdefault(s.test, []).append(s)

    def only_tests(self, v: Value) -> bool:
        return self.uses[v] == len(self.conditionals.get(v, ()))


def _test_as_appended(tape: _Tape, program: _Program) -> None:
    """Append `c` in place of `not c`, and swap the branches of the conditionals that read it."""
    facts, tests = program.facts_at(tape.pushes), program.tests
    for k, v, items in tape.columns():
        sources = [facts[push].negation(x) for push, x in zip(tape.pushes, items)]
        if tests.only_tests(v) and any(isinstance(x, Value) for x in sources) and all(
                x is not None and _is_predicate(x) for x in sources):
            program.changed()
            for push, x in zip(tape.pushes, sources):
                assert x is not None
                push.items = (*push.items[:k], x, *push.items[k + 1:])
            for s in tests.conditionals.get(v, ()):
                s.then, s.orelse = s.orelse, s.then


def _is_predicate(x: Operand) -> bool:
    """Is this a bool, of Python or of NumPy?"""
    return isinstance(x.type, Tensor) and x.type.is_scalar and x.type.kind == "b"


def _merge_columns(tape: _Tape, program: _Program) -> None:
    """Keep one of two columns that hold the same, or one of two predicates that are each other's negation."""
    facts = program.facts_at(tape.pushes)
    for k, v, items in reversed(list(tape.columns())):
        for j, w, others in tape.columns():
            if j >= k:
                break
            truths = [(facts[push].truth(x), facts[push].truth(y)) for push, x, y in zip(tape.pushes, items, others)]
            known_tests = not any(None in pair for pair in truths) and all(map(program.tests.only_tests, (v, w)))
            if known_tests and all(x is not y for x, y in truths):
                for s in program.tests.conditionals.get(v, ()):
                    s.then, s.orelse = s.orelse, s.then
            elif not (known_tests and all(x is y for x, y in truths)
                      or v.type == w.type and all(x is y for x, y in zip(items, others))):
                continue
            w.hint = w.hint or v.hint
            _replace(program.block, {v: w})
            tape.drop(k)
            program.changed()
            return _merge_columns(tape, program)


def _drop_constant_columns(tape: _Tape, program: _Program) -> None:
    """Decide the conditionals on a predicate that has the same outcome in all items."""
    facts = program.facts_at(tape.pushes)
    for k, v, items in reversed(list(tape.columns())):
        if len(tape.read.values) == 1:
            return  # the number of items counts the iterations
        truths = {facts[push].truth(x) for push, x in zip(tape.pushes, items)}
        if len(truths) == 1 and None not in truths and program.tests.only_tests(v):
            tape.drop(k)
            program.changed()
            for inner in reversed(all_blocks(program.block)):  # first what is in a branch, then the branch
                inner[:] = [t for s in inner for t in (
                    (s.then if True in truths else s.orelse) if isinstance(s, If) and s.test is v else [s])]


def _append_less(tape: _Tape, program: _Program) -> None:
    """Append None for a variable that may be unbound and that nothing reads then; True or False for an attempt's flag.

    So neither the variable is None from the start, nor the flag a variable.
    """
    facts = program.facts_at(tape.pushes)
    unbound, flags, loop = program.unbound, program.flags, program.loops.get(tape.reader)
    for push in tape.pushes:
        truths = tape.truths(push, facts[push])
        read: Set[Operand] = set(tape.read.values)
        if loop is not None and push.maybe_unbound:
            read = _Iteration(loop, program.block).reads(truths)
        items: list[Operand] = []
        for v, x in zip(tape.read.values, push.items):
            outcome = truths[v] if x in flags else None
            v.hint = v.hint or ("ok" if outcome is not None else None)
            items.append(Lit(outcome) if outcome is not None else
                         undef(v.type) if x in push.maybe_unbound and (v not in read or x in unbound) else x)
        push.items, push.maybe_unbound = tuple(items), push.maybe_unbound.intersection(items)


def _replace(block: Block, replacements: Mapping[Value, Operand]) -> None:
    for s in statements(block):
        s.replace_operands(lambda x: replacements.get(x, x) if isinstance(x, Value) else x)


# -- iterations that do nothing -------------------------------------------------------------------


def _leave_out_idle_iterations(tape: _Tape, program: _Program) -> None:
    """Append nothing in iterations in which the loop that pops the tape does nothing."""
    block, home, loop = program.block, program.homes.get(tape.filled, []), program.loops.get(tape.reader)
    if loop is None or loop not in home or not isinstance(tape.read, Pop) or not _pops_all(loop, tape, home):
        return
    iteration = _Iteration(loop, block)
    if len(tape.read.values) == 1:
        inner = _other_pop(loop, tape.read.values[0], iteration, home, program)
        if inner is not None:
            program.changed()
            loop.body[:2] = inner[1]
            _run_until_empty(loop, inner[0])
            _remove(block, [*tape.pushes, *(s for s in home if isinstance(s, NewList) and s.tape is tape.filled)])
        return
    moves = list(_moves(tape, iteration, program))
    if moves and None not in moves:
        program.changed()
        for move in moves:
            if move is not None:
                move.apply()
        _run_until_empty(loop, tape.filled)


def _other_pop(loop: Loop, test: Value, iteration: _Iteration, home: Block,
               program: _Program) -> tuple[Value, Block] | None:
    """Another tape and the branch that pops it, where nothing happens in the other branch of the conditional."""
    s = loop.body[1] if len(loop.body) > 1 else None
    if not isinstance(s, If) or s.test is not test or program.tests.uses[test] != 1:
        return None
    for inner, outcome in ((s.then, True), (s.orelse, False)):
        pop = inner[0] if inner else None
        if isinstance(pop, Pop) and iteration.is_idle({test: not outcome}) and pop.tape is pop.filled and any(
                isinstance(t, NewList) and t.tape is pop.tape for t in home) \
                and sum(isinstance(t, (Pop, Loop)) and pop.tape in t.reads for t in statements(program.block)) == 1:
            return pop.tape, inner
    return None


class _Iteration:
    """An iteration of a loop of the backward pass, as far as appended predicates decide what it does.

    carried  what it hands to the next iteration or to the code behind the loop
    """

    Values = dict[Operand, Optional[Operand]]

    def __init__(self, loop: Loop, block: Block) -> None:
        self.loop = loop
        inside = set(statements(loop.body))
        outside = [s for s in statements(block) if s not in inside]
        self.carried: set[Operand] = {v for s in outside for v in (*s.bound, *s.reads)}

    def is_idle(self, truths: Mapping[Value, bool | None]) -> bool | None:
        """Does it change nothing?  None if that depends on a predicate whose outcome is not in `truths`."""
        values: _Iteration.Values = {}
        outcome = self._run(self.loop.body, truths, values)
        if outcome is not True:
            return outcome
        return all(values[v] is v for v in values if v in self.carried)

    def reads(self, truths: Mapping[Value, bool | None]) -> Set[Operand]:
        """The values that are read in the iteration, or after it."""
        read = set(self.carried)
        work = [self.loop.body]
        while work:
            for s in work.pop():
                taken = truths.get(s.test) if isinstance(s, If) and isinstance(s.test, Value) else None
                read.update(s.reads)
                work += s.blocks if taken is None else [s.blocks[0 if taken else 1]]
        return read

    def _run(self, block: Block, truths: Mapping[Value, bool | None], values: Values) -> bool | None:
        """Bind in `values` what the block assigns; False if it does anything else, None if that cannot be told."""
        truths = dict(truths)
        for s in block:
            if isinstance(s, If):
                truth = truths.get(s.test) if isinstance(s.test, Value) else None
                outcome = None if truth is None else self._run(s.then if truth else s.orelse, truths, values)
                if outcome is not True:
                    return outcome
            elif isinstance(s, Assign):
                values.update([(v, values.get(x, x)) for v, x in s.pairs])
            elif isinstance(s, Evaluate) and is_not(s.eqn) and isinstance(v := s.eqn.args[0], Value):
                truths[s.eqn.out] = None if (truth := truths.get(v)) is None else not truth
                values[s.eqn.out] = None
            elif s is self.loop.body[0] or isinstance(s, Evaluate) and not has_effect(s.eqn) \
                    and s.eqn.inplace is None and not s.eqn.op.updates and not (s.eqn.primal and may_raise(s.eqn)):
                values.update(dict.fromkeys(s.targets))
            else:
                return False
        return True


def _pops_all(loop: Loop, tape: _Tape, home: Block) -> bool:
    """Does the loop pop every item of the tape, and need no number of the iteration?"""
    filling = next((s for s in home if isinstance(s, Loop) and tape.pushes[0] in statements(s.body)), None)
    if loop.jumps or loop.zipped or filling is None or tape.read.tape is not tape.filled:
        return False
    if loop.tape is not None:
        return loop.tape is tape.filled
    alike = filling.eqn is not None and loop.eqn is not None and not set(
        filling.eqn.attrs.get("mirrors", ())).isdisjoint(loop.eqn.attrs.get("mirrors", ()))
    return bool(loop.bounds) and alike and all(push in statements(filling.body) for push in tape.pushes) \
        and not any(loop.index in s.reads for s in statements(loop.body))


def _run_until_empty(loop: Loop, tape: Value) -> None:
    loop.tape, loop.bounds, loop.index = tape, (), None


def _remove(block: Block, removed: Iterable[Statement]) -> None:
    gone = set(removed)
    for inner in all_blocks(block):
        inner[:] = [s for s in inner if s not in gone]


@dataclass
class _Move:
    """Appends in one branch of the conditional beside it, or behind that, or nowhere if `conditional` is None."""

    push: Push
    block: Block
    conditional: If | None = None
    outcome: bool = False

    def apply(self) -> None:
        k = self.block.index(self.push)
        if self.conditional is None:
            del self.block[k]
            return
        before = self.block.index(self.conditional) < k
        branch, other = (self.conditional.then, self.conditional.orelse)[::1 if self.outcome else -1]
        del self.block[k]
        if before:
            branch.append(self.push)
        elif not branch and leaves(other):
            self.block.insert(k + 1, self.push)
        else:
            branch.insert(0, self.push)


def _moves(tape: _Tape, iteration: _Iteration, program: _Program) -> Iterator[_Move | None]:
    """How each append is left out where the iteration is idle; None if that cannot be told."""
    facts = program.facts_at(tape.pushes)
    for inner in all_blocks(program.block):
        for k, push in enumerate(inner):
            if isinstance(push, Push) and push in tape.pushes:
                idle = iteration.is_idle(tape.truths(push, facts[push]))
                if idle is None:
                    yield _move(tape, push, iteration, facts[push], inner, k)
                elif idle:
                    yield _Move(push, inner)


def _move(tape: _Tape, push: Push, iteration: _Iteration, facts: PredicateFacts, block: Block, k: int) -> _Move | None:
    """Into the branch of a conditional beside the append where the iteration is not idle, as it is in the other."""
    for s in (*block[k + 1:k + 2], *block[max(k - 1, 0):k]):
        for outcome in (True, False) if isinstance(s, If) else ():
            assert isinstance(s, If)
            idle, other = (iteration.is_idle(tape.truths(push, facts.where(s.test, o))) for o in (outcome, not outcome))
            if idle and other is False and not (s in block[:k] and leaves(s.orelse if outcome else s.then)):
                return _Move(push, block, s, not outcome)
    return None
