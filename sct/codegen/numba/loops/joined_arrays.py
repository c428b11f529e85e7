"""Arrays that hold their operands side by side, which loops of their own for each operand fill.

    z = np.concatenate((x, y))   ->   for i in range(x.size): z[i] = x[i]
                                      for i in range(y.size): z[i + x.size] = y[i]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from sct.codegen.numba.loops.loop_nests import Nest, shape_of
from sct.ir.core import Eqn, Lit, Operand
from sct.ops import OPS
from sct.ops.arrays.concatenate import Nest as Tree
from sct.ops.type_rules import normalize

__all__ = ["JOINS", "places"]

JOINS = frozenset(["array", "concatenate", "stack"])

Place = Callable[[Sequence[Operand]], Sequence[Operand]]
"""The position in the result of the element of an operand at a position."""


def places(nest: Nest, eqn: Eqn) -> Iterator[tuple[Operand, Place]]:
    """The operands, each with its place in the result."""
    if eqn.op.name == "array":
        yield from ((eqn.args[k], _inserted(0, path)) for k, path in _leaves(eqn.attrs["tree"], ()))
        return
    (axis,) = normalize(eqn.attrs["axis"], len(shape_of(eqn.out)))
    start: Operand = Lit(0)
    for k, x in enumerate(eqn.args):
        if eqn.op.name == "stack":
            yield x, _inserted(axis, (Lit(k),))
        else:
            yield x, _shifted(axis, start)
            start = OPS["add"](start, nest.size(x, axis))


def _inserted(axis: int, new: tuple[Operand, ...]) -> Place:
    return lambda at: (*at[:axis], *new, *at[axis:])


def _shifted(axis: int, start: Operand) -> Place:
    return lambda at: (*at[:axis], OPS["add"](at[axis], start), *at[axis + 1:])


def _leaves(tree: Tree, path: tuple[Operand, ...]) -> Iterator[tuple[int, tuple[Operand, ...]]]:
    """The numbers of the operands in a tree, each with its position."""
    if isinstance(tree, int):
        yield tree, path
        return
    for k, part in enumerate(tree):
        yield from _leaves(part, (*path, Lit(k)))
