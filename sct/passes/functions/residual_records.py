"""Residual records that are built in one branch.

    p, a (undefined where p)  ->  None where p, else a record of a

In:  the two parts of a function and the residuals between them. Out: the parts, where the branch that binds the
residuals builds the record, and the mirrored branch of the backward part takes it apart. In a recursive function,
residuals are usually defined only in the recursive branch. A record of `None` encodes that the other branch ran, so
the predicate need not be saved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sct.ir.core import Eqn, Fn, Lit, Operand, Value, bound_values, free_values, is_undef, rebuild, substitute, undef
from sct.ir.types import BOOL, Residuals, Type, Undef
from sct.ir.uses import DefUse
from sct.ops.program.call_ops import pack, unpack
from sct.ops.program.control import cond
from sct.ops.scalar.comparison import is_none, not_, unwrap

__all__ = ["BranchRecord", "branch_record", "narrow_to_readers", "only_unwrapped"]


@dataclass(frozen=True)
class BranchRecord:
    """A record that one branch of `conditional` builds from all residuals of a function.

    branch             the position of that branch
    fields             for an out of the conditional: the value of the branch that it stands for
    encodes_predicate  does the record replace the predicate, which would be a residual too?
    """

    conditional: Eqn
    branch: int
    fields: dict[Value, Value]
    encodes_predicate: bool

    def forward(self, eqns: Sequence[Eqn], record: Value, of: str) -> tuple[Eqn, ...]:
        """The forward part, with `record` as an out of the conditional."""
        inner = Value(Residuals(of), "residuals")
        packing = Eqn(pack, tuple(self.fields.values()), (inner,), {"of": of}, primal=False)
        branches = list(self.conditional.regions)
        for k, branch in enumerate(branches):
            builds = k == self.branch
            branches[k] = branch.replace(eqns=(*branch.eqns, *([packing] if builds else [])),
                                       results=(*branch.results, inner if builds else Lit(None, Residuals(of))))
        conditional = self.conditional.replace(regions=tuple(branches), outs=(*self.conditional.outs, record))
        return tuple(conditional if eqn is self.conditional else eqn for eqn in eqns)

    def backward(self, eqns: Sequence[Eqn], record: Value) -> tuple[Eqn, ...]:
        """The backward part, where the branches that mirror this one unpack the record."""
        predicate = self.conditional.args[0]
        tests, recovered = self.recover_predicate(record) if self.encodes_predicate else ([], predicate)
        new_eqns = []
        for eqn in eqns:
            if eqn.op is cond and eqn.args[0] is predicate:
                branches = list(eqn.regions)
                branches[self.branch] = self.with_unpacking(branches[self.branch], record)
                eqn = eqn.replace(args=(recovered,), regions=tuple(branches))
            args = substitute(eqn.args, {predicate: recovered}) if isinstance(predicate, Value) else eqn.args
            new_eqns.append(eqn.replace(args=args))
        return (*tests, *new_eqns)

    def recover_predicate(self, record: Value) -> tuple[list[Eqn], Operand]:
        """(equations that compute the predicate from the record, the predicate)."""
        missing = Value(BOOL)
        tests = [Eqn(is_none, (record,), (missing,), primal=False)]
        if self.branch == 1:
            return tests, missing
        present = Value(BOOL)
        return [*tests, Eqn(not_, (missing,), (present,), primal=False)], present

    def with_unpacking(self, branch: Fn, record: Value) -> Fn:
        fields = {out: Value(v.type, v.hint, v.dim) for out, v in self.fields.items()}
        types = tuple(v.type for v in fields.values())
        unpacking = Eqn(unpack, (record,), tuple(fields.values()), {"types": types}, primal=False)
        branch = self._replace_unwraps(branch, fields, {})
        return branch.replace(eqns=(unpacking, *branch.eqns))

    def _replace_unwraps(self, fn: Fn, fields: dict[Value, Value], env: dict[Value, Operand]) -> Fn:
        """`fn`, where a field stands for each unwrapped out of the conditional."""
        eqns = []
        for eqn in fn.eqns:
            eqn = eqn.replace(args=substitute(eqn.args, env))
            x = eqn.args[0] if eqn.op is unwrap else None
            field = fields.get(x) if isinstance(x, Value) else None
            if field is not None and field.type == eqn.out.type:
                env[eqn.out] = field
            else:
                eqns.append(eqn.replace(args=eqn.args if field is None else (field,),
                                      regions=tuple(self._replace_unwraps(r, fields, env) for r in eqn.regions)))
        return fn.replace(eqns=tuple(eqns), results=substitute(fn.results, env))


def narrow_to_readers(forward: tuple[Eqn, ...], backward: Fn) -> tuple[tuple[Eqn, ...], Fn]:
    """The two parts, where an out that only one backward branch reads is taken from the branch that it mirrors."""
    eqns = []
    for eqn in forward:
        if eqn.op.name == "cond":
            for k, out in enumerate(eqn.outs):
                branch = None if isinstance(out.type, Undef) else _only_reader(backward, eqn.args[0], out)
                value = None if branch is None else eqn.regions[branch].results[k]
                if branch is not None and isinstance(value, Value):
                    eqn, backward = _narrow(eqn, backward, out, branch, value)
        eqns.append(eqn)
    return tuple(eqns), backward


def _only_reader(backward: Fn, predicate: Operand, v: Value) -> int | None:
    """The branch of conditionals on `predicate` that alone reads `v`."""
    if v in backward.results:
        return None
    readers = set()
    for eqn in backward.eqns:
        if v in free_values(Fn("", (), (eqn,), ())):
            branches = [k for k, branch in enumerate(eqn.regions) if v in free_values(branch)]
            one = eqn.op.name == "cond" and eqn.args[0] is predicate and len(branches) == 1
            readers |= {branches[0] if one else -1}
    return readers.pop() if len(readers) == 1 and readers != {-1} else None


def _narrow(conditional: Eqn, backward: Fn, out: Value, branch: int, value: Value) -> tuple[Eqn, Fn]:
    """Replace `out` in the backward part by the value of the branch.

    A value that the branch binds itself becomes an out that is undefined in the other branch.
    """
    if value not in bound_values(conditional.regions[branch]):
        return conditional, _with_reads(
            backward, conditional, branch, out, lambda region: rebuild(region, {out: value}))
    new = Value(Undef(value.type), out.hint, out.dim)
    regions = tuple(r.replace(results=(*r.results, value if k == branch else undef(value.type)))
                    for k, r in enumerate(conditional.regions))

    def unwrapped(region: Fn) -> Fn:
        inner = Value(value.type, out.hint, out.dim)
        region = rebuild(region, {out: inner})
        return region.replace(eqns=(Eqn(unwrap, (new,), (inner,), primal=False), *region.eqns))

    conditional = conditional.replace(regions=regions, outs=(*conditional.outs, new))
    return conditional, _with_reads(backward, conditional, branch, out, unwrapped)


def _with_reads(backward: Fn, conditional: Eqn, branch: int, out: Value, change: Callable[[Fn], Fn]) -> Fn:
    """`backward`, where the mirrored branches that read `out` are changed."""
    eqns = []
    for eqn in backward.eqns:
        if eqn.op is cond and eqn.args[0] is conditional.args[0] and out in free_values(eqn.regions[branch]):
            eqn = eqn.replace(regions=tuple(change(r) if k == branch else r for k, r in enumerate(eqn.regions)))
        eqns.append(eqn)
    return backward.replace(eqns=tuple(eqns))


def branch_record(forward: Sequence[Eqn], backward: Fn, residuals: Sequence[Value]) -> BranchRecord | None:
    """The record that one branch can build of all residuals, perhaps except the predicate, or None."""
    producer = {out: eqn for eqn in forward for out in eqn.outs}
    conditionals = [eqn for v in residuals if (eqn := producer.get(v)) is not None and eqn.op is cond]
    for conditional in dict.fromkeys(conditionals):
        fields = [v for v in residuals if v is not conditional.args[0]]
        branch, encodes_predicate = _binding_branch(conditional, fields), len(fields) < len(residuals)
        if branch is not None and _only_unwrapped_in_mirrors(
                backward, conditional.args[0], branch, fields, encodes_predicate):
            values = {v: conditional.regions[branch].results[conditional.outs.index(v)] for v in fields}
            if all(isinstance(x, Value) for x in values.values()):
                return BranchRecord(conditional, branch, values, encodes_predicate)  # type: ignore[arg-type]
    return None


def _binding_branch(conditional: Eqn, fields: Sequence[Value]) -> int | None:
    """The branch that alone binds all of these outs."""
    undefined: set[tuple[bool, ...]] = set()
    for v in fields:
        if v not in conditional.outs or not isinstance(v.type, Undef):
            return None
        k = conditional.outs.index(v)
        undefined.add(tuple(is_undef(branch.results[k]) for branch in conditional.regions))
    if undefined == {(True, False)}:
        return 1
    return 0 if undefined == {(False, True)} else None


def _only_unwrapped_in_mirrors(backward: Fn, predicate: Operand, branch: int, fields: Sequence[Value],
                               encodes_predicate: bool) -> bool:
    """Are the fields read nowhere but in unwraps in the mirrored branches, and the predicate, if encoded, nowhere
    but by the conditionals themselves?"""
    mirrors = [eqn.op is cond and eqn.args[0] is predicate for eqn in backward.eqns]
    others = [eqn.regions[1 - branch] if mirror else Fn("", (), (eqn,), ())
              for eqn, mirror in zip(backward.eqns, mirrors)]
    others.append(Fn("", (), (), backward.results))
    if any(v in fields or encodes_predicate and v is predicate for f in others for v in free_values(f)):
        return False
    mirrored = [eqn.regions[branch] for eqn, mirror in zip(backward.eqns, mirrors) if mirror]
    if encodes_predicate and any(predicate in free_values(f) for f in mirrored):
        return False
    return all(only_unwrapped(uses, v) for uses in map(DefUse, mirrored) for v in fields)


def only_unwrapped(uses: DefUse, v: Value, type: Type | None = None) -> bool:
    """Is `v` read only to unwrap it, to a value of that type?"""
    return all(isinstance(user, Eqn) and user.op is unwrap and type in (None, user.out.type)
               for user, _ in uses.uses(v))
