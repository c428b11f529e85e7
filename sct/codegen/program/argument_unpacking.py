"""Containers among the arguments -> statements that read their items.

    params = {"W": Leaf(0), "b": Leaf(1)}   ->   W = params["W"]; b = params["b"]

A list of attributes of rows is new, so that code may write into it. A list or tuple of all items of an argument, which
is only read at positions, is the argument:

    a = xs[0]; b = xs[1]; y = (a, b)[i]      ->   y = xs[i]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sct.codegen.program.statement_ir import Block, Evaluate, all_blocks, statements
from sct.codegen.program.templates import ATTRIBUTE, COLUMN, ITEM
from sct.ir.core import Eqn, Lit, Operand, Value
from sct.ir.pytrees.pytree import Leaf, Node, Tree, column_texts
from sct.ir.pytrees.user_objects import is_plain_attribute
from sct.ir.types import Opaque, list_depth
from sct.ops.arrays.indexing import index
from sct.ops.program.list_ops import copy_list, list_of

__all__ = ["read_whole_arguments", "unpacked_parameter", "write_into_columns"]


def unpacked_parameter(name: str, tree: Tree, values: Sequence[Value]) -> tuple[Value, list[Evaluate]]:
    """The value of the parameter, and the statements that read the leaves `values` from it."""
    if isinstance(tree, Leaf):
        return values[tree.index], []
    container = Value(Opaque(), name)
    return container, list(_items(tree, container, values))


def _items(tree: Tree, container: Value, values: Sequence[Value]) -> Iterator[Evaluate]:
    if not isinstance(tree, Node):
        return
    if tree.kind in ("map", "rows"):
        for leaf, text in column_texts(tree, "_0").items():
            eqn = Eqn(COLUMN, (container,), (values[leaf],), {"text": text})
            yield Evaluate(eqn, eqn)
        return
    for key, child in zip(tree.keys, tree.children):
        if isinstance(child, Leaf):
            value = values[child.index]
        else:
            value = Value(Opaque(), key if isinstance(key, str) and key.isidentifier() else None)
        if tree.kind != "object":
            eqn = Eqn(ITEM, (container, Lit(key)), (value,))
        elif is_plain_attribute(tree.cls, key):
            eqn = Eqn(ATTRIBUTE, (container,), (value,), {"name": key})
        else:
            attributes = Value(Opaque(), None)
            eqn = Eqn(ATTRIBUTE, (container,), (attributes,), {"name": "__dict__"})
            yield Evaluate(eqn, eqn)
            eqn = Eqn(ITEM, (attributes, Lit(key)), (value,))
        yield Evaluate(eqn, eqn)
        yield from _items(child, value, values)


def read_whole_arguments(block: Block, whole: Mapping[tuple[Operand, ...], tuple[str, bool]]
                         ) -> tuple[Block, dict[Value, str]]:
    """The block, changed in place, and values that are parameters.

    whole  for all items of a list or a tuple: the name of the parameter, and whether it is a tuple
    """
    lists = {s.eqn.out: s.eqn.args for s in statements(block) if isinstance(s, Evaluate) and s.eqn.op is list_of
             and s.eqn.args in whole and whole[s.eqn.args][1] is s.eqn.attrs.get("of_tuple", False)}
    if not lists:
        return block, {}
    for s in statements(block):
        is_read = isinstance(s, Evaluate) and s.eqn.op is index
        for x in s.reads[1:] if is_read else s.reads:
            if isinstance(x, Value):
                lists.pop(x, None)
    first: dict[tuple[Operand, ...], Value] = {}
    for out, items in lists.items():
        first.setdefault(items, out)
    for s in statements(block):
        s.replace_operands(lambda x: first[lists[x]] if isinstance(x, Value) and x in lists else x)
    for inner in all_blocks(block):
        inner[:] = [s for s in inner if not (isinstance(s, Evaluate) and s.eqn.outs and s.eqn.outs[0] in lists)]
    return block, {v: whole[items][0] for items, v in first.items()}


def write_into_columns(block: Block) -> Block:
    """The block, without copies of lists of attributes that nothing else reads behind them."""
    columns: set[Operand] = {s.eqn.out for s in block if isinstance(s, Evaluate) and s.eqn.op is COLUMN}
    kept: Block = []
    for k, s in enumerate(block):
        rest = statements(block[k + 1:]) if isinstance(s, Evaluate) and _copies_list(s.eqn) else []
        if isinstance(s, Evaluate) and rest and (x := s.eqn.args[0]) in columns and not any(x in t.reads for t in rest):
            copied = s.eqn.out
            for t in rest:
                t.replace_operands(lambda y: x if y is copied else y)  # noqa: B023
        else:
            kept.append(s)
    return kept


def _copies_list(eqn: Eqn) -> bool:
    """Is this a copy of a list, but of nothing in it?"""
    return eqn.op is copy_list and not eqn.attrs.get("deep") and list_depth(eqn.out.type) == 1
