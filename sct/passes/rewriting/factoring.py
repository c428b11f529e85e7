"""Sums of products with fewer operations:  a*c + b*c  ->  (a + b) * c

    4.0 * (dv * (1.0 - v)) - dv * (4.0 * v)  ->  dv * (4.0 - 8.0 * v)

A sum is expanded into terms, each a literal times factors, through the adjoint equations that nothing else reads. Like
terms are combined, the most common factor is taken out, and the rest is treated likewise. The result replaces the sum
if it is less work.

And products with absolute values and norms, by which the derivative of their squares has a derivative itself.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, cast

from sct.ir.build import Builder
from sct.ir.core import Eqn, Lit, Operand, Value, builder_var
from sct.ir.types import DOUBLE, Tensor
from sct.ops.arrays.creation import astype, full, full_like, to_f64
from sct.ops.arrays.shape import dim, expand_dims
from sct.ops.scalar.arithmetic import add, conj, div, mul, neg, sub
from sct.ops.scalar.powers import pow_
from sct.ops.scalar.selection import where
from sct.ops.scalar.special_functions import paired
from sct.passes.rewriting.arithmetic_rules import may_be_int, natural_quotient
from sct.passes.rewriting.literals import is_number, number, over, plus, times
from sct.passes.rewriting.table import (
    MOST_FACTORS,
    Site,
    adjoint_eqn,
    choice_of,
    defining_eqn,
    factors_of,
    operands_of,
    rule,
    shape_of,
)

__all__ = ["Expansion", "Term", "factored_sum"]

BUDGET = 12
"""How many equations are expanded at a time, so that long sums take linear time."""

REACH = 30
"""How many equations back an equal product is looked for, likewise."""


@dataclass(frozen=True)
class Term:
    """coef * factor * factor * ..."""

    coef: float
    factors: tuple[Operand, ...]


@rule("add", phase="simplify", when="finite")
def add_products(site: Site, a: Operand, b: Operand) -> Operand | None:
    """a*c + b*c -> (a + b) * c, where that is less work"""
    return collect_terms(site, a, b, 1.0)


@rule("sub", phase="simplify", when="finite")
def sub_products(site: Site, a: Operand, b: Operand) -> Operand | None:
    """a*c - b*c -> (a - b) * c, where that is less work"""
    return collect_terms(site, a, b, -1.0)


def collect_terms(site: Site, a: Operand, b: Operand, sign: float) -> Operand | None:
    if not _is_float(site.out):
        return None
    expansion = Expansion(site)
    expanded = expansion.terms(a, 1.0) + expansion.terms(b, sign)
    if expansion.saved_work == 0 or _has_nothing_in_common(expanded, sign):
        return None
    terms = _combine_like_terms(expanded)
    if not _is_float(*(f for t in terms for f in t.factors)):
        return None
    outer = cast(Builder, builder_var.get())
    with outer.nested() as inner:
        factored = factored_sum(terms, expansion)
    gain = expansion.saved_work + _work(site.out) - sum(_work(e.out) for e in inner.eqns)
    reads_better = sign > 0 and any(t.coef < 0 for t in terms) and _has_no_leading_minus(inner.eqns)
    if factored.type != site.out.type or gain < 0 or gain == 0 and len(terms) == len(expanded) and not reads_better:
        return None
    outer.eqns += inner.eqns
    return factored


def _has_nothing_in_common(terms: Sequence[Term], sign: float) -> bool:
    """Have the terms of a sum or difference no coefficients, nor a factor that occurs twice?"""
    factors = [f for t in terms for f in t.factors]
    coefs = [t.coef for t in terms]
    return (len(set(factors)) == len(factors) and all(t.factors for t in terms)
            and coefs == sorted(coefs, reverse=True) and set(coefs) <= {1.0, sign} and coefs[0] == 1.0)


@rule("mul", phase="present", when="finite")
def present_product(site: Site, a: Operand, b: Operand) -> Operand | None:
    """s * (x * y) -> s * x * y: the factors of a product stand in a row, the literal first"""
    return order_factors(site, a, b, for_printing=True)


@rule("mul", phase="simplify", when="finite")
def reorder_product(site: Site, a: Operand, b: Operand) -> Operand | None:
    """2.0 * (s * (3.0 * x)) -> (6.0 * s) * x: literals and scalars are multiplied first, where that is less work"""
    return order_factors(site, a, b)


def order_factors(site: Site, a: Operand, b: Operand, *, for_printing: bool = False) -> Operand | None:
    """The product with its factors in order; with `for_printing`, also where that only saves parentheses."""
    expansion = Expansion(site)
    term = expansion.product((a, b), 1.0)
    if expansion.count == 0 or not _is_float(*term.factors):
        return None
    nested = for_printing and operands_of(b, "mul") is not None
    outer = cast(Builder, builder_var.get())
    with outer.nested() as inner:
        term = _with_numerator(_reuse_product(term, outer.eqns, expansion, with_literal=for_printing), expansion)
        if not nested and _is_in_order(a, b, term, expansion, for_printing=for_printing):
            return None
        product = _product(term, for_printing=for_printing)
    gain = expansion.saved_work + _work(site.out) - sum(_work(e.out) for e in inner.eqns)
    if product.type != site.out.type or gain < 0 or gain == 0 and not nested:
        return None
    outer.eqns += inner.eqns
    return product


@rule("div", phase="simplify", of="mul", when="finite")
def divide_product(site: Site, a: Operand, b: Operand) -> Operand | None:
    """c * x * y / d -> c/d * x * y, where nothing else reads the products"""
    expansion, d = Expansion(site), number(b)
    term = expansion.product((a,), 1.0) if d else Term(1.0, ())
    if term.coef == 1.0 or not _is_float(*term.factors):
        return None
    product = _product(Term(over(term.coef, d), term.factors))
    return product if product.type == site.out.type else None


@rule("neg", phase="simplify", of="sub mul")
def negate_difference(site: Site, a: Operand) -> Operand | None:
    """-(c * a) -> -c * a;  -(a - b) -> b - a, where nothing else reads the operand"""
    if (args := site.sole_operands(a, "sub")) is not None:
        return cast(Operand, sub(args[1], args[0]))
    args = site.sole_operands(a, "mul")
    return cast(Operand, mul(-number(args[0]), args[1])) if args is not None and is_number(args[0]) else None


def _is_float(*xs: Operand) -> bool:
    return all(isinstance(x.type, Tensor) and x.type.kind == "f" for x in xs)


def _work(out: Value) -> int:
    return 8 if isinstance(out.type, Tensor) and out.type.rank else 1


def _has_no_leading_minus(eqns: Sequence[Eqn]) -> bool:
    """`a - 2 * b` reads better than `-2 * b + a` and is the same work."""
    return not any(e.op is neg or e.op is mul and (number(e.args[0]) or 0) < 0 for e in eqns)


class Expansion:
    """Expands sums and products.

    values      the outs of the equations that were expanded
    count       how many they are
    saved_work  the work of these equations, which become dead
    """

    def __init__(self, site: Site) -> None:
        self.site = site
        self.saved_work = 0
        self.count = 0
        self.values: set[Value] = set()

    def eqn(self, x: Operand, *names: str) -> Eqn | None:
        """The equation that binds `x`, if its op is one of `names` and nothing else reads `x`, within the budget."""
        eqn = self.site.sole_eqn(x)
        if eqn is None or eqn.op.name not in names or self.count >= BUDGET:
            return None
        self.count += 1
        self.values.add(eqn.out)
        self.saved_work += _work(eqn.out)
        return eqn

    def terms(self, x: Operand, coef: float) -> list[Term]:
        """The terms of `coef * x`."""
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
            return [self.product(eqn.args, coef)]
        a, b = eqn.args
        return self.terms(a, coef) + self.terms(b, coef if eqn.op is add else -coef)

    def product(self, args: Sequence[Operand], coef: float) -> Term:
        """`coef` times the product of `args` as a term."""
        factors: list[Operand] = []
        for x in args:
            inner = self.eqn(x, "mul", "neg")
            if number(x) is not None:
                coef = times(coef, number(x))
            elif inner is None:
                factors.append(x)
            elif inner.op is neg:
                coef = -coef
                factors += inner.args
            else:
                term = self.product(inner.args, coef)
                coef = term.coef
                factors += term.factors
        return Term(coef, tuple(factors))


def _combine_like_terms(terms: Sequence[Term]) -> list[Term]:
    """The terms, with the coefficients of like terms added."""
    coefs: dict[frozenset[tuple[Operand, int]], float] = {}
    kept: dict[frozenset[tuple[Operand, int]], tuple[Operand, ...]] = {}
    for t in terms:
        key = frozenset(Counter(t.factors).items())
        coefs[key] = plus(coefs.get(key, 0.0), t.coef)
        kept.setdefault(key, t.factors)
    return [Term(c, kept[key]) for key, c in coefs.items()]


def factored_sum(terms: Sequence[Term], expansion: Expansion) -> Operand:
    """The sum of the terms, with the most common factor taken out."""
    shared = Counter(f for t in terms for f in dict.fromkeys(t.factors))
    factor, n = max(shared.items(), key=lambda item: item[1], default=(None, 0))
    if factor is None or n < 2:
        return _sum_of_products([_with_numerator(t, expansion) for t in terms])
    inner: list[Term] = []
    rest = []
    for t in terms:
        if factor not in t.factors:
            rest.append(t)
            continue
        k = t.factors.index(factor)
        others = t.factors[:k] + t.factors[k + 1:]
        inner += expansion.terms(others[0], t.coef) if len(others) == 1 else [Term(t.coef, others)]
    product = cast(Operand, mul(factor, factored_sum(_combine_like_terms(inner), expansion)))
    return cast(Operand, add(product, factored_sum(rest, expansion))) if rest else product


def _sum_of_products(terms: Sequence[Term]) -> Operand:
    """The sum of the terms, negative terms last."""
    order = sorted(terms, key=lambda t: (t.coef < 0, not t.factors if t.coef >= 0 else bool(t.factors)))
    if order[0].coef < 0 and len(order) > 1:
        return cast(Operand, neg(_sum_of_products([Term(-t.coef, t.factors) for t in terms])))
    total = _product(order[0])
    for t in order[1:]:
        total = cast(Operand, sub(total, _product(Term(-t.coef, t.factors))) if t.coef < 0 else add(total, _product(t)))
    return total


def _reuse_product(term: Term, eqns: Sequence[Eqn], expansion: Expansion, *, with_literal: bool) -> Term:
    """The term with two of its factors replaced by their product, if that has just been computed; or, `with_literal`,
    with the literal and an array replaced."""
    for eqn in eqns[:-1 - REACH:-1]:
        if eqn.op is not mul or eqn.primal or eqn.args[1] not in term.factors or eqn.out in expansion.values:
            continue
        if with_literal and term.coef != 1.0 and number(eqn.args[0]) == term.coef and shape_of(eqn.out):
            others = (Counter(term.factors) - Counter(eqn.args[1:])).elements()
            return Term(1.0, (eqn.out, *others))
        if term.factors.count(eqn.args[0]) > (eqn.args[0] == eqn.args[1]):
            others = (Counter(term.factors) - Counter(eqn.args)).elements()
            return Term(term.coef, (eqn.out, *others))
    return term


def _with_numerator(term: Term, expansion: Expansion) -> Term:
    """The term with its literal multiplied by that of the numerator of a factor `c / x` or `c * y / x`."""
    site, factors = expansion.site, list(term.factors)
    for k, f in enumerate(factors) if abs(term.coef) != 1.0 else ():
        numerator, *divisor = (not site.is_shared(f) and (operands_of(f, "div") or natural_quotient(f))) or (f,)
        c, *others = site.sole_operands(numerator, "mul") or (numerator,)
        if not divisor or not is_number(c):
            continue
        expansion.eqn(f, "div", "quotient")
        expansion.eqn(numerator, "mul")
        coef = times(term.coef, number(c))
        if coef == 1.0 and not others and len(factors) > 1:  # y * (1 / x) is y / x
            places = [j for j in range(len(factors)) if j != k]
            others = [factors.pop(min(places, key=lambda j: (factors.count(factors[j]), abs(j - k))))]
        quotient = cast(Operand, div(mul(coef, *others) if others else coef, *divisor))
        return Term(1.0, tuple(quotient if factor is f else factor for factor in factors))
    return term


def _product(term: Term, *, for_printing: bool = False) -> Operand:
    """The product of a term."""
    coef, row = _in_order(term, for_printing=for_printing)
    out = reduce(mul, row) if row else Lit(term.coef)
    return out if coef is None or not row else cast(Operand, mul(coef, out))


def _in_order(term: Term, *, for_printing: bool) -> tuple[Lit | None, list[Operand]]:
    """The factors of a term in order: scalars first, so that there are fewer operations on arrays.

    The literal is the outermost factor, where other rules see it; for printing the innermost, without parentheses."""
    scalars = [f for f in term.factors if not cast(Tensor, f.type).rank]
    arrays = [f for f in term.factors if cast(Tensor, f.type).rank]
    inner = for_printing or bool(arrays)
    if inner and term.coef != 1.0:
        return None, [Lit(term.coef), *scalars, *arrays]
    if scalars and len(term.factors) > 1:
        scalars = _float_first(scalars, arrays)
    return None if inner else Lit(term.coef), [*scalars, *arrays]


def _is_in_order(a: Operand, b: Operand, term: Term, expansion: Expansion, *, for_printing: bool) -> bool:
    """Is `a * b`, which was expanded into the term, what its product would be?"""
    coef, row = _in_order(term, for_printing=for_printing)
    has_coef = coef is not None and term.coef != 1.0
    x, last = (b, []) if has_coef else (a, [b])
    while x in expansion.values and (args := operands_of(x, "mul")) is not None:
        x, last = args[0], [args[1], *last]
    return [x, *last] == row and (a == coef or not has_coef)


def _float_first(scalars: list[Operand], arrays: list[Operand]) -> list[Operand]:
    """The scalars of a product, the first two of which are not both ints: a product of NumPy's may overflow."""
    if not all(map(may_be_int, (scalars + arrays)[:2])):
        return scalars
    k = next((k for k, f in enumerate(scalars) if not may_be_int(f)), None)
    if k is None:
        return [cast(Operand, to_f64(scalars[0])), *scalars[1:]]
    return [scalars[k], *scalars[:k], *scalars[k + 1:]]


