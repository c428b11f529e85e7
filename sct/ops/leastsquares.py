"""Of matrices that need not be square: qr, pinv, lstsq, rank and condition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sct.ir.core import Op, Operand
from sct.ir.types import Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.arithmetic import add, neg, sub
from sct.ops.creation import zeros_of
from sct.ops.decompositions import (
    T,
    is_square,
    is_wide,
    plus,
    product,
    rectangular,
    smaller,
    symmetric,
)
from sct.ops.indexing import index, join
from sct.ops.joining import concatenate
from sct.ops.linalg import lapack, solve
from sct.ops.products import matmul
from sct.ops.registry import op
from sct.ops.shape import dim
from sct.ops.triangles import tril, triu
from sct.ops.types import number

__all__ = ["pinv", "qr"]


# -- qr -------------------------------------------------------------------------------------------
# A wide matrix is [X, Y] = Q [U, V], where X = Q U is square and V = Q.T @ Y.


def type_qr(a: Operand, mode: str = "reduced", wide: bool = False) -> Any:
    if mode not in ("reduced", "complete", "r"):
        raise TypeMismatch(f"qr with mode={mode!r} is not supported")
    if number(a).rank < 2:
        raise TypeMismatch(f"a matrix is needed, this is {number(a)}")
    (dtype,) = lapack(a)
    *batch, m, n = number(a).shape
    k = m if mode == "complete" else smaller(a, wide)
    q, r = Tensor("array", dtype, (*batch, m, k)), Tensor("array", dtype, (*batch, k, n))
    return r if mode == "r" else (q, r)


def determined(a: Operand, mode: str, wide: bool) -> None:
    if mode == "complete" and not wide and not is_square(a):
        raise TypeMismatch('the columns of Q beyond those of the matrix are any basis: use mode="reduced"')


def split(x: Operand, like: Operand) -> tuple[Any, Any]:
    """The first columns of x, as many as it has rows, and the others."""
    size = dim(like, axis=-2)
    made = []
    for part in (slice(None, size), slice(size, None)):
        key, bounds = join([..., part])
        made.append(index(x, *bounds, key=key))
    return made[0], made[1]


def qr_vjp(cts: Any, ys: Any, a: Operand, mode: str = "reduced", wide: bool = False) -> list[Any]:
    determined(a, mode, wide)
    if mode == "r":
        cts, ys = (None, cts), qr(a, mode="reduced", wide=wide)
    (dq, dr), (q, r) = cts, ys
    if not wide:
        return [qr_back(dq, dr, q, r)]
    _, y = split(a, a)
    u, _ = split(r, a)
    du, dv = (None, None) if dr is None else split(dr, a)
    if dv is not None:
        dq = plus(dq, matmul(y, T(dv)))
    dx = qr_back(dq, du, q, u)
    dy = matmul(q, dv) if dv is not None else zeros_of(y)
    return [concatenate(dx, dy, axis=-1)]


def qr_back(dq: Any, dr: Any, q: Operand, r: Operand) -> Any:
    """(dQ + Q @ symmetric(R @ dR.T - dQ.T @ Q)) @ inv(R).T"""
    m: Any = None if dr is None else matmul(r, T(dr))
    if dq is not None:
        m = plus(m, neg(matmul(T(dq), q)))
    made = plus(dq, matmul(q, symmetric(m, "L")))
    return T(solve(r, T(made)))


def qr_jvp(tangents: Sequence[Any], ys: Any, a: Operand, mode: str = "reduced", wide: bool = False) -> Any:
    determined(a, mode, wide)
    q, r = qr(a, mode="reduced", wide=wide) if mode == "r" else ys
    (da,) = tangents
    if not wide:
        dq, dr = qr_along(da, q, r)
        return dr if mode == "r" else (dq, dr)
    (_, y), (u, _), (dx, dy) = split(a, a), split(r, a), split(da, a)
    dq, du = qr_along(dx, q, u)
    dr = concatenate(du, add(matmul(T(dq), y), matmul(T(q), dy)), axis=-1)
    return dr if mode == "r" else (dq, dr)


def qr_along(da: Operand, q: Operand, r: Operand) -> tuple[Any, Any]:
    """With B = dA @ inv(R) and S the upper part of Q.T @ B: dR = S @ R and dQ = B - Q @ S"""
    b = T(solve(T(r), T(da)))
    c = matmul(T(q), b)
    s = add(triu(c), T(tril(c, k=-1)))
    return sub(b, matmul(q, s)), matmul(s, r)


def emit_qr(a: Operand, mode: str = "reduced", wide: bool = False) -> str:
    return "numpy.linalg.qr(_0)" if mode == "reduced" else "numpy.linalg.qr(_0, mode=_mode)"


def qrs() -> list[samples.Sample]:
    made: list[samples.Sample] = []
    for a in rectangular():
        wide = a.shape[-2] < a.shape[-1]
        made += [((a,), {"mode": mode, "wide": wide}) for mode in ("reduced", "r", *["complete"] * wide)]
    return made


qr: Op = op("qr", "numpy.linalg.qr", type=type_qr, run=lambda a, mode="reduced", wide=False: np.linalg.qr(a, mode),
            emit=emit_qr, bind=lambda a, mode="reduced": ([a], {"mode": mode}), asks=is_wide, vjp=qr_vjp, jvp=qr_jvp,
            defaults={"mode": "reduced", "wide": False}, fields=("Q", "R"), raises="value", cost="dear", samples=qrs)


# -- pinv -----------------------------------------------------------------------------------------


def type_pinv(a: Operand, rcond: float | None = None) -> Tensor:
    if number(a).rank < 2:
        raise TypeMismatch(f"a matrix is needed, this is {number(a)}")
    *batch, m, n = number(a).shape
    (dtype,) = lapack(a)
    return Tensor("array", dtype, (*batch, n, m))


def pinv_vjp(ct: Operand, p: Operand, a: Operand, rcond: float | None = None) -> list[Any]:
    """-P.T @ ct @ P.T, and what leaves the spaces of the rows and of the columns of A"""
    back, up = T(p), T(ct)
    made = neg(product(back, ct, back))
    if is_square(a):
        return [made]
    left, right = product(up, p, back), product(back, p, up)
    made = add(made, sub(left, product(a, p, left)))
    return [add(made, sub(right, product(right, p, a)))]


def pinv_jvp(tangents: Sequence[Any], p: Operand, a: Operand, rcond: float | None = None) -> Any:
    (da,) = tangents
    made = neg(product(p, da, p))
    if is_square(a):
        return made
    left, right = product(p, T(p), T(da)), product(T(da), T(p), p)
    made = add(made, sub(left, product(left, a, p)))
    return add(made, sub(right, product(p, a, right)))


pinv = op("pinv", "numpy.linalg.pinv", type=type_pinv, run=np.linalg.pinv, vjp=pinv_vjp, jvp=pinv_jvp,
          bind=lambda a, rcond=None: ([a], {"rcond": rcond}), defaults={"rcond": None}, raises="value", cost="dear",
          samples=lambda: [((a,), {}) for a in rectangular()])
