"""Helpers of the drivers besides the rules: zeros, and contributions fitted to their operand.

>>> unbroadcast(ct, x)       # x: f64[n], ct: f64[m, n]          # doctest: +SKIP
sum(ct, axis=0)
"""

from __future__ import annotations

from typing import Any

from sct.ir.core import Lit, Operand
from sct.ir.dims import Apply, Dim, are_equal
from sct.ops.arrays.creation import zeros_of
from sct.ops.reductions.reductions import expand_like, sum_, unbroadcast_like
from sct.ops.type_rules import number

__all__ = ["expand_like", "unbroadcast", "unbroadcast_like", "zero", "zeros_of"]


def zero(x: Operand) -> Any:
    """The zero cotangent of x: a literal for a scalar, else an array like x."""
    return zeros_of(x) if number(x).is_array else Lit(0j if number(x).kind == "c" else 0.0)


def unbroadcast(ct: Operand, x: Operand) -> Any:
    """`ct`, the contribution to an operand x that may have been broadcast, in the shape of x.

    Decided from the types: axes that x lacks are summed; so are those where it has size 1
    and `ct` may not; where a size of x may be 1 it is decided at run time.  A `ct` that
    stands for an array full of it is filled in.
    """
    t = number(x)
    if not number(ct).rank:
        return expand_like(ct, x) if t.rank else ct
    if not t.rank:
        return sum_(ct)
    if (extra := number(ct).rank - t.rank) > 0:
        ct = sum_(ct, axis=0 if extra == 1 else tuple(range(extra)))
    pairs = list(zip(number(ct).shape, t.shape[max(0, -extra):]))
    ones = [k for k, (c, d) in enumerate(pairs) if smaller(d, c)]
    if ones:
        ct = sum_(ct, axis=ones[0] if len(ones) == 1 else tuple(ones), keepdims=True)
    if extra < 0 or any(smaller(c, d) for c, d in pairs):
        return expand_like(ct, x, axis=None, keepdims=True)
    if not all(are_equal(c, d) or d.never_one or stretches(c, d) for c, d in zip(number(ct).shape, t.shape)):
        return unbroadcast_like(ct, x)
    return ct


def smaller(c: Dim, d: Dim) -> bool:
    """Is an axis of size c to be broadcast to size d?"""
    return c == Dim(1) != d


def stretches(c: Dim, d: Dim) -> bool:
    """Is d what the sizes c and another broadcast to, so that it is 1 only if c is?"""
    atom = d.terms[0][0] if d.terms else None
    return isinstance(atom, Apply) and atom.fn == "broadcast" and d == Dim(0, ((atom, 1),)) \
        and any(a is not None and (a == c or stretches(c, a)) for a in atom.args)
