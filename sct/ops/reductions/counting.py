"""Counts, comparisons with tolerances, positions: what has no derivative; and weighted counts, which have."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sct.ir.core import Op, Operand
from sct.ir.dims import Dim, sym
from sct.ir.types import BOOL, INT, Tensor, TypeMismatch, broadcast_shapes, note_size_requirement
from sct.ops import samples
from sct.ops.arrays.indexing import index
from sct.ops.arrays.take import POSITION, count_of
from sct.ops.reductions.reductions import bind_reduction
from sct.ops.registry import op
from sct.ops.scalar.comparison import TRUTH
from sct.ops.type_rules import Axis, number, reduced_shape, size_of

__all__ = [
    "allclose", "argwhere", "array_equal", "bincount", "count_nonzero", "digitize", "isclose", "tril_indices",
    "triu_indices", "weighted_bincount",
]


# -- counts -----------------------------------------------------------------------------------------


def type_count_nonzero(x: Operand, axis: Axis = None, keepdims: bool = False) -> Tensor:
    shape = reduced_shape(number(x).shape, axis, keepdims)
    if shape:
        return Tensor("array", "i64", shape)
    count = np.count_nonzero(np.ones(1), axis=None if axis is None else 0)  # an int before NumPy 2.3
    return INT if isinstance(count, int) else Tensor("np", "i64")


count_nonzero = op("count_nonzero", "numpy.count_nonzero", type=type_count_nonzero, run=np.count_nonzero,
                   bind=bind_reduction, defaults={"axis": None, "keepdims": False}, nondiff="a count has no derivative",
                   samples=lambda: [((samples.arrays((2, 3)),), {"axis": a}) for a in (None, 0, (0, 1))], complex=True)


def bins(x: Operand) -> Dim:
    """How many bins the positions x need, known at run time alone."""
    if number(x).rank != 1 or number(x).kind != "i":
        raise TypeMismatch("bincount takes a vector of integers")
    return sym(f"_bins{getattr(x, 'id', 0)}")


def bind_bincount(x: Any, weights: Any = None, minlength: Any = 0) -> tuple[list[Any], dict[str, Any]]:
    return [x], {"minlength": minlength}


def bind_weighted(x: Any, weights: Any, minlength: Any = 0) -> tuple[list[Any], dict[str, Any]]:
    return [x, weights], {"minlength": minlength}


def emit_bincount(name: str) -> Callable[..., str]:
    def emit(*_: Operand, minlength: int = 0) -> str:
        return f"numpy.bincount({name}{', minlength=_minlength' if minlength else ''})"

    return emit


COUNTED = np.array([0, 2, 2, 1])
bincount = op("bincount", "numpy.bincount", type=lambda x, minlength=0: Tensor("array", "i64", (bins(x),)),
              run=lambda x, minlength=0: np.bincount(x, minlength=minlength), bind=bind_bincount,
              emit=emit_bincount("_0"), defaults={"minlength": 0}, nondiff="a count has no derivative", raises="value",
              samples=lambda: [((COUNTED,), {"minlength": k}) for k in (0, 5)])

weighted_bincount: Op = op(
    "weighted_bincount", "numpy.bincount(weights=)", inactive=(0,), bind=bind_weighted, defaults={"minlength": 0},
    type=lambda x, w, minlength=0: Tensor("array", "f64", (bins(x),)), raises="value",
    run=lambda x, w, minlength=0: np.bincount(x, w, minlength), emit=emit_bincount("_0, weights=_1"),
    linear=lambda ct, x, w, minlength=0: [None, index(ct, x, key=("a",))],
    samples=lambda: [((COUNTED, samples.arrays((4,))), {"minlength": k}) for k in (0, 5)], complex=False)


# -- positions -----------------------------------------------------------------------------------------

def type_digitize(x: Operand, edges: Operand, right: bool = False) -> Tensor:
    if number(edges).rank != 1:
        raise TypeMismatch("`digitize` takes edges of one axis")
    return Tensor("array" if number(x).rank else "np", "i64", number(x).shape)


digitize = op("digitize", "numpy.digitize", run=lambda x, edges, right=False: np.digitize(x, edges, right),
              bind=lambda x, bins, right=False: ([x, bins], {"right": right}), defaults={"right": False},
              type=type_digitize, raises="value",
              nondiff=POSITION,
              samples=lambda: [((x, np.array([0.0, 1.0])), {}) for x in (0.5, samples.arrays((3,)))])

argwhere = op("argwhere", "numpy.argwhere", run=np.argwhere, nondiff=POSITION,
              type=lambda x: Tensor("array", "i64", (count_of(x), Dim(number(x).rank))),
              samples=lambda: [((samples.arrays(s) > 0.0,), {}) for s in ((3,), (2, 3))], complex=True)


def indices_op(name: str) -> Op:
    """The positions of a triangle of an n by n matrix."""
    call = getattr(np, name)

    def rule(n: Operand, k: int = 0) -> tuple[Tensor, Tensor]:
        rows = size_of(n).value
        size = Dim(len(call(rows, k)[0])) if rows is not None else sym(f"_count{getattr(n, 'id', 0)}")
        return Tensor("array", "i64", (size,)), Tensor("array", "i64", (size,))

    return op(name, f"numpy.{name}", type=rule, run=call, bind=lambda n, k=0: ([n], {"k": k}), defaults={"k": 0},
              nondiff=POSITION, samples=lambda: [((3,), {"k": k}) for k in (0, 1, -1)])


tril_indices, triu_indices = indices_op("tril_indices"), indices_op("triu_indices")


# -- comparisons -----------------------------------------------------------------------------------------


def type_isclose(a: Operand, b: Operand, **_: Any) -> Tensor:
    shape = broadcast_shapes(number(a).shape, number(b).shape)
    return Tensor("array" if shape or number(a).is_array or number(b).is_array else "np", "b1", shape)


def type_allclose(a: Operand, b: Operand, **_: Any) -> Tensor:
    note_size_requirement(True)
    type_isclose(a, b)
    return BOOL


def bind_close(a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08,
               equal_nan: Any = False) -> tuple[list[Any], dict[str, Any]]:
    return [a, b], {"rtol": rtol, "atol": atol, "equal_nan": equal_nan}


CLOSE = {"rtol": 1e-05, "atol": 1e-08, "equal_nan": False}


def closes() -> list[samples.Sample]:
    x = samples.arrays((3,))
    return [((x, x + 1e-9), {}), ((x, 0.5), {"atol": 0.1}), ((1.5, 1.5), {})]


isclose = op("isclose", "numpy.isclose", type=type_isclose, run=np.isclose, bind=bind_close, defaults=CLOSE,
             nondiff=TRUTH, samples=closes, complex=True)
allclose = op("allclose", "numpy.allclose", type=type_allclose, run=np.allclose, bind=bind_close,
              defaults=CLOSE, nondiff=TRUTH, raises="shape", samples=closes, complex=True)


def bind_math_isclose(a: Any, b: Any, *, rel_tol: Any = 1e-09,
                      abs_tol: Any = 0.0) -> tuple[list[Any], dict[str, Any]]:
    return [a, b], {"rel_tol": rel_tol, "abs_tol": abs_tol}


def type_math_isclose(a: Operand, b: Operand, **_: Any) -> Tensor:
    if number(a).rank or number(b).rank:
        raise TypeMismatch("math.isclose takes numbers", "use np.isclose")
    return BOOL


math_isclose = op("math_isclose", "math.isclose", type=type_math_isclose, run=math.isclose, bind=bind_math_isclose,
                  defaults={"rel_tol": 1e-09, "abs_tol": 0.0}, nondiff=TRUTH, raises="value",
                  samples=lambda: [((1.5, 1.5), {}), ((1.5, 1.6), {"abs_tol": 0.2})])
array_equal = op("array_equal", "numpy.array_equal", type=lambda a, b: BOOL, run=np.array_equal,
                 bind=lambda a1, a2: ([a1, a2], {}), nondiff=TRUTH, samples=lambda: [((np.ones(2), np.ones(2)), {})],
                 complex=True)
