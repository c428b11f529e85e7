"""Writes through views: the array that a view shows a part of, with that part replaced."""

from __future__ import annotations

import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.values.abstract_values import Step
from sct.ir import Operand
from sct.ir.types import Tensor
from sct.ops import dim, reshape, store, transpose
from sct.ops import index as index_op
from sct.ops.linalg.einsum import write_view

__all__ = ["put_back"]

TURNED = frozenset(("flip", "fliplr", "flipud", "rot90", "swapaxes", "moveaxis", "rollaxis"))
"""Views of the same elements in another order."""


def put_back(ev: Evaluator, outer: Operand, step: Step, new: Operand) -> Operand:
    """`outer` with the view `step` of it replaced by `new`."""
    t = outer.type
    assert isinstance(t, Tensor)
    if step.op is index_op:
        return ev.emit(store, outer, new, *step.args, key=step.attrs["key"])  # type: ignore[no-any-return]
    if step.op is transpose:
        axes = step.attrs.get("axes")
        back = None if axes is None else tuple(int(k) for k in np.argsort(axes))
        return ev.emit(transpose, new, axes=back)  # type: ignore[no-any-return]
    if step.op.name in ("reshape", "ravel", "squeeze", "expand_dims", "atleast_1d", "atleast_2d", "atleast_3d"):
        sizes = [d.value if d.value is not None else ev.emit(dim, outer, axis=k) for k, d in enumerate(t.shape)]
        return ev.emit(reshape, new, *sizes)  # type: ignore[no-any-return]
    if step.op.name in TURNED:
        assert step.op.linear is not None
        with ev.b:  # what lies where, is told by the transpose
            (back,) = step.op.linear(new, outer, *step.args, **step.attrs)
        return ev.emit(store, outer, back, key=("e",))  # type: ignore[no-any-return]
    if step.op.name == "einsum":
        with ev.b:
            return write_view(outer, new, step.attrs["subscripts"])  # type: ignore[no-any-return]
    ev.refuse("SCT304", f"a write through the view `{step.op.name}` is not supported",
              hint="write to the array itself, by its index")
