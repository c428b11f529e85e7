"""Which equations may move to another place, or run once instead of in every iteration."""

from __future__ import annotations

from sct.ir.core import Eqn, is_effect
from sct.ir.types import Tensor
from sct.ops.registry import ELEMENTWISE, may_raise

__all__ = ["cannot_raise", "is_pure"]

def is_pure(eqn: Eqn) -> bool:
    """Is this an equation without regions, effects or a buffer of its own, and no call of a function?"""
    return bool(eqn.outs) and not (eqn.regions or is_effect(eqn) or eqn.op.allocates or eqn.op.name == "call")


def cannot_raise(eqn: Eqn) -> bool:
    """Functions of Python numbers may raise by value (`math.exp`), those of arrays do not."""
    op, t = eqn.op, eqn.outs[0].type if eqn.outs else None
    if eqn.primal and may_raise(eqn):
        return False
    if op in ELEMENTWISE:
        return op.raises == "never" or isinstance(t, Tensor) and t.is_array
    return op.raises == "never" or op.safe is not None and op.safe(*eqn.args, **eqn.attrs)
