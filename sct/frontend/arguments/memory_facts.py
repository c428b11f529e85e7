"""Facts about the memory of arrays: is a view contiguous, does a reshape share memory, may an argument be written?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from sct.errors import SctError
from sct.frontend.evaluator.known_values import KnownValues
from sct.frontend.values.abstract_values import Layout, Like, Ref, Step, Together
from sct.frontend.values.guards import UNKNOWN, Guard, NeedsStatic
from sct.frontend.values.size_terms import At, value_of_size
from sct.ir import Value
from sct.ir.types import Tensor
from sct.ops.arrays.indexing import index

__all__ = ["contiguous", "is_c_order", "is_forbidden", "is_view"]


def contiguous(ev: KnownValues, lies: Layout) -> bool:
    """Is memory of this layout contiguous in C order?  Asked of an argument."""
    if isinstance(lies, bool):
        return lies
    if isinstance(lies, Together):
        return all(contiguous(ev, part) for part in lies.parts)
    return _asked(ev, lies, "c_contiguous")


def is_view(ev: KnownValues, ref: Ref) -> bool | None:
    """Does this chain of views and reshapes share memory with its buffer?  None: not known."""
    return _tried(ev, ref, "a view", np.shares_memory)


def is_c_order(ev: KnownValues, ref: Ref) -> bool | None:
    """Does this view of its buffer lie in C order, without gaps?  None: not known."""
    return _tried(ev, ref, "in C order", lambda _, x: x.flags.c_contiguous)


def _tried(ev: KnownValues, ref: Ref, what: str, fact: Callable[[Any, Any], bool]) -> bool | None:
    """A fact of a buffer and a view of it, tried on an array of the buffer's layout: that it holds, or does not, is
    a guard."""
    cell = ev.store.array(ref)
    lies, t = cell.layout, ev.type_of(Ref(ref.addr))
    lies = contiguous(ev, lies) if isinstance(lies, Together) else lies
    if lies is False or not isinstance(t, Tensor) or any(leaf is UNKNOWN for leaf in ev.leaves):
        return None
    try:
        steps = [(s, [_part(ev, s, k) for k in range(len(s.args))]) for s in ref.path]
    except (NeedsStatic, SctError):
        return None
    if None in map(ev.size_now, t.shape):
        return None
    sizes = dict(ev.sizes)

    def holds(leaves: Sequence[Any]) -> bool | None:
        """None: there is no such view, and the program raises where it makes it."""
        x = base = _laid_out(ev, lies, t, sizes, leaves)
        try:
            for s, args in steps:
                x = s.op.run(x, *args, **s.attrs) if s.op.run else x
        except (ValueError, IndexError):
            return None
        return bool(fact(base, x))

    now = holds(ev.leaves)
    text = f"{ref} is not made" if now is None else f"{ref} is {'' if now else 'not '}{what}"
    ev.guards[text] = Guard(text, lambda leaves: holds(leaves) == now)
    return now is not False


def _part(ev: KnownValues, step: Step, k: int) -> Any:
    """An operand of a step of a view; 0 for a position that is not known, as the layout is that of each item."""
    try:
        return ev.ask(ev.wrap(step.args[k]), "a part of this view")
    except NeedsStatic:
        of_operands = [token[0] for token in step.attrs.get("key", ()) for _ in range(
            token.count("1") if token[0] == "s" else token not in ("n", "e"))]
        if step.op is not index or of_operands[k] != "i":
            raise
        return 0


def _laid_out(ev: KnownValues, lies: bool | Value | Like, t: Tensor, sizes: Mapping[str, At],
              leaves: Sequence[Any]) -> Any:
    """An array of this layout."""
    if isinstance(lies, bool):
        return np.empty([value_of_size(d, sizes, leaves) or 0 for d in t.shape])
    if isinstance(lies, Value):
        return leaves[ev.params.index(lies)]
    return lies.of(leaves[ev.params.index(lies.argument)])


def is_forbidden(ev: KnownValues, who: bool | Value) -> bool:
    """Does NumPy forbid to write this array, an argument as its flag says?"""
    return who if isinstance(who, bool) else not _asked(ev, who, "writeable")


def _asked(ev: KnownValues, lies: Value | Like, flag: str) -> bool:
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
