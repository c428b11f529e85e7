"""Mutable IR, which the choice of residuals changes in place.

`to_mutable` copies a function into blocks of nodes that know where they stand, and `to_immutable` copies them back.
The values are the same objects in both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sct.ir.core import Eqn, Fn, Lit, Operand, Value

__all__ = ["Block", "BlockNode", "ancestors", "around", "blocks", "to_immutable", "is_branch", "to_mutable", "within"]


@dataclass(eq=False)
class Block:
    """A function or region; `owner` is the node it is a region of."""

    name: str
    params: list[Value]
    results: list[Operand]
    owner: BlockNode | None
    nodes: list[BlockNode] = field(default_factory=list)


@dataclass(eq=False)
class BlockNode:
    """An equation in the block `home`. The parts of a loop have names."""

    eqn: Eqn
    home: Block
    args: list[Operand]
    outs: list[Value]
    attrs: Mapping[str, Any]
    blocks: list[Block] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.eqn.op.name

    @property
    def body(self) -> Block:
        return self.blocks[-1]

    @property
    def counted(self) -> bool:
        return bool(self.attrs["counted"])

    @property
    def carries(self) -> int:
        return int(self.attrs["carries"])

    @property
    def bounds(self) -> list[Operand]:
        return self.args[:3 * self.counted]

    @property
    def index(self) -> Value | None:
        return self.body.params[0] if self.counted else None

    @property
    def inits(self) -> list[Operand]:
        return self.args[3 * self.counted:][:self.carries]

    @property
    def xs(self) -> list[Operand]:
        return self.args[3 * self.counted + self.carries:]

    @property
    def params(self) -> list[Value]:
        """The params of the body that are carries."""
        return self.body.params[self.counted:][:self.carries]

    @property
    def elems(self) -> list[Value]:
        return self.body.params[self.counted + self.carries:]

    @property
    def exits(self) -> bool:
        return not self.counted or self.body.results[0] != Lit(True)

    @property
    def iterations(self) -> Value:
        return self.outs[self.carries]

    def add_carry(self, init: Operand, param: Value, result: Operand, out: Value) -> None:
        """Let the loop carry one more value."""
        n = self.carries
        self.args.insert(3 * self.counted + n, init)
        self.body.params.insert(self.counted + n, param)
        self.body.results.insert(1 + n, result)
        self.outs.insert(n, out)
        for test in self.blocks[:-1]:
            test.params.append(Value(param.type, param.hint))
        self.attrs = {**self.attrs, "carries": n + 1}


def to_mutable(fn: Fn, owner: BlockNode | None = None) -> Block:
    """The function as mutable blocks of nodes."""
    block = Block(fn.name, list(fn.params), list(fn.results), owner)
    for eqn in fn.eqns:
        node = BlockNode(eqn, block, list(eqn.args), list(eqn.outs), eqn.attrs)
        node.blocks = [to_mutable(region, node) for region in eqn.regions]
        block.nodes.append(node)
    return block


def to_immutable(block: Block) -> Fn:
    """The function that the block has become."""
    return Fn(block.name, tuple(block.params), tuple(map(_immutable_eqn, block.nodes)), tuple(block.results))


def _immutable_eqn(node: BlockNode) -> Eqn:
    return node.eqn.replace(args=tuple(node.args), outs=tuple(node.outs), attrs=node.attrs,
                            regions=tuple(map(to_immutable, node.blocks)))


def blocks(block: Block) -> Iterator[Block]:
    """The block and all blocks in it, outer before inner."""
    yield block
    for node in block.nodes:
        for inner in node.blocks:
            yield from blocks(inner)


def ancestors(block: Block | None) -> Iterator[Block]:
    """The block and all blocks around it, inner before outer."""
    while block is not None:
        yield block
        block = block.owner.home if block.owner is not None else None


def is_branch(block: Block) -> bool:
    return block.owner is not None and block.owner.name == "cond"


def around(block: Block) -> Block:
    """The block around this one."""
    assert block.owner is not None
    return block.owner.home


def within(block: Block | None, outer: Block) -> bool:
    return any(b is outer for b in ancestors(block))
