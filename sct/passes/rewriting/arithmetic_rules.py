"""Rewrite rules of arithmetic: literals, signs, like terms, products and quotients."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np

from sct.ir.core import Eqn, Lit, Operand, Value, is_undef
from sct.ir.loop_view import loop_view
from sct.ir.real_ints import result_type
from sct.ir.types import ANY_REAL, FLOAT, REAL, Tensor, TypeMismatch, leaf_type, map_leaf
from sct.ops.reductions.reductions import expand_like
from sct.ops.scalar.arithmetic import add, div, mul, neg, never_zero, sub
from sct.ops.scalar.elementary import exp, logaddexp
from sct.ops.scalar.selection import minimum
from sct.passes.rewriting.literals import is_number, number, over, plus, times
from sct.passes.rewriting.table import (
    Site,
    adjoint_eqn,
    carrier_of,
    defining_eqn,
    is_zeros,
    operands_of,
    origins_of,
    rule,
    shape_of,
)

__all__: list[str] = []


@rule("add", of="literal")
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


@rule("add", of="neg literal")
def add_negated(a: Operand, b: Operand) -> Any:
    """a + -b -> a - b;  -a + b -> b - a;  a + -c -> a - c"""
    if (args := operands_of(b, "neg")) is not None:
        return sub(a, args[0])
    if (args := operands_of(a, "neg")) is not None:
        return sub(b, args[0])
    c = number(b)
    return sub(a, -c) if c is not None and c < 0 else None


@rule("add", of="mul")
def add_to_array(a: Operand, b: Operand) -> Any:
    """a + 1.0 * b -> a + b for an array of floats and a number, also an int"""
    args = operands_of(b, "mul")
    if args is None or args[0] != Lit(1.0) or args[1].type not in (REAL, ANY_REAL):
        return None
    return add(a, args[1]) if isinstance(a.type, Tensor) and a.type.is_array and a.type.dtype == "f64" else None


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


def scaled(x: Operand) -> tuple[Any, Operand] | None:
    """(c, a) where `x` is `c * a` or `-a`."""
    if (args := operands_of(x, "neg")) is not None:
        return -1, args[0]
    if (args := operands_of(x, "mul")) is not None and is_number(args[0]):
        return number(args[0]), args[1]
    return None


@rule("sub", of="literal")
def sub_literals(a: Operand, b: Operand) -> Any:
    """c - d -> c-d;  a - 0 -> a;  0 - a -> -a;  a - -c -> a + c"""
    c, d = number(a), number(b)
    if c is not None and d is not None:
        return plus(c, -d)
    if d is not None:
        return a if d == 0 else add(a, -d) if d < 0 else None
    return neg(b) if c == 0 and not is_truth(b) else None


@rule("sub", of="neg")
def sub_negated(a: Operand, b: Operand) -> Any:
    """a - -b -> a + b;  -a - b -> -(a + b)"""
    if (args := operands_of(b, "neg")) is not None:
        return add(a, args[0])
    if (args := operands_of(a, "neg")) is not None:
        return neg(add(args[0], b))
    return None


@rule("sub")
def sub_again(a: Operand, b: Operand) -> Any:
    """n + 1 - 1 -> n, of ints"""
    eqn = defining_eqn(a)  # also a primal one: this is exact
    if eqn is None or eqn.op is not add or eqn.args[1] != b or not isinstance(b, Lit):
        return None
    n = eqn.args[0]
    return n if isinstance(n.type, Tensor) and n.type.integral and n.type == a.type else None


@rule("sub")
def sub_zeros(a: Operand, b: Operand) -> Any:
    """a - zeros -> a;  zeros - a -> -a"""
    return a if is_zeros(b) else neg(b) if is_zeros(a) and not is_truth(b) else None


@rule("neg")
def neg_of(a: Operand) -> Any:
    """-c -> the literal;  -(-a) -> a"""
    if (c := number(a)) is not None:
        return -c
    eqn = defining_eqn(a)  # also a primal one: negation is exact
    return eqn.args[0] if eqn is not None and eqn.op is neg else None


@rule("mul", of="literal")
def mul_literals(a: Operand, b: Operand) -> Any:
    """c * d -> cd;  1 * a -> a;  -1 * a -> -a;  a * c -> c * a;  1 * a stays for a primal a that may be an int"""
    c, d = number(a), number(b)
    if c is not None and d is not None:
        return times(c, d)
    if d is not None:
        return mul(b, a)
    if b.type == ANY_REAL and may_be_int(b):
        return None
    return b if c == 1 else neg(b) if c == -1 and not is_truth(b) else None


def is_truth(x: Operand) -> bool:
    """Is this a truth value of NumPy, or an array of these?  NumPy does not negate them."""
    return isinstance(x.type, Tensor) and x.type.kind == "b"


def may_be_int(x: Operand, answers: dict[Operand, bool] | None = None) -> bool:
    """Is this a number of the user's that is an int on some path, or a list that may hold one?

    So it is where it is not known what the number is computed from.  `answers`: of the values that were asked for
    before.
    """
    t = leaf_type(x.type)
    if t != ANY_REAL:
        return isinstance(t, Tensor) and t.kind in "ib"
    answers = {} if answers is None else answers
    if x not in answers:
        answers[x] = False  # of a value that depends on itself, as a carry does
        answers[x] = _is_int_on_a_path(x, answers)
    return answers[x]


_READS = ("index", "unpack", "unwrap")
"""Ops by which adjoint code reads what the primal has computed; other ops of adjoint code give floats."""


def _is_int_on_a_path(x: Operand, answers: dict[Operand, bool]) -> bool:
    if is_undef(x):
        return False  # the path does not assign it
    eqn = defining_eqn(x)
    if eqn is None:
        origins = origins_of(x)
        return origins is None or any(may_be_int(y, answers) for y in origins)
    k = eqn.outs.index(cast(Value, x))
    if eqn.op.name == "cond":
        return any(may_be_int(branch.results[k], answers) for branch in eqn.regions if k < len(branch.results))
    if eqn.op.name == "loop" and x is not (loop := loop_view(eqn)).iterations:
        carries = len(loop.finals)
        return may_be_int(loop.inits[k], answers) or may_be_int(loop.results[k], answers) if k < carries \
            else may_be_int(loop.yields[k - carries - 1], answers)
    return (eqn.primal or eqn.op.name in _READS) and _is_int_of(eqn, k, answers)


def _is_int_of(eqn: Eqn, k: int, answers: dict[Operand, bool]) -> bool:
    """May the k-th out be an int where operands of any class are ints if they may be, and else floats?"""
    operands = [_of_one_class(a, j not in eqn.op.inactive and may_be_int(a, answers)) for j, a in enumerate(eqn.args)]
    try:
        t = result_type(eqn.op, operands, eqn.attrs, eqn.spelling)
    except TypeMismatch:
        return True
    t = leaf_type(t[k] if isinstance(t, tuple) else t)
    return t == ANY_REAL or isinstance(t, Tensor) and t.integral


def _of_one_class(x: Operand, is_int: bool) -> Operand:
    """A value like `x`, of NumPy's ints or of floats if `x` is of any class."""
    if leaf_type(x.type) != ANY_REAL:
        return x
    return Value(map_leaf(lambda _: Tensor("np", "i64") if is_int else FLOAT, x.type))


