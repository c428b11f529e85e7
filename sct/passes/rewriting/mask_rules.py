"""The rewrite rules of masks:  where(c, x, 0) + where(c, 0, y)  ->  where(c, x, y)

They simplify the code that reversing selections such as `x[mask] = v` leaves. `redundant_mask` and `clear_masked` apply
only for printing, since no other rule matches their results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from sct.ir.core import Eqn, Lit, Operand, Value
from sct.ir.types import Tensor, Type
from sct.ops.arrays.indexing import add_at, store
from sct.ops.reductions.reductions import sum_
from sct.ops.scalar.arithmetic import add, neg, sub
from sct.ops.scalar.selection import logical_and, logical_not, logical_or, where
from sct.passes.rewriting.arithmetic_rules import adjoint_eqn, block_rule, is_zeros, operands_of, rule

__all__ = ["clear_masked", "complementary_masks", "nested_masks", "redundant_mask", "negated_selection"]


@rule("logical_or")
def or_same(c: Operand, d: Operand) -> Any:
    """c | c -> c;  (c | d) | d -> c | d"""
    if c == d or d in (operands_of(c, "logical_or") or ()):
        return c
    return d if c in (operands_of(d, "logical_or") or ()) else None


@rule("where")
def where_same(c: Operand, a: Operand, b: Operand) -> Any:
    """where(c, a, a) -> a"""
    return a if a == b else None


@rule("where")
def where_decided(c: Operand, a: Operand, b: Operand) -> Any:
    """where(True, a, b) -> a;  where(False, a, b) -> b"""
    return a if c == Lit(True) else b if c == Lit(False) else None


@rule("where")
def where_masked(c: Operand, a: Operand, b: Operand) -> Any:
    """where(c, where(c, x, y), b) -> where(c, x, b);  where(c, a, where(c, x, y)) -> where(c, a, y)"""
    if (args := operands_of(a, "where")) is not None and args[0] == c:
        return where(c, args[1], b)
    if (args := operands_of(b, "where")) is not None and args[0] == c:
        return where(c, a, args[2])
    return None


@rule("where")
def where_not(c: Operand, a: Operand, b: Operand) -> Any:
    """where(~c, a, b) -> where(c, b, a)"""
    args = operands_of(c, "logical_not")
    return where(args[0], b, a) if args is not None else None


@rule("where")
def where_written(c: Operand, a: Operand, b: Operand) -> Any:
    """where(c, x with x[c] = v, b) -> b with b[c] = v"""
    eqn = adjoint_eqn(a)
    if eqn is None or eqn.op is not store or eqn.attrs["key"] != ("m",) or eqn.args[2] != c or a.type != b.type:
        return None
    return store(b, eqn.args[1], c, key=("m",))


@rule("add_at")
def add_at_masked(x: Operand, v: Operand, *key_operands: Operand, key: tuple[str, ...]) -> Any:
    """where(c, 0, x) with [c] += v -> x with x[c] = v"""
    args = operands_of(x, "where") if key == ("m",) else None
    if args is None or args[0] != key_operands[0] or not is_zeros(args[1]) or args[2].type != x.type:
        return None
    return store(args[2], v, *key_operands, key=key)


# -- values that are read once ----------------------------------------------------------------


@block_rule()
def clear_masked(eqn: Eqn, args: tuple[Operand, ...], uses: Mapping[Value, int]) -> Operand | None:
    """where(c, 0, dx), the next value of dx -> dx with dx[c] = 0"""
    if eqn.op is not where or not is_zero_literal(args[1]) or adjoint_eqn(args[2]) is None:
        return None
    c, x = args[0], cast(Value, args[2])
    named = x.hint is not None and x.hint == eqn.out.hint and uses.get(x) == 1
    if not named or x.type != eqn.out.type or not _is_mask_of(c.type, x.type):
        return None
    return cast(Operand, store(x, 0.0, c, key=("m",)))


@block_rule()
def nested_masks(eqn: Eqn, args: tuple[Operand, ...], uses: Mapping[Value, int]) -> Operand | None:
    """where(c, where(d, x, 0), 0) -> where(c & d, x, 0), of arrays."""
    if eqn.op is not where or not cast(Tensor, eqn.out.type).is_array or not any(map(is_zero_literal, args[1:])):
        return None
    c, kept = args[0], is_zero_literal(args[2])
    inner = args[1] if kept else args[2]
    inner_args = operands_of(inner, "where") if uses.get(cast(Value, inner)) == 1 else None
    if inner_args is None or not any(map(is_zero_literal, inner_args[1:])):
        return None
    d, inner_kept = inner_args[0], is_zero_literal(inner_args[2])
    x = inner_args[1] if inner_kept else inner_args[2]
    if not kept and not inner_kept:
        return cast(Operand, where(logical_or(c, d), 0.0, x))
    both = logical_and(c if kept else logical_not(c), d if inner_kept else logical_not(d))
    return cast(Operand, where(both, x, 0.0))


@block_rule()
def complementary_masks(eqn: Eqn, args: tuple[Operand, ...], uses: Mapping[Value, int]) -> Operand | None:
    """where(c, a, 0) + where(c, 0, b) -> where(c, a, b);  where(c, a, b) + where(c, d, 0) -> where(c, a + d, b)"""
    if eqn.op is not add or not all(uses.get(cast(Value, x)) == 1 for x in args):
        return None
    a, b = (operands_of(x, "where") for x in args)
    if a is None or b is None or a[0] != b[0]:
        return None
    pairs = list(zip(a[1:], b[1:]))
    if not any(is_zero_literal(x) for pair in pairs for x in pair):
        return None
    return cast(Operand, where(a[0], *(
        y if is_zero_literal(x) else x if is_zero_literal(y) else add(x, y) for x, y in pairs)))


@block_rule()
def negated_selection(eqn: Eqn, args: tuple[Operand, ...], uses: Mapping[Value, int]) -> Operand | None:
    """a + where(c, -b, 0) -> a - where(c, b, 0);  sum(where(c, -b, 0)) -> -sum(where(c, b, 0))"""
    if eqn.op is add and (b := negated_operand(args[0], uses)) is not None:
        return cast(Operand, sub(args[1], b))
    b = negated_operand(args[-1], uses) if eqn.op in (add, sub, sum_) else None
    if b is None:
        return None
    return cast(Operand, neg(sum_(b, **eqn.attrs)) if eqn.op is sum_ else (sub if eqn.op is add else add)(args[0], b))


def negated_operand(x: Operand, uses: Mapping[Value, int]) -> Operand | None:
    """-x, if x is a selection of negations and zeros."""
    selection = operands_of(x, "where") if uses.get(cast(Value, x)) == 1 else None
    parts = [(y, operands_of(y, "neg")) for y in selection[1:]] if selection is not None else []
    if not any(args for _, args in parts) or not all(args or is_zero_literal(y) for y, args in parts):
        return None
    return cast(Operand, where(cast(Any, selection)[0], *(args[0] if args else y for y, args in parts)))


@block_rule()
def redundant_mask(eqn: Eqn, args: tuple[Operand, ...], uses: Mapping[Value, int]) -> Operand | None:
    """where(c, x, 0) -> x, where x is 0 outside c already"""
    if eqn.op is not where or args[2] != Lit(0.0) or not is_zero_outside(args[1], args[0]):
        return None
    return args[1]


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


def is_zero_literal(x: Operand) -> bool:
    return x == Lit(0.0)


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
