"""Records of one arm:  test, a (undefined where test)  ->  None, or a record of a

What the forward part of a function that calls itself keeps is mostly known in the arm
that calls itself alone.  There the record is made and taken apart.  Its being None tells
which arm was taken, where the test would have to be handed over too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sct.ir.core import UNDEF, Eqn, Fn, Lit, Operand, Value, free_values, rebuild, substitute, undef
from sct.ir.types import BOOL, Residuals, Type, Undef
from sct.ops.program.call_ops import pack, unpack
from sct.ops.program.control import cond
from sct.ops.scalar.comparison import is_none, not_, unwrap

__all__ = ["OneArm", "in_one_arm", "is_undef", "one_arm", "only_unwrapped"]


@dataclass(frozen=True)
class OneArm:
    """What crosses from the one part of a function to the other is made in an arm of `branch`.

    arm     which arm that is
    fields  the values of that arm, by the outs of the branch that are theirs
    tells   does the record stand for the test, which is not known otherwise?
    """

    branch: Eqn
    arm: int
    fields: dict[Value, Value]
    tells: bool

    def forward(self, eqns: Sequence[Eqn], record: Value, of: str) -> tuple[Eqn, ...]:
        """The forward part, the record an out of the branch."""
        made = Value(Residuals(of), "residuals")
        arms = list(self.branch.regions)
        packed = Eqn(pack, tuple(self.fields.values()), (made,), {"of": of}, primal=False)
        for k, arm in enumerate(arms):
            mine = k == self.arm
            arms[k] = arm.with_(eqns=(*arm.eqns, *([packed] if mine else [])),
                                results=(*arm.results, made if mine else Lit(None, Residuals(of))))
        branch = self.branch.with_(regions=tuple(arms), outs=(*self.branch.outs, record))
        return tuple(branch if eqn is self.branch else eqn for eqn in eqns)

    def backward(self, eqns: Sequence[Eqn], record: Value) -> tuple[Eqn, ...]:
        """The backward part, which takes the record apart in the arms that mirror this one."""
        test = self.branch.args[0]
        tests, known = self.asked(record) if self.tells else ([], test)
        made = []
        for eqn in eqns:
            if eqn.op is cond and eqn.args[0] is test:
                arms = list(eqn.regions)
                arms[self.arm] = self.taken_apart(arms[self.arm], record)
                eqn = eqn.with_(args=(known,), regions=tuple(arms))
            made.append(eqn.with_(args=substitute(eqn.args, {test: known}) if isinstance(test, Value) else eqn.args))
        return (*tests, *made)

    def asked(self, record: Value) -> tuple[list[Eqn], Operand]:
        """(equations for the test, as the record tells it, and what it is)."""
        missing = Value(BOOL)
        tests = [Eqn(is_none, (record,), (missing,), primal=False)]
        if self.arm == 1:
            return tests, missing
        known = Value(BOOL)
        return [*tests, Eqn(not_, (missing,), (known,), primal=False)], known

    def taken_apart(self, arm: Fn, record: Value) -> Fn:
        fields = {out: Value(v.type, v.hint, v.dim) for out, v in self.fields.items()}
        first = Eqn(unpack, (record,), tuple(fields.values()), {"types": tuple(v.type for v in fields.values())},
                    primal=False)
        env: dict[Value, Operand] = {}
        arm = self._unwrapped(arm, fields, env)
        return arm.with_(eqns=(first, *arm.eqns))

    def _unwrapped(self, fn: Fn, fields: dict[Value, Value], env: dict[Value, Operand]) -> Fn:
        """`fn` where unwrapping an out of the branch is the field itself."""
        eqns = []
        for eqn in fn.eqns:
            eqn = eqn.with_(args=substitute(eqn.args, env))
            x = eqn.args[0] if eqn.op is unwrap else None
            field = fields.get(x) if isinstance(x, Value) else None
            if field is not None and field.type == eqn.out.type:
                env[eqn.out] = field
            else:
                eqns.append(eqn.with_(args=eqn.args if field is None else (field,),
                                      regions=tuple(self._unwrapped(r, fields, env) for r in eqn.regions)))
        return fn.with_(eqns=tuple(eqns), results=substitute(fn.results, env))


def in_one_arm(before: tuple[Eqn, ...], after: Fn) -> tuple[tuple[Eqn, ...], Fn]:
    """The two parts where an out of a branch that one arm alone of the backward part reads is what that arm made."""
    made = []
    for eqn in before:
        if eqn.op.name == "cond":
            for k, out in enumerate(eqn.outs):
                arm = None if isinstance(out.type, Undef) else _reader(after, eqn.args[0], out)
                value = None if arm is None else eqn.regions[arm].results[k]
                if arm is not None and isinstance(value, Value):
                    eqn, after = _narrowed(eqn, after, out, arm, value)
        made.append(eqn)
    return tuple(made), after


def _reader(after: Fn, test: Operand, v: Value) -> int | None:
    """The arm of branches on `test` that alone reads `v`."""
    if v in after.results:
        return None
    readers = set()
    for eqn in after.eqns:
        if v in free_values(Fn("", (), (eqn,), ())):
            arms = [k for k, arm in enumerate(eqn.regions) if v in free_values(arm)]
            readers |= {arms[0] if eqn.op.name == "cond" and eqn.args[0] is test and len(arms) == 1 else -1}
    return readers.pop() if len(readers) == 1 and readers != {-1} else None


def _narrowed(branch: Eqn, after: Fn, out: Value, arm: int, value: Value) -> tuple[Eqn, Fn]:
    """An out of the branch more, undefined in the other arm, for `out` to be unwrapped from in the backward part."""
    new = Value(Undef(value.type), out.hint, out.dim)
    regions = tuple(r.with_(results=(*r.results, value if k == arm else undef(value.type)))
                    for k, r in enumerate(branch.regions))
    eqns = []
    for eqn in after.eqns:
        if eqn.op is cond and eqn.args[0] is branch.args[0] and out in free_values(eqn.regions[arm]):
            inner = Value(value.type, out.hint, out.dim)
            region = rebuild(eqn.regions[arm], {out: inner})
            region = region.with_(eqns=(Eqn(unwrap, (new,), (inner,), primal=False), *region.eqns))
            eqn = eqn.with_(regions=tuple(region if k == arm else r for k, r in enumerate(eqn.regions)))
        eqns.append(eqn)
    return branch.with_(regions=regions, outs=(*branch.outs, new)), after.with_(eqns=tuple(eqns))


def one_arm(before: Sequence[Eqn], after: Fn, crossing: Sequence[Value]) -> OneArm | None:
    """The arm that makes all that crosses but the test itself, if there is one."""
    made = {out: eqn for eqn in before for out in eqn.outs}
    for branch in {eqn for v in crossing if (eqn := made.get(v)) is not None and eqn.op is cond}:
        fields = [v for v in crossing if v is not branch.args[0]]
        arm, tells = _arm_of(branch, fields), len(fields) < len(crossing)
        if arm is not None and _only_in_arms(after, branch.args[0], arm, fields, tells):
            values = {v: branch.regions[arm].results[branch.outs.index(v)] for v in fields}
            if all(isinstance(x, Value) for x in values.values()):
                return OneArm(branch, arm, values, tells)  # type: ignore[arg-type]
    return None


def _arm_of(branch: Eqn, fields: Sequence[Value]) -> int | None:
    """The arm that alone binds these outs."""
    found: set[tuple[bool, ...]] = set()
    for v in fields:
        if v not in branch.outs or not isinstance(v.type, Undef):
            return None
        k = branch.outs.index(v)
        found.add(tuple(is_undef(arm.results[k]) for arm in branch.regions))
    return {(True, False): 1, (False, True): 0}.get(tuple(found.pop())) if len(found) == 1 else None  # type: ignore[arg-type]


def is_undef(x: Operand) -> bool:
    return isinstance(x, Lit) and x.value is UNDEF


def _only_in_arms(after: Fn, test: Operand, arm: int, fields: Sequence[Value], tells: bool) -> bool:
    """Are the fields unwrapped in arms of branches on the test, and read nowhere else?  The test too, if it goes."""
    others = [eqn.regions[1 - arm] if eqn.op is cond and eqn.args[0] is test else Fn("", (), (eqn,), ())
              for eqn in after.eqns]
    others.append(Fn("", (), (), after.results))
    if any(v in fields or tells and v is test for f in others for v in free_values(f)):
        return False
    mine = [eqn.regions[arm] for eqn in after.eqns if eqn.op is cond and eqn.args[0] is test]
    return all(only_unwrapped(f, fields) and not (tells and test in free_values(f)) for f in mine)


def only_unwrapped(fn: Fn, fields: Sequence[Value], type: Type | None = None) -> bool:
    """Does `fn` read the fields only to unwrap them, to values of that type?"""
    return not any(x in fields for x in fn.results) and all(
        (not any(x in fields for x in eqn.args) or eqn.op is unwrap and type in (None, eqn.out.type))
        and all(only_unwrapped(r, fields, type) for r in eqn.regions) for eqn in fn.eqns)
