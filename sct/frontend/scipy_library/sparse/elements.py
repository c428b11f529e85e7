"""Sparse matrices of SciPy that are made of differentiated numbers, where the function is evaluated.

    A = csr_matrix((v, (i, j)))    ->   A = sparse_matrix(v, i, j, text="scipy.sparse.csr_matrix((_0, (_1, _2)))")
    A @ x                               sparse_product(A, x, v, i, j)

The matrix is made as the user makes it, and read as the user reads it.  Beside it stand its elements and their
positions: the derivative passes through these.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from sct.frontend.arguments.lift import opaque
from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.evaluator.handlers import Args, Kwargs, special
from sct.frontend.heap.inactive import check_value
from sct.frontend.objects.class_of import stand_in_class
from sct.frontend.scipy_objects.sparse_matrices import SparseMatrix
from sct.frontend.values.abstract_values import Abstract, ObjRef, Static, Tup
from sct.ir import Value
from sct.ir.dims import sym
from sct.ir.types import INT, Tensor
from sct.ops.program.effects import OBJECT, part
from sct.ops.program.solutions import solver

__all__ = ["ATTRIBUTES", "SparseElements", "FORMATS", "elements_of", "new_matrix", "triples"]

FORMATS = ("coo", "csc", "csr")
ATTRIBUTES: dict[str, Callable[[Any], Any]] = {}
"""The functions, with handlers, that give the attributes of a matrix."""


@functools.cache
def _class_of(name: str) -> type:
    """The class of a sparse matrix, for which `isinstance` holds that holds for SciPy's."""
    return stand_in_class(SparseMatrix, getattr(sys.modules["scipy.sparse"], name), SparseMatrix.other,
                          attributes={key: property(f) for key, f in ATTRIBUTES.items()})


class SparseElements:
    """A matrix, its elements, and their positions, as they are known where the function is evaluated."""

    def __init__(self, ev: Evaluator, v: Abstract) -> None:
        assert isinstance(v, ObjRef)
        cell = ev.slots(v)
        slots = dict(zip(cell.keys, cell.items))
        if not isinstance(slots["_native"], Value) or not isinstance(slots["_shape"], Tup):
            ev.refuse("SCT502", "which sparse matrix this is depends on the path",
                      hint="use it in each of the branches")
        self.native: Value = slots["_native"]
        self.data, self.rows, self.cols = slots["_data"], slots["_rows"], slots["_cols"]
        self.m, self.n = slots["_shape"].items
        self.name: str = v.cls.__sct_class__.__name__  # type: ignore[attr-defined]

    @property
    def kind(self) -> str:
        """Of what kind the matrix is: "matrix" or "array"."""
        return self.name.rpartition("_")[2]

    def map(self, ev: Evaluator) -> tuple[Value, str]:
        """The object that is applied, and "transposed " if it is a transpose."""
        eqn = ev.defs.get(self.native)
        if eqn is not None and eqn.op is part and eqn.attrs["text"] == "_0.T":
            return eqn.args[0], "transposed "  # type: ignore[return-value]
        return self.native, ""


def new_matrix(ev: Evaluator, name: str, native: Value, data: Abstract, rows: Abstract, cols: Abstract, m: Abstract,
         n: Abstract) -> ObjRef:
    return ev.new_object(_class_of(name), {
        "_native": native, "_data": data, "_rows": rows, "_cols": cols, "_shape": Tup((m, n))})


def triples(v: Abstract) -> tuple[Abstract, Abstract, Abstract]:
    """The elements, their rows and their columns, which a program returns."""
    assert isinstance(v, Tup)
    data, rows, cols = v.items
    return data, rows, cols


def elements_of(ev: Evaluator, v: Abstract) -> SparseElements:
    """The elements of a matrix of differentiated numbers, or of constants."""
    if not isinstance(v, ObjRef):
        v = ev.call(Static(SparseMatrix.converted), [v])
    return SparseElements(ev, v)


@special(SparseMatrix.converted)
def _converted(ev: Evaluator, args: Args, kwargs: Kwargs) -> Abstract:
    """A matrix of constants, whose elements are read at run time."""
    (v,) = args
    native: Value = opaque(ev, v) if isinstance(v, Static) else v  # type: ignore[assignment]
    check_value(ev, native, "_0.dtype in ('float64', 'float32', 'int64')", "the elements of this sparse matrix must be "
                "real numbers")
    coo = ev.emit(solver, native, text="_0.tocoo()", type=OBJECT)
    coo.hint = "elements"
    texts = {"data": ("_0.data.astype(float)", "f64"), "row": ("_0.row.astype(int)", "i64"),
             "col": ("_0.col.astype(int)", "i64")}
    parts = [ev.wrap(ev.emit(solver, coo, text=text, type=Tensor("array", dtype, (sym(f"_elements{coo.id}"),))))
             for text, dtype in texts.values()]
    sizes = [ev.emit(part, native, text=f"_0.shape[{k}]", type=INT) for k in (0, 1)]
    cls = type(v.peek) if isinstance(v, Static) else _observed_class(ev, native)
    kind = "matrix" if issubclass(cls, sys.modules["scipy.sparse"].spmatrix) else "array"
    return new_matrix(ev, f"coo_{kind}", native, *parts, *sizes)


def _observed_class(ev: Evaluator, native: Value) -> type:
    eqn = ev.defs.get(native)
    if eqn is None:
        return type(ev.leaf_of(native))
    cls: type = next(t[1] for t in ev.observed(eqn.loc))
    return cls
