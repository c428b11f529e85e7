"""Subscripts in kernels: those that are not proved to be in range are checked one by one.

    x[k] = 0.0   ->   x[within(k, x.shape[0])] = 0.0

Where all subscripts of a kernel are proved or checked, Numba checks none of them again; else it checks all. So a kernel
never writes outside of an array.
"""

from __future__ import annotations

from typing import Any

from sct.codegen.numba.loops.index_ranges import Ranges
from sct.codegen.numba.loops.loop_nests import INSIDE, WITHIN, is_array, shape_of
from sct.codegen.numba.tape_arrays import is_list
from sct.codegen.program.statement_ir import (
    Block,
    Evaluate,
    Kernel,
    Loop,
    Pop,
    ReadAt,
    Statement,
    all_blocks,
    statements,
)
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
        may_check = any(INSIDE in s.eqn.attrs for s in statements(kernel.body) if isinstance(s, Evaluate))
        checks = {s: _checks(s, ranges) for s in statements(kernel.body)}
        kernel.is_in_range = all(c is not None and (may_check or not c[0]) for c in checks.values())
        if may_check:
            for inner in all_blocks(kernel.body):
                inner[:] = [t for s in inner for t in _checked(s, checks.get(s))]


_Checks = tuple[Block, list[Any]]
"""The statements that check a subscript, and its items behind them."""


def _checks(s: Statement, ranges: Ranges) -> _Checks | None:
    """The checks of the subscript of a statement; None if statements cannot check it."""
    if isinstance(s, (Loop, Pop, ReadAt)):
        return ([], []) if all(is_list(read.tape.type) for read in s.list_reads) else None
    if not isinstance(s, Evaluate) or s.eqn.op.name not in FIRST_ITEM or INSIDE in s.eqn.attrs \
            or not is_array(s.eqn.args[0]):
        return [], []
    key = s.eqn.attrs["key"]
    if not all(k == "i" or k[0] == "s" for k in key):
        return None
    checks: Block = []
    return checks, [item if isinstance(item, slice) else _item(s.eqn.args[0], axis, item, ranges, checks)
                    for axis, item in enumerate(split(key, s.eqn.args[FIRST_ITEM[s.eqn.op.name]:]))]


def _checked(s: Statement, checks: _Checks | None) -> Block:
    """The statement behind the checks of its subscript."""
    if checks is None or not isinstance(s, Evaluate) or not checks[0]:
        return [s]
    eqn = s.eqn.replace(args=(*s.eqn.args[:FIRST_ITEM[s.eqn.op.name]], *join(checks[1])[1]))
    return [*checks[0], Evaluate(eqn, eqn if s.like is s.eqn else s.like.replace(args=eqn.args))]


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