@rule("mul")
def mul_scalar(a: Operand, b: Operand) -> Any:
    """array * scalar -> scalar * array"""
    return mul(b, a) if shape_of(a) and shape_of(b) == () else None


@rule("mul", of="literal")
def mul_scaled(a: Operand, b: Operand) -> Any:
    """c * (d * a) -> cd * a;  c * -a -> -c * a;  c * (a / d) -> c/d * a;  c * (d * a * b) -> a * b for a primal product
    with cd = 1"""
    c, inner = number(a), scaled(b)
    if c is None:
        return None
    if inner is not None:
        return mul(times(c, inner[0]), inner[1])
    if (args := operands_of(b, "div")) is not None and (d := number(args[1])):
        return mul(over(c, d), args[0])
    return _without_first_factor(b, c)


def _without_first_factor(product: Operand, c: float) -> Any:
    """d * a * b -> a * b, if cd = 1"""
    eqn = defining_eqn(product)
    if eqn is None or eqn.op is not mul:
        return None
    first, second = eqn.args
    if is_number(first):
        return second if c * number(first) == 1 else None
    rest = _without_first_factor(first, c)
    return None if rest is None else mul(rest, second)


@rule("mul", of="div quotient", when="finite")
def mul_by_divisor(a: Operand, b: Operand) -> Any:
    """a / b * b -> a;  an array full of `a` where that is a literal and `b` an array"""
    for quotient, divisor in ((a, b), (b, a)):
        args = operands_of(quotient, "div") or natural_quotient(quotient)
        if args is not None and args[1] is divisor:
            return expand_like(args[0], divisor) if is_number(args[0]) and shape_of(divisor) else args[0]
    return None


