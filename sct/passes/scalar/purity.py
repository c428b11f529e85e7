"""Which equations may move to another place, or run once instead of in every iteration."""

from __future__ import annotations

from sct.ir.core import is_effect
from sct.ir.types import Tensor
from sct.ops.registry import ELEMENTWISE, may_raise
from sct.passes.rewriting.mutable_ir import BlockNode

__all__ = ["cannot_raise", "is_pure"]

CALLS = ("call", "pullback")
"""Ops that run functions: they do not move."""


def is_pure(node: BlockNode) -> bool:
    """Is this an equation without regions, effects or a buffer of its own?"""
    return bool(node.outs) and not (
        node.blocks or is_effect(node.eqn) or node.eqn.op.allocates or node.name in CALLS)


def cannot_raise(node: BlockNode) -> bool:
    """Functions of Python numbers may raise by value (`math.exp`), those of arrays do not."""
    op, t = node.eqn.op, node.outs[0].type if node.outs else None
    if node.eqn.primal and may_raise(node.eqn.replace(args=tuple(node.args), outs=tuple(node.outs))):
        return False
    return op.raises == "never" or op in ELEMENTWISE and isinstance(t, Tensor) and t.is_array
