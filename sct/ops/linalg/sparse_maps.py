"""Products with sparse matrices that are made of differentiated numbers, and solutions of systems with them.

    y = A @ x             dx = A.T @ dy             ddata = dy[rows] * x[cols]
    x = spsolve(A, b)     db = spsolve(A.T, dx)     ddata = -db[rows] * x[cols]

The matrix is an object of SciPy that sct does not see into.  Beside it stand its elements: `data[k]` is added at
`rows[k]` and `cols[k]`, so that elements may be there several times, in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sct.ir.core import Operand
from sct.ir.types import Tensor
from sct.ops.arrays.creation import zeros_of
from sct.ops.arrays.indexing import add_at, index
from sct.ops.arrays.shape import dim, expand_dims
from sct.ops.linalg.linear_maps import FORMS
from sct.ops.program.effects import OBJECT, run_inactive
from sct.ops.reductions.reductions import sum_
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import add, mul, neg, sub
from sct.ops.type_rules import number, size_of

__all__ = ["sparse_matrix", "sparse_product", "sparse_solution"]

sparse_matrix = op("sparse_matrix", type=lambda *_, **__: OBJECT, run=lambda *xs, text: run_inactive(*xs, text=text),
                   emit=lambda *_, text: text, raises="value", cost="dear",
                   nondiff="its elements are differentiated")
"""The sparse matrix that a call of SciPy makes; `text` is its template."""


def between(ct: Operand, x: Operand, rows: Operand, cols: Operand) -> Any:
    """The cotangents of the elements that map `x`, given that of the result."""
    each = mul(index(ct, rows, key=("a",)), index(x, cols, key=("a",)))
    return sum_(each, axis=1) if number(x).rank > 1 else each


def added_up(like: Operand, data: Operand, x: Operand, rows: Operand, cols: Operand) -> Any:
    """The image of `x` under a matrix with these elements, as an array like another one."""
    of_x = index(x, cols, key=("a",))
    each = mul(expand_dims(data, axis=1) if number(x).rank > 1 else data, of_x)
    return add_at(zeros_of(like), each, rows, key=("a",))


def type_product(a: Operand, x: Operand, data: Operand, rows: Operand, cols: Operand, m: Operand, form: str) -> Tensor:
    return Tensor("array", "f64", (size_of(m), *number(x).shape[1:]))


def product_vjp(ct: Operand, y: Operand, a: Operand, x: Operand, data: Operand, rows: Operand, cols: Operand,
                m: Operand, form: str) -> list[Any]:
    dx = sparse_product(a, ct, data, cols, rows, dim(x, axis=0), form=FORMS[form][1])
    return [None, dx, between(ct, x, rows, cols), None, None, None]


def product_jvp(tangents: Sequence[Any], y: Operand, a: Operand, x: Operand, data: Operand, rows: Operand,
                cols: Operand, m: Operand, form: str) -> Any:
    _, dx, ddata, *_ = tangents
    along = None if dx is None else sparse_product(a, dx, data, rows, cols, m, form=form)
    if ddata is None:
        return along
    of_data = added_up(y, ddata, x, rows, cols)
    return of_data if along is None else add(along, of_data)


def run_map(a: Any, x: Any, *_: Any, form: str) -> Any:
    return run_inactive(a, x, text=FORMS[form][0])


sparse_product = op("sparse_product", type=type_product, vjp=product_vjp, jvp=product_jvp, inactive=(0, 3, 4, 5),
                    run=run_map, emit=lambda *_, form: FORMS[form][0], raises="value", cost="dear", complex=False)
"""The sparse matrix in the first operand, or its transpose as `form` says, times an array; then its elements, their
positions in the result and in the array, and the size of the result."""


def type_solution(a: Operand, b: Operand, *_: Operand, form: str) -> Tensor:
    return Tensor("array", "f64", number(b).shape)


def solution_vjp(ct: Operand, x: Operand, a: Operand, b: Operand, data: Operand, rows: Operand, cols: Operand,
                 form: str) -> list[Any]:
    db = sparse_solution(a, ct, data, cols, rows, form=FORMS[form][1])
    return [None, db, neg(between(db, x, rows, cols)), None, None]


def solution_jvp(tangents: Sequence[Any], x: Operand, a: Operand, b: Operand, data: Operand, rows: Operand,
                 cols: Operand, form: str) -> Any:
    _, db, ddata, *_ = tangents
    if ddata is not None:
        moved = added_up(x, ddata, x, rows, cols)
        db = neg(moved) if db is None else sub(db, moved)
    return None if db is None else sparse_solution(a, db, data, rows, cols, form=form)


sparse_solution = op("sparse_solution", type=type_solution, vjp=solution_vjp, jvp=solution_jvp, inactive=(0, 3, 4),
                     run=run_map, emit=lambda *_, form: FORMS[form][0], raises="value", cost="dear", complex=False)
"""The solution of the system with the sparse matrix, or with its decomposition, in the first operand; then the right
hand side, the elements of the matrix, their positions in the right hand side and in the solution."""
