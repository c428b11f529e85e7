"""Types derived again, where the operands of an equation have become other than they were.

A cotangent is promised as any real scalar and turns out to be a NumPy one: what is
computed from it is then a NumPy scalar too, and a loop that carries it carries either.
"""

from __future__ import annotations

from collections.abc import Sequence

from sct.ir.check import agree, always_raises, fits
from sct.ir.core import Eqn, Fn, Operand, Value, substitute
from sct.ir.real_ints import result_type
from sct.ir.types import Never, Optional, Seq, Tensor, Type, Undef, join

__all__ = ["retype"]


def retype(fn: Fn) -> Fn:
    """`fn` with the types of all that its equations bind derived again."""
    return _Retype().region(fn)


class _Retype:
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
            return eqn.replace(regions=tuple(map(self.region, eqn.regions)))
        made = result_type(eqn.op, eqn.args, eqn.attrs, eqn.spelling)
        found = made if isinstance(made, tuple) else (made,)
        return eqn.replace(outs=self.typed(eqn.outs, [
            out.type if agree(out.type, t) else t for out, t in zip(eqn.outs, found)]))

    def loop(self, eqn: Eqn) -> Eqn:
        counted, n, body = eqn.attrs["counted"], eqn.attrs["carries"], eqn.regions[-1]
        args = eqn.args[3 * counted:]
        xs = [x.type.elem for x in args[n:] if isinstance(x.type, Seq)]
        old = body.params[counted:]
        given = [*(a.type for a in args[:n]), *xs]
        start = self.reached.get(body) or [
            p.type if eqn.primal or _is_array(p.type) or _is_of_nothing(t) else t for p, t in zip(old, given)]
        types = [self.widened(t, [x]) for t, x in zip(start, given)]
        while True:
            self.typed(old, types)
            made = self.region(body)
            wider = [self.widened(t, [r.type]) for t, r in zip(types, made.results[1:1 + n])]
            if always_raises(body) or wider == types[:n]:
                break
            types[:n] = wider
            self.reached[body] = types
        tests = []
        for test in eqn.regions[:-1]:
            self.typed(test.params, types)
            tests.append(self.region(test))
        ys: list[Type] = [Seq(y.type) for y in made.results[1 + n:]]
        given = [*types[:n], eqn.outs[n].type, *ys]
        outs = self.typed(eqn.outs, [
            self.widened(out.type, [t]) if eqn.primal else t for out, t in zip(eqn.outs, given)])
        return eqn.replace(regions=(*tests, made), outs=outs)

    def widened(self, declared: Type, types: Sequence[Type]) -> Type:
        """The type declared, if all of `types` fit it, else one that they do."""
        if all(fits(t, declared) for t in types):
            return declared
        made = declared
        for t in types:
            made = join(made, t)
        return made

    def typed(self, values: Sequence[Value], types: Sequence[Type]) -> tuple[Value, ...]:
        """The values of these types: new ones where they had others."""
        for v, t in zip(values, types):
            now = self.env.get(v, v)
            if now.type != t:
                self.env[v] = v if v.type == t else Value(t, v.hint, v.dim)
        return self.bound(values)

    def bound(self, values: Sequence[Value]) -> tuple[Value, ...]:
        found = (self.env.get(v, v) for v in values)
        return tuple(v for v in found if isinstance(v, Value))


def _is_array(t: Type) -> bool:
    """An array is of the shape that was declared: that of a carry may be another in another iteration."""
    return isinstance(t, Tensor) and t.is_array


def _is_of_nothing(t: Type) -> bool:
    """Is it the type of `None` alone, or of sequences of it?"""
    while isinstance(t, (Undef, Optional, Seq)):
        t = t.elem
    return isinstance(t, Never)
