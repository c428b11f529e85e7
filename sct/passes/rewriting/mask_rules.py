"""The rewrite rules of masks:  where(c, x, 0) + where(c, 0, y)  ->  where(c, x, y)

What reversing selections, `x[mask] = v` and their like leaves.  Those that look at how often a value
is used are asked by the pass `simplify` alone, `masked` and `cleared` when no one asks any more.
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
from sct.passes.rewriting.arithmetic_rules import definition, is_zeros, made_by, of_block, rule

__all__ = ["cleared", "complementary", "masked", "nested", "unsigned"]


@rule("logical_or")
def or_same(c: Operand, d: Operand) -> Any:
    """c | c -> c;  (c | d) | d -> c | d"""
    if c == d or d in (made_by(c, "logical_or") or ()):
        return c
    return d if c in (made_by(d, "logical_or") or ()) else None


@rule("where")
def where_same(c: Operand, a: Operand, b: Operand) -> Any:
    """where(c, a, a) -> a"""
    return a if a == b else None


@rule("where")
def where_masked(c: Operand, a: Operand, b: Operand) -> Any:
    """where(c, where(c, x, y), b) -> where(c, x, b);  where(c, a, where(c, x, y)) -> where(c, a, y)"""
    if (args := made_by(a, "where")) is not None and args[0] == c:
        return where(c, args[1], b)
    if (args := made_by(b, "where")) is not None and args[0] == c:
        return where(c, a, args[2])
    return None


@rule("where")
def where_not(c: Operand, a: Operand, b: Operand) -> Any:
    """where(~c, a, b) -> where(c, b, a)"""
    args = made_by(c, "logical_not")
    return where(args[0], b, a) if args is not None else None


@rule("where")
def where_written(c: Operand, a: Operand, b: Operand) -> Any:
    """where(c, x with x[c] = v, b) -> b with b[c] = v"""
    eqn = definition(a)
    if eqn is None or eqn.op is not store or eqn.attrs["key"] != ("m",) or eqn.args[2] != c or a.type != b.type:
        return None
    return store(b, eqn.args[1], c, key=("m",))


@rule("add_at")
def add_at_masked(x: Operand, v: Operand, *key_operands: Operand, key: tuple[str, ...]) -> Any:
    """where(c, 0, x) with [c] += v -> x with x[c] = v"""
    args = made_by(x, "where") if key == ("m",) else None
    if args is None or args[0] != key_operands[0] or not is_zeros(args[1]) or args[2].type != x.type:
        return None
    return store(args[2], v, *key_operands, key=key)


# -- what is used once ------------------------------------------------------------------------


@of_block()
def cleared(eqn: Eqn, args: tuple[Operand, ...], uses: Mapping[Value, int]) -> Operand | None:
    """where(c, 0, dx), the next value of dx, is dx with dx[c] = 0."""
    if eqn.op is not where or not is_nothing(args[1]) or definition(args[2]) is None:
        return None
    c, x = args[0], cast(Value, args[2])
    named = x.hint is not None and x.hint == eqn.out.hint and uses.get(x) == 1
    if not named or x.type != eqn.out.type or not _is_mask_of(c.type, x.type):
        return None
    return cast(Operand, store(x, 0.0, c, key=("m",)))


@of_block()
def nested(eqn: Eqn, args: tuple[Operand, ...], uses: Mapping[Value, int]) -> Operand | None:
    """where(c, where(d, x, 0), 0) -> where(c & d, x, 0), of arrays."""
    if eqn.op is not where or not cast(Tensor, eqn.out.type).is_array or not any(map(is_nothing, args[1:])):
        return None
    c, kept = args[0], is_nothing(args[2])
    inner = args[1] if kept else args[2]
    made = made_by(inner, "where") if uses.get(cast(Value, inner)) == 1 else None
    if made is None or not any(map(is_nothing, made[1:])):
        return None
    d, too = made[0], is_nothing(made[2])
    x = made[1] if too else made[2]
    if not kept and not too:
        return cast(Operand, where(logical_or(c, d), 0.0, x))
    return cast(Operand, where(logical_and(c if kept else logical_not(c), d if too else logical_not(d)), x, 0.0))


@of_block()
def complementary(eqn: Eqn, args: tuple[Operand, ...], uses: Mapping[Value, int]) -> Operand | None:
    """where(c, a, 0) + where(c, 0, b) -> where(c, a, b);  where(c, a, b) + where(c, d, 0) -> where(c, a + d, b)"""
    if eqn.op is not add or not all(uses.get(cast(Value, x)) == 1 for x in args):
        return None
    a, b = (made_by(x, "where") for x in args)
    if a is None or b is None or a[0] != b[0]:
        return None
    pairs = list(zip(a[1:], b[1:]))
    if not any(is_nothing(x) for pair in pairs for x in pair):
        return None
    return cast(Operand, where(a[0], *(
        y if is_nothing(x) else x if is_nothing(y) else add(x, y) for x, y in pairs)))


@of_block()
def unsigned(eqn: Eqn, args: tuple[Operand, ...], uses: Mapping[Value, int]) -> Operand | None:
    """a + where(c, -b, 0) -> a - where(c, b, 0);  sum(where(c, -b, 0)) -> -sum(where(c, b, 0))"""
    if eqn.op is add and (b := negation(args[0], uses)) is not None:
        return cast(Operand, sub(args[1], b))
    b = negation(args[-1], uses) if eqn.op in (add, sub, sum_) else None
    if b is None:
        return None
    return cast(Operand, neg(sum_(b, **eqn.attrs)) if eqn.op is sum_ else (sub if eqn.op is add else add)(args[0], b))


def negation(x: Operand, uses: Mapping[Value, int]) -> Operand | None:
    """-x where x is a selection of negations and zeros."""
    made = made_by(x, "where") if uses.get(cast(Value, x)) == 1 else None
    parts = [(y, made_by(y, "neg")) for y in made[1:]] if made is not None else []
    if made is None or not any(args for _, args in parts) or not all(args or is_nothing(y) for y, args in parts):
        return None
    return cast(Operand, where(made[0], *(args[0] if args else y for y, args in parts)))


@of_block()
def masked(eqn: Eqn, args: tuple[Operand, ...], uses: Mapping[Value, int]) -> Operand | None:
    """where(c, x, 0) -> x, where x is 0 outside c already: no one asks any more."""
    if eqn.op is not where or args[2] != Lit(0.0) or not within(args[1], args[0]):
        return None
    return args[1]


def within(x: Operand, c: Operand, deep: int = 8) -> bool:
    """Is x 0 outside c: zeros, masked, written under a mask, or a sum of such?"""
    made = definition(x)
    if is_zeros(x) or made is None or not deep:
        return is_zeros(x)
    if made.op in (store, add_at) and made.attrs["key"] == ("m",):
        return implies(made.args[2], c) and within(made.args[0], c, deep - 1)
    if made.op in (add, sub, neg):
        return all(within(part, c, deep - 1) for part in made.args)
    if made.op is not where:
        return False
    d, taken, other = made.args
    return (implies(d, c) or within(taken, c, deep - 1)) and (follows(d, c) or within(other, c, deep - 1))


def _is_mask_of(c: Type, x: Type) -> bool:
    return isinstance(c, Tensor) and isinstance(x, Tensor) and c.is_array and c.kind == "b" and c.shape == x.shape


def is_nothing(x: Operand) -> bool:
    return x == Lit(0.0)


def implies(d: Operand, c: Operand) -> bool:
    """Does c hold wherever d does?"""
    return d in either(c) or any(part in either(c) for part in made_by(d, "logical_and") or ())


def follows(d: Operand, c: Operand) -> bool:
    """Does c hold wherever d does not?"""
    return any(made_by(part, "logical_not") == (d,) for part in either(c))


def either(c: Operand, deep: int = 8) -> Iterator[Operand]:
    """What c is true for: `a | b` and a and b."""
    yield c
    for part in made_by(c, "logical_or") or () if deep else ():
        yield from either(part, deep - 1)
