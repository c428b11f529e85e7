"""The memory layout of arrays: contiguous in C order, as an argument lies, or not known."""

from __future__ import annotations

from collections.abc import Sequence

from sct.frontend.state.state import State
from sct.frontend.values.abstract_values import Layout, Like, Together
from sct.ir import Operand, Value
from sct.ir.types import Tensor
from sct.ops import ELEMENTWISE, aliases
from sct.ops.type_rules import rank

__all__ = ["layout"]


def layout(ev: State, x: Operand) -> Layout:
    """The memory layout of an array."""
    if isinstance(x, Value) and x in ev.stands_for:
        return layout(ev, ev.stands_for[x])
    if isinstance(x, Value) and x in ev.params:
        return x
    eqn = ev.defs.get(x) if isinstance(x, Value) else None
    if eqn is None:
        return False
    own = rank(x)
    if eqn.op.layout == "C" or own == 1 and aliases(eqn) == "none" or eqn.spelling == ".copy":
        return True
    if eqn.op.name == "matmul" and own <= 2 or eqn.op.name == "array" and eqn.attrs["tree"] != 0:
        return True
    if eqn.op.layout == "operands":
        return _together([layout(ev, a) for a in eqn.args if rank(a) > 1])
    if eqn.op.updates:
        return layout(ev, eqn.args[0])
    first = layout(ev, eqn.args[0]) if eqn.op.name == "transpose" and eqn.attrs["axes"] is None else False
    if isinstance(first, (Value, Like)):
        return Like(first, True) if isinstance(first, Value) else Like(first.argument, not first.flipped)
    if eqn.op.name in ("reshape", "ravel") and rank(eqn.args[0]) == 1:
        return True  # or without gaps in C order, as what is computed from it
    if eqn.op not in ELEMENTWISE and eqn.op.layout != "K":
        return False
    layouts = [layout(ev, a) for a in eqn.args if isinstance(a.type, Tensor) and a.type.rank == own]
    one = layouts[0] if len(set(layouts)) == 1 else _together(layouts)
    return Like(one) if isinstance(one, Value) else one


def _together(parts: Sequence[Layout]) -> Layout:
    return False not in parts and (all(p is True for p in parts) or Together(tuple(parts)))


