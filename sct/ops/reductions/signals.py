"""Convolutions of vectors, and polynomials.

convolve(a, v)[k] is the sum of a[i] * v[k - i], correlate(a, v)[k] that of a[i + k] * v[i].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sct.ir.core import Op, Operand
from sct.ir.types import Tensor, TypeMismatch, note_size_requirement
from sct.ops import samples
from sct.ops.arrays.concatenate import concatenate, np_promote
from sct.ops.arrays.creation import strong, zeros
from sct.ops.arrays.indexing import trailing
from sct.ops.arrays.linspace import arange
from sct.ops.arrays.rearrange import flip
from sct.ops.arrays.shape import dim, ravel
from sct.ops.linalg.products import bilinear, matmul
from sct.ops.reductions.reductions import sum_
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import conj_of, floordiv, mul, sub
from sct.ops.scalar.comparison import ge
from sct.ops.scalar.powers import pow_
from sct.ops.scalar.selection import pymax
from sct.ops.type_rules import number, scalar_or_array, size_of

__all__ = ["convolve", "correlate", "polyval", "vander"]


# -- convolve, correlate ----------------------------------------------------------------------------


def is_longer(a: Operand, v: Operand, mode: str = "full", **_: Any) -> dict[str, Any]:
    """Is a at least as long as v?  Of no concern to the full product."""
    if number(a).rank != 1 or number(v).rank != 1:
        raise TypeMismatch("convolve and correlate take vectors")
    sizes = [number(x).shape[0] for x in (a, v)]
    excess = (sizes[0] - sizes[1]).value
    if mode == "full":
        return {}
    m, n = (dim(x, axis=0) if size.value is None else size.value for x, size in zip((a, v), sizes))
    return {"longer": (excess >= 0 if excess is not None else ge(m, n), True)}


def type_convolve(a: Operand, v: Operand, mode: str, longer: bool) -> Tensor:
    if mode not in ("full", "same", "valid"):
        raise TypeMismatch(f"mode {mode!r} is not one of full, same, valid")
    is_longer(a, v)
    (n,), (m,) = number(a).shape, number(v).shape
    if n.value == 0 or m.value == 0:
        raise TypeMismatch("convolve of an empty array")
    big, small = (n, m) if longer else (m, n)
    size = n + m - 1 if mode == "full" else big if mode == "same" else big - small + 1
    return Tensor("array", np_promote([strong(number(a)), strong(number(v))]), (size,))


def reverse(x: Operand) -> Any:
    return flip(x, axis=None)


def whole(ct: Operand, short: Operand) -> Any:
    """ct of mode "same" as one of mode "full": between as many zeros as the short one has more elements than one."""
    more = sub(dim(short, axis=0), 1)
    front = floordiv(more, 2)
    back = sub(more, front)
    return concatenate(zeros(front, dtype=number(ct).dtype), ct, zeros(back, dtype=number(ct).dtype), axis=0)


def convolve_transposed(ct: Operand, a: Operand, v: Operand, mode: str = "full", longer: bool = True) -> list[Any]:
    if not longer:
        dv, da = convolve_transposed(ct, v, a, mode, True)
        return [da, dv]
    if mode == "same":
        ct = whole(ct, v)
    if mode == "valid":
        return [correlate(ct, conj_of(v, v), mode="full"), reverse(correlate(a, conj_of(ct, ct), mode="valid"))]
    return [correlate(ct, conj_of(v, v), mode="valid"), correlate(ct, conj_of(a, a), mode="valid")]


def correlate_transposed(ct: Operand, a: Operand, v: Operand, mode: str = "valid", longer: bool = True) -> list[Any]:
    """correlate(a, v) is convolve(a, conj(v)[::-1]); of a shorter a it is conj(correlate(v, a))[::-1]"""
    if not longer:
        dv, da = correlate_transposed(conj_of(reverse(ct), ct), v, a, mode, True)
        return [da, dv]
    if mode == "same":
        ct = whole(ct, v)
    da = convolve(ct, conj_of(v, v), mode="full" if mode == "valid" else "valid")
    if mode == "valid":
        return [da, conj_of(correlate(a, conj_of(ct, ct), mode="valid"), v)]
    return [da, conj_of(reverse(correlate(ct, conj_of(a, a), mode="valid")), v)]


def sliding(name: str, default: str, transposed: Any) -> Op:
    call = getattr(np, name)

    def emit(a: Operand, v: Operand, mode: str = default, longer: bool = True) -> str:
        return f"numpy.{name}(_0, _1{'' if mode == default else ', mode=_mode'})"

    def samples_of() -> list[samples.Sample]:
        sizes = ((5, 3), (4, 2), (3, 3), (5, 1), (2, 4), (3, 6))
        cases: list[samples.Sample] = [((samples.arrays((4,), dtype="f4"), samples.arrays((2,), dtype="f4")), {})]
        for n, m in sizes:
            pair = samples.arrays((n,)), samples.arrays((m,), seed=1)
            cases += [(pair, {"mode": mode, "longer": n >= m or mode == "full"}) for mode in ("full", "same", "valid")]
        return cases

    def rule(a: Operand, v: Operand, mode: str = default, longer: bool = True) -> Tensor:
        return type_convolve(a, v, mode, longer)

    return bilinear(name, f"numpy.{name}", rule, transposed, asks=is_longer, samples=samples_of,
                    run=lambda a, v, mode=default, longer=True: call(a, v, mode), emit=emit,
                    bind=lambda a, v, mode=default: ([a, v], {"mode": mode}),
                    defaults={"mode": default, "longer": True}, complex=True)


convolve = sliding("convolve", "full", convolve_transposed)
correlate = sliding("correlate", "valid", correlate_transposed)


# -- polynomials ------------------------------------------------------------------------------------


def descending(n: Operand) -> Any:
    """n - 1, ..., 1"""
    return arange(sub(n, 1), 0, -1)


def vander_slope(x: Operand, n: Operand) -> Any:
    """d x**k / dx, without the last column, which is constant"""
    columns = sub(n, 1)
    return mul(descending(n), vander(x, columns if size_of(columns).least >= 0 else pymax(columns, 0)))


def vander_vjp(ct: Operand, y: Operand, x: Operand, n: Operand) -> list[Any]:
    if is_constant(y):
        return [None, None]
    return [sum_(mul(trailing(ct, slice(None, -1)), vander_slope(x, n)), axis=1), None]


def is_constant(y: Operand) -> bool:
    """Is there but the column of ones, or none?"""
    return number(y).shape[1].value in (0, 1)


def type_vander(x: Operand, n: Operand) -> Tensor:
    if number(x).rank != 1:
        raise TypeMismatch("vander takes a vector")
    note_size_requirement(size_of(n).least >= 0)
    return Tensor("array", np_promote([strong(number(x)), "i64"]), (*number(x).shape, size_of(n)))


vander: Op = op("vander", "numpy.vander", type=type_vander, run=np.vander, vjp=vander_vjp,
                bind=lambda x, N: ([x, N], {}), inactive=(1,), emit="numpy.vander(_0, _1)", raises="shape",
                samples=lambda: [((samples.arrays((3,), dtype=t), n), {}) for t in ("f8", "f4") for n in (1, 2, 4)],
                complex=True)


def type_polyval(p: Operand, x: Operand) -> Tensor:
    if number(p).rank != 1:
        raise TypeMismatch("the coefficients of polyval are a vector")
    if number(p).shape[0].value == 0:
        return scalar_or_array({strong(number(x))}, number(x).shape)
    return scalar_or_array({np_promote([strong(number(p)), strong(number(x))])}, number(x).shape)


def derivative(p: Operand) -> Any:
    """The coefficients of the derivative."""
    return mul(trailing(p, slice(None, -1)), descending(dim(p, axis=0)))


def powers(x: Operand, p: Operand) -> Any:
    """The powers of every x that the coefficients are of, in rows."""
    if number(x).rank:
        return vander(ravel(x) if number(x).rank > 1 else x, dim(p, axis=0))
    return pow_(x, arange(sub(dim(p, axis=0), 1), -1, -1))


def polyval_vjp(ct: Operand, y: Operand, p: Operand, x: Operand) -> list[Any]:
    if not number(x).rank:
        return [mul(ct, powers(x, p)), mul(ct, polyval(derivative(p), x))]
    return [matmul(ravel(ct) if number(x).rank > 1 else ct, powers(x, p)), mul(ct, polyval(derivative(p), x))]


def polynomials() -> list[samples.Sample]:
    p = samples.arrays((4,))
    points = (0.7, np.float64(-1.2), samples.arrays((3,), seed=1), samples.arrays((2, 3), seed=1))
    cases: list[samples.Sample] = [((p, x), {}) for x in points]
    single = samples.arrays((3,), dtype="f4"), samples.arrays((2,), dtype="f4")
    return [*cases, (single, {}), ((samples.arrays((1,)), p), {})]


polyval: Op = op("polyval", "numpy.polyval", type=type_polyval, run=np.polyval, vjp=polyval_vjp,
                 bind=lambda p, x: ([p, x], {}), samples=polynomials, complex=True, maps=1)