@rule("mul", of="div", when="finite")
def mul_by_quotient_of_itself(a: Operand, b: Operand) -> Any:
    """(a / a) * b -> b, where a / a is of another type than the literal 1.0"""
    for x, y in ((a, b), (b, a)):
        if (args := operands_of(x, "div")) is not None and args[0] is args[1]:
            return y
    return None


@rule("mul", of="div quotient")
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


@rule("mul", of="neg")
def mul_negated(a: Operand, b: Operand) -> Any:
    """-a * b -> -(a * b);  a * -b -> -(a * b)"""
    if (args := operands_of(a, "neg")) is not None:
        return neg(mul(args[0], b))
    if (args := operands_of(b, "neg")) is not None:
        return neg(mul(a, args[0]))
    return None


@rule("div", of="literal")
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


@rule("div", when="finite")
def div_by_itself(a: Operand, b: Operand) -> Any:
    """a / a -> 1.0;  an array full of it where `a` is an array"""
    if a is not b or isinstance(a, Lit):
        return None
    return expand_like(1.0, a) if shape_of(a) else Lit(1.0)


@rule("div", of="mul")
def div_by_scaled(a: Operand, b: Operand) -> Any:
    """c / (d * a) -> c/d / a"""
    c, args = number(a), operands_of(b, "mul")
    return div(over(c, d), args[1]) if c is not None and args is not None and (d := number(args[0])) else None


@rule("div", of="mul")
def div_scaled(a: Operand, b: Operand) -> Any:
    """s * array / t -> s / t * array, where s / t does not raise: t is not 0, or no Python number"""
    args = operands_of(a, "mul")
    if args is None or shape_of(b) != () or shape_of(args[0]) != () or not shape_of(args[1]):
        return None
    if not never_zero(b) and "np" not in (carrier_of(args[0]), carrier_of(b)):
        return None
    return mul(div(args[0], b), args[1])


@rule("div", of="neg")
def div_negated(a: Operand, b: Operand) -> Any:
    """-a / b -> -(a / b);  a / -b -> -(a / b), but of ints, whose -0 is 0"""
    if (args := operands_of(a, "neg")) is not None:
        return div(-number(args[0]), b) if is_number(args[0]) else neg(div(args[0], b))
    if (args := operands_of(b, "neg")) is not None and not cast(Tensor, b.type).integral:
        return neg(div(a, args[0]))
    return None


@rule("pow", of="literal")
def pow_literals(a: Operand, b: Operand) -> Any:
    """a ** 1 -> a;  a ** 2 -> a * a"""
    return a if number(b) == 1 else mul(a, a) if number(b) == 2 else None


@rule("exp", phase="simplify", of="sub", when="finite")
def logistic(site: Site, x: Operand) -> Any:
    """exp(y - logaddexp(x, y)) -> 1 / (1 + exp(x - y)), so that the derivative does not need the `logaddexp`

    The bound keeps `exp` finite; it changes the result by less than the smallest normal number."""
    parts = site.sole_operands(x, "sub")
    inner = defining_eqn(parts[1]) if parts is not None and not site.is_shared(parts[1]) else None
    if parts is None or inner is None or inner.op is not logaddexp or parts[0] not in inner.args:
        return None
    other, y = inner.args if parts[0] == inner.args[1] else inner.args[::-1]
    t = site.out.type
    python = {carrier_of(other), carrier_of(y)} <= {"py", "any"}
    if not isinstance(t, Tensor) or t.dtype not in ("f64", "f32") or python:
        return None
    bound = float(math.floor(np.log(np.finfo(t.dtype.replace("f", "float")).max)))
    return div(1.0, add(1.0, exp(minimum(sub(other, y), bound))))
