"""Covariances and correlations of variables in rows (or in columns, rowvar=False).

Of centred rows Y, cov is Y @ Y.T / (n - ddof) and corrcoef is Z @ Z.T, where Z is Y with
rows of norm 1.  What is a sum of rows of Y is centred, so that the mean has no share in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sct.ir.core import Op, Operand
from sct.ir.dims import Dim
from sct.ir.types import Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.concatenate import concatenate
from sct.ops.arrays.creation import zeros_of
from sct.ops.arrays.shape import dim, expand_dims, squeeze, transpose
from sct.ops.linalg.products import contracted, matmul
from sct.ops.reductions.differences import part, size_of_end
from sct.ops.reductions.reductions import mean, sum_
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import add, div, mul, sub
from sct.ops.scalar.elementary import sqrt
from sct.ops.type_rules import number

__all__ = ["corrcoef", "cov"]


def shape_of_rows(x: Operand, rowvar: bool) -> tuple[Dim, Dim]:
    shape = number(x).shape
    if len(shape) not in (1, 2):
        raise TypeMismatch("variables are a vector or a matrix")
    if len(shape) == 1:
        return Dim(1), shape[0]
    return (shape[0], shape[1]) if rowvar else (shape[1], shape[0])


def as_rows(x: Operand, rowvar: bool) -> Any:
    if number(x).rank == 1:
        return expand_dims(x, axis=0)
    return x if rowvar else transpose(x)


def back(ct: Operand, x: Operand, rowvar: bool) -> Any:
    if number(x).rank == 1:
        return squeeze(ct, axis=0)
    return ct if rowvar else transpose(ct)


def centred(xs: Sequence[Operand], rowvar: bool) -> Any:
    blocks = [as_rows(x, rowvar) for x in xs]
    rows = blocks[0] if len(blocks) == 1 else concatenate(*blocks, axis=0)
    return sub(rows, mean(rows, axis=1, keepdims=True))


def type_cov(*xs: Operand, rowvar: bool = True, **_: Any) -> Tensor:
    count = Dim(0)
    for x in xs:
        rows, length = shape_of_rows(x, rowvar)
        contracted(length, shape_of_rows(xs[0], rowvar)[1])
        count = count + rows
    if not count.never_one and count.value is None:
        raise TypeMismatch("the number of variables may be 1")
    return Tensor("array", "f64", () if count.value == 1 else (count, count))


def split(ct: Operand, xs: Sequence[Operand], rowvar: bool) -> list[Any]:
    """The cotangents of the operands of `centred`."""
    if len(xs) == 1:
        return [back(ct, xs[0], rowvar)]
    size = size_of_end(as_rows(xs[0], rowvar), 0)
    return [back(part(ct, 0, slice(None, size)), xs[0], rowvar), back(part(ct, 0, slice(size, None)), xs[1], rowvar)]


def along(dxs: Sequence[Any], xs: Sequence[Operand], rowvar: bool) -> Any:
    """The tangent of the rows."""
    blocks = [as_rows(zeros_of(x) if dx is None else dx, rowvar) for dx, x in zip(dxs, xs)]
    return blocks[0] if len(blocks) == 1 else concatenate(*blocks, axis=0)


def both(x: Operand) -> Any:
    """x + x.T"""
    return add(x, transpose(x)) if number(x).rank == 2 else mul(2.0, x)


def product(a: Operand, b: Operand, like: Operand) -> Any:
    """a @ b, of one row a number"""
    p = matmul(a, b)
    return p if number(like).rank else squeeze(p, axis=(0, 1))


def weighted(ct: Operand, y: Operand) -> Any:
    """(ct + ct.T) @ y"""
    return matmul(both(ct), y) if number(ct).rank else mul(both(ct), y)


# -- cov ------------------------------------------------------------------------------------------


def divisor(xs: Sequence[Operand], rowvar: bool, bias: bool, ddof: int | None) -> Any:
    n = dim(xs[0], axis=1 if rowvar and number(xs[0]).rank == 2 else 0)
    less = ddof if ddof is not None else 0 if bias else 1
    return sub(n, less) if less else n


def cov_vjp(ct: Operand, c: Operand, *xs: Operand, rowvar: bool = True, bias: bool = False,
            ddof: int | None = None) -> list[Any]:
    return split(div(weighted(ct, centred(xs, rowvar)), divisor(xs, rowvar, bias, ddof)), xs, rowvar)


def bind_cov(m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None) -> Any:
    return [m] if y is None else [m, y], {"rowvar": rowvar, "bias": bias, "ddof": ddof}


def variables() -> list[tuple[Any, ...]]:
    x, v = samples.arrays((2, 4)), samples.arrays((4,), seed=1)
    return [(x,), (x, v), (v, x), (samples.arrays((3, 2), dtype="f4"),), (x, samples.arrays((3, 4), seed=2))]


def covariances() -> list[samples.Sample]:
    cases: list[samples.Sample] = [(xs, attrs) for xs in variables() for attrs in ({}, {"bias": True}, {"ddof": 0})]
    x = samples.arrays((4, 3))
    return [*cases, ((x,), {"rowvar": False}), ((x, samples.arrays((4, 2))), {"rowvar": False}),
            ((samples.arrays((5,)),), {})]


cov: Op = op("cov", "numpy.cov", type=type_cov, run=np.cov, bind=bind_cov, vjp=cov_vjp,
             defaults={"rowvar": True, "bias": False, "ddof": None}, cost="dear", samples=covariances)


# -- corrcoef ---------------------------------------------------------------------------------------


def units(xs: Sequence[Operand], rowvar: bool) -> tuple[Any, Any]:
    """The rows of norm 1, and the norms."""
    y = centred(xs, rowvar)
    length = sqrt(sum_(mul(y, y), axis=1, keepdims=True))
    return div(y, length), length


def turned(dz: Operand, z: Operand, length: Operand) -> Any:
    """The part of each row of dz that is not along z, over its length."""
    return div(sub(dz, mul(z, sum_(mul(dz, z), axis=1, keepdims=True))), length)


def corrcoef_vjp(ct: Operand, c: Operand, *xs: Operand, rowvar: bool = True) -> list[Any]:
    z, length = units(xs, rowvar)
    return split(turned(matmul(both(ct), z), z, length), xs, rowvar)


def corrcoef_jvp(tangents: Sequence[Any], c: Operand, *xs: Operand, rowvar: bool = True) -> Any:
    z, length = units(xs, rowvar)
    return both(matmul(turned(along(tangents, xs, rowvar), z, length), transpose(z)))


def type_corrcoef(*xs: Operand, rowvar: bool = True) -> Tensor:
    t = type_cov(*xs, rowvar=rowvar)
    if not t.rank:
        raise TypeMismatch("the correlation of one variable is 1")
    return t


corrcoef: Op = op("corrcoef", "numpy.corrcoef", type=type_corrcoef, run=np.corrcoef, vjp=corrcoef_vjp, jvp=corrcoef_jvp,
                  bind=lambda x, y=None, rowvar=True: ([x] if y is None else [x, y], {"rowvar": rowvar}),
                  defaults={"rowvar": True}, cost="dear",
                  samples=lambda: [(xs, {}) for xs in variables()] + [((samples.arrays((5, 3)),), {"rowvar": False})])
