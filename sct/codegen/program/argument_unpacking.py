"""Containers among the arguments -> statements that read their items.

    params = {"W": Leaf(0), "b": Leaf(1)}   ->   W = params["W"]; b = params["b"]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sct.codegen.program.statement_ir import Evaluate
from sct.codegen.program.templates import ATTRIBUTE, COLUMN, ITEM
from sct.ir.core import Eqn, Lit, Value
from sct.ir.pytrees.pytree import Leaf, Node, Tree, column_texts
from sct.ir.pytrees.user_objects import is_plain_attribute
from sct.ir.types import Opaque

__all__ = ["unpacked_parameter"]


def unpacked_parameter(name: str, tree: Tree, values: Sequence[Value]) -> tuple[Value, list[Evaluate]]:
    """The value of the parameter, and the statements that read the leaves `values` from it."""
    if isinstance(tree, Leaf):
        return values[tree.index], []
    container = Value(Opaque(), name)
    return container, list(_items(tree, container, values))


def _items(tree: Tree, container: Value, values: Sequence[Value]) -> Iterator[Evaluate]:
    if not isinstance(tree, Node):
        return
    if tree.kind == "rows":
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
