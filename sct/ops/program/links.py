"""Objects as rows of columns: a reference to an object is the number of its row.

    node = Node(2.0, head)     ->    node_value.append(2.0); node_next.append(head); node = len(node_value) - 1
    node.value                 ->    node_value[node]
"""

from __future__ import annotations

from sct.ir.core import Operand
from sct.ir.types import BOOL, INT, Link, Optional, Type, TypeMismatch, base_type, in_words
from sct.ops.registry import op

__all__ = ["eq_rows", "link_to", "row_of"]


def type_row_of(x: Operand) -> Type:
    if not isinstance(base_type(x.type), Link):
        raise TypeMismatch(f"a reference to an object is needed, this is {in_words(x.type)}")
    return Optional(INT) if isinstance(x.type, Optional) else INT


link_to = op("link_to", type=lambda row, type: type, run=lambda row, type: row, emit="_0", cost="free",
             nondiff="a reference is no number")
"""The reference to the object in this row."""

row_of = op("row_of", type=type_row_of, run=lambda x: x, emit="_0", cost="free", nondiff="a row is an integer")
"""The row of the object that is referred to; None of a reference that is None."""

eq_rows = op("eq_rows", type=lambda x, y: BOOL, run=lambda x, y: x == y, emit="_0 == _1", cost="free",
             nondiff="a truth value")
"""Are these references, of which each may be None, to one object?"""
