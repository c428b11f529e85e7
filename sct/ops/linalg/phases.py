"""Phases of the vectors of complex matrices: what LAPACK makes of them in `eigh` and `svd`.

Each vector v may be multiplied by exp(i t), with the left and the right vector of a singular value in common. LAPACK
makes one element real: of the vectors of `eigh` the first, or the last if it reads the upper triangle; of those of
`svd` the first element of the shorter vectors. So a change u of the vectors, with any phase, changes them by

    dv = u - 1j * Im(u[k]) / v[k] * v

Where v[k] is 0 to rounding the phase jumps. There the derivative is nan, but 0 of what does not depend on the phase.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from sct.ir.core import Operand
from sct.ops.arrays.indexing import trailing
from sct.ops.arrays.linspace import arange
from sct.ops.arrays.shape import dim
from sct.ops.linalg.spectra import columns, is_single, plus, rows
from sct.ops.reductions.reductions import sum_
from sct.ops.scalar.arithmetic import abs_, add, div, mul, sub
from sct.ops.scalar.comparison import eq, gt
from sct.ops.scalar.complex_parts import imag, real
from sct.ops.scalar.selection import where

__all__ = ["with_free_phases", "with_lapack_phases"]


def with_lapack_phases(changes: Sequence[Any], vectors: Sequence[Operand], k: int) -> list[Any]:
    """The changes of vectors, given those with any phase: element k of the first ones stays real.

    Each of the others has the phase of one of these.
    """
    change = trailing(changes[0], k, slice(None))
    size = sum_(abs_(changes[0]), axis=-2)
    turn = mul(rows(_rate(imag(change), size, vectors[0], k)), 1j)
    return [sub(dv, mul(turn, v)) for dv, v in zip(changes, vectors)]


def with_free_phases(cts: Sequence[Any], vectors: Sequence[Operand], k: int) -> Any:
    """The cotangent of the first vectors with any phase, given those of all vectors as LAPACK turns them.

    cts  None for vectors that nothing reads
    """
    along: Any = None
    size: Any = None
    for ct, v in zip(cts, vectors):
        if ct is not None:
            along, size = plus(along, sum_(mul(ct, v), axis=-2)), plus(size, sum_(abs_(mul(ct, v)), axis=-2))
    turn = mul(rows(_rate(imag(along), size, vectors[0], k)), -1j)
    n = dim(vectors[0], axis=-2)
    place = eq(columns(arange(n)), k if k >= 0 else add(n, k))
    turned = where(place, turn, 0.0)
    return turned if cts[0] is None else add(cts[0], turned)


def _rate(change: Operand, size: Operand, v: Operand, k: int) -> Any:
    """The change over v[k], which is real; where v[k] is 0 to rounding it is 0 or nan."""
    near, rounding = (1e-3, 1e-5) if is_single(v) else (1e-6, 1e-12)
    anchor = real(trailing(v, k, slice(None)))
    is_apart = gt(abs_(anchor), near)
    jump = where(gt(abs_(change), mul(rounding, size)), math.nan, 0.0)
    return where(is_apart, div(change, where(is_apart, anchor, 1.0)), jump)
