"""Common subexpression elimination:  a = f(x); b = f(x); g(a, b)  ->  a = f(x); g(a, a)

In:  any IR. Out: IR that computes the same bits. A primal equation is replaced by an earlier primal one of the same
op, spelling and operands; an adjoint equation by any earlier one of the same op and operands, also of a region around.
Equations with effects and allocations, whose buffers may be written, stay; of equal checks that raise, the first does.
Operations on literals that IEEE arithmetic rounds exactly are folded:  math.sqrt(0.25)  ->  0.5
A sum with 0 or a product with 1 of the user's numbers is its other operand where that has the same bits:
0.0 + x * x  ->  x * x
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

from sct.ir.check import fits
from sct.ir.core import Eqn, Fn, Lit, Loc, Operand, Value, has_effect, is_effect, substitute, with_own_values
from sct.ir.types import FLOAT, INT, Tensor, Type
from sct.passes.analysis.type_inference import retype
from sct.passes.rewriting.literals import fold_constant

__all__ = ["cse", "hashable"]

_NEUTRAL = dict.fromkeys(["add", "sub"], (Lit(0), Lit(0.0))) | dict.fromkeys(["mul", "div"], (Lit(1), Lit(1.0)))
"""The literals that leave the other operand of a sum or a product, or the first of a difference or quotient."""

def _is_of_one_class(t: Tensor) -> bool:
    """Are all numbers of this type of one class?

    `v * 1.0` is a float where `v`, which is a float on another path, is an int.
    """
    return t in (INT, FLOAT) or t.carrier == "np" and t.kind != "c"


def cse(fn: Fn) -> Fn:
    """`fn` with equal pure equations merged."""
    pass_ = _Cse()
    fn = pass_.region(fn)
    fn = with_own_values(fn, pass_.hints) if pass_.hints else fn
    return retype(fn) if pass_.narrowed else fn


class _Cse:
    """
    env          for a value that is merged: what replaces it
    equations    the equations in scope by op, attrs, operands and types of the outs
    definitions  the equation of each first out
    narrowed     has a value been replaced by one of a narrower type?
    hints        for a value without a hint: the hint of a value that is merged into it
    regions      the regions of equations that were compared, in a form in which alpha-equivalent ones are equal
    merged_locs  for the first out of an equation: the places of those that are merged into it
    """

    def __init__(self) -> None:
        self.narrowed = False
        self.hints: dict[Value, str] = {}
        self.env: dict[Value, Operand] = {}
        self.definitions: dict[Value, Eqn] = {}
        self.equations: dict[Hashable, list[Eqn]] = {}
        self.entered: list[list[Eqn]] = []
        self.regions: dict[Eqn, Hashable] = {}
        self.merged_locs: dict[Value, tuple[Loc, ...]] = {}
        self.merged_mirrors: dict[Value, tuple[int, ...]] = {}

    def region(self, fn: Fn) -> Fn:
        mark = len(self.entered)
        kept = [merged for eqn in fn.eqns if (merged := self.eqn(eqn)) is not None]
        if self.merged_locs or self.merged_mirrors:
            kept = [self.with_merged(e) if e.outs else e for e in kept]
        while len(self.entered) > mark:
            self.entered.pop().pop()
        return fn.replace(eqns=tuple(kept), results=substitute(fn.results, self.env))

    def with_merged(self, eqn: Eqn) -> Eqn:
        """The equation with the places, and the mirrors, of those that were merged into it."""
        locs, mirrors = (merged.get(eqn.outs[0], ()) for merged in (self.merged_locs, self.merged_mirrors))
        attrs = {**eqn.attrs, "mirrors": (*eqn.attrs.get("mirrors", ()), *mirrors)} if mirrors else eqn.attrs
        return eqn.replace(merged_locs=eqn.merged_locs + locs, attrs=attrs)

    def eqn(self, eqn: Eqn) -> Eqn | None:
        """The equation with merged operands and regions; None if it is merged itself."""
        args = substitute(eqn.args, self.env)
        if eqn.op.name == "loop":
            self.invariant_carries(eqn, args)
        if eqn.regions or args != eqn.args:
            eqn = eqn.replace(args=args, regions=tuple(map(self.region, eqn.regions)))
        if eqn.op.name == "cond":
            self.equal_results(eqn)
        if _is_check(eqn):
            return self.check(eqn)
        if not eqn.outs or eqn.op.allocates or eqn.op.name == "closure" or is_effect(eqn):
            return eqn
        literal = fold_constant(eqn.op, eqn.args, exact=True) if eqn.outs[0].type == FLOAT else None
        if literal is not None:
            self.env[eqn.out] = Lit(literal)
            return None
        if (operand := self.same_operand(eqn)) is not None:
            self.env[eqn.out] = operand
            self.offer_hint(operand, eqn.out.hint)
            return None
        if not eqn.regions:
            self.definitions[eqn.outs[0]] = eqn
        equal = self.lookup(eqn)
        if equal is None or eqn.regions and has_effect(eqn):
            return eqn
        if eqn.attrs.get("mirrors"):
            self.merged_mirrors[equal.outs[0]] = (*self.merged_mirrors.get(equal.outs[0], ()), *eqn.attrs["mirrors"])
        if eqn.primal and eqn.loc is not None:
            self.merged_locs[equal.outs[0]] = (*self.merged_locs.get(equal.outs[0], ()), eqn.loc)
        for out, first in zip(eqn.outs, equal.outs):
            self.env[out] = first
            self.offer_hint(first, out.hint)
        return None

    def check(self, eqn: Eqn) -> Eqn | None:
        """A check; None if one of the same predicate has passed before."""
        passed = self.equations.setdefault(("passed", eqn.args[0]), [])
        if passed:
            return None
        passed.append(eqn)
        self.entered.append(passed)
        return eqn

    def offer_hint(self, v: Value, hint: str | None) -> None:
        if v.hint is None and hint is not None:
            self.hints.setdefault(v, hint)

    def lookup(self, eqn: Eqn) -> Eqn | None:
        """The first equal equation in scope; if there is none, this one is entered."""
        operands = frozenset(eqn.args) if eqn.op.commutative else eqn.args
        key = (eqn.op, _attrs(eqn), operands, *[_representation(v.type) for v in eqn.outs])
        equations = self.equations.setdefault(key, [])
        for other in equations:
            if self.are_equal(eqn, other):
                return other
        equations.append(eqn)
        self.entered.append(equations)
        return None

    def are_equal(self, eqn: Eqn, other: Eqn) -> bool:
        """Does `other`, an equation of the same op, attrs and operands but for their order, give the bits of `eqn`?

        Regions must be alpha-equivalent."""
        if eqn.primal and not (other.primal and other.spelling == eqn.spelling and other.args == eqn.args):
            return False
        return not eqn.regions or eqn.spelling == other.spelling and self.regions_of(eqn) == self.regions_of(other)

    def regions_of(self, eqn: Eqn) -> Hashable:
        if eqn not in self.regions:
            self.regions[eqn] = _regions(eqn)
        return self.regions[eqn]

    def same_operand(self, eqn: Eqn) -> Value | None:
        """The operand of a sum with 0 or a product with 1 that has the bits of the result, of the user's numbers."""
        name, args, t = eqn.op.name, eqn.args, eqn.outs[0].type
        if not eqn.primal or name not in _NEUTRAL or not isinstance(t, Tensor) or not _is_of_one_class(t):
            return None
        for x, neutral in [args] if name in ("sub", "div") else [args, args[::-1]]:
            if isinstance(x, Value) and x.type == t and neutral in _NEUTRAL[name] \
                    and (name != "add" or t.integral or self.is_nonnegative(x)):
                return x
        return None

    def is_nonnegative(self, x: Operand) -> bool:
        """Is a number nan, or its sign bit certainly clear?"""
        if isinstance(x, Lit):
            return type(x.value) in (int, float) and math.copysign(1.0, x.value) > 0.0
        eqn = self.definitions.get(x)
        if eqn is None:
            return False
        name, args = eqn.op.name, eqn.args
        is_square = name == "mul" and args[0] == args[1] or name == "pow" and args[1] == Lit(2)
        return is_square or name in ("abs", "exp") or name in ("add", "mul", "div", "sqrt") and all(
            map(self.is_nonnegative, args))

    def invariant_carries(self, eqn: Eqn, args: Sequence[Operand]) -> None:
        """Replace each carry that the body returns unchanged by its initial value."""
        n, counted = eqn.attrs["carries"], eqn.attrs["counted"]
        body = eqn.regions[-1]
        for k in range(n):
            param, out, init = body.params[counted + k], eqn.outs[k], args[3 * counted + k]
            narrower = not eqn.primal and init.type != param.type and fits(init.type, param.type)
            if body.results[1 + k] == param and (narrower or init.type == param.type == out.type):
                self.narrowed |= narrower
                if not eqn.primal and isinstance(init, Value):
                    self.offer_hint(init, param.hint)
                self.env[param] = self.env[out] = init
                if eqn.attrs["tested"]:
                    self.env[eqn.regions[0].params[k]] = init

    def equal_results(self, eqn: Eqn) -> None:
        """Replace each out for which both branches return the same outer value by that value."""
        then, orelse = eqn.regions
        for out, a, b in zip(eqn.outs, then.results, orelse.results):
            if a == b and a.type == out.type:
                self.env[out] = a


