"""The rewrite rules of adjoint code: a table from op names to small functions.

A rule takes the operands and attrs of an equation that is about to be built, and returns an operand to use instead, or
None. It is written with the ops themselves; `operands_of(x, "mul")` are the operands of the adjoint product that
defines `x`. The docstring of a rule is `before -> after`, in which `a`, `b`, `x` are values and `c`, `d` literals.
Every rule is directional and never adds work, so that rewriting terminates. The driver refuses a result of another
type.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from typing import Any, TypeGuard, TypeVar, cast

from sct.ir.build import Builder
from sct.ir.core import Eqn, Lit, Operand, Value, builder_var
from sct.ir.loop_view import loop_view
from sct.ir.types import ANY_REAL, List, Tensor
from sct.ops.arrays.indexing import add_at, distinct, index, store
from sct.ops.arrays.shape import expand_dims, reshape, transpose
from sct.ops.reductions.reductions import expand_like, sum_
from sct.ops.scalar.arithmetic import add, div, mul, neg, never_zero, sub
from sct.ops.scalar.selection import where

__all__ = [
    "ASSUMPTIONS", "BLOCK_RULES", "RULES", "Rule", "adjoint_eqn", "block_rule", "carrier_of", "defining_eqn",
    "is_number", "is_zeros", "number", "operands_of", "over", "plus", "rule", "times",
]

Rule = Callable[..., Any]
Block = TypeVar("Block", bound=Callable[..., Any])
RULES: dict[str, list[Rule]] = {}
BLOCK_RULES: list[Rule] = []
"""Rules that also see how often each value is used: rule(eqn, operands, uses)."""
ASSUMPTIONS: dict[Rule, str] = {}
"""The assumption of a rule, if it has one: "finite" means that all values of the left side are finite. Rules without an
assumption also agree on nan and infinities, with -0.0 equal to 0.0."""

def rule(*names: str, when: str = "") -> Callable[[Rule], Rule]:
    """Enter a rule for the ops of these names; `when` is its assumption."""

    def enter(fn: Rule) -> Rule:
        if when:
            ASSUMPTIONS[fn] = when
        for name in names:
            RULES.setdefault(name, []).append(fn)
        return fn

    return enter


def block_rule(when: str = "") -> Callable[[Block], Block]:
    """Enter a rule that only the pass `simplify` applies, since it sees how often values are used."""

    def enter(fn: Block) -> Block:
        BLOCK_RULES.append(fn)
        if when:
            ASSUMPTIONS[fn] = when
        return fn

    return enter


# -- queries of rules ---------------------------------------------------------------------


def defining_eqn(x: Operand) -> Eqn | None:
    """The equation that binds `x`, primal or adjoint, if it is known."""
    return None if isinstance(x, Lit) else cast(Builder, builder_var.get()).defs.get(x)


def adjoint_eqn(x: Operand) -> Eqn | None:
    """The equation that binds `x`, if it is known and an adjoint one."""
    eqn = defining_eqn(x)
    return eqn if eqn is not None and not eqn.primal else None


def operands_of(x: Operand, name: str) -> tuple[Operand, ...] | None:
    """The operands of the adjoint equation that binds `x`, if its op is `name`."""
    eqn = adjoint_eqn(x)
    return eqn.args if eqn is not None and eqn.op.name == name else None


def number(x: Operand) -> Any:
    """The value of a literal number, or None."""
    return x.value if isinstance(x, Lit) and x.as_type is None and type(x.value) in (int, float) else None


def is_number(x: Operand) -> bool:
    return number(x) is not None


def times(c: float, d: float) -> float:
    return _short(c * d, c, d, _DECIMAL.multiply)


def plus(c: float, d: float) -> float:
    return _short(c + d, c, d, _DECIMAL.add)


def over(c: float, d: float) -> float:
    return _short(c / d, c, d, _DECIMAL.divide)


_DECIMAL = Context(prec=40)


def _short(result: float, c: float, d: float, exact: Callable[[Decimal, Decimal], Decimal]) -> float:
    """The rounded result, or the exact result for the two literals as decimal fractions if that is shorter to write:
    0.1 * 3.0 is 0.3, and 1.0 - 0.8 is 0.2."""
    if isinstance(result, int) or len(repr(result)) <= _SHORT or not math.isfinite(result):
        return result
    return min(result, float(exact(Decimal(repr(c)), Decimal(repr(d)))), key=lambda x: len(repr(x)))


_SHORT = 6


def scaled(x: Operand) -> tuple[Any, Operand] | None:
    """(c, a) where `x` is `c * a` or `-a`."""
    if (args := operands_of(x, "neg")) is not None:
        return -1, args[0]
    if (args := operands_of(x, "mul")) is not None and is_number(args[0]):
        return number(args[0]), args[1]
    return None


def is_zeros(x: Operand) -> bool:
    eqn = adjoint_eqn(x)
    if eqn is not None and eqn.op.name == "repeat":
        return bool(number(eqn.args[0]) == 0)
    return number(x) == 0 or eqn is not None and eqn.op.fill == 0.0


def is_full(key: Sequence[str]) -> bool:
    """Does the key select all of an array, as it is?"""
    return all(item in ("e", "s000") for item in key)


def writes_once(key: Sequence[str]) -> bool:
    """Does the key name every element at most once?"""
    return "a" not in key


# -- arithmetic ---------------------------------------------------------------------------


@rule("add")
def add_literals(a: Operand, b: Operand) -> Any:
    """c + d -> c+d;  a + 0 -> a;  c + a -> a + c"""
    c, d = number(a), number(b)
    if c is not None:
        return plus(c, d) if d is not None else add(b, a)
    return a if d == 0 else None


@rule("add")
def add_zeros(a: Operand, b: Operand) -> Any:
    """a + zeros -> a"""
    return a if is_zeros(b) else b if is_zeros(a) else None


@rule("add")
def add_negated(a: Operand, b: Operand) -> Any:
    """a + -b -> a - b;  -a + b -> b - a;  a + -c -> a - c"""
    if (args := operands_of(b, "neg")) is not None:
        return sub(a, args[0])
    if (args := operands_of(a, "neg")) is not None:
        return sub(b, args[0])
    c = number(b)
    return sub(a, -c) if c is not None and c < 0 else None


@rule("add", when="finite")
def add_like(a: Operand, b: Operand) -> Any:
    """a + a -> 2.0 * a;  c*a + d*a -> (c+d) * a"""
    return like_terms(a, b, 1)


@rule("sub", when="finite")
def sub_like(a: Operand, b: Operand) -> Any:
    """c*a - d*a -> (c-d) * a"""
    return like_terms(a, b, -1)


def like_terms(a: Operand, b: Operand, sign: int) -> Any:
    (c, x), (d, y) = scaled(a) or (1.0, a), scaled(b) or (1.0, b)
    total = plus(c, sign * d)
    if x is not y or isinstance(x, Lit) or total == 0:
        return None
    return mul(float(total), x)


@rule("sub")
def sub_literals(a: Operand, b: Operand) -> Any:
    """c - d -> c-d;  a - 0 -> a;  0 - a -> -a;  a - -c -> a + c"""
    c, d = number(a), number(b)
    if c is not None and d is not None:
        return plus(c, -d)
    if d is not None:
        return a if d == 0 else add(a, -d) if d < 0 else None
    return neg(b) if c == 0 else None


@rule("sub")
def sub_negated(a: Operand, b: Operand) -> Any:
    """a - -b -> a + b;  -a - b -> -(a + b)"""
    if (args := operands_of(b, "neg")) is not None:
        return add(a, args[0])
    if (args := operands_of(a, "neg")) is not None:
        return neg(add(args[0], b))
    return None


@rule("sub")
def sub_zeros(a: Operand, b: Operand) -> Any:
    """a - zeros -> a;  zeros - a -> -a"""
    return a if is_zeros(b) else neg(b) if is_zeros(a) else None


@rule("neg")
def neg_of(a: Operand) -> Any:
    """-c -> the literal;  -(-a) -> a"""
    if (c := number(a)) is not None:
        return -c
    eqn = defining_eqn(a)  # also a primal one: negation is exact
    return eqn.args[0] if eqn is not None and eqn.op is neg else None


@rule("mul")
def mul_literals(a: Operand, b: Operand) -> Any:
    """c * d -> cd;  1 * a -> a;  -1 * a -> -a;  a * c -> c * a;  1 * a stays for a primal a that may be an int"""
    c, d = number(a), number(b)
    if c is not None and d is not None:
        return times(c, d)
    if d is not None:
        return mul(b, a)
    if b.type == ANY_REAL and may_be_int(b):
        return None
    return b if c == 1 else neg(b) if c == -1 else None


def may_be_int(x: Operand) -> bool:
    """Is this a primal value that is an int on some path?"""
    eqn = defining_eqn(x)
    if eqn is None or not eqn.primal:
        return isinstance(x.type, Tensor) and x.type.kind in "ib"
    k = eqn.outs.index(cast(Value, x))
    if eqn.op.name == "cond":
        return any(may_be_int(branch.results[k]) for branch in eqn.regions if k < len(branch.results))
    if eqn.op.name == "loop" and k < eqn.attrs["carries"]:
        return may_be_int(loop_view(eqn).inits[k])
    return isinstance(x.type, Tensor) and x.type.kind in "ib"


@rule("mul")
def mul_scalar(a: Operand, b: Operand) -> Any:
    """array * scalar -> scalar * array"""
    return mul(b, a) if shape_of(a) and shape_of(b) == () else None


@rule("mul")
def mul_scaled(a: Operand, b: Operand) -> Any:
    """c * (d * a) -> cd * a;  c * -a -> -c * a;  c * (d * a) -> a for a primal product with cd = 1"""
    c, inner = number(a), scaled(b)
    if c is None:
        return None
    if inner is not None:
        return mul(times(c, inner[0]), inner[1])
    eqn = defining_eqn(b)
    cancels = eqn is not None and eqn.op is mul and is_number(eqn.args[0]) and c * number(eqn.args[0]) == 1
    return eqn.args[1] if eqn is not None and cancels else None


@rule("mul")
def mul_quotient(a: Operand, b: Operand) -> Any:
    """c * (d / a) -> cd / a;  a * (1 / b) -> a / b;  a * (-1 / b) -> -(a / b)"""
    c = number(a)
    for x, y in ((a, b), (b, a)):
        if (args := operands_of(y, "div") or natural_quotient(y)) is not None and is_number(args[0]):
            d = number(args[0])
            if d in (1, -1):
                return div(x, args[1]) if d == 1 else neg(div(x, args[1]))
            if x is a and c is not None:
                return div(times(c, d), args[1])
    return None


def natural_quotient(x: Operand) -> tuple[Operand, ...] | None:
    """(a, b) where `x` is the `quotient` a / b, and NumPy's division gives the edge value as well."""
    eqn = adjoint_eqn(x)
    if eqn is None or eqn.op.name != "quotient" or carrier_of(eqn.args[1]) in ("py", "any"):
        return None
    return eqn.args if eqn.attrs.get("edge", math.inf) == math.inf else None


