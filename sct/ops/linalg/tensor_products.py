"""Products of arrays of any rank, and of several matrices."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from sct.ir.core import Elements, Op, Operand
from sct.ir.dims import Dim
from sct.ir.types import Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.concatenate import concatenate, np_promote
from sct.ops.arrays.creation import eye, strong, zeros_of
from sct.ops.arrays.indexing import trailing
from sct.ops.arrays.shape import dim, expand_dims, reshape, shape_of, squeeze, transpose
from sct.ops.linalg.einsum import Labels, contract, nothing
from sct.ops.linalg.linalg import as_matrices, diagonally_dominant, lapack, square
from sct.ops.linalg.products import bilinear, contracted, matmul, matrices, matrix_transpose, outer
from sct.ops.reductions.reductions import readings
from sct.ops.registry import op, placeholders
from sct.ops.scalar.arithmetic import add, mul, neg
from sct.ops.type_rules import normalize, number, probe, scalar_or_array, size_dim

__all__ = ["kron", "matrix_power", "multi_dot", "summed", "tensordot", "trace"]


def dtype_of(*xs: Operand) -> str:
    return np_promote([strong(number(x)) for x in xs])


# -- tensordot ------------------------------------------------------------------------------------

Axes = tuple[tuple[int, ...], tuple[int, ...]]


def summed(x: Operand, y: Operand, axes: Any) -> Axes:
    """The axes that are summed over, of x and of y, pair by pair."""
    m, n = number(x).rank, number(y).rank
    if isinstance(axes, int):
        return tuple(range(m - axes, m)), tuple(range(axes))
    pair = [(k,) if isinstance(k, int) else tuple(k) for k in axes]
    positions = [tuple(k + rank if k < 0 else k for k in one) for one, rank in zip(pair, (m, n))]
    if len(positions[0]) != len(positions[1]):
        raise TypeMismatch("tensordot: axes of different lengths")
    normalize(positions[0], m), normalize(positions[1], n)
    return positions[0], positions[1]


def free(x: Operand, gone: Sequence[int]) -> list[int]:
    return [k for k in range(number(x).rank) if k not in gone]


def type_tensordot(x: Operand, y: Operand, axes: Any = 2) -> Tensor:
    gone = summed(x, y, axes)
    a, b = number(x).shape, number(y).shape
    for i, j in zip(*gone):
        contracted(a[i], b[j])
    shape = (*(a[k] for k in free(x, gone[0])), *(b[k] for k in free(y, gone[1])))
    return Tensor("array", dtype_of(x, y), shape)


def tensordot_transposed(ct: Operand, x: Operand, y: Operand, axes: Any = 2) -> list[Any]:
    """ct summed with y over the axes that they share gives the axes of x in another order."""
    i, j = summed(x, y, axes)
    p, q = free(x, i), free(y, j)
    of_x, of_y = tuple(range(len(p))), tuple(range(len(p), len(p) + len(q)))
    left = [j.index(k) for k in sorted(j)]
    right = [i.index(k) for k in sorted(i)]
    dx = product_over(ct, y, of_y, tuple(q))
    dy = product_over(x, ct, tuple(p), of_x)
    return [reordered(dx, [*p, *(i[k] for k in left)]), reordered(dy, [*(j[k] for k in right), *q])]


def product_over(x: Operand, y: Operand, i: tuple[int, ...], j: tuple[int, ...]) -> Any:
    m, n = number(x).rank, number(y).rank
    if not m or not n:
        return mul(x, y) if not m else mul(y, x)
    if not i:
        return outer(x, y) if m == n == 1 else tensordot(x, y, axes=0)
    standard = i == tuple(range(m - len(i), m)) and j == tuple(range(len(j)))
    return tensordot(x, y, axes=len(i) if standard else (i, j))


def reordered(x: Operand, axes: Sequence[int]) -> Any:
    """x, whose axis k is to be axis axes[k]."""
    order = tuple(map(list(axes).index, range(len(axes))))
    if order == tuple(range(len(order))):
        return x
    return transpose(x) if order == tuple(reversed(range(len(order)))) else transpose(x, axes=order)


def tensordot_elements(e: Elements, at: Sequence[Any], x: Operand, y: Operand, axes: Any = 2) -> Any:
    i, j = summed(x, y, axes)
    of_x, of_y = free(x, i), free(y, j)
    of_ct = at[:len(of_x)], at[len(of_x):]

    def term(*k: Any) -> Any:
        places = ({**dict(zip(gone, k)), **dict(zip(kept, part))} for gone, kept, part in
                  ((i, of_x, of_ct[0]), (j, of_y, of_ct[1])))
        return mul(*(e.read(z, [place[axis] for axis in sorted(place)]) for z, place in zip((x, y), places)))

    return e.total(add, nothing(x, y), [e.size(x, k) for k in i], term) if i else term()


def tensordots() -> list[samples.Sample]:
    cases: list[tuple[tuple[int, ...], tuple[int, ...], Any]] = [
        ((2, 3), (3, 4), 1), ((2, 3), (2, 3), 2), ((3,), (2,), 0), ((2, 3, 4), (4, 3, 5), ((1, 2), (1, 0))),
        ((2, 3, 4), (3, 4, 2), 2), ((2, 3), (4, 3), ((-1,), (-1,))), ((2, 3), (3,), 1), ((3,), (3, 2), (0, 0)),
        ((3, 2), (4, 2, 3), ((0, 1), (2, 1))), ((2, 0), (0, 3), 1), ((3,), (3,), 1), ((2, 3), (2,), 0)]
    entries = [((samples.arrays(p), samples.arrays(q, seed=1)), {"axes": axes}) for p, q, axes in cases]
    return [*entries, ((samples.arrays((2, 3), dtype="f4"), samples.arrays((3, 2), dtype="f4")), {"axes": 1})]


tensordot: Op = bilinear("tensordot", "numpy.tensordot numpy.linalg.tensordot", type_tensordot, tensordot_transposed,
                         run=np.tensordot, bind=lambda a, b, axes=2: ([a, b], {"axes": axes}), defaults={"axes": 2},
                         samples=tensordots, elements=tensordot_elements)


# -- kron -----------------------------------------------------------------------------------------


def type_kron(x: Operand, y: Operand) -> Tensor:
    a, b = number(x).shape, number(y).shape
    rank = max(len(a), len(b))
    pairs = zip((Dim(1),) * (rank - len(a)) + a, (Dim(1),) * (rank - len(b)) + b)
    shape = tuple(size_dim(pair) for pair in pairs)
    return scalar_or_array({dtype_of(x, y)}, shape)


def kron_transposed(ct: Operand, x: Operand, y: Operand) -> list[Any]:
    """ct with an axis for each of x and of y, in turns, summed with the other."""
    m, n = number(x).rank, number(y).rank
    if not m or not n:
        return [mul(ct, y), mul(ct, x)]
    of_x = [f"{chr(97 + 2 * k)}" for k in range(max(m, n))][max(m, n) - m:]
    of_y = [f"{chr(98 + 2 * k)}" for k in range(max(m, n))][max(m, n) - n:]
    sizes = dict(zip(of_x + of_y, shape_of(x) + shape_of(y)))
    turns: Labels = sorted(sizes)
    split = reshape(ct, *(sizes[label] for label in turns))
    return [contract([(split, turns), (y, of_y)], of_x), contract([(split, turns), (x, of_x)], of_y)]


kron = bilinear("kron", "numpy.kron", type_kron, kron_transposed, run=np.kron, bind=lambda a, b: ([a, b], {}),
                samples=matrices(((2, 3), (3, 4)), ((2,), (3,)), ((2, 3), (2,)), ((3,), (2, 2)), ((2, 3), ()),
                                 ((2, 1, 3), (2, 2))))


# -- multi_dot ------------------------------------------------------------------------------------


def type_multi_dot(*xs: Operand) -> Tensor:
    ranks = [number(x).rank for x in xs]
    if len(xs) < 2 or any(r not in (1, 2) for r in (ranks[0], ranks[-1])) or any(r != 2 for r in ranks[1:-1]):
        raise TypeMismatch("multi_dot takes two or more matrices; the first and the last may be vectors")
    for x, y in pairwise(xs):
        contracted(number(x).shape[-1], number(y).shape[0])
    return scalar_or_array({dtype_of(*xs)}, (*number(xs[0]).shape[:-1], *number(xs[-1]).shape[1:]))


def multi_dot_vjp(ct: Operand, z: Operand, *xs: Operand) -> list[Any]:
    """left.T @ ct @ right.T, where a vector is a row (the first) or a column (the last)"""
    first, last = number(xs[0]).rank == 1, number(xs[-1]).rank == 1
    ct = expand_dims(ct, axis=(0, 1)) if first and last else \
        expand_dims(ct, axis=0 if first else 1) if first or last else ct
    parts = [matrix_transpose(x) if number(x).rank == 2 else expand_dims(x, axis=0 if k else 1)
             for k, x in enumerate(xs)]
    cts = []
    for k in range(len(xs)):
        product = chain([*parts[:k][::-1], ct, *parts[:k:-1]])
        cts.append(squeeze(product, axis=0) if first and not k else
                   squeeze(product, axis=1) if last and k == len(xs) - 1 else product)
    return cts


def chain(xs: Sequence[Operand]) -> Any:
    return matmul(*xs) if len(xs) == 2 else multi_dot(*xs)


def chains() -> list[samples.Sample]:
    cases = (((2, 3), (3, 4)), ((2, 3), (3, 4), (4, 2)), ((3,), (3, 4), (4, 2)), ((2, 3), (3, 4), (4,)),
             ((3,), (3, 3), (3,)), ((2, 3), (3, 4), (4, 2), (2, 3)), ((3,), (3,)))
    entries: list[samples.Sample] = [(tuple(samples.arrays(s, seed=k) for k, s in enumerate(case)), {})
                                     for case in cases]
    return [*entries, (tuple(samples.arrays((2, 2), dtype="f4", seed=k) for k in range(3)), {})]


multi_dot: Op = op("multi_dot", "numpy.linalg.multi_dot", type=type_multi_dot, vjp=multi_dot_vjp,
                   run=lambda *xs: np.linalg.multi_dot(xs), bind=lambda arrays: (list(arrays), {}), raises="shape",
                   cost="dear", emit=lambda *xs: f"numpy.linalg.multi_dot([{', '.join(placeholders(len(xs)))}])",
                   samples=chains, complex=True, linear_in="each")


# -- matrix_power ---------------------------------------------------------------------------------


def slope_of_power(a: Operand, da: Operand, n: int) -> Any:
    """The derivative of A**n along dA: the corner of [[A, dA], [0, A]]**n"""
    if n in (0, 1):
        return da if n else None
    if n == 2:
        return add(matmul(a, da), matmul(da, a))
    rows = [concatenate(a, da, axis=-1), concatenate(zeros_of(a), a, axis=-1)]
    power = matrix_power(concatenate(*rows, axis=-2), n=n)
    size = dim(a, axis=-1)
    return trailing(power, slice(None, size), slice(size, None))


def type_matrix_power(a: Operand, n: int) -> Tensor:
    square(a)
    dtype = strong(number(a)) if n >= 0 else next(iter(lapack(a)))
    return Tensor("array", dtype, number(a).shape)


def power_vjp(ct: Operand, y: Operand, a: Operand, n: int) -> list[Any]:
    if n == -1:
        return [neg(matmul(matmul(matrix_transpose(y), ct), matrix_transpose(y)))]
    return [slope_of_power(matrix_transpose(a), ct, n)]


def power_jvp(tangents: Sequence[Any], y: Operand, a: Operand, n: int) -> Any:
    return neg(matmul(matmul(y, tangents[0]), y)) if n == -1 else slope_of_power(a, tangents[0], n)


def powers() -> list[samples.Sample]:
    bases = [diagonally_dominant(s) / 4.0 for s in ((3, 3), (4, 2, 2))]
    cases: list[samples.Sample] = [((a,), {"n": n}) for a in bases for n in (0, 1, 2, 3, 5, -1, -2)]
    return [*cases, ((diagonally_dominant((2, 2), "f4"),), {"n": 3})]


matrix_power: Op = op("matrix_power", "numpy.linalg.matrix_power", type=type_matrix_power, run=np.linalg.matrix_power,
                      vjp=power_vjp, jvp=power_jvp, bind=lambda a, n: ([a], {"n": n}), raises="value", cost="dear",
                      emit="numpy.linalg.matrix_power(_0, _n)",
                      alias=lambda a, n: "same" if n == 1 else "none", samples=powers, square=True, complex=True)


# -- trace ----------------------------------------------------------------------------------------


def type_trace(a: Operand, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    shape = number(a).shape
    gone = normalize((axis1, axis2), len(shape))
    dtypes = {probe(np.sum, d) for d in readings(number(a))}
    return scalar_or_array(dtypes, tuple(d for k, d in enumerate(shape) if k not in gone))


def trace_transposed(ct: Operand, a: Operand, offset: int = 0, axis1: int = 0, axis2: int = 1) -> list[Any]:
    """ct on the diagonal"""
    rank = number(a).rank
    i, j = axis1 % rank, axis2 % rank
    shape = number(a).shape
    sizes = [dim(a, axis=i)] if shape[i] == shape[j] else [dim(a, axis=i), dim(a, axis=j)]
    da = mul(as_matrices(ct), eye(*sizes, k=offset, dtype=number(a).dtype))
    rest = [k for k in range(rank) if k not in (i, j)]
    return [reordered(da, [*rest, i, j])]


def traces() -> list[samples.Sample]:
    flat = [samples.arrays(s) for s in ((3, 3), (2, 3), (4, 2))]
    cases: list[samples.Sample] = [((a,), {"offset": k}) for a in flat for k in (0, 1, -1)]
    cases += [((samples.arrays((2, 3, 4)),), {"axis1": i, "axis2": j}) for i, j in ((0, 1), (0, 2), (-1, -2), (1, 0))]
    return [*cases, ((samples.arrays((3, 3), dtype="f4"),), {})]


trace: Op = op("trace", "numpy.trace .trace", type=type_trace, run=np.trace, linear=trace_transposed, samples=traces,
               bind=lambda a, offset=0, axis1=0, axis2=1: ([a], {"offset": offset, "axis1": axis1, "axis2": axis2}),
               defaults={"offset": 0, "axis1": 0, "axis2": 1})