# -- absolute values and norms: the square of each has a derivative at 0 ---------------------------


@rule("mul", of="sign mul")
def mul_sign(a: Operand, b: Operand) -> Any:
    """c * abs(x) * sign(x) -> c * x;  c * abs(x) * (d * sign(x)) -> c * d * x;  so in a choice between elements"""
    for slope, y in ((a, b), (b, a)):
        for (x,), d in operands_in_product(slope, "sign"):
            if (c := without_modulus(y, "abs fabs", x)) is not None:
                return product(c, d, x, y)
            if d is None and (choice := choice_of(y)) is not None:
                mask, *ys = choice
                cs = [without_modulus(each, "abs fabs", x) for each in ys]
                if cs != [None, None]:
                    return where(mask, *(product(c, d, x, y) if c is not None else each if each == Lit(0.0)
                                         else mul(each, slope) for each, c in zip(ys, cs)))
    return None


@rule("mul", of="quotient mul div add real", when="finite")
def mul_modulus(a: Operand, b: Operand) -> Any:
    """c * y * (x / y) -> c * x where y = hypot(x, ...), abs(conj(x)), dist(...) or norm(...) is 0 only where x is, or
    y = sqrt(...), whose powers have derivatives where it has none; so in products and in sums"""
    for slope, y in ((a, b), (b, a)):
        eqns = map(defining_eqn, factors_of(y))
        if any(eqn is not None and eqn.op.name in ("hypot", "abs", "dist", "norm", "sqrt") for eqn in eqns) \
                and (cancelled := over_modulus(y, slope, {})) is not None:
            return cancelled
    return None