@rule("mul")
def mul_negated(a: Operand, b: Operand) -> Any:
    """-a * b -> -(a * b);  a * -b -> -(a * b)"""
    if (args := operands_of(a, "neg")) is not None:
        return neg(mul(args[0], b))
    if (args := operands_of(b, "neg")) is not None:
        return neg(mul(a, args[0]))
    return None


@rule("div")
def div_literals(a: Operand, b: Operand) -> Any:
    """c / d -> c/d;  a / 1 -> a;  a / -1 -> -a;  c*a / d -> c/d * a"""
    c, d = number(a), number(b)
    if not d:
        return None
    if c is not None:
        return over(c, d)
    if d in (1, -1):
        return a if d == 1 else neg(a)
    if (args := operands_of(a, "mul")) is not None and is_number(args[0]):
        return mul(over(number(args[0]), d), args[1])
    return None


@rule("div")
def div_by_scaled(a: Operand, b: Operand) -> Any:
    """c / (d * a) -> c/d / a"""
    c, args = number(a), operands_of(b, "mul")
    return div(over(c, d), args[1]) if c is not None and args is not None and (d := number(args[0])) else None


@rule("div")
def div_scaled(a: Operand, b: Operand) -> Any:
    """s * array / t -> s / t * array, where s / t does not raise: t is not 0, or no Python number"""
    args = operands_of(a, "mul")
    if args is None or shape_of(b) != () or shape_of(args[0]) != () or not shape_of(args[1]):
        return None
    if not never_zero(b) and "np" not in (carrier_of(args[0]), carrier_of(b)):
        return None
    return mul(div(args[0], b), args[1])


