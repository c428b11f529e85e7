"""Writes through views: the array that a view shows a part of, with that part replaced; and writes of views."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from itertools import takewhile

import numpy as np

from sct.frontend.evaluator.evaluator import Evaluator
from sct.frontend.state.may_alias import may_share
from sct.frontend.values.abstract_values import Abstract, Ref, Step
from sct.ir import Operand
from sct.ir.types import Tensor
from sct.ops import dim, reshape, store, transpose
from sct.ops import index as index_op
from sct.ops.arrays.indexing import Key
from sct.ops.arrays.overlap import is_in_step
from sct.ops.linalg.einsum import write_view

__all__ = ["check_overlap", "put_back"]

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


def check_overlap(ev: Evaluator, owner: Ref, key: Key, operands: Sequence[Operand], value: Abstract) -> None:
    """Refuses `owner[key] = view`, where NumPy may read elements that it has already written."""
    if not isinstance(value, Ref) or value.addr not in may_share(ev.store, owner.addr):
        return
    same = sum(1 for _ in takewhile(bool, map(operator.eq, owner.path, value.path)))
    base, to, of = map(ev.type_of, (Ref(owner.addr, owner.path[:same]), owner, value))
    assert isinstance(base, Tensor) and isinstance(to, Tensor) and isinstance(of, Tensor)
    written, read = ([(step.op, step.args, step.attrs) for step in ref.path[same:]] for ref in (owner, value))
    written.append((index_op, tuple(operands), {"key": key}))
    if of.rank and (value.addr != owner.addr or not is_in_step(base.rank, written, to.rank, read, ev.defs.get)):
        ev.refuse("SCT303", "an array is written with a view of itself that lies otherwise in memory",
                  why="NumPy may read elements that it has already written",
                  hint="write a copy: `a[::2] = a[1:5].copy()`")
