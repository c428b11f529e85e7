"""The table of ops: `op(...)` makes an entry and registers it by name and by spelling.

>>> from sct.ops import BY_CALL, OPS
>>> BY_CALL["math.sin"] is OPS["sin"]
True
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sct.ir.core import Eqn, Lit, Op, Operand, Value
from sct.ir.real_ints import result_type
from sct.ir.types import Optional, Tensor, Type, Undef, base_type, size_requirements

__all__ = [
    "BY_CALL", "ELEMENTWISE", "OPS", "add_operand", "aliases", "display", "flatten_nest",
    "has_unproved_size_requirement", "is_readonly", "linear_operands", "may_raise", "op", "placeholders", "sequence",
    "template", "template_tree",
]

OPS: dict[str, Op] = {}
BY_CALL: dict[str, Op] = {}
ELEMENTWISE: set[Op] = set()
"""Ops whose result at a position depends on their operands at that position alone: the
cotangent of a position that a mask sets to zero may be masked again after the rule."""


def op(name: str, calls: str = "", *, type: Callable[..., Type | tuple[Type, ...]],
       elementwise: bool = False, **fields: Any) -> Op:
    """Register the op `name`, spelled as the words of `calls`; `fields` are those of `Op`."""
    entry = Op(name, type, calls=tuple(calls.split()), **fields)
    taken = [name] * (name in OPS) + [call for call in entry.calls if call in BY_CALL]
    if taken:
        raise TypeError(f"op {name}: {taken[0]} is taken")
    OPS[name] = entry
    BY_CALL.update(dict.fromkeys(entry.calls, entry))
    if elementwise or entry.partials is not None:
        ELEMENTWISE.add(entry)
    return entry


def aliases(eqn: Eqn) -> str:
    """How the out of `eqn` shares memory with operand `eqn.op.alias_of`: "none", "view",
    "maybe" or "same"."""
    if len(eqn.outs) != 1 or not (isinstance(eqn.out.type, Tensor) and eqn.out.type.is_array):
        return "none"
    alias = eqn.op.alias
    return alias if isinstance(alias, str) else alias(*eqn.args, **eqn.attrs)


def is_readonly(eqn: Eqn) -> bool:
    """Does NumPy forbid to write into the out of `eqn`?"""
    forbids = eqn.op.readonly
    return forbids if isinstance(forbids, bool) else forbids(*eqn.args, **eqn.attrs)


def linear_operands(eqn: Eqn) -> list[tuple[int, ...]]:
    """The sets of operands, by position, in which `eqn` is linear while the other operands are constant."""
    op, positions = eqn.op, range(len(eqn.args))
    linear_in = op.linear_in or ("all" if op.linear is not None else ())
    if not isinstance(linear_in, str):
        return [linear_in] if linear_in else []
    active = tuple(k for k in positions if k not in op.inactive and k not in op.shapes)
    return [active] if linear_in == "all" else [(k,) for k in active]


def template(op: Op, args: Sequence[Operand], attrs: Mapping[str, Any]) -> str | None:
    """The expression that `op` prints as for these operands, or None: a call of its spelling.

    A function that the user called with the operands as they are (`numpy.add(x, y)`) stays
    that call; this is how everything else prints.
    """
    return op.emit(*args, **attrs) if callable(op.emit) else op.emit


def placeholders(count: int, start: int = 0) -> Iterator[str]:
    """`_0`, `_1`, ...: the operands from `start` on in a template."""
    return (f"_{k}" for k in range(start, count))


def add_operand(x: Operand, operands: list[Operand]) -> str:
    """Adds `x` to the operands of a template; its placeholder."""
    operands.append(x)
    return f"_{len(operands) - 1}"


@functools.lru_cache(None)
def template_tree(text: str) -> ast.expr:
    """The syntax tree of a template, which nobody changes."""
    return ast.parse(text, mode="eval").body


def flatten_nest(parts: Any) -> tuple[list[Any], Any]:
    """The leaves of nested lists and tuples, and the nest with positions for leaves.

    >>> flatten_nest([["a", "b"], ["c"]])
    (['a', 'b', 'c'], ((0, 1), (2,)))
    """
    leaves: list[Any] = []

    def visit(part: Any) -> Any:
        if isinstance(part, (list, tuple)):
            return tuple(map(visit, part))
        leaves.append(part)
        return len(leaves) - 1

    nest = visit(parts)
    return leaves, nest


def sequence(parts: Any) -> list[Any]:
    """The items of a shape that may be one int."""
    return list(parts) if isinstance(parts, (list, tuple)) else [parts]


def display(parts: Sequence[str]) -> str:
    """The text of a tuple; one part stands alone."""
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def may_raise(eqn: Eqn) -> bool:
    """May the equation raise, by the values or the sizes of its operands?  Arithmetic of NumPy's floats does not."""
    if eqn.op.safe is not None and eqn.op.safe(*eqn.args, **eqn.attrs):
        return False
    t = eqn.outs[0].type if eqn.outs else None
    numpy = isinstance(t, Tensor) and t.carrier in ("np", "array") and t.kind in "fc"
    if eqn.op.raises == "value" and not (
            eqn.op in ELEMENTWISE and numpy and not (eqn.spelling or "").startswith("math.")
            and all(map(_is_bounded, eqn.args))):
        return True
    return has_unproved_size_requirement(eqn)


def has_unproved_size_requirement(eqn: Eqn) -> bool:
    """Does NumPy require something of the sizes that is not proved?"""
    if eqn.op.square and not _is_square(eqn.args[0]):
        return True
    t = eqn.outs[0].type if eqn.outs else None
    if OPS.get(eqn.op.name) is not eqn.op or eqn.regions or not isinstance(t, Tensor):
        return eqn.op.raises == "shape"
    if eqn.op.raises != "shape" and not t.is_array:
        return False
    args = list(map(_assigned, eqn.args))
    proofs = size_requirements(lambda: result_type(eqn.op, args, eqn.attrs, eqn.spelling))
    return not all(proofs) or eqn.op.raises == "shape" and not proofs


def _is_square(x: Operand) -> bool:
    t = base_type(x.type)
    return isinstance(t, Tensor) and t.rank > 1 and t.shape[-1] == t.shape[-2]


def _assigned(x: Operand) -> Operand:
    """What is read of a value that some path does not assign, or that may be None."""
    while isinstance(x, Value) and isinstance(x.type, (Optional, Undef)):
        x = Value(x.type.elem, x.hint, x.dim)
    return x


def _is_bounded(x: Operand) -> bool:
    """Python's ints may be too large for a float."""
    t = x.type
    return isinstance(x, Lit) or not (isinstance(t, Tensor) and t.carrier in ("py", "any") and t.kind == "i")