@rule("div")
def div_negated(a: Operand, b: Operand) -> Any:
    """-a / b -> -(a / b);  a / -b -> -(a / b), but of ints, whose -0 is 0"""
    if (args := operands_of(a, "neg")) is not None:
        return div(-number(args[0]), b) if is_number(args[0]) else neg(div(args[0], b))
    if (args := operands_of(b, "neg")) is not None and not cast(Tensor, b.type).integral:
        return neg(div(a, args[0]))
    return None


@rule("pow")
def pow_literals(a: Operand, b: Operand) -> Any:
    """a ** 1 -> a;  a ** 2 -> a * a"""
    return a if number(b) == 1 else mul(a, a) if number(b) == 2 else None


# -- shapes -------------------------------------------------------------------------------


def shape_of(x: Operand) -> Any:
    return x.type.shape if isinstance(x.type, Tensor) else None


def carrier_of(x: Operand) -> Any:
    return x.type.carrier if isinstance(x.type, Tensor) else None


@rule("expand_like")
def expand_scalar(ct: Operand, x: Operand, **_: Any) -> Any:
    """expand_like(ct, x) -> ct where x is a scalar"""
    return ct if carrier_of(x) != "array" and carrier_of(ct) != "array" else None


@rule("mul")
def mul_expanded(a: Operand, b: Operand) -> Any:
    """expand_like(g, x) * b -> g * b where b has the shape of x"""
    g, h = unexpanded(a, b), unexpanded(b, a)
    return mul(g, b) if g is not None else mul(a, h) if h is not None else None


