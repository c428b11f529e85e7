"""Linear systems with Toeplitz matrices, which have one number on each diagonal: `solve_toeplitz`.

    x = solve_toeplitz((c, r), b)    db = solve_toeplitz((r, c), dx)

with the first column `c`, of which SciPy takes the corner, and the first row `r`.  The matrix has the cotangent
-outer(db, x), whose diagonals are summed by correlations of `db` and `x`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sct.ir.core import Lit, Op, Operand
from sct.ir.types import Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.concatenate import concatenate
from sct.ops.arrays.creation import zeros
from sct.ops.arrays.indexing import index, join
from sct.ops.arrays.shape import dim
from sct.ops.linalg.products import contracted
from sct.ops.reductions.signals import convolve, correlate
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import neg, sub
from sct.ops.scipy.linear_systems import linalg
from sct.ops.type_rules import number

__all__: list[str] = []


def piece(x: Operand, start: Any, stop: Any = None) -> Any:
    key, operands = join([slice(start, stop)])
    return index(x, *operands, key=key)


def correlated(x: Operand, y: Operand, start: int = 0) -> Any:
    """The sums of x[i + k] * y[i], for k from `start` on: 0 or 1."""
    n = dim(y, axis=0)
    return piece(correlate(x, y, mode="full"), n if start else sub(n, 1))


def one_row(c: Operand, r: Operand) -> Any:
    """The first row with the corner of the first column."""
    return c if c is r else concatenate(piece(c, None, Lit(1)), piece(r, Lit(1)), axis=0)


def type_toeplitz(c: Operand, r: Operand, b: Operand) -> Tensor:
    types = [number(x) for x in (c, r, b)]
    if any(t.rank != 1 or t.dtype != "f64" for t in types):
        raise TypeMismatch("solve_toeplitz is differentiated for vectors of floats of 64 bits",
                           hint="convert with astype(float); solve for each column of a matrix by itself")
    for t in types[1:]:
        contracted(types[0].shape[0], t.shape[0])
    return Tensor("array", "f64", types[0].shape)


def toeplitz_vjp(ct: Operand, x: Operand, c: Operand, r: Operand, b: Operand) -> list[Any]:
    db = solve_toeplitz(one_row(c, r), c, ct)
    dc = neg(correlated(db, x))
    dr = concatenate(zeros(1), neg(correlated(x, db, 1)), axis=0)
    return [dc, dr, db]


def toeplitz_jvp(tangents: Sequence[Any], x: Operand, c: Operand, r: Operand, b: Operand) -> Any:
    dc, dr, db = tangents
    change = db
    if dc is not None:
        moved = piece(convolve(dc, x, mode="full"), None, dim(c, axis=0))
        change = neg(moved) if change is None else sub(change, moved)
    if dr is not None:
        row = concatenate(zeros(1), piece(dr, Lit(1)), axis=0)
        moved = correlated(x, row)
        change = neg(moved) if change is None else sub(change, moved)
    return solve_toeplitz(c, r, change)


def bind_toeplitz(c_or_cr: Any, b: Any, check_finite: Any = True) -> tuple[list[Any], dict[str, Any]]:
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, c_or_cr)
    return [c, r, b], {}


def systems() -> list[samples.Sample]:
    c, b = samples.arrays((4,)), samples.arrays((4,), seed=1)
    c[0] = 7.0
    return [((c, samples.arrays((4,), seed=2), b), {}), ((c, c, b), {}), ((c[:1], c[:1], b[:1]), {})]


solve_toeplitz: Op = op(
    "solve_toeplitz", "scipy.linalg.solve_toeplitz", type=type_toeplitz, vjp=toeplitz_vjp, jvp=toeplitz_jvp,
    run=lambda c, r, b: linalg("solve_toeplitz")((c, r), b), bind=bind_toeplitz, raises="value", cost="dear",
    emit=lambda c, r, b: f"scipy.linalg.solve_toeplitz({'_0' if c is r else '(_0, _1)'}, _2)", samples=systems)