def over_modulus(y: Operand, slope: Operand, tried: dict[Operand, Any]) -> Any:
    """y * slope, or None if the modulus by which the slope is divided is no factor of y; `tried`: of other slopes"""
    if slope not in tried:
        tried[slope] = None if len(tried) == MOST_FACTORS else _over_modulus(y, slope, tried)
    return tried[slope]


def _over_modulus(y: Operand, slope: Operand, tried: dict[Operand, Any]) -> Any:
    eqn = adjoint_eqn(slope)
    if eqn is None or eqn.op.name not in ("quotient", "mul", "div", "add", "real"):
        return None
    if eqn.op.name == "add":
        terms = [over_modulus(y, s, tried) for s in eqn.args]
        return None if None in terms else add(*terms)
    if eqn.op.name == "mul":
        factors = ((d, over_modulus(y, s, tried)) for d, s in (eqn.args, eqn.args[::-1]))
        return next((mul(d, m) for d, m in factors if m is not None), None)
    if eqn.op.name == "real" and isinstance(y.type, Tensor) and y.type.kind == "c":
        return None
    if eqn.op.name in ("div", "real"):
        m = over_modulus(y, eqn.args[0], tried)
        return None if m is None else eqn.op(m, *eqn.args[1:])
    x, modulus = eqn.args
    c = without_factor(y, partial(operator.is_, modulus)) if vanishes(x, modulus) else None
    if c is not None and shape_of(y) and not shape_of(c) and not shape_of(x):
        c = full_like(modulus, c)
    return None if c is None else product(c, None, x, y)