@rule("mul")
def mul_scalar_expanded(a: Operand, b: Operand) -> Any:
    """s * expand_like(g, x) -> expand_like(s * g, x)"""
    eqn = adjoint_eqn(b)
    if eqn is None or eqn.op is not expand_like or shape_of(a) != () or carrier_of(a) == "array":
        return None
    return expand_like(mul(a, eqn.args[0]), eqn.args[1], **eqn.attrs)


@rule("where")
def where_expanded(c: Operand, a: Operand, b: Operand) -> Any:
    """where(c, expand_like(g, x), b) -> where(c, g, b) where c has the shape of x"""
    g, h = unexpanded(a, c), unexpanded(b, c)
    return where(c, a if g is None else g, b if h is None else h) if g is not None or h is not None else None


@rule("add")
def add_expanded(a: Operand, b: Operand) -> Any:
    """a + expand_like(g, x) -> a + g where a has the shape of x"""
    g, h = unexpanded(a, b), unexpanded(b, a)
    return add(b, g) if g is not None else add(a, h) if h is not None else None


@rule("sub")
def sub_expanded(a: Operand, b: Operand) -> Any:
    """a - expand_like(g, x) -> a - g where a has the shape of x"""
    g, h = unexpanded(a, b), unexpanded(b, a)
    return sub(g, b) if g is not None else sub(a, h) if h is not None else None


