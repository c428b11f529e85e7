"""Ops with regions: branches, loops and derivatives of functions.

The builder is given the types of their outs; passes and codegen know these ops one by one.

    _1 = cond(p, ..., mirrors=(1,))            dx = adj.cond(q, ..., mirrors=(1,))

Loops and conditionals with a number in common in `mirrors` mirror each other: one is the derivative of the other, or
both are derivatives of a third. Their bodies run for the same iterations, and of their branches the same runs.
"""

from __future__ import annotations

from typing import Any, NoReturn

from sct.ir.core import Op, Operand
from sct.ir.types import COMPLEX, DOUBLE, FLOAT, Tensor, TypeMismatch
from sct.ops.registry import op
from sct.ops.type_rules import number

__all__ = [
    "DERIVATIVES", "apply_pullback", "block_type", "closure", "cond", "jacobian", "jvp", "loop", "pullback", "vjp"]


def control(name: str, **defaults: Any) -> Op:
    """An op with regions."""

    def given(*_: Any, **__: Any) -> NoReturn:
        raise TypeMismatch(f"the types of `{name}` are given by who builds it")

    return op(name, type=given, defaults=defaults, raises="value", cost="dear",
              nondiff="control flow: the drivers differentiate its regions")


def block_type(y: Operand, x: Operand, mode: str) -> Tensor:
    """The derivative of `y` by `x`: an array of both shapes, with the dtype that its parts give."""
    shape = (*number(y).shape, *number(x).shape)
    made_of = number(x if mode == "reverse" else y)
    if not shape:
        return (COMPLEX if made_of.kind == "c" else FLOAT) if made_of.carrier in ("py", "any") else made_of
    double = made_of.carrier in ("py", "any") or made_of.integral
    return Tensor("array", DOUBLE["c" if made_of.kind == "c" else "f"] if double else made_of.dtype, shape)


cond = control("cond", mirrors=())
loop = control("loop", counted=False, tested=False, reverse=False, mirrors=(), segments=None, recomputed=False)
"""segments    of a checkpointed loop: how many states of it are kept, the `slots` of `sct.checkpointed`; 0 for
            about the square root of its iterations
recomputed  the transpose evaluates the body again, instead of reading what it has computed from tapes"""
vjp = control("vjp")
jvp = control("jvp")
pullback = control("pullback")
"""Its last out is the pullback, which the program returns or which equations `apply_pullback` apply."""
apply_pullback = control("apply_pullback", seeded=())
jacobian = control("jacobian")
DERIVATIVES = frozenset((vjp, jvp, pullback, jacobian))
"""The ops that differentiate their regions."""
closure = control("closure", escapes=True, attributes=())
"""A function. If it does not escape, it is called by the equation that reads it, and by nothing else."""
