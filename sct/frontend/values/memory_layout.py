"""How the memory of arrays lies: what `np.sum` can tell, and whether a reshape is a view."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sct.errors import SctError
from sct.frontend.values.abstract_values import Array, Layout, Like, Ref, Together
from sct.frontend.values.guards import UNKNOWN, Guard, NeedsStatic
from sct.frontend.values.size_terms import At, size_of
from sct.ir import Operand, Value
from sct.ir.types import Tensor
from sct.ops import ELEMENTWISE, aliases

if TYPE_CHECKING:
    from sct.frontend.interpreter.interpreter import Evaluator

__all__ = ["contiguous", "is_c_order", "is_forbidden", "is_view", "layout"]


C_ORDER = frozenset(("zeros", "ones", "empty", "full", "arange", "linspace", "flatten", "dot", "outer", "eye"))
"""Ops whose result is contiguous in C order."""


JOINS = frozenset(("array", "concatenate", "stack", "matmul"))
"""Ops whose result is contiguous in C order if their operands are."""


K_ORDER = frozenset(("copy", "astype", "eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite",
                     "logical_and", "logical_or", "logical_not", "logical_xor", "floor", "ceil", "sign"))
"""Ops, beside the differentiable elementwise ones, whose result lies as their operands do."""


def layout(ev: Evaluator, x: Operand) -> Layout:
    """How the memory of an array lies."""
    if isinstance(x, Value) and x in ev.stands_for:
        return layout(ev, ev.stands_for[x])
    if isinstance(x, Value) and x in ev.params:
        return x
    eqn = ev.defs.get(x) if isinstance(x, Value) else None
    if eqn is None:
        return False
    own = rank(x)
    if eqn.op.name in C_ORDER or own == 1 and aliases(eqn) == "none" or eqn.spelling == ".copy":
        return True
    if eqn.op.name == "matmul" and own <= 2 or eqn.op.name == "array" and eqn.attrs["tree"] != 0:
        return True
    if eqn.op.name in JOINS:
        parts = tuple(layout(ev, a) for a in eqn.args if rank(a))
        return False not in parts and (all(p is True for p in parts) or Together(parts))
    if eqn.op.name in ("store", "add_at"):
        return layout(ev, eqn.args[0])
    first = layout(ev, eqn.args[0]) if eqn.op.name == "transpose" and eqn.attrs["axes"] is None else False
    if isinstance(first, (Value, Like)):
        return Like(first, True) if isinstance(first, Value) else Like(first.argument, not first.flipped)
    if eqn.op.name in ("reshape", "ravel") and rank(eqn.args[0]) == 1:
        return True  # or without gaps in C order, as what is computed from it
    if eqn.op not in ELEMENTWISE and eqn.op.name not in K_ORDER:
        return False
    found = {layout(ev, a) for a in eqn.args if isinstance(a.type, Tensor) and a.type.rank == own}
    one = found.pop() if len(found) == 1 else False
    return Like(one) if isinstance(one, Value) else one


def rank(x: Operand) -> int:
    return x.type.rank if isinstance(x.type, Tensor) else 0


def contiguous(ev: Evaluator, lies: Layout) -> bool:
    """Is memory of this layout contiguous in C order?  Asked of an argument."""
    if isinstance(lies, bool):
        return lies
    if isinstance(lies, Together):
        return all(contiguous(ev, part) for part in lies.parts)
    return _asked(ev, lies, "c_contiguous")


def is_view(ev: Evaluator, ref: Ref) -> bool | None:
    """Does this chain of views and reshapes share memory with its buffer?  None: not known."""
    return _tried(ev, ref, "a view", np.shares_memory)


def is_c_order(ev: Evaluator, ref: Ref) -> bool | None:
    """Does this view of its buffer lie in C order, without gaps?  None: not known."""
    return _tried(ev, ref, "in C order", lambda _, x: x.flags.c_contiguous)


def _tried(ev: Evaluator, ref: Ref, what: str, fact: Callable[[Any, Any], bool]) -> bool | None:
    """A fact of a buffer and a view of it, tried on an array of the buffer's layout: that it holds, or does not, is
    a guard."""
    cell = ev.store.cells[ref.addr]
    assert isinstance(cell, Array)
    lies, t = cell.layout, ev.type_of(Ref(ref.addr))
    lies = contiguous(ev, lies) if isinstance(lies, Together) else lies
    if lies is False or not isinstance(t, Tensor) or any(leaf is UNKNOWN for leaf in ev.leaves):
        return None
    try:
        steps = [(s, [ev.ask(ev.wrap(x), "a part of this view") for x in s.args]) for s in ref.path]
    except (NeedsStatic, SctError):
        return None
    if None in map(ev.size_now, t.shape):
        return None
    sizes = dict(ev.sizes)

    def holds(leaves: Sequence[Any]) -> bool:
        base = _laid_out(ev, lies, t, sizes, leaves)
        made = base
        for s, args in steps:
            made = s.op.run(made, *args, **s.attrs) if s.op.run else made
        return bool(fact(base, made))

    now = holds(ev.leaves)
    text = f"{ref} is {'' if now else 'not '}{what}"
    ev.guards[text] = Guard(text, lambda leaves: holds(leaves) == now)
    return now


def _laid_out(ev: Evaluator, lies: bool | Value | Like, t: Tensor, sizes: Mapping[str, At],
              leaves: Sequence[Any]) -> Any:
    """An array of this layout."""
    if isinstance(lies, bool):
        return np.empty([size_of(d, sizes, leaves) or 0 for d in t.shape])
    if isinstance(lies, Value):
        return leaves[ev.params.index(lies)]
    return lies.of(leaves[ev.params.index(lies.argument)])


def is_forbidden(ev: Evaluator, who: bool | Value) -> bool:
    """Does NumPy forbid to write this array, an argument as its flag says?"""
    return who if isinstance(who, bool) else not _asked(ev, who, "writeable")


def _asked(ev: Evaluator, lies: Value | Like, flag: str) -> bool:
    """A flag of the memory of an argument; set, ahead of time."""
    argument = lies if isinstance(lies, Value) else lies.argument
    k = ev.params.index(argument)

    def holds(leaves: Sequence[Any]) -> bool:
        return bool(getattr((leaves[k] if isinstance(lies, Value) else lies.of(leaves[k])).flags, flag))

    now = ev.leaves[k] is UNKNOWN or holds(ev.leaves)
    text = f"{lies} is {'' if now else 'not '}{flag}"
    like = f"{{{k}}}" if isinstance(lies, Value) else f"np.empty_like({{{k}}}{'.T' if lies.flipped else ''})"
    ev.guards[text] = Guard(text, lambda leaves: holds(leaves) == now, f"{'' if now else 'not '}{like}.flags.{flag}")
    return now