def _is_check(eqn: Eqn) -> bool:
    """Is this `if p: raise ...`, and nothing else?"""
    if eqn.op.name != "cond" or eqn.outs:
        return False
    then, orelse = eqn.regions
    return not orelse.eqns and bool(then.eqns) and then.eqns[-1].op.name == "raise_"


def _attrs(eqn: Eqn) -> Hashable:
    attrs = eqn.attrs
    return hashable({k: attrs[k] for k in attrs if k != "mirrors"} if eqn.regions else attrs)


def _operand(x: Operand) -> Hashable:
    return x.id if isinstance(x, Value) else x


def _representation(t: Type) -> Hashable:
    return (t.carrier, t.dtype, len(t.shape)) if isinstance(t, Tensor) else t


def _regions(eqn: Eqn) -> Hashable:
    """The regions with the values that they bind replaced by numbers, so that alpha-equivalent regions are equal."""
    numbers: dict[Value, int] = {}

    def bind(values: Sequence[Value]) -> Hashable:
        for v in values:
            numbers[v] = len(numbers)
        return tuple(_representation(v.type) for v in values)

    def read(args: Sequence[Operand]) -> Hashable:
        return tuple(("local", numbers[a]) if isinstance(a, Value) and a in numbers else _operand(a) for a in args)

    def region(fn: Fn) -> Hashable:
        return bind(fn.params), tuple(map(inner, fn.eqns)), read(fn.results)

    def inner(e: Eqn) -> Hashable:
        head = (e.op, _attrs(e), e.spelling, e.primal, read(e.args))
        return (*head, tuple(map(region, e.regions)), bind(e.outs))

    return tuple(map(region, eqn.regions))


def hashable(value: Any) -> Hashable:
    """A hashable form of an attribute that tells `1`, `1.0` and `True` apart."""
    if isinstance(value, dict):
        return tuple(sorted((k, hashable(v)) for k, v in value.items())) if value else ()
    if isinstance(value, (tuple, list)):
        return (type(value), *map(hashable, value))
    return (type(value).__name__, repr(value))
