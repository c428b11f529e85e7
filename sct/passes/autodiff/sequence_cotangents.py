"""Cotangents of sequences: each is a loop over the positions.

A sequence is never written: where one element gets a contribution, a new sequence is made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from sct.ir.build import Builder
from sct.ir.core import Lit, Operand, Value, builder_var
from sct.ir.types import INT, Seq
from sct.ops.arrays.indexing import index
from sct.ops.arrays.shape import dim
from sct.ops.scalar.arithmetic import add
from sct.ops.scalar.comparison import eq, lt
from sct.ops.scalar.selection import where
from sct.passes.analysis.loop_layout import emit_loop

__all__ = ["add_element", "mapped", "padded"]

Branch = Callable[[Operand, Callable[[], Operand], Callable[[], Operand]], Operand]


def mapped(f: Callable[..., Operand], *seqs: Operand) -> Operand:
    """The sequence of `f` of the elements of sequences of one length."""
    return _over(seqs[0], lambda k, *elems: f(*elems), *seqs)


def add_element(total: Operand, i: Operand, plus: Callable[[Operand], Operand], branch: Branch) -> Operand:
    """The sequence `total` with `plus` of its element at `i`, which may count from the end."""
    at = i
    if not isinstance(i, Lit) or i.value < 0:
        at = cast(Operand, where(lt(i, 0), add(i, dim(total, axis=0)), i))
    return _over(total, lambda k, e: branch(cast(Operand, eq(k, at)), lambda: plus(e), lambda: e), total)


def padded(ct: Operand, seq: Operand, zero: Callable[[Operand], Operand], branch: Branch) -> Operand:
    """The cotangent of `seq`, of which a loop that ended early has read the start alone."""
    length = cast(Operand, dim(ct, axis=0))

    def element(k: Operand, x: Operand) -> Operand:
        return branch(cast(Operand, lt(k, length)), lambda: cast(Operand, index(ct, k, key=("i",))), lambda: zero(x))

    return _over(seq, element, seq)


def _over(like: Operand, f: Callable[..., Operand], *seqs: Operand) -> Operand:
    builder = cast(Builder, builder_var.get())
    elems = [Value(cast(Seq, s.type).elem) for s in seqs]
    position = Value(INT)
    with builder.nested() as b:
        made = f(position, *elems)
    body = b.finish("body", [position, *elems], [Lit(True), made])
    length = cast(Operand, dim(like, axis=0))
    _, (out,) = emit_loop(builder, (Lit(0), length, Lit(1)), False, (), seqs, body)
    return out
