"""What the backward pass needs only the shape of is not kept: an array of that shape is at hand.

    t = u[1:-1] of the forward loop; then dt = zeros_of(t); du[1:-1] += dt   ->   dt = zeros_of(du[1:-1])

The array that stands in is the part of a cotangent that is written, an argument, or one that
the first is computed from element by element: at last the array that the loop carries, as it is
at the end.
"""

from __future__ import annotations

from collections.abc import Iterator

from sct.ir.core import Eqn, Operand, Value
from sct.ir.types import Dim, Tensor
from sct.ops.arrays.indexing import add_at, advanced, index, store
from sct.ops.registry import ELEMENTWISE
from sct.passes.rematerialization.paired_regions import Program
from sct.passes.rewriting.mutable_ir import Block, Node, blocks, within

__all__ = ["stand_in"]

VERSIONS = ("store", "add_at", "copy", "zeros_of", "zeros_like", "ones_like")
"""Ops whose out has the shape of the first operand."""

REACH = 30
"""How many equations back an array is looked for."""


def stand_in(program: Program) -> None:
    """Let what reads only the shape of a value that is out of scope read it of another."""
    forward = _before_boundary(program.top)
    for block in blocks(program.top):
        for node in list(block.nodes):
            for k in node.eqn.op.shapes:
                x = node.args[k]
                if isinstance(x, Value) and not program.visible(x, block):
                    shape = _Shape(program, node, forward)
                    node.args[k] = shape.of(x, REACH) or x
                    if node.args[k] is not x:
                        at = block.nodes.index(node)
                        block.nodes[at:at] = shape.views


def _before_boundary(top: Block) -> set[Value]:
    """What a function in two parts can only give to the other part in a record."""
    at = next((k for k, node in enumerate(top.nodes) if node.name == "boundary"), 0)
    return {out for node in top.nodes[:at] for out in node.outs} | set(top.params if at else ())


class _Shape:
    """An array that may stand in for another in `node`; `views` are the nodes that make it."""

    def __init__(self, program: Program, node: Node, forward: set[Value]) -> None:
        self.program, self.node, self.block, self.forward = program, node, node.home, forward
        self.views: list[Node] = []

    def of(self, x: Operand, reach: int) -> Operand | None:
        """An array in scope that has the type of `x`."""
        if not isinstance(x, Value) or not isinstance(x.type, Tensor) or not x.type.is_array or not reach:
            return None
        if self.is_there(x):
            return x
        for update in self.updates():
            whole, *key = self.earlier(update.args[0]), *update.args[2:]
            if whole is not None and all(map(self.is_there, key)) \
                    and index.type(whole, *key, **update.attrs) == x.type:
                return self.view(x, Eqn(index, (whole, *key), (), update.attrs))
        for p in self.program.top.params:
            if p.type == x.type and p not in self.forward and _is_fixed(x.type):
                return p
        for like in self.likes(x):
            if like.type == x.type and (found := self.of(like, reach - 1)) is not None:
                return found
        node, _ = self.program.maker.get(x, (None, 0))
        if node is None or not (node.name == "transpose" or node.eqn.op is index and not advanced(node.attrs["key"])):
            return None
        found = self.of(node.args[0], reach - 1)
        return None if found is None else self.view(x, node.eqn.with_(args=(found, *node.args[1:])))

    def is_there(self, x: Operand) -> bool:
        """Is this bound before the node, and not only in the other part of the function?"""
        if not isinstance(x, Value):
            return True
        made, _ = self.program.maker.get(x, (None, 0))
        return self.program.visible(x, self.block) and x not in self.forward and (made is None or self.precedes(made))

    def precedes(self, made: Node) -> bool:
        inner = self.node
        while inner.home is not made.home:
            assert inner.home.owner is not None
            inner = inner.home.owner
        return made.home.nodes.index(made) < made.home.nodes.index(inner)

    def updates(self) -> Iterator[Node]:
        """The writes into parts of cotangents that are near the node."""
        at = self.block.nodes.index(self.node)
        return (n for n in self.block.nodes[max(0, at - REACH):at + REACH] if n.eqn.op in (add_at, store)
                and not n.eqn.primal and not advanced(n.attrs["key"]))

    def earlier(self, x: Operand) -> Operand | None:
        """The version of the array `x` that is there."""
        while not self.is_there(x):
            made, _ = self.program.maker[x]  # type: ignore[index]
            if made.eqn.op not in (add_at, store) or made.home is not self.block:
                return None
            x = made.args[0]
        return x

    def likes(self, x: Value) -> list[Operand]:
        """Arrays that have the shape of `x`, where they have its type."""
        node, _ = self.program.maker.get(x, (None, 0))
        if node is None:
            loop = self.program.home[x].owner
            if loop is None or loop.name != "loop" or x not in loop.params or within(self.block, loop.body):
                return []
            k = loop.params.index(x)
            assert isinstance(x.type, Tensor)
            return [loop.outs[k], loop.inits[k]] if _is_fixed(x.type) else []
        if node.name in VERSIONS:
            return node.args[:1]
        return node.args if node.eqn.op in ELEMENTWISE else []

    def view(self, x: Value, eqn: Eqn) -> Value:
        """What `eqn` makes, an array like `x`."""
        out = Value(x.type)
        node = Node(eqn.with_(outs=(out,), primal=False), self.block, list(eqn.args), [out], eqn.attrs)
        self.views.append(node)
        self.program.made(node)
        return out


def _is_fixed(t: Tensor) -> bool:
    """Is this shape one that the arguments have, the same wherever it is named?"""
    return all(_is_argument(d) for d in t.shape)


def _is_argument(d: Dim) -> bool:
    return not any(name.startswith("_") for name in d.symbols) and "join(" not in str(d)
