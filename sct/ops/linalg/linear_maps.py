"""Constant linear maps: products with a sparse matrix, and solutions of systems with one.

    y = A @ x             dx = A.T @ dy
    y = spsolve(A, b)     db = spsolve(A.T, dy)
    y = expm_multiply(A, x)   dx = expm_multiply(A.T, dy)

The map is an object that sct does not see into; the attributes say how it is applied, and to how many elements.
"""

from __future__ import annotations

from typing import Any

from sct.ir.core import Operand
from sct.ir.dims import Dim
from sct.ir.types import Tensor
from sct.ops.program.effects import run_inactive
from sct.ops.registry import op
from sct.ops.type_rules import number

__all__ = ["linear_map"]

FORMS = {
    "product": ("_0 @ _1", "transposed product"), "transposed product": ("_0.T @ _1", "product"),
    "product from the left": ("_1 @ _0", "product"),
    "spsolve": ("scipy.sparse.linalg.spsolve(_0, _1)", "transposed spsolve"),
    "transposed spsolve": ("scipy.sparse.linalg.spsolve(_0.T, _1)", "spsolve"),
    "exponential": ("scipy.sparse.linalg.expm_multiply(_0, _1)", "transposed exponential"),
    "transposed exponential": ("scipy.sparse.linalg.expm_multiply(_0.T, _1)", "exponential"),
    "solve": ("_0.solve(_1)", "transposed solve"), "transposed solve": ("_0.solve(_1, 'T')", "solve")}
"""For each form of a map its template and the form of its transpose."""


def type_linear_map(a: Operand, x: Operand, form: str, sizes: tuple[int, int]) -> Tensor:
    return Tensor("array", "f64", (Dim(sizes[0]), *number(x).shape[1:]))


def linear_map_transposed(ct: Operand, a: Operand, x: Operand, form: str, sizes: tuple[int, int]) -> list[Any]:
    return [None, linear_map(a, ct, form=FORMS[form][1], sizes=sizes[::-1])]


linear_map = op("linear_map", type=type_linear_map, linear=linear_map_transposed, inactive=(0,), cost="dear",
                emit=lambda a, x, form, sizes: FORMS[form][0], complex=False,
                run=lambda a, x, form, sizes: run_inactive(a, x, text=FORMS[form][0]))
"""form   how the object in the first operand maps the second, a name of `FORMS`
sizes  the numbers of elements of the result and of the second operand, along the first axis"""