@rule("div")
def div_expanded(a: Operand, b: Operand) -> Any:
    """expand_like(g, x) / b -> g / b where b has the shape of x"""
    g = unexpanded(a, b)
    return div(g, b) if g is not None else None


def unexpanded(x: Operand, full: Operand) -> Any:
    """`g` where `x` is `expand_like(g, ...)` of the shape of `full` (of its last axes, for a number g).

    `g` has an axis of size 1 in place of an axis that was summed, so that it broadcasts like `x`."""
    eqn = adjoint_eqn(x)
    if eqn is None or eqn.op.name != "expand_like" or carrier_of(full) != "array":
        return None
    g, axis = eqn.args[0], eqn.attrs.get("axis")
    if shape_of(g) == () and shape_of(x) == shape_of(full)[-len(shape_of(x)):]:
        return g
    if shape_of(x) != shape_of(full):
        return None
    if eqn.attrs.get("keepdims") or axis is None:
        return g
    axes = sorted(k % len(shape_of(x)) for k in (axis if isinstance(axis, tuple) else (axis,)))
    if axes == list(range(len(axes))):
        return g
    return expand_dims(g, axis=axes[0]) if len(axes) == 1 else None


@rule("sum")
def sum_negated(x: Operand, **attrs: Any) -> Any:
    """sum(-x) -> -sum(x)"""
    args = operands_of(x, "neg")
    return neg(sum_(args[0], **attrs)) if args is not None else None


@rule("transpose")
def transpose_twice(x: Operand, axes: Any = None) -> Any:
    """transpose(transpose(x)) -> x where the two permutations cancel"""
    eqn = defining_eqn(x)
    if eqn is None or eqn.op is not transpose:
        return None
    inner, rank = eqn.attrs.get("axes"), len(shape_of(x))
    first = inner if inner is not None else tuple(reversed(range(rank)))
    second = axes if axes is not None else tuple(reversed(range(rank)))
    back = [first[k] % rank for k in second]
    return eqn.args[0] if back == list(range(rank)) else None


@rule("reshape")
def reshape_twice(x: Operand, *sizes: Operand) -> Any:
    """reshape(reshape(x, ...), n, m) -> reshape(x, n, m)"""
    args = operands_of(x, "reshape")
    return reshape(args[0], *sizes) if args is not None else None


@rule("reshape", "ravel", "broadcast_to", "astype", "squeeze", "float")
def unchanged(x: Operand, *_: Any, **__: Any) -> Any:
    """reshape(x, ...) -> x where it has that type"""
    return x


# -- elements -----------------------------------------------------------------------------


@rule("add_at")
def add_at_zeros(x: Operand, v: Operand, *key_operands: Operand, key: tuple[str, ...]) -> Any:
    """x with x[key] += 0 -> x;  zeros with zeros[:] += v -> v;  zeros[key] += v -> zeros[key] = v

    Likewise where only elements other than `key` have been written into the zeros."""
    if is_zeros(v):
        return x
    if not is_zeros(before_other_writes(x, key, key_operands)) \
            or not writes_once(key) and not distinct(key_operands, key):
        return None
    return v if is_full(key) and v.type == x.type else store(x, v, *key_operands, key=key)


def before_other_writes(x: Operand, key: tuple[str, ...], operands: tuple[Operand, ...]) -> Operand:
    """`x` before writes to other literal positions, all counted from the same end."""
    at = [number(k) for k in operands]
    for _ in range(REACH if set(key) == {"i"} and all(type(k) is int for k in at) else 0):
        eqn = adjoint_eqn(x)
        if eqn is None or eqn.op not in (store, add_at) or eqn.attrs["key"] != key:
            break
        other = [number(k) for k in eqn.args[2:]]
        if not any(type(j) is int and j != k and (j < 0) == (k < 0) for j, k in zip(other, at)):
            break
        x = eqn.args[0]
    return x


