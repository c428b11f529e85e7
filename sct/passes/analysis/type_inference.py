"""Type inference after the operands of equations have changed their types.

A cotangent that was typed as any real scalar may turn out to be a NumPy scalar. The values computed from it are then
NumPy scalars too, and a loop that carries it gets the join of both types. Loops are typed by a fixpoint.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from sct.ir.check import agree, always_raises, fits, in_any_iteration
from sct.ir.core import Eqn, Fn, Operand, Value, substitute
from sct.ir.real_ints import result_type
from sct.ir.types import Never, Seq, Tensor, Type, join, leaf_type
from sct.ops.program.solutions import BY_THEOREM

__all__ = ["retype"]


def retype(fn: Fn) -> Fn:
    """`fn` with the types of all values that its equations bind inferred anew."""
    return _Retype().region(fn)


class _Retype:
    """
    env      for a value whose type changes: the value of the new type
    reached  for the body of a loop: the types of its carries and elements at which the fixpoint has arrived
    """

    def __init__(self) -> None:
        self.env: dict[Value, Operand] = {}
        self.reached: dict[Fn, list[Type]] = {}

    def region(self, fn: Fn) -> Fn:
        eqns = tuple(map(self.eqn, fn.eqns))
        return fn.replace(params=self.bound(fn.params), eqns=eqns, results=substitute(fn.results, self.env))

    def eqn(self, eqn: Eqn) -> Eqn:
        eqn = eqn.replace(args=substitute(eqn.args, self.env))
        if eqn.op.name == "loop":
            return self.loop(eqn)
        if eqn.op.name == "cond":
            eqn = eqn.replace(regions=tuple(map(self.region, eqn.regions)))
            branches = [branch for branch in eqn.regions if not always_raises(branch)]
            types = [self.widened(out.type, [branch.results[k].type for branch in branches])
                     for k, out in enumerate(eqn.outs)]
            return eqn.replace(outs=self.typed(eqn.outs, types))
        if eqn.regions:
            eqn = eqn.replace(regions=tuple(map(self.region, eqn.regions)))
            if eqn.op not in BY_THEOREM:
                return eqn
        inferred = result_type(eqn.op, eqn.args, eqn.attrs, eqn.spelling)
        own_types = inferred if isinstance(inferred, tuple) else (inferred,)
        return eqn.replace(outs=self.typed(eqn.outs, [
            out.type if agree(out.type, t) else t for out, t in zip(eqn.outs, own_types)]))

    def loop(self, eqn: Eqn) -> Eqn:
        counted, n, body = eqn.attrs["counted"], eqn.attrs["carries"], eqn.regions[-1]
        args = eqn.args[3 * counted:]
        xs = [x.type.elem for x in args[n:] if isinstance(x.type, Seq)]
        params = body.params[counted:]
        incoming = [*(a.type for a in args[:n]), *xs]
        start = self.reached.get(body) or [
            p.type if eqn.primal or _is_array(p.type) or _is_never(t) else t for p, t in zip(params, incoming)]
        types = [self.widened(t, [x]) for t, x in zip(start, incoming)]
        while True:
            self.typed(params, types)
            typed_body = self.region(body)
            wider = [t if fits(r.type, in_any_iteration(t)) else join(t, r.type)
                     for t, r in zip(types, typed_body.results[1:1 + n])]
            if always_raises(body) or wider == types[:n]:
                break
            types[:n] = wider
            self.reached[body] = types
        tests = []
        for test in eqn.regions[:-1]:
            self.typed(test.params, types)
            tests.append(self.region(test))
        ys: list[Type] = [Seq(y.type) for y in typed_body.results[1 + n:]]
        inferred = [*types[:n], eqn.outs[n].type, *ys]
        outs = self.typed(eqn.outs, [
            self.widened(out.type, [t]) if eqn.primal else t for out, t in zip(eqn.outs, inferred)])
        return eqn.replace(regions=(*tests, typed_body), outs=outs)

    def widened(self, declared: Type, types: Sequence[Type]) -> Type:
        """The declared type if all of `types` fit it, else its join with them."""
        return declared if all(fits(t, declared) for t in types) else reduce(join, types, declared)

    def typed(self, values: Sequence[Value], types: Sequence[Type]) -> tuple[Value, ...]:
        """The values with these types: new values where the types differ."""
        for v, t in zip(values, types):
            now = self.env.get(v, v)
            if now.type != t:
                self.env[v] = v if v.type == t else Value(t, v.hint, v.dim)
        return self.bound(values)

    def bound(self, values: Sequence[Value]) -> tuple[Value, ...]:
        current = (self.env.get(v, v) for v in values)
        return tuple(v for v in current if isinstance(v, Value))


def _is_array(t: Type) -> bool:
    """Is this an array? Its declared type stays, since the shape of a carry may differ between iterations."""
    return isinstance(t, Tensor) and t.is_array


def _is_never(t: Type) -> bool:
    """Is this the type of `None` alone, or of sequences of it?"""
    return isinstance(leaf_type(t), Never)
