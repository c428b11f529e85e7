"""Linear systems with banded matrices.

    x = solve_banded((l, u), ab, b)    db = solve_banded((u, l), bands of the transpose, dx);  d A[i, j] = -db[i] * x[j]

`ab[u + i - j, j]` is the element `A[i, j]`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Union

from sct.ir.core import Lit, Operand
from sct.ir.types import Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.creation import zeros_of
from sct.ops.arrays.indexing import add_at, index, join, store
from sct.ops.arrays.shape import dim
from sct.ops.reductions.reductions import sum_
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import add, mul, neg, sub
from sct.ops.scipy.linear_systems import linalg
from sct.ops.type_rules import number

__all__ = ["banded_solution", "symmetric_banded_solution"]


Place = Union[int, slice]


def subscript(*places: Place) -> tuple[Any, tuple[Any, ...]]:
    """The key and the operands of a subscript with known numbers."""
    return join([Lit(k) if isinstance(k, int) else slice(*(None if end is None else Lit(end) for end in (
        k.start, k.stop))) for k in places])


def part(x: Operand, *places: Place) -> Any:
    key, operands = subscript(*places)
    return index(x, *operands, key=key)


def put(x: Operand, value: Operand, *places: Place) -> Any:
    key, operands = subscript(*places)
    return store(x, value, *operands, key=key)


def band(k: int) -> tuple[slice, slice]:
    """The rows and the columns of a diagonal."""
    if k == 0:
        return slice(None), slice(None)
    return (slice(None, -k), slice(k, None)) if k > 0 else (slice(-k, None), slice(None, k))


def product(x: Operand, rows: slice, y: Operand, cols: slice) -> Any:
    """The products of the elements of two vectors, or of the rows of two matrices."""
    each = mul(part(x, rows), part(y, cols))
    return sum_(each, axis=1) if number(x).rank > 1 else each


# -- any banded matrix -------------------------------------------------------------------------------------------------


def bands_of_transpose(ab: Operand, below: int, above: int) -> Any:
    matrix: Any = zeros_of(ab)
    for k in range(-below, above + 1):
        rows, cols = band(k)
        matrix = put(matrix, part(ab, above - k, cols), below + k, rows)
    return matrix


def type_solution(ab: Operand, b: Operand, **_: Any) -> Tensor:
    t, right = number(ab), number(b)
    if t.rank != 2 or t.dtype != "f64" or right.dtype != "f64" or right.rank not in (1, 2):
        raise TypeMismatch("a banded system needs bands and a right hand side of floats of 64 bits",
                           "convert with astype(float)")
    return Tensor("array", "f64", right.shape)


def solution_vjp(ct: Operand, x: Operand, ab: Operand, b: Operand, below: int, above: int) -> list[Any]:
    db = banded_solution(bands_of_transpose(ab, below, above), ct, below=above, above=below)
    dab: Any = zeros_of(ab)
    for k in range(-below, above + 1):
        rows, cols = band(k)
        dab = put(dab, neg(product(db, rows, x, cols)), above - k, cols)
    return [dab, db]


def times_bands(x: Operand, dab: Operand, below: int, above: int) -> Any:
    """The product of a banded matrix and `x`."""
    y: Any = zeros_of(x)
    for k in range(-below, above + 1):
        rows, cols = band(k)
        y = added(y, part(dab, above - k, cols), x, rows, cols)
    return y


def added(y: Operand, diagonal: Operand, x: Operand, rows: slice, cols: slice) -> Any:
    of_x = part(x, cols)
    if number(x).rank > 1:
        diagonal = index(diagonal, key=("s000", "n"))
    key, operands = subscript(rows)
    return add_at(y, mul(diagonal, of_x), *operands, key=key)


def solution_jvp(tangents: Sequence[Any], x: Operand, ab: Operand, b: Operand, below: int, above: int) -> Any:
    dab, db = tangents
    if dab is not None:
        moved = times_bands(x, dab, below, above)
        db = neg(moved) if db is None else sub(db, moved)
    return None if db is None else banded_solution(ab, db, below=below, above=above)


def bind_banded(l_and_u: Any, ab: Any, b: Any, overwrite_ab: Any = False, overwrite_b: Any = False,
                check_finite: Any = True) -> tuple[list[Any], dict[str, Any]]:
    if overwrite_ab is not False or overwrite_b is not False or check_finite is not True:
        raise TypeMismatch("`overwrite_ab`, `overwrite_b` and `check_finite` are not supported", "leave them out")
    below, above = l_and_u
    return [ab, b], {"below": below, "above": above}


def banded_samples() -> list[samples.Sample]:
    cases: list[samples.Sample] = []
    for below, above in ((1, 1), (0, 2), (2, 1), (1, 0)):
        ab = samples.arrays((below + above + 1, 5), -0.4, 0.4)
        ab[above] += 2.0
        cases.append(((ab, samples.arrays((5,), seed=1)), {"below": below, "above": above}))
    return [*cases, ((cases[0][0][0], samples.arrays((5, 2), seed=2)), {"below": 1, "above": 1})]


banded_solution = op(
    "banded_solution", "scipy.linalg.solve_banded", type=type_solution, vjp=solution_vjp, jvp=solution_jvp,
    bind=bind_banded, run=lambda ab, b, below, above: linalg("solve_banded")((below, above), ab, b),
    emit="scipy.linalg.solve_banded((_below, _above), _0, _1)", raises="value", cost="dear", samples=banded_samples)


# -- a symmetric matrix, of which the diagonals on one side are given --------------------------------------------------


def symmetric_bands(count: int, lower: bool) -> list[tuple[int, int, slice, slice]]:
    """For each diagonal its distance from the main one, its row in `ab`, and the slices of its rows and columns."""
    return [(k, k if lower else count - 1 - k, *(band(-k) if lower else band(k))) for k in range(count)]


def symmetric_vjp(ct: Operand, x: Operand, ab: Operand, b: Operand, count: int, lower: bool = False) -> list[Any]:
    db = symmetric_banded_solution(ab, ct, lower=lower, count=count)
    dab: Any = zeros_of(ab)
    for k, row, rows, cols in symmetric_bands(count, lower):
        both = product(db, rows, x, cols)
        both = add(both, product(db, cols, x, rows)) if k else both
        dab = put(dab, neg(both), row, cols)
    return [dab, db]


def symmetric_jvp(tangents: Sequence[Any], x: Operand, ab: Operand, b: Operand, count: int,
                  lower: bool = False) -> Any:
    dab, db = tangents
    if dab is not None:
        moved: Any = zeros_of(x)
        for k, row, rows, cols in symmetric_bands(count, lower):
            moved = added(moved, part(dab, row, cols), x, rows, cols)
            moved = added(moved, part(dab, row, cols), x, cols, rows) if k else moved
        db = neg(moved) if db is None else sub(db, moved)
    return None if db is None else symmetric_banded_solution(ab, db, lower=lower, count=count)


def bind_symmetric(ab: Any, b: Any, overwrite_ab: Any = False, overwrite_b: Any = False, lower: Any = False,
                   check_finite: Any = True) -> tuple[list[Any], dict[str, Any]]:
    if overwrite_ab is not False or overwrite_b is not False or check_finite is not True:
        raise TypeMismatch("`overwrite_ab`, `overwrite_b` and `check_finite` are not supported", "leave them out")
    return [ab, b], {"lower": lower}


def symmetric_samples() -> list[samples.Sample]:
    cases: list[samples.Sample] = []
    for lower in (False, True):
        ab = samples.arrays((3, 5), -0.3, 0.3)
        ab[0 if lower else -1] += 2.0
        cases.append(((ab, samples.arrays((5,), seed=1)), {"lower": lower, "count": 3}))
        cases.append(((ab, samples.arrays((5, 2), seed=1)), {"lower": lower, "count": 3}))
    return cases


symmetric_banded_solution = op(
    "symmetric_banded_solution", "scipy.linalg.solveh_banded", type=type_solution, vjp=symmetric_vjp,
    jvp=symmetric_jvp, bind=bind_symmetric,
    run=lambda ab, b, count, lower=False: linalg("solveh_banded")(ab, b, lower=lower),
    emit=lambda ab, b, count, lower=False: f"scipy.linalg.solveh_banded(_0, _1{', lower=True' if lower else ''})",
    raises="value", cost="dear", defaults={"lower": False},
    asks=lambda ab, b, **_: {"count": (number(ab).shape[0].value or dim(ab, axis=0), 2)}, samples=symmetric_samples)
