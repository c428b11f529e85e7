"""Jump threading: a conditional whose predicate the branches of the one before it decide continues these branches:

    kind, v = cond(c, (4, x), (0, undef)); r = cond(kind == 0, f(y), v)    ->    r = cond(c, x, f(y))

The frontend writes exits as ints that guard the rest of a block, and members of enums as strings; users write flags.
In:  primal IR. Out: IR that computes the same bits in the same order. Each branch goes to one place, or to several if
it computes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from sct.ir.core import Eqn, Fn, Lit, Operand, Value, is_number, is_undef, rebuild, substitute
from sct.ir.types import Text
from sct.ops.program.control import cond
from sct.ops.program.effects import part
from sct.ops.scalar.comparison import eq, ge, gt, is_none, le, lt, ne, not_, unwrap
from sct.passes.analysis.type_inference import retype
from sct.passes.scalar.literal_choices import compared_literal

__all__ = ["thread_jumps"]

TESTS = frozenset((eq, ne, lt, le, gt, ge, not_))

Env = Mapping[Value, Operand]
"""What values of the regions around are in a branch."""


def thread_jumps(fn: Fn) -> Fn:
    """`fn` with conditionals continued in the branches that decide their predicates, inner ones first."""
    return fn.replace(eqns=_threaded(
        eqn.replace(regions=tuple(map(thread_jumps, eqn.regions))) if eqn.regions else eqn for eqn in fn.eqns))


def _threaded(block: Iterable[Eqn]) -> tuple[Eqn, ...]:
    """The equations of a block, without those in regions."""
    eqns: list[Eqn] = []
    at = 0
    for eqn in block:
        threading = _Threading(eqns[at], eqns[at + 1:], eqn) if eqn.op is cond and at < len(eqns) else None
        if threading is not None and threading.is_possible():
            eqns[at] = threading.continued(eqns[at], {}, eqn.outs)
            continue
        if not _is_test(eqn):
            at = len(eqns)
        eqns.append(eqn)
    return tuple(eqns)


class _Threading:
    """The conditional `first`, tests of what it returns, and the conditional `second` on them."""

    def __init__(self, first: Eqn, tests: Sequence[Eqn], second: Eqn) -> None:
        self.first, self.tests, self.second = first, tests, second
        self.copies = Counter(self.outcomes(first, {})) if first.op is cond and first.primal else Counter()

    def is_possible(self) -> bool:
        """Is the predicate known at the end of each path, and is no branch with equations needed twice?"""
        return None not in self.copies and len(self.copies) == 2 and all(
            self.copies[taken] == 1 or all(eqn.op is unwrap for eqn in region.eqns)
            for region, taken in zip(self.second.regions, (True, False)))

    def outcomes(self, conditional: Eqn, env: Env) -> Iterator[bool | None]:
        """What the predicate is at the end of each path that decides it; None if that is not known."""
        for region in conditional.regions:
            yield from self.outcomes_in(region, _in_branch(env, conditional, region))

    def outcomes_in(self, region: Fn, env: Env) -> list[bool | None]:
        """The same for the paths through a branch with the values `env`; one outcome if that decides them all."""
        outcome, last = self.evaluated(env), _last(region)
        inside = list(self.outcomes(last, env)) if outcome is None and last is not None else [outcome]
        return inside[:1] if len(set(inside)) == 1 else inside

    def evaluated(self, env: Env) -> bool | None:
        """The predicate, if all tests are of literals in `env`."""
        results = dict(env)
        for eqn in self.tests:
            args = substitute(eqn.args, results)
            if any(not isinstance(x, Lit) or is_undef(x) for x in args):
                return None
            values = [x.value for x in args if isinstance(x, Lit)]
            if (literal := compared_literal(eqn)) is not None:
                results[eqn.out] = Lit(values == [literal.value])
            elif eqn.op.run is not None:
                results[eqn.out] = Lit(eqn.op.run(*values))
        (predicate,) = substitute(self.second.args, results)
        return bool(predicate.value) if isinstance(predicate, Lit) and not is_undef(predicate) else None

    def continued(self, conditional: Eqn, env: Env, outs: tuple[Value, ...]) -> Eqn:
        """The conditional, which ends in the branches of `second` and returns their results as `outs` as well."""
        regions = []
        for region in conditional.regions:
            inner = _in_branch(env, conditional, region)
            outcomes, last = self.outcomes_in(region, inner), _last(region)
            if len(outcomes) == 1:
                branch = _continuation(self.second.regions[not outcomes[0]], inner, fresh=self.copies[outcomes[0]] > 1)
                regions.append(region.replace(eqns=_threaded(region.eqns + branch.eqns),
                                              results=region.results + branch.results))
            elif last is not None:
                new = tuple(Value(v.type, v.hint, v.dim) for v in outs)
                longer = self.continued(last, inner, new)
                regions.append(region.replace(eqns=tuple(longer if e is last else e for e in region.eqns),
                                              results=region.results + new))
        return conditional.replace(outs=conditional.outs + outs, regions=tuple(regions))


def _is_test(eqn: Eqn) -> bool:
    """Is this a comparison without effect or exception, which may stand anywhere behind what it compares?"""
    if eqn.op in TESTS or eqn.op is part:
        return (eqn.op in TESTS or compared_literal(eqn) is not None) \
            and all(is_number(x) or isinstance(x.type, Text) for x in eqn.args)
    return eqn.op is is_none


def _last(region: Fn) -> Eqn | None:
    """The conditional at the end of a region, behind which there are tests alone."""
    last = next((eqn for eqn in reversed(region.eqns) if not _is_test(eqn)), None)
    return last if last is not None and last.op is cond else None


def _in_branch(env: Env, conditional: Eqn, region: Fn) -> Env:
    """`env` at the end of a branch of the conditional."""
    outs = dict(zip(conditional.outs, region.results))
    return {**outs, **dict(zip(env, substitute(tuple(env.values()), outs)))}


def _continuation(branch: Fn, env: Env, fresh: bool) -> Fn:
    """A branch in `env`, where values may have other types: those that are there are not unwrapped."""
    branch = rebuild(branch, env, fresh=fresh)
    plain = {eqn.out: eqn.args[0] for eqn in branch.eqns if eqn.op is unwrap and eqn.args[0].type == eqn.out.type}
    return retype(rebuild(branch.replace(eqns=tuple(e for e in branch.eqns if plain.keys().isdisjoint(e.outs))), plain))
