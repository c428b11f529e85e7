"""Logarithms and powers of matrices, of `scipy.linalg`.

The derivative of a function of matrices along E is a corner of the same function of a larger matrix, so the transposed
derivative is that of the transposed matrix:

    f([[A, E], [0, A]]) == [[f(A), df], [0, f(A)]]

They are differentiated where they are real.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sct.ir.core import Op, Operand
from sct.ir.types import Tensor, TypeMismatch
from sct.ops.arrays.shape import dim
from sct.ops.linalg.linalg import diagonally_dominant
from sct.ops.linalg.products import matmul
from sct.ops.linalg.spectra import T, plus
from sct.ops.reductions.reductions import sum_
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import mul
from sct.ops.scipy.linear_systems import definite, linalg, matrix
from sct.ops.scipy.matrix_functions import corner, stacked
from sct.ops.type_rules import number

__all__ = ["fractional_power", "fractional_power_of", "logm", "logm_of"]


def along(f: Callable[..., Any], a: Operand, e: Operand, *rest: Operand) -> Any:
    """The derivative of f along e."""
    return corner(f(stacked(a, e), *rest), dim(a, axis=0), False, True)


def result_of(name: str, vjp: Callable[..., list[Any]], jvp: Callable[..., Any]) -> Op:
    """The result of `name` for the operands behind it, which SciPy may give as complex numbers."""
    return op(f"{name}_of", type=lambda y, a, *_: Tensor("array", "f64", matrix(a).shape), run=lambda y, *_: y,
              emit="_0", alias="same", cost="never", inactive=(0,), vjp=lambda ct, y, _, *xs: [None, *vjp(ct, y, *xs)],
              jvp=lambda tangents, y, _, *xs: jvp(tangents[1:], y, *xs))


def type_logm(a: Operand) -> Tensor:
    return Tensor("array", "f64", matrix(a).shape)


def logm_vjp(ct: Operand, y: Operand, a: Operand) -> list[Any]:
    return [along(logm, T(a), ct)]


def logm_jvp(tangents: Sequence[Any], y: Operand, a: Operand) -> Any:
    return along(logm, a, tangents[0])


logm: Op = op("logm", type=type_logm, run=lambda a: linalg("logm")(a).real, emit="scipy.linalg.logm(_0).real",
              vjp=logm_vjp, jvp=logm_jvp, raises="value", cost="dear", square=True,
              samples=lambda: [((definite(diagonally_dominant((n, n))),), {}) for n in (3, 1)])
logm_of = result_of("logm", logm_vjp, logm_jvp)


def type_power(a: Operand, t: Operand) -> Tensor:
    if number(t).rank or number(t).kind not in "fi":
        raise TypeMismatch("the power of a matrix must be a real number")
    return type_logm(a)


def power_vjp(ct: Operand, y: Operand, a: Operand, t: Operand) -> list[Any]:
    return [along(fractional_power, T(a), ct, t), sum_(mul(ct, matmul(y, logm(a))))]


def power_jvp(tangents: Sequence[Any], y: Operand, a: Operand, t: Operand) -> Any:
    da, dt = tangents
    return plus(None if da is None else along(fractional_power, a, da, t),
                None if dt is None else mul(dt, matmul(y, logm(a))))


fractional_power: Op = op(
    "fractional_matrix_power", type=type_power, vjp=power_vjp, jvp=power_jvp, raises="value", cost="dear",
    run=lambda a, t: linalg("fractional_matrix_power")(a, t).real, square=True,
    emit="scipy.linalg.fractional_matrix_power(_0, _1).real",
    samples=lambda: [((definite(diagonally_dominant((n, n))), t), {}) for n, t in ((3, 0.5), (1, -0.7))])
fractional_power_of = result_of("fractional_matrix_power", power_vjp, power_jvp)
