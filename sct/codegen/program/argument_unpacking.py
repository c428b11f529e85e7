"""How values are taken out of the containers among the arguments.

    params = {"W": Leaf(0), "b": Leaf(1)}   ->   W = params["W"]; b = params["b"]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sct.codegen.program.statement_ir import Let
from sct.codegen.program.templates import ATTRIBUTE, COLUMN, ITEM
from sct.ir.core import Eqn, Lit, Value
from sct.ir.pytree import Leaf, Node, Tree
from sct.ir.types import Opaque
from sct.ir.user_objects import is_plain

__all__ = ["parameter"]


def parameter(name: str, tree: Tree, values: Sequence[Value]) -> tuple[Value, list[Let]]:
    """The value that is the parameter, and the statements that take `values` out of it."""
    if isinstance(tree, Leaf):
        return values[tree.index], []
    container = Value(Opaque(), name)
    return container, list(_items(tree, container, values))


def _items(tree: Tree, container: Value, values: Sequence[Value]) -> Iterator[Let]:
    if not isinstance(tree, Node):
        return
    for key, child in zip(tree.keys, tree.children):
        if isinstance(child, Leaf):
            value = values[child.index]
        else:
            value = Value(Opaque(), key if isinstance(key, str) and key.isidentifier() else None)
        if tree.kind != "object":
            eqn = Eqn(COLUMN if tree.kind == "rows" else ITEM, (container, Lit(key)), (value,))
        elif is_plain(tree.cls, key):
            eqn = Eqn(ATTRIBUTE, (container,), (value,), {"name": key})
        else:
            held = Value(Opaque(), None)
            eqn = Eqn(ATTRIBUTE, (container,), (held,), {"name": "__dict__"})
            yield Let(eqn, eqn)
            eqn = Eqn(ITEM, (held, Lit(key)), (value,))
        yield Let(eqn, eqn)
        yield from _items(child, value, values)
