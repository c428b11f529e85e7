"""Pairs each region of the backward pass with the forward regions that it mirrors, and removes the tapes.

    ys = [y for ...];  for reversed(y1 in ys): dx = f(y1)   ->   for reversed: dx = f(y)        y is out of scope

In:  a function whose residuals are all on tapes. Out: `PairedRegions`, in which every element of a tape is replaced
by the forward value that it holds. That IR reads values out of scope; `choose_residuals` decides how each of them is
obtained and repairs the scopes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from sct.ir.core import Fn, Operand, Value, is_undef, undef
from sct.ir.types import Seq, Type, Undef
from sct.ops.scalar.comparison import unwrap
from sct.passes.rematerialization.mutable_ir import Block, BlockNode, ancestors, blocks, to_mutable, within

__all__ = ["PairedRegions"]


class PairedRegions:
    """A function without its tapes.

    home      for a value: the block that binds it
    producer  for the out of a node: the node, and the position of the out
    mirrors   for a block of the backward pass: the blocks that it mirrors; it runs where they ran, at the same
              positions
    origin    for an element of a tape: the forward value that it holds
    _taps     for a value of a branch: the position among the outs of the `cond` of the one that is the value
    """

    def __init__(self, fn: Fn) -> None:
        self.top = to_mutable(fn)
        self.home: dict[Value, Block] = {}
        self.producer: dict[Value, tuple[BlockNode, int]] = {}
        self.mirrors: dict[Block, list[Block]] = {}
        self.origin: dict[Value, Operand] = {}
        self._mirroring: dict[int, list[BlockNode]] = defaultdict(list)
        self._taps: dict[Value, int] = {}
        for block in blocks(self.top):
            self.bind(block.params, block)
            for node in block.nodes:
                self.register(node)
        self._remove_tapes(self.top)

    def bind(self, values: list[Value], block: Block) -> None:
        self.home.update((v, block) for v in values)

    def register(self, node: BlockNode) -> None:
        """Record the outs of `node`, which is new or has new outs."""
        self.bind(node.outs, node.home)
        self.producer.update((v, (node, k)) for k, v in enumerate(node.outs))

    def node_of(self, x: Operand) -> BlockNode | None:
        """The node that produces `x`, None for a literal or a param of a block."""
        return self.producer[x][0] if isinstance(x, Value) and x in self.producer else None

    # -- removing tapes -----------------------------------------------------------------

    def resolve(self, x: Operand) -> Operand:
        return self.origin.get(x, x) if isinstance(x, Value) else x

    def _remove_tapes(self, block: Block) -> None:
        for node in block.nodes:
            node.args = list(map(self.resolve, node.args))
            numbers = node.attrs.get("mirrors", ()) if node.blocks else ()
            if not node.eqn.primal:
                for other in dict.fromkeys(n for number in numbers for n in self._mirroring[number]):
                    self._pair(node, other)
                if node.eqn.op is unwrap:
                    self._replace_tap(node)
            for number in numbers:
                self._mirroring[number].append(node)
            for inner in node.blocks:
                self._remove_tapes(inner)
        block.results = list(map(self.resolve, block.results))

    def _pair(self, node: BlockNode, forward: BlockNode) -> None:
        """Let the blocks of `node` mirror those of `forward`, which runs before it, if the blocks around them do.

        A loop must read a tape of it; the elements are then the values of the forward loop.
        """
        if not within(node.home, forward.home) and self.mirror_of(node.home, forward.home) is None:
            return
        if node.name == "cond":
            for branch, mirrored in zip(node.blocks, forward.blocks):
                self._mirror(branch, mirrored)
        for seq, elem in zip(node.xs, node.elems) if node.name == "loop" else ():
            producer, k = self.producer.get(seq, (None, 0))  # type: ignore[arg-type]
            if producer is forward:
                value = self.resolve(forward.body.results[k])
                if value.type == elem.type:
                    self.origin[elem] = value
                    self._mirror(node.body, forward.body)

    def _mirror(self, block: Block, forward: Block) -> None:
        mirrored = self.mirrors.setdefault(block, [])
        mirrored += [f for f in (forward, *self.mirrors.get(forward, ())) if f not in mirrored]

    def _replace_tap(self, node: BlockNode) -> None:
        """`node` unwraps a value of a branch that was taken: follow the value into that branch."""
        value = node.args[0]
        while isinstance(value, Value) and (inner := self._branch_value(value)) is not None:
            value = inner
        if isinstance(value, Value) and value is not node.args[0] and value.type == node.outs[0].type \
                and self.mirror_of(node.home, self.home[value]) is not None:
            self.origin[node.outs[0]] = value

    def _branch_value(self, tap: Value) -> Value | None:
        """The value that a tap is where one branch is taken, if it is undefined where the other is."""
        node, k = self.producer.get(tap, (None, 0))
        if node is None or node.name != "cond":
            return None
        defined = [(branch, branch.results[k]) for branch in node.blocks if not is_undef(branch.results[k])]
        if len(defined) != 1:
            return None
        branch, value = defined[0]
        value = self.resolve(value)
        return value if isinstance(value, Value) and within(self.home[value], branch) else None

    # -- scope --------------------------------------------------------------------------

    def in_scope(self, x: Operand, block: Block) -> bool:
        return not isinstance(x, Value) or within(block, self.home[x])

    def reads_out_of_scope(self, block: Block) -> Iterator[tuple[Value, Block]]:
        """(value, reading block) for each read in `block`, or in a block inside it, of a value out of scope there."""
        return self._reads_out_of(set(ancestors(block)), block)

    def _reads_out_of(self, scope: set[Block], block: Block) -> Iterator[tuple[Value, Block]]:
        for x in self.reads(block):
            if isinstance(x, Value) and self.home[x] not in scope:
                yield x, block
        for node in block.nodes:
            for inner in node.blocks:
                scope.add(inner)
                yield from self._reads_out_of(scope, inner)
                scope.remove(inner)

    def reads(self, block: Block) -> Iterator[Operand]:
        for node in block.nodes:
            yield from node.args
        yield from block.results

    def mirror_of(self, block: Block, forward: Block) -> Block | None:
        """The block around `block` that mirrors `forward`."""
        return next((b for b in ancestors(block) if forward in self.mirrors.get(b, ())), None)

    def have_same_index(self, loop: BlockNode, forward: BlockNode) -> bool:
        """Has the index of `loop` the same value as that of `forward`, which it mirrors, at the same positions?"""
        return loop.counted and bool(forward.bounds) and loop.bounds[2] == forward.bounds[2] \
            and (loop.bounds[0] == forward.bounds[0] or self._are_same_index(loop.bounds[0], forward.bounds[0]))

    def _are_same_index(self, x: Operand, forward: Operand) -> bool:
        """Is `x` the index of a loop that mirrors the one whose index is `forward`, with the same value?"""
        if not isinstance(x, Value) or not isinstance(forward, Value):
            return False
        body, mirrored = self.home[x], self.home[forward]
        if body.owner is None or mirrored.owner is None or mirrored not in self.mirrors.get(body, ()):
            return False
        is_index = all(b.owner is not None and b.owner.name == "loop" and b.owner.index is v
                       for b, v in ((body, x), (mirrored, forward)))
        return is_index and self.have_same_index(body.owner, mirrored.owner)

    def are_equal(self, x: Operand, forward: Operand) -> bool:
        """Is `x`, read in a block that mirrors the one in which `forward` is read, the same number?"""
        return x == forward or self._are_same_index(x, forward)

    # -- adding tapes -------------------------------------------------------------------

    def add_tape(self, loop: BlockNode, value: Value) -> Operand:
        """The sequence of the values that `value`, bound in the body of `loop`, takes in all iterations."""
        if value in loop.elems:
            return loop.xs[loop.elems.index(value)]
        for k in range(loop.carries + 1, len(loop.outs)):
            if loop.body.results[k] is value and loop.outs[k].type == Seq(value.type):
                return loop.outs[k]
        out = Value(Seq(value.type), value.hint)
        loop.outs.append(out)
        loop.body.results.append(value)
        self.register(loop)
        return out

    def add_tap(self, value: Value) -> Value:
        """The out of the `cond` that is `value`, which one of its branches binds, where that branch is taken."""
        branch = self.home[value]
        cond = branch.owner
        assert cond is not None and cond.name == "cond"
        at = self._taps.get(value)
        if at is not None and branch.results[at] is value:
            return cond.outs[at]
        type: Type = value.type if isinstance(value.type, Undef) else Undef(value.type)
        for k, out in enumerate(cond.outs):
            if branch.results[k] is value and out.type in (value.type, type):
                self._taps[value] = k
                return out
        self._taps[value] = len(cond.outs)
        out = Value(type, value.hint)
        cond.outs.append(out)
        for block in cond.blocks:
            block.results.append(value if block is branch else undef(type))
        self.register(cond)
        return out
