"""The rewrite rules of masks:  where(c, x, 0) + where(c, 0, y)  ->  where(c, x, y)

They simplify the code that reversing selections such as `x[mask] = v` leaves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from sct.ir.core import Lit, Operand
from sct.ir.types import Tensor, Type
from sct.ops.arrays.creation import astype
from sct.ops.arrays.indexing import add_at, store
from sct.ops.linalg.products import matmul
from sct.ops.reductions.reductions import expand_like, sum_
from sct.ops.scalar.arithmetic import add, neg, sub
from sct.ops.scalar.selection import logical_and, logical_not, logical_or, where
from sct.passes.rewriting.table import Site, adjoint_eqn, carrier_of, is_zeros, operands_of, rule, shape_of

__all__: list[str] = []

ZERO = Lit(0.0)


@rule("logical_or")
def or_same(c: Operand, d: Operand) -> Any:
    """c | c -> c;  (c | d) | d -> c | d"""
    if c == d or d in (operands_of(c, "logical_or") or ()):
        return c
    return d if c in (operands_of(d, "logical_or") or ()) else None


@rule("where")
def where_same(c: Operand, a: Operand, b: Operand) -> Any:
    """where(c, a, a) -> a;  an array full of `a` where that is a number and `c` an array"""
    if a != b:
        return None
    return expand_like(a, astype(c, dtype="f64")) if shape_of(a) == () and shape_of(c) else a


@rule("where", of="literal")
def where_decided(c: Operand, a: Operand, b: Operand) -> Any:
    """where(True, a, b) -> a;  where(False, a, b) -> b"""
    return a if c == Lit(True) else b if c == Lit(False) else None


@rule("is_none")
def is_none_of_number(x: Operand) -> Any:
    """x is None -> False, for a number or an array"""
    return Lit(False) if isinstance(x.type, Tensor) else None


@rule("unwrap")
def unwrap_number(x: Operand, **attrs: Any) -> Any:
    """unwrap(x) -> x, for a number or an array"""
    return x if attrs.get("to") is None and isinstance(x.type, Tensor) else None


@rule("where", of="where")
def where_masked(c: Operand, a: Operand, b: Operand) -> Any:
    """where(c, where(c, x, y), b) -> where(c, x, b);  where(c, a, where(c, x, y)) -> where(c, a, y)"""
    if (args := operands_of(a, "where")) is not None and args[0] == c:
        return where(c, args[1], b)
    if (args := operands_of(b, "where")) is not None and args[0] == c:
        return where(c, a, args[2])
    return None


@rule("where", of="logical_not")
def where_not(c: Operand, a: Operand, b: Operand) -> Any:
    """where(~c, a, b) -> where(c, b, a)"""
    args = operands_of(c, "logical_not")
    return where(args[0], b, a) if args is not None else None


@rule("where", of="store")
def where_written(c: Operand, a: Operand, b: Operand) -> Any:
    """where(c, x with x[c] = v, b) -> b with b[c] = v"""
    eqn = adjoint_eqn(a)
    if eqn is None or eqn.op is not store or eqn.attrs["key"] != ("m",) or eqn.args[2] != c or a.type != b.type:
        return None
    return store(b, eqn.args[1], c, key=("m",))


@rule("add_at", of="where")
def add_at_masked(x: Operand, v: Operand, *key_operands: Operand, key: tuple[str, ...]) -> Any:
    """where(c, 0, x) with [c] += v -> x with x[c] = v"""
    args = operands_of(x, "where") if key == ("m",) else None
    if args is None or args[0] != key_operands[0] or not is_zeros(args[1]) or args[2].type != x.type:
        return None
    return store(args[2], v, *key_operands, key=key)


@rule("where", phase="present", of="literal")
def redundant_mask(site: Site, c: Operand, x: Operand, y: Operand) -> Any:
    """where(c, x, 0) -> x, where x is 0 outside c already"""
    if y != ZERO or x.type != site.out.type or not is_zero_outside(x, c):
        return None
    site.offer_hint(x)
    return x


@rule("where", phase="present", of="literal")
def clear_masked(site: Site, c: Operand, y: Operand, x: Operand) -> Any:
    """where(c, 0, dx), the next value of dx -> dx with dx[c] = 0"""
    if y != ZERO or site.sole_eqn(x) is None:
        return None
    named = x.hint is not None and x.hint == site.out.hint
    return store(x, 0.0, c, key=("m",)) if named and _is_mask_of(c.type, x.type) else None


@rule("where", phase="simplify", of="where")
def nested_masks(site: Site, c: Operand, x: Operand, y: Operand) -> Any:
    """where(c, where(d, x, 0), 0) -> where(c & d, x, 0), of arrays"""
    if carrier_of(site.out) != "array" or ZERO not in (x, y):
        return None
    kept = y == ZERO
    inner = site.sole_operands(x if kept else y, "where")
    if inner is None or ZERO not in inner[1:]:
        return None
    d, inner_kept = inner[0], inner[2] == ZERO
    value = inner[1] if inner_kept else inner[2]
    if not kept and not inner_kept:
        return where(logical_or(c, d), 0.0, value)
    both = logical_and(c if kept else logical_not(c), d if inner_kept else logical_not(d))
    return where(both, value, 0.0)


@rule("add", phase="simplify", of="where")
def complementary_masks(site: Site, x: Operand, y: Operand) -> Any:
    """where(c, a, 0) + where(c, 0, b) -> where(c, a, b);  where(c, a, b) + where(c, d, 0) -> where(c, a + d, b)"""
    a, b = site.sole_operands(x, "where"), site.sole_operands(y, "where")
    if a is None or b is None or a[0] != b[0] or ZERO not in (*a[1:], *b[1:]):
        return None
    return where(a[0], *(v if u == ZERO else u if v == ZERO else add(u, v) for u, v in zip(a[1:], b[1:])))


@rule("add", phase="simplify", of="where")
def add_negated_selection(site: Site, a: Operand, b: Operand) -> Any:
    """a + where(c, -b, 0) -> a - where(c, b, 0)"""
    for x, y in ((a, b), (b, a)):
        if (opposite := negated_selection(site, x)) is not None:
            return sub(y, opposite)
    return None


@rule("sub", phase="simplify", of="where")
def sub_negated_selection(site: Site, a: Operand, b: Operand) -> Any:
    """a - where(c, -b, 0) -> a + where(c, b, 0)"""
    opposite = negated_selection(site, b)
    return None if opposite is None else add(a, opposite)


@rule("sum", phase="simplify", of="where")
def sum_negated_selection(site: Site, x: Operand, **attrs: Any) -> Any:
    """sum(where(c, -b, 0)) -> -sum(where(c, b, 0))"""
    opposite = negated_selection(site, x)
    return None if opposite is None else neg(sum_(opposite, **attrs))


@rule("add_at", phase="simplify", of="where")
def add_negated_selection_at(site: Site, x: Operand, v: Operand, *at: Operand, key: tuple[str, ...]) -> Any:
    """x[k] += where(c, -b, 0) -> x[k] -= where(c, b, 0)"""
    opposite = negated_selection(site, v)
    return None if opposite is None else add_at(x, neg(opposite), *at, key=key)


@rule("store", phase="simplify", of="where")
def store_negated_selection(site: Site, x: Operand, v: Operand, *at: Operand, key: tuple[str, ...]) -> Any:
    """x[k] = where(c, -b, 0) -> x[k] = -where(c, b, 0), where b is read elsewhere, and may be selected there"""
    negations = [args for y in operands_of(v, "where") or () if (args := operands_of(y, "neg")) is not None]
    if not any(site.is_shared(b) for b, in negations):
        return None
    opposite = negated_selection(site, v)
    return None if opposite is None else store(x, neg(opposite), *at, key=key)


@rule("matmul", phase="simplify", of="where")
def matmul_negated_selection(site: Site, a: Operand, b: Operand) -> Any:
    """a @ where(c, -b, 0) -> -(a @ where(c, b, 0));  where(c, -a, 0) @ b -> -(where(c, a, 0) @ b)"""
    if (opposite := negated_selection(site, a)) is not None:
        return neg(matmul(opposite, b))
    return None if (opposite := negated_selection(site, b)) is None else neg(matmul(a, opposite))


def negated_selection(site: Site, x: Operand) -> Operand | None:
    """-x, if x is a selection of negations and zeros that nothing else reads."""
    c, *values = site.sole_operands(x, "where") or (None,)
    parts = [(y, operands_of(y, "neg")) for y in values]
    if c is None or not any(args for _, args in parts) or not all(args or y == ZERO for y, args in parts):
        return None
    return cast(Operand, where(c, *(args[0] if args else y for y, args in parts)))


def is_zero_outside(x: Operand, c: Operand, deep: int = 8) -> bool:
    """Is x 0 outside c: zeros, masked, written under a mask, or a sum of such values?"""
    eqn = adjoint_eqn(x)
    if is_zeros(x) or eqn is None or not deep:
        return is_zeros(x)
    if eqn.op in (store, add_at) and eqn.attrs["key"] == ("m",):
        return implies(eqn.args[2], c) and is_zero_outside(eqn.args[0], c, deep - 1)
    if eqn.op in (add, sub, neg):
        return all(is_zero_outside(part, c, deep - 1) for part in eqn.args)
    if eqn.op is not where:
        return False
    d, a, b = eqn.args
    return ((implies(d, c) or is_zero_outside(a, c, deep - 1))
            and (is_implied_by_negation(d, c) or is_zero_outside(b, c, deep - 1)))


def _is_mask_of(c: Type, x: Type) -> bool:
    return isinstance(c, Tensor) and isinstance(x, Tensor) and c.is_array and c.kind == "b" and c.shape == x.shape


def implies(d: Operand, c: Operand) -> bool:
    """Does c hold wherever d does?"""
    return d in disjuncts(c) or any(part in disjuncts(c) for part in operands_of(d, "logical_and") or ())


def is_implied_by_negation(d: Operand, c: Operand) -> bool:
    """Does c hold wherever d does not?"""
    return any(operands_of(part, "logical_not") == (d,) for part in disjuncts(c))


def disjuncts(c: Operand, deep: int = 8) -> Iterator[Operand]:
    """The masks that imply c: c itself, and a and b where c is `a | b`."""
    yield c
    for part in operands_of(c, "logical_or") or () if deep else ():
        yield from disjuncts(part, deep - 1)
