"""Eigenvalues and eigenvectors of any square matrix: `eig` and `eigvals`, of NumPy and of SciPy.

With A V = V diag(w) and P = inv(V) dA V: dw is the diagonal of P, and dV = V (F * P) for vectors of any scale, where
F[i, j] = 1 / (w[j] - w[i]) off the diagonal. LAPACK scales each vector v to the norm 1, and turns its largest element
v[k] into a real number. So of the change u = V (F * P) of a vector, its scaling takes the part along v:

    dv = u - Re(v.H u) v - 1j * Im(u[k]) / v[k] * v

Whether the eigenvalues of a real matrix are complex, is a fact of its elements: it is asked for at every call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from sct.ir.core import Operand
from sct.ir.types import BOOL, COMPLEX_OF, Tensor, TypeMismatch
from sct.ops import samples
from sct.ops.arrays.linspace import arange
from sct.ops.arrays.shape import dim
from sct.ops.linalg.linalg import lapack, result_class, solve, square, squares
from sct.ops.linalg.products import matmul
from sct.ops.linalg.spectra import T, columns, gaps, on_diagonal, over_gaps, plus, rows
from sct.ops.reductions.reductions import argmax, sum_
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import abs_, add, conj_of, div, mul, sub
from sct.ops.scalar.comparison import eq
from sct.ops.scalar.complex_parts import imag, real
from sct.ops.scalar.selection import where
from sct.ops.type_rules import number, scalar_or_array

__all__: list[str] = []

OF_ELEMENTS = "it is a fact of the elements"

has_complex_eigenvalues = op(
    "has_complex_eigenvalues", type=lambda a: BOOL, nondiff=OF_ELEMENTS, raises="value", cost="dear",
    run=lambda a: bool(np.iscomplexobj(np.linalg.eigvals(a))), complex=True, samples=squares,
    emit="numpy.iscomplexobj(numpy.linalg.eigvals(_0))")


def asks(a: Operand) -> dict[str, Any]:
    """Are the eigenvalues complex?"""
    square(a)
    return {"is_complex": (number(a).kind == "c" or has_complex_eigenvalues(a), True)}


def asks_or_observes(a: Operand) -> dict[str, Any]:
    """The same; the dtype of the eigenvalues says so, too."""
    return {"is_complex": (*asks(a)["is_complex"], lambda dtype: dtype[0] == "c")}


def type_eig(a: Operand, is_complex: bool = True) -> tuple[Tensor, Tensor]:
    shape = square(a)
    (dtype,) = lapack(a)
    dtype = COMPLEX_OF.get(dtype, dtype) if is_complex else dtype
    return scalar_or_array({dtype}, shape[:-1]), scalar_or_array({dtype}, shape)


def eig_vjp(cts: Sequence[Any], ys: Sequence[Operand], a: Operand, is_complex: bool = True) -> list[Any]:
    """inv(V).T @ (diag(dw) + F * (V.T @ dU)) @ V.T"""
    (dw, dv), (w, v) = cts, ys
    if dv is None:
        return [solve(T(v), mul(columns(dw), T(v)))]
    along, read = None if dw is None else on_diagonal(dw), matmul(T(v), unscaled(dv, v))
    inner = over_gaps(plus(read, along), gaps(w))
    return [solve(T(v), matmul(plus(along, inner), T(v)))]


def unscaled(dv: Operand, v: Operand) -> Any:
    """The cotangent of the vectors before they are scaled, given that of the vectors."""
    along = sum_(mul(dv, v), axis=-2)
    across = sub(dv, mul(rows(real(along)), conj_of(v, v)))
    if number(v).kind != "c":
        return across
    turned = is_turned(v)
    turn = div(mul(rows(imag(along)), -1j), where(turned, v, 1.0))
    return add(across, where(turned, turn, 0.0))


def is_turned(v: Operand) -> Any:
    """Which element of each vector is made real: the largest of those that are."""
    k = argmax(where(eq(imag(v), 0.0), abs_(v), -1.0), axis=-2)
    return eq(columns(arange(dim(v, axis=-2))), rows(k))


def matrices() -> Iterable[samples.Sample]:
    rng = np.random.default_rng(3)
    for n in (1, 2, 3, 4):
        spread = np.diag(1.0 + 2.0 * np.arange(n)) + 0.3 * rng.normal(size=(n, n))
        yield (spread,), {"is_complex": False}
    turned = np.array([[1.0, -2.0, 0.3], [1.5, 0.7, 0.2], [0.1, 0.4, 3.0]])
    yield (turned,), {"is_complex": True}
    yield (turned.astype("f4"),), {"is_complex": True}
    yield (np.stack([turned, 2.0 * turned + np.eye(3)]),), {"is_complex": True}


def eigenvalues_vjp(ct: Operand, v: Operand) -> list[Any]:
    """inv(V).T @ diag(ct) @ V.T"""
    return [solve(T(v), mul(columns(ct), T(v)))]


eig = op("eig", "numpy.linalg.eig", type=type_eig, run=lambda a, is_complex=True: np.linalg.eig(a), vjp=eig_vjp,
         emit="numpy.linalg.eig(_0)", bind=lambda a: ([a], {}), named=result_class(np.linalg.eig), raises="value",
         asks=asks, cost="dear", square=True, complex=True, samples=matrices)
eigvals = op("eigvals", "numpy.linalg.eigvals", type=lambda a, is_complex=True: type_eig(a, is_complex)[0],
             vjp=lambda ct, y, a, is_complex=True: eigenvalues_vjp(ct, eig(a, is_complex=is_complex)[1]),
             run=lambda a, is_complex=True: np.linalg.eigvals(a), emit="numpy.linalg.eigvals(_0)",
             asks=asks_or_observes, bind=lambda a: ([a], {}), raises="value", cost="dear", square=True, complex=True,
             samples=matrices)


# -- of SciPy, whose eigenvalues are complex numbers in any case -------------------------------------------------------


def type_scipy_eig(a: Operand, is_complex: bool = True) -> tuple[Tensor, Tensor]:
    if number(a).rank != 2:
        raise TypeMismatch("functions of scipy.linalg are supported for one matrix, not for stacks of matrices",
                           hint="call it in a loop")
    w, v = type_eig(a, is_complex)
    return Tensor("array", COMPLEX_OF.get(w.dtype, w.dtype), w.shape), v


def bind_scipy_eig(a: Any, b: Any = None, left: Any = False, right: Any = True, overwrite_a: Any = False,
                   overwrite_b: Any = False, check_finite: Any = True, homogeneous_eigvals: Any = False
                   ) -> tuple[list[Any], dict[str, Any]]:
    if (b, left, right, overwrite_a, overwrite_b, homogeneous_eigvals) != (None, False, True, False, False, False):
        raise TypeMismatch("eig of two matrices, its left vectors and `overwrite_a` are not supported")
    return [a], {}


def run_scipy(name: str) -> Callable[..., Any]:
    return lambda a, is_complex=True: getattr(import_module("scipy.linalg"), name)(a)


def single_matrices() -> Iterable[samples.Sample]:
    return ((args, attrs) for args, attrs in matrices() if args[0].ndim == 2)


scipy_eig = op("scipy_eig", "scipy.linalg.eig", type=type_scipy_eig, run=run_scipy("eig"), vjp=eig_vjp, asks=asks,
               emit="scipy.linalg.eig(_0)", bind=bind_scipy_eig, raises="value", cost="dear", square=True,
               complex=True, samples=single_matrices)
scipy_eigvals = op("scipy_eigvals", "scipy.linalg.eigvals",
                   type=lambda a, is_complex=True: type_scipy_eig(a, is_complex)[0],
                   vjp=lambda ct, y, a, is_complex=True: eigenvalues_vjp(ct, scipy_eig(a, is_complex=is_complex)[1]),
                   run=run_scipy("eigvals"), emit="scipy.linalg.eigvals(_0)", asks=asks,
                   bind=lambda a, b=None, overwrite_a=False, check_finite=True, homogeneous_eigvals=False:
                       bind_scipy_eig(a, b, overwrite_a=overwrite_a, homogeneous_eigvals=homogeneous_eigvals),
                   raises="value", cost="dear", square=True, complex=True, samples=single_matrices)