def vanishes(x: Operand, modulus: Operand) -> bool:
    """Is x, of a derivative of the modulus, 0 where the modulus is?  Or is this a root, which has none there?"""
    eqn, inner = defining_eqn(modulus), adjoint_eqn(x)
    if eqn is None:
        return False
    if eqn.op.name == "sqrt":
        return True
    if eqn.op.name == "dist":
        pairs = [*zip(*paired(eqn.args))]
        return operands_of(x, "sub") in pairs or any(x is a and number(b) == 0 or x is b and number(a) == 0
                                                     for a, b in pairs)
    if eqn.op.name != "norm":
        return is_modulus(eqn, "hypot abs", x)
    while inner is not None and inner.op.name in ("sum", "real"):
        inner = adjoint_eqn(inner.args[0])
    return inner is not None and inner.op.name in ("mul", "dot", "vdot", "matmul") \
        and any(is_modulus(eqn, "norm", factor) for factor in inner.args)


def operands_in_product(b: Operand, name: str) -> Iterator[tuple[tuple[Operand, ...], Operand | None]]:
    """The operands of `b` if its op is `name`, and None; or those of a factor of the product `b`, and the other."""
    if (args := operands_of(b, name)) is not None:
        yield args, None
    factors = operands_of(b, "mul") or ()
    for k, factor in enumerate(factors):
        if (args := operands_of(factor, name)) is not None:
            yield args, factors[1 - k]


