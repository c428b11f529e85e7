"""Rewrite rules of matrix products: signs move outwards, identities vanish, a transposed product is a product.

    A.T @ -e  ->  -(A.T @ e)        (A.T @ B).T  ->  B.T @ A

And of absolute values and norms, by which the derivative of their squares has a derivative itself.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any, cast

from sct.ir.core import Eqn, Lit, Operand
from sct.ir.types import Tensor
from sct.ops.arrays.shape import expand_dims, swapaxes, transpose
from sct.ops.linalg.linalg import solve
from sct.ops.linalg.products import matmul, matrix_transpose, outer
from sct.ops.reductions.reductions import sum_
from sct.ops.scalar.arithmetic import conj, mul, neg
from sct.passes.rewriting.table import (
    Site,
    adjoint_eqn,
    defining_eqn,
    is_result_of,
    operands_of,
    rule,
    shape_of,
)

__all__: list[str] = []


@rule("matmul", of="neg")
def matmul_negated(a: Operand, b: Operand) -> Any:
    """-a @ b -> -(a @ b);  a @ -b -> -(a @ b)"""
    if (args := operands_of(a, "neg")) is not None:
        return neg(matmul(args[0], b))
    return neg(matmul(a, args[0])) if (args := operands_of(b, "neg")) is not None else None


@rule("outer", of="neg")
def outer_negated(a: Operand, b: Operand) -> Any:
    """outer(-a, b) -> -outer(a, b);  outer(a, -b) -> -outer(a, b)"""
    if (args := operands_of(a, "neg")) is not None:
        return neg(outer(args[0], b))
    return neg(outer(a, args[0])) if (args := operands_of(b, "neg")) is not None else None


@rule("solve", of="neg")
def solve_negated(a: Operand, b: Operand) -> Any:
    """solve(A, -b) -> -solve(A, b)"""
    args = operands_of(b, "neg")
    return neg(solve(a, args[0])) if args is not None else None


@rule("matmul", of="eye mul", when="finite")
def matmul_identity(a: Operand, b: Operand) -> Any:
    """eye @ b -> b;  a @ eye -> a;  (c * eye) @ b -> c * b;  a @ (c * eye) -> c * a"""
    for eye, x in ((a, b), (b, a)):
        factors = operands_of(eye, "mul") or (None, eye)
        if is_identity(factors[1]) and (factors[0] is None or shape_of(factors[0]) == ()):
            return x if factors[0] is None else mul(factors[0], x)
    return None


def is_identity(x: Operand) -> bool:
    eqn = adjoint_eqn(x)
    return eqn is not None and eqn.op.name == "eye" and not eqn.attrs.get("k") and len(eqn.args) == 1


@rule("matmul", of="expand_like", when="finite")
def matmul_filled(a: Operand, b: Operand) -> Any:
    """a @ (a vector full of g) -> g * sum(a, axis=-1);  (a vector full of g) @ b -> g * sum(b, axis=-2)"""
    if (g := vector_fill_value(b)) is not None:
        return mul(g, summed(a, -1))
    return mul(g, summed(b, -2)) if (g := vector_fill_value(a)) is not None else None


def summed(x: Operand, axis: int) -> Any:
    """The sums of the rows (-1) or the columns (-2) of matrices, or of a vector."""
    rank = len(shape_of(x))
    if rank != 2:
        return sum_(x) if rank == 1 else sum_(x, axis=axis)
    inner = operands_of(x, "transpose")
    return sum_(x, axis=axis + 2) if inner is None else sum_(*inner, axis=-1 - axis)


def vector_fill_value(x: Operand) -> Any:
    """The number with which a vector is filled."""
    args = operands_of(x, "expand_like") if len(shape_of(x)) == 1 else None
    return args[0] if args is not None and shape_of(args[0]) == () else None


@rule("mul", of="mul", when="finite")
def mul_det(a: Operand, b: Operand) -> Any:
    """(c / d * d) * B -> c * B where d = det(A), 0 only where its derivative raises: that of log(det(A)) is inv(A).T"""
    args = operands_of(a, "mul")
    parts = operands_of(args[0], "div") if args is not None and is_result_of(args[1], "det") else None
    return mul(parts[0], b) if args is not None and parts is not None and parts[1] is args[1] else None


# -- absolute values and norms: the square of each has a derivative at 0 ---------------------------


@rule("mul", of="sign")
def mul_sign(a: Operand, b: Operand) -> Any:
    """c * abs(x) * sign(x) -> c * x"""
    for s, y in ((a, b), (b, a)):
        args = operands_of(s, "sign")
        if args is not None and (c := without_modulus(y, "abs fabs", args[0])) is not None:
            return mul(c, args[0])
    return None


@rule("mul", of="quotient", when="finite")
def mul_modulus(a: Operand, b: Operand) -> Any:
    """c * y * (x / y) -> c * x where y = hypot(x, ...), or y = abs(conj(x)), is 0 only where x is"""
    for q, y in ((a, b), (b, a)):
        args = operands_of(q, "quotient")
        eqn = defining_eqn(args[1]) if args is not None else None
        if args is None or eqn is None or not is_modulus(eqn, "hypot abs", args[0]):
            continue
        if (c := without_factor(y, partial(operator.is_, args[1]))) is not None:
            return mul(c, args[0])
    return None


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


def without_modulus(a: Operand, names: str, x: Operand, y: Operand | None = None) -> Any:
    """c where a is c * y, and y is a function of `names` of x or of its conjugate"""
    def found(f: Operand) -> bool:
        eqn = defining_eqn(f)
        return eqn is not None and is_modulus(eqn, names, x) and y in (None, f)

    return without_factor(a, found)


def is_modulus(eqn: Eqn, names: str, x: Operand) -> bool:
    """Is this a function of `names` of `x`, or of the number whose conjugate is `x`?"""
    inner = defining_eqn(x)
    same = [x, *(inner.args if inner is not None and inner.op is conj else ())]
    return eqn.op.name in names.split() and any(arg is one for arg in eqn.args for one in same)


def without_factor(a: Operand, is_factor: Callable[[Operand], bool]) -> Any:
    """c where a is c * y, of a factor y"""
    if is_factor(a):
        return Lit(1.0)
    for k, x in enumerate(factors := operands_of(a, "mul") or ()):
        if (c := without_factor(x, is_factor)) is not None:
            return mul(factors[1 - k], c)
    return None


@rule("swapaxes")
def swapaxes_twice(x: Operand, a: int, b: int) -> Any:
    """swapaxes(swapaxes(x, a, b), a, b) -> x"""
    inner = defining_eqn(x)
    return inner.args[0] if inner is not None and inner.op is swapaxes and inner.attrs == {"a": a, "b": b} else None


def is_matrix_transpose(eqn: Eqn | None) -> bool:
    """Does the equation transpose matrices?"""
    if eqn is None or eqn.op not in (transpose, swapaxes):
        return False
    rank = len(shape_of(eqn.args[0]))
    if eqn.op is transpose:
        return rank == 2 and eqn.attrs.get("axes") in (None, (1, 0))
    return sorted(eqn.attrs[k] % rank for k in "ab") == [rank - 2, rank - 1]


@rule("transpose", "swapaxes", phase="simplify", of="neg matmul")
def transpose_product(site: Site, x: Operand, **_: Any) -> Any:
    """(a.T @ b).T -> b.T @ a;  (a @ b.T).T -> b @ a.T;  (-a).T -> -a.T, where nothing else reads the operand"""
    if not is_matrix_transpose(site.eqn):
        return None
    if (inside := site.sole_operands(x, "neg")) is not None:
        return neg(site.eqn.op(*inside, **site.eqn.attrs))
    factors = site.sole_operands(x, "matmul")
    if factors is None or min(len(shape_of(x)) for x in factors) < 2:
        return None
    eqns = [defining_eqn(x) for x in factors]
    if not any(map(is_matrix_transpose, eqns)):
        return None
    a, b = (cast(Eqn, e).args[0] if is_matrix_transpose(e) else matrix_transpose(x) for e, x in zip(eqns, factors))
    return matmul(b, a)


@rule("sum", phase="simplify", of="mul")
def dot_product(site: Site, x: Operand, **attrs: Any) -> Any:
    """sum(x * y) -> x @ y for vectors, where nothing else reads the product"""
    factors = None if attrs.get("keepdims") else site.sole_operands(x, "mul")
    if factors is None:
        return None
    a, b = (f.type for f in factors)
    vectors = isinstance(a, Tensor) and a.is_array and a.rank == 1 and a.kind == "f" and a == b
    return matmul(*factors) if vectors else None
