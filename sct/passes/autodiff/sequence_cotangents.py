"""Cotangents of sequences: each is a loop over the positions.

    add_element(ds, i, plus)  ->  [plus(e) if k == i else e for k, e in enumerate(ds)]

In:  sequences and a function of their elements. Out: a loop in the current block that yields the new sequence.
A sequence is never written: a contribution to one element makes a new sequence.
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

IfElse = Callable[[Operand, Callable[[], Operand], Callable[[], Operand]], Operand]


def mapped(f: Callable[..., Operand], *seqs: Operand) -> Operand:
    """The sequence of the values of `f` on the elements of sequences of equal length."""
    return _loop_over(seqs[0], lambda k, *elems: f(*elems), *seqs)


def add_element(total: Operand, i: Operand, plus: Callable[[Operand], Operand], if_else: IfElse) -> Operand:
    """`total` with `plus` applied to its element at `i`, which may count from the end."""
    at = i
    if not isinstance(i, Lit) or i.value < 0:
        at = cast(Operand, where(lt(i, 0), add(i, dim(total, axis=0)), i))
    return _loop_over(total, lambda k, e: if_else(cast(Operand, eq(k, at)), lambda: plus(e), lambda: e), total)


def padded(ct: Operand, seq: Operand, zero: Callable[[Operand], Operand], if_else: IfElse) -> Operand:
    """The cotangent of `seq`, extended with zeros where a loop ended before it had read all of `seq`."""
    length = cast(Operand, dim(ct, axis=0))

    def element(k: Operand, x: Operand) -> Operand:
        return if_else(cast(Operand, lt(k, length)), lambda: cast(Operand, index(ct, k, key=("i",))), lambda: zero(x))

    return _loop_over(seq, element, seq)


def _loop_over(like: Operand, f: Callable[..., Operand], *seqs: Operand) -> Operand:
    builder = cast(Builder, builder_var.get())
    elems = [Value(cast(Seq, s.type).elem) for s in seqs]
    position = Value(INT)
    with builder.nested() as b:
        result = f(position, *elems)
    body = b.finish("body", [position, *elems], [Lit(True), result])
    length = cast(Operand, dim(like, axis=0))
    _, (out,) = emit_loop(builder, (Lit(0), length, Lit(1)), False, (), seqs, body)
    return out