def product(c: Operand, d: Operand | None, x: Operand, y: Operand) -> Any:
    """c * d * x, where `d` may be missing; of the class of numbers that a product with `y` has."""
    c = c if d is None else mul(c, d)
    t, of_c, other = x.type, c.type, y.type
    assert isinstance(t, Tensor) and isinstance(of_c, Tensor) and isinstance(other, Tensor)
    if t.carrier == of_c.carrier == "py" and other.carrier == "np":
        x = astype(x, dtype=DOUBLE[t.kind])
    return mul(c, x)


@rule("mul", of="quotient expand_dims", when="finite")
def mul_norm(a: Operand, b: Operand) -> Any:
    """c * y / y * x -> c * x where y = norm(x), which is 0 only where x is: the derivative of norm(x)**2 is 2 * x"""
    for q, x in ((a, b), (b, a)):
        outer = adjoint_eqn(q)
        spread = outer if outer is not None and outer.op is expand_dims else None
        args = operands_of(q if spread is None else spread.args[0], "quotient")
        if args is not None and shape_of(x) and (c := without_modulus(args[0], "norm", x, args[1])) is not None:
            return mul(c if spread is None or not shape_of(c) else expand_dims(c, **spread.attrs), x)
    return None


@rule("quotient", when="finite")
def quotient_of_distances(a: Operand, y: Operand, edge: float = math.inf) -> Any:
    """c * y / y -> c where y = cdist(p, q), as a factor of p - q, which is 0 where y is; or where y is the root of what
    is least at 0, whose derivative is 0 there"""
    eqn = defining_eqn(y)
    if edge or eqn is None or eqn.op.name not in ("cdist", "pdist") and not eqn.attrs.get("is_root"):
        return None
    c = without_factor(a, partial(operator.is_, y))
    if c is None or shape_of(c) == shape_of(y):
        return c
    points = eqn.args if eqn.op.name == "cdist" else ()
    return full(c, *(dim(p, axis=0) for p in points)) if len(points) == 2 else full_like(y, c)


def without_modulus(a: Operand, names: str, x: Operand, y: Operand | None = None) -> Any:
    """c where a is c * y, and y is a function of `names` of x or of its conjugate"""
    def is_of_modulus(f: Operand) -> bool:
        eqn = defining_eqn(f)
        return eqn is not None and is_modulus(eqn, names, x) and y in (None, f)

    return without_factor(a, is_of_modulus)


def is_modulus(eqn: Eqn, names: str, x: Operand) -> bool:
    """Is this a function of `names` of `x`, or of the number whose conjugate is `x`?"""
    inner = defining_eqn(x)
    same = [x, *(inner.args if inner is not None and inner.op is conj else ())]
    return eqn.op.name in names.split() and any(arg is one for arg in eqn.args for one in same)


def without_factor(a: Operand, is_factor: Callable[[Operand], bool]) -> Any:
    """c where a is c * y, of a factor y; the user's products are some, too"""
    if not any(map(is_factor, factors_of(a))):
        return None
    if is_factor(a):
        return Lit(1.0)
    eqn = defining_eqn(a)
    assert eqn is not None
    if eqn.op.name == "pow":
        n = number(eqn.args[1])
        return pow_(eqn.args[0], n - 1) if n is not None and n > 1 and is_factor(eqn.args[0]) else None
    for k, x in enumerate(eqn.args[:1] if eqn.op.name == "div" else eqn.args):
        if (c := without_factor(x, is_factor)) is not None:
            others = eqn.args[:k] + eqn.args[k + 1:]
            return neg(c) if not others else div(c, *others) if eqn.op.name == "div" else mul(*others, c)
    return None
