"""Sums of products with fewer operations:  a*c + b*c  ->  (a + b) * c

    4.0 * (dv * (1.0 - v)) - dv * (4.0 * v)  ->  dv * (4.0 - 8.0 * v)

A sum is taken apart into terms, a literal times factors, through the adjoint
equations that only it uses; like terms are added, the commonest factor is taken out,
and what is left is treated likewise.  The result is used if it is less work.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from sct.ir.build import Builder
from sct.ir.core import Eqn, Lit, Operand, Value, builder_var
from sct.ir.types import Tensor
from sct.ops.scalar.arithmetic import add, mul, neg, sub
from sct.passes.rewriting.arithmetic_rules import definition, made_by, number, of_block, plus, times

__all__ = ["Opened", "Term", "collect", "negation", "product", "total"]

BUDGET = 12
"""How many equations are taken apart at a time, so that long sums take linear time."""

REACH = 30
"""How many equations back a product of two factors is looked for, likewise."""


@dataclass(frozen=True)
class Term:
    """coef * factor * factor * ..."""

    coef: float
    factors: tuple[Operand, ...]


@of_block(when="finite")
def collect(eqn: Eqn, args: Sequence[Operand], uses: Mapping[Value, int]) -> Operand | None:
    """The out of `eqn`, a sum, made with less work, or None."""
    if eqn.op not in (add, sub) or not _is_float(eqn.out):
        return None
    opened = Opened(uses)
    sign = 1.0 if eqn.op is add else -1.0
    found = opened.terms(args[0], 1.0) + opened.terms(args[1], sign)
    terms = _like(found)
    negative = eqn.op is add and any(t.coef < 0 for t in terms)
    if opened.work == 0 or not _is_float(*(f for t in terms for f in t.factors)):
        return None
    outer = cast(Builder, builder_var.get())
    with outer.nested() as b:
        made = total(terms, opened)
    less = opened.work + _work(eqn) - sum(map(_work, b.eqns))
    if made.type != eqn.out.type or less < 0 or less == 0 and len(terms) == len(found) \
            and not (negative and _starts_well(b.eqns)):
        return None
    outer.eqns += b.eqns
    return made


@of_block(when="finite")
def product(eqn: Eqn, args: Sequence[Operand], uses: Mapping[Value, int], *, last: bool = False) -> Operand | None:
    """The out of `eqn`, a product, with literals and scalars multiplied first; `last`: also where that
    only saves parentheses."""
    if eqn.op is not mul:
        return None
    opened = Opened(uses)
    term = opened.product(eqn.replace(args=tuple(args)), 1.0)
    nested = last and made_by(args[1], "mul") is not None and opened.count > 0
    if opened.count == 0 or not _is_float(*term.factors):
        return None
    outer = cast(Builder, builder_var.get())
    with outer.nested() as b:
        made = _product(_with_known(term, outer.eqns, opened), last=last)
    less = opened.work + _work(eqn) - sum(map(_work, b.eqns))
    if made.type != eqn.out.type or less < 0 or less == 0 and not nested:
        return None
    outer.eqns += b.eqns
    return made


@of_block()
def negation(eqn: Eqn, args: Sequence[Operand], uses: Mapping[Value, int]) -> Operand | None:
    """-(c * a) -> -c * a;  -(a - b) -> b - a, where nothing else needs what is in the brackets."""
    made = definition(args[0]) if eqn.op is neg else None
    if made is None or uses.get(cast(Value, args[0]), 1) > 1:
        return None
    if made.op is sub:
        return cast(Operand, sub(made.args[1], made.args[0]))
    c = number(made.args[0]) if made.op is mul else None
    return None if c is None else cast(Operand, mul(-c, made.args[1]))


def _is_float(*xs: Operand) -> bool:
    return all(isinstance(x.type, Tensor) and x.type.kind == "f" for x in xs)


def _work(eqn: Eqn) -> int:
    return 8 if any(isinstance(x.type, Tensor) and x.type.rank for x in eqn.outs) else 1


def _starts_well(eqns: Sequence[Eqn]) -> bool:
    """`a - 2 * b` reads better than `-2 * b + a`, for the same work."""
    return not any(e.op is neg or e.op is mul and (number(e.args[0]) or 0) < 0 for e in eqns)


class Opened:
    """Takes sums and products apart, and counts the work that this makes void."""

    def __init__(self, uses: Mapping[Value, int]) -> None:
        self.uses = uses
        self.work = 0
        self.count = 0
        self.values: set[Value] = set()

    def eqn(self, x: Operand, *names: str) -> Eqn | None:
        """The equation that made `x`, if nothing else uses it and it may be taken apart."""
        eqn = definition(x)
        if eqn is None or eqn.op.name not in names or self.count >= BUDGET or self.uses.get(eqn.out, 1) > 1:
            return None
        self.count += 1
        self.values.add(eqn.out)
        self.work += _work(eqn)
        return eqn

    def terms(self, x: Operand, coef: float) -> list[Term]:
        if number(x) is not None:
            return [Term(times(coef, number(x)), ())]
        eqn = self.eqn(x, "add", "sub", "neg", "mul")
        if eqn is None:
            return [Term(coef, (x,))]
        if eqn.op is neg:
            return self.terms(eqn.args[0], -coef)
        if eqn.op is mul:
            if number(eqn.args[0]) is not None:
                return self.terms(eqn.args[1], times(coef, number(eqn.args[0])))
            return [self.product(eqn, coef)]
        a, b = eqn.args
        return self.terms(a, coef) + self.terms(b, coef if eqn.op is add else -coef)

    def product(self, eqn: Eqn, coef: float) -> Term:
        factors: list[Operand] = []
        for x in eqn.args:
            inner = self.eqn(x, "mul", "neg")
            if number(x) is not None:
                coef = times(coef, number(x))
            elif inner is None:
                factors.append(x)
            elif inner.op is neg:
                coef = -coef
                factors += inner.args
            else:
                term = self.product(inner, coef)
                coef = term.coef
                factors += term.factors
        return Term(coef, tuple(factors))


def _like(terms: Sequence[Term]) -> list[Term]:
    """The terms with like ones added."""
    coefs: dict[frozenset[tuple[Operand, int]], float] = {}
    kept: dict[frozenset[tuple[Operand, int]], tuple[Operand, ...]] = {}
    for t in terms:
        key = frozenset(Counter(t.factors).items())
        coefs[key] = plus(coefs.get(key, 0.0), t.coef)
        kept.setdefault(key, t.factors)
    return [Term(c, kept[key]) for key, c in coefs.items()]


def total(terms: Sequence[Term], opened: Opened) -> Operand:
    """The sum of the terms, the commonest factor taken out."""
    shared = Counter(f for t in terms for f in dict.fromkeys(t.factors))
    factor, n = max(shared.items(), key=lambda item: item[1], default=(None, 0))
    if factor is None or n < 2:
        return _added(terms)
    inner: list[Term] = []
    rest = []
    for t in terms:
        if factor not in t.factors:
            rest.append(t)
            continue
        k = t.factors.index(factor)
        left = t.factors[:k] + t.factors[k + 1:]
        inner += opened.terms(left[0], t.coef) if len(left) == 1 else [Term(t.coef, left)]
    product = cast(Operand, mul(factor, total(_like(inner), opened)))
    return cast(Operand, add(product, total(rest, opened))) if rest else product


def _added(terms: Sequence[Term]) -> Operand:
    """The sum of the terms, those to be subtracted last."""
    order = sorted(terms, key=lambda t: (t.coef < 0, not t.factors if t.coef >= 0 else bool(t.factors)))
    if order[0].coef < 0 and len(order) > 1:
        return cast(Operand, neg(_added([Term(-t.coef, t.factors) for t in terms])))
    total = _product(order[0])
    for t in order[1:]:
        total = cast(Operand, sub(total, _product(Term(-t.coef, t.factors))) if t.coef < 0 else add(total, _product(t)))
    return total


def _with_known(term: Term, eqns: Sequence[Eqn], opened: Opened) -> Term:
    """The term with a pair of its factors as one, where their product has just been computed."""
    for eqn in eqns[:-1 - REACH:-1]:
        if eqn.op is mul and not eqn.primal and eqn.out not in opened.values \
                and not Counter(eqn.args) - Counter(term.factors):
            left = list((Counter(term.factors) - Counter(eqn.args)).elements())
            return Term(term.coef, (eqn.out, *left))
    return term


def _product(term: Term, *, last: bool = False) -> Operand:
    """Scalars first, so that there are fewer operations on arrays; a literal outermost, where other
    literals find it, but the `last` time innermost, where it needs no parentheses."""
    scalars = [f for f in term.factors if not cast(Tensor, f.type).rank]
    arrays = [f for f in term.factors if cast(Tensor, f.type).rank]
    inner = last or bool(arrays)
    out: Operand | None = Lit(term.coef) if inner and term.coef != 1.0 else None
    for f in scalars + arrays:
        out = f if out is None else cast(Operand, mul(out, f))
    return Lit(term.coef) if out is None else out if inner else cast(Operand, mul(term.coef, out))
