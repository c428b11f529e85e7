"""A tangent or a cotangent that starts as the number 0.0 starts as zeros, where a trip writes into it.

    dv = 0.0; for ...: dv = -dv; dv[i] += 1.0   ->   dv = zeros_of(x); for ...: ...

A literal typed as an array is as good as one for arithmetic alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from sct.ir.core import Eqn, Fn, Lit, Operand, Value
from sct.ir.types import Tensor
from sct.ops.arrays.creation import zeros_of
from sct.ops.program.control import loop
from sct.ops.registry import ELEMENTWISE
from sct.passes.analysis.loop_layout import parts

__all__ = ["starts"]


def starts(fn: Fn, around: Sequence[Value] = ()) -> Fn:
    """`fn` with zeros of the shape of a value at hand for such literals."""
    known = [*around, *fn.params]
    eqns: list[Eqn] = []
    for eqn in fn.eqns:
        made = eqn.with_(regions=tuple(starts(r, known) for r in eqn.regions)) if eqn.regions else eqn
        if eqn.op is loop:
            first = 3 * eqn.attrs["counted"]
            for k, (x, p) in enumerate(zip(parts(made).inits, parts(made).params)):
                like = next((v for v in known if v.type == p.type), None)
                if is_literal(x) and like is not None and is_written(p, made.regions[-1]):
                    zeros = Value(p.type, p.hint)
                    eqns.append(Eqn(zeros_of, (like,), (zeros,), primal=False, loc=eqn.loc))
                    made = made.with_(args=(*made.args[:first + k], zeros, *made.args[first + k + 1:]))
        eqns.append(made)
        known += made.outs
    return fn.with_(eqns=tuple(eqns))


def is_literal(x: Operand) -> bool:
    """Is this the number zero, typed as an array?"""
    return isinstance(x, Lit) and isinstance(x.as_type, Tensor) and x.as_type.is_array \
        and isinstance(x.value, float) and x.value == 0.0


def is_written(param: Value, body: Fn) -> bool:
    """Does the body write into what arithmetic alone has made of this, in code of a derivative?"""
    numbers: set[Operand] = {param}
    for eqn in body.eqns:
        if eqn.primal and param in eqn.args:
            return False
        if eqn.op.name in ("store", "add_at") and not eqn.primal and eqn.args[0] in numbers:
            return True
        arrays = [a for a in eqn.args if isinstance(a.type, Tensor) and a.type.is_array]
        if eqn.op in ELEMENTWISE and arrays and numbers.issuperset(arrays):
            numbers.update(eqn.outs)
    return False
