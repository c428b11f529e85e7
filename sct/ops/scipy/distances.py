"""Distances between points, which are the rows of matrices: `cdist` and `pdist` of `scipy.spatial.distance`.

Each pair pulls along its difference: d |a - b| = (a - b) / |a - b|.  Points that coincide do not pull each other.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sct.ir.core import Op, Operand
from sct.ir.dims import divided, product
from sct.ir.types import Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.triangles import triu
from sct.ops.linalg.products import contracted, matmul
from sct.ops.linalg.spectra import T, columns
from sct.ops.reductions.reductions import sum_
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import add, mul, quotient, sub
from sct.ops.type_rules import number

__all__: list[str] = []

DEFAULT = {"metric": "euclidean"}


def distance(name: str) -> Any:
    return getattr(import_module("scipy.spatial.distance"), name)


def option(metric: str) -> str:
    return "" if metric == "euclidean" else ", metric=_metric"


def pull_of(ct: Operand, y: Operand, metric: str) -> Any:
    return quotient(ct, y, edge=0.0) if metric == "euclidean" else mul(2.0, ct)


def type_cdist(a: Operand, b: Operand, metric: str = "euclidean") -> Tensor:
    """In double precision, always."""
    if metric not in ("euclidean", "sqeuclidean"):
        raise TypeMismatch(f"the metric {metric!r} of cdist is not supported")
    if number(a).rank != 2 or number(b).rank != 2:
        raise TypeMismatch("cdist takes matrices, a point in each row")
    contracted(number(a).shape[1], number(b).shape[1])
    return Tensor("array", "f64", (number(a).shape[0], number(b).shape[0]))


def cdist_vjp(ct: Operand, y: Operand, a: Operand, b: Operand, metric: str = "euclidean") -> list[Any]:
    pull = pull_of(ct, y, metric)
    return [sub(mul(columns(sum_(pull, axis=1)), a), matmul(pull, b)),
            sub(mul(columns(sum_(pull, axis=0)), b), matmul(T(pull), a))]


op("cdist", "scipy.spatial.distance.cdist", type=type_cdist, vjp=cdist_vjp, defaults=DEFAULT,
   run=lambda a, b, metric="euclidean": distance("cdist")(a, b, metric),
   bind=lambda XA, XB, metric="euclidean": ([XA, XB], {"metric": metric}), raises="shape",
   emit=lambda a, b, metric="euclidean": f"scipy.spatial.distance.cdist(_0, _1{option(metric)})",
   samples=lambda: [((samples.arrays((3, 2)), samples.arrays((n, 2), seed=1)), {"metric": metric})
                    for n in (3, 4, 1) for metric in ("euclidean", "sqeuclidean")])


# -- among the points of one array -------------------------------------------------------------------------------------


def type_pdist(x: Operand, metric: str = "euclidean") -> Tensor:
    n = type_cdist(x, x, metric).shape[0]
    return Tensor("array", "f64", (divided(product((n, n - 1)), product(()) * 2),))


def type_matrix_of_pairs(v: Operand, x: Operand) -> Tensor:
    n = number(x).shape[0]
    return Tensor("array", number(v).dtype, (n, n))


matrix_of_pairs: Op = op(
    "matrix_of_pairs", type=type_matrix_of_pairs, run=lambda v, x: distance("squareform")(v),
    emit="scipy.spatial.distance.squareform(_0)", inactive=(1,), shapes=(1,),
    linear=lambda ct, v, x: [pairs_of_matrix(add(ct, T(ct)), x), None],
    samples=lambda: [((samples.arrays((3,)), samples.arrays((3, 2))), {})])
"""The symmetric matrix of what belongs to the pairs of rows of an array."""

pairs_of_matrix: Op = op(
    "pairs_of_matrix", type=lambda m, x: Tensor("array", number(m).dtype, type_pdist(x).shape),
    run=lambda m, x: distance("squareform")(m, checks=False),
    emit="scipy.spatial.distance.squareform(_0, checks=False)", inactive=(1,), shapes=(1,),
    linear=lambda ct, m, x: [triu(matrix_of_pairs(ct, x)), None],
    samples=lambda: [((samples.arrays((3, 3)), samples.arrays((3, 2))), {})])
"""The elements of a matrix above its diagonal, in order."""


def pdist_vjp(ct: Operand, y: Operand, x: Operand, metric: str = "euclidean") -> list[Any]:
    pull = matrix_of_pairs(pull_of(ct, y, metric), x)
    return [sub(mul(columns(sum_(pull, axis=1)), x), matmul(pull, x))]


op("pdist", "scipy.spatial.distance.pdist", type=type_pdist, vjp=pdist_vjp, defaults=DEFAULT,
   run=lambda x, metric="euclidean": distance("pdist")(x, metric),
   bind=lambda X, metric="euclidean": ([X], {"metric": metric}), raises="shape",
   emit=lambda x, metric="euclidean": f"scipy.spatial.distance.pdist(_0{option(metric)})",
   samples=lambda: [((samples.arrays((n, 2)),), {"metric": metric}) for n in (3, 4, 2)
                    for metric in ("euclidean", "sqeuclidean")])
