"""Subscripts in kernels: those that are not proved to be in range are checked one by one.

    x[k] = 0.0   ->   x[within(k, x.shape[0])] = 0.0

Numba checks all of them, too: a kernel never writes outside of an array.
"""

from __future__ import annotations

from sct.codegen.numba.index_ranges import Ranges
from sct.codegen.numba.loop_nests import INSIDE, WITHIN, is_array, shape_of
from sct.codegen.program.statement_ir import Block, Evaluate, Kernel, Statement, all_blocks, statements
from sct.ir.core import Eqn, Lit, Operand, Value
from sct.ir.types import INT
from sct.ops import OPS
from sct.ops.arrays.indexing import join, split

__all__ = ["check_subscripts"]

FIRST_ITEM = {"index": 1, "store": 2, "add_at": 2}


def check_subscripts(block: Block) -> None:
    """Let kernels with loops over elements check what is not proved, with Python's own exceptions."""
    ranges = Ranges(block)
    for kernel in [s for s in statements(block) if isinstance(s, Kernel)]:
        if any(INSIDE in s.eqn.attrs for s in statements(kernel.body) if isinstance(s, Evaluate)):
            for inner in all_blocks(kernel.body):
                inner[:] = [t for s in inner for t in _checked(s, ranges)]


def _checked(s: Statement, ranges: Ranges) -> Block:
    """The statement behind the checks of its subscript."""
    if not isinstance(s, Evaluate) or s.eqn.op.name not in FIRST_ITEM or INSIDE in s.eqn.attrs \
            or not is_array(s.eqn.args[0]):
        return [s]
    x, first = s.eqn.args[0], FIRST_ITEM[s.eqn.op.name]
    key = s.eqn.attrs["key"]
    if not all(k == "i" or k[0] == "s" for k in key):
        return [s]
    checks: Block = []
    items = [item if isinstance(item, slice) else _item(x, axis, item, ranges, checks)
             for axis, item in enumerate(split(key, s.eqn.args[first:]))]
    eqn = s.eqn.replace(args=(*s.eqn.args[:first], *join(items)[1]))
    return [*checks, Evaluate(eqn, eqn if s.like is s.eqn else s.like.replace(args=eqn.args))]


def _item(x: Operand, axis: int, item: Operand, ranges: Ranges, checks: Block) -> Operand:
    """The item of a subscript along an axis; `checks` gets the statements that check it."""
    d = shape_of(x)[axis]
    if ranges.inside(item, d) or isinstance(item, Lit) and -d.least <= item.value < 0:
        return item
    size, position = Value(INT, None, d), Value(INT)
    for eqn in (Eqn(OPS["dim"], (x,), (size,), {"axis": axis} if axis else {}, primal=False),
                Eqn(WITHIN, (item, size), (position,), primal=False)):
        checks.append(Evaluate(eqn, eqn))
    return position