REACH = 30
"""How many equations back a rule looks, so that the pass takes linear time."""


@rule("add_at")
def add_at_filled(x: Operand, v: Operand, *key_operands: Operand, key: tuple[str, ...]) -> Any:
    """x[key] += (an array full of g) -> x[key] += g"""
    g = None if isinstance(x.type, List) else fill_value(v)
    return add_at(x, g, *key_operands, key=key) if g is not None else None


@rule("store")
def store_filled(x: Operand, v: Operand, *key_operands: Operand, key: tuple[str, ...]) -> Any:
    """x[key] = (an array full of g) -> x[key] = g"""
    g = None if isinstance(x.type, List) else fill_value(v)
    return store(x, g, *key_operands, key=key) if g is not None else None


def fill_value(x: Operand) -> Any:
    """The scalar with which `x` is filled, if it is known."""
    args = operands_of(x, "expand_like")
    return args[0] if args is not None and carrier_of(args[0]) != "array" else None


@rule("store")
def store_full(x: Operand, v: Operand, *key_operands: Operand, key: tuple[str, ...]) -> Any:
    """x with x[:] = v -> v;  zeros with zeros[key] = 0 -> zeros"""
    if is_zeros(x) and is_zeros(v):
        return x
    return v if is_full(key) and v.type == x.type else None


@rule("index")
def index_stored(x: Operand, *key_operands: Operand, key: tuple[str, ...]) -> Any:
    """(x with x[key] = v)[key] -> v;  (x with x[j] = v)[k] -> x[k], for other elements k"""
    eqn, read = adjoint_eqn(x), x
    while _writes(eqn, key) and _are_other_elements(key, eqn.args[2:], key_operands):
        read = eqn.args[0]
        eqn = adjoint_eqn(read)
    if _writes(eqn, key) and eqn.op is store and eqn.args[2:] == key_operands:
        return eqn.args[1]
    if read is not x:
        return index(read, *key_operands, key=key)
    return x if is_full(key) and not _writes(eqn, key) else None


def _writes(eqn: Eqn | None, key: tuple[str, ...]) -> TypeGuard[Eqn]:
    """Does the equation write elements of an array by such a key?"""
    return eqn is not None and eqn.op in (store, add_at) and eqn.attrs["key"] == key and writes_once(key)


def _are_other_elements(key: tuple[str, ...], js: Sequence[Operand], ks: Sequence[Operand]) -> bool:
    """Do two keys of literals name different elements?"""
    if set(key) != {"i"} or not all(isinstance(x, Lit) for x in (*js, *ks)):
        return False
    return any(j.value != k.value and (j.value < 0) == (k.value < 0) for j, k in zip(js, ks))  # type: ignore[union-attr]


@rule("sub")
def sub_scattered(a: Operand, b: Operand) -> Any:
    """(zeros with zeros[key] += v) - b -> -b with b[key] += v"""
    write = scattered(a)
    return add_at(neg(b), *write.args[1:], key=write.attrs["key"]) if write is not None and a.type == b.type else None


@rule("add")
def add_scattered(a: Operand, b: Operand) -> Any:
    """a + (zeros with zeros[key] += v) -> a with a[key] += v"""
    for x, y in ((a, b), (b, a)):
        write = scattered(y)
        if write is not None and x.type == y.type:
            return add_at(x, *write.args[1:], key=write.attrs["key"])
    return None


def scattered(x: Operand) -> Eqn | None:
    """The equation that computes `x` by a write into zeros."""
    eqn = adjoint_eqn(x)
    if eqn is None or eqn.op not in (store, add_at) or not is_zeros(eqn.args[0]):
        return None
    return eqn if eqn.op is add_at or writes_once(eqn.attrs["key"]) else None
