"""Which blocks of the backward pass mirror which of the forward pass, and what they read of them.

    xs, e of the backward loop  ->  the value that the forward loop yields, out of scope

The tape is taken out: every element of a tape is replaced by the value it is the tape of.
The IR is then not in scope; `save` decides how each value is got at, and puts it right.
"""

from __future__ import annotations

from collections.abc import Iterator

from sct.ir.core import UNDEF, Fn, Lit, Operand, Value, undef
from sct.ir.types import Seq, Type, Undef
from sct.ops.scalar.comparison import unwrap
from sct.passes.rewriting.mutable_ir import Block, Node, ancestors, around, blocks, is_arm, thaw, within

__all__ = ["Program"]


class Program:
    """A function with its tapes taken out.

    home     the block that binds a value
    maker    the node that makes a value, and which of its outs it is
    mirrors  a block of the backward pass -> the blocks that it mirrors: it runs where
             they ran, at the same positions
    """

    def __init__(self, fn: Fn) -> None:
        self.top = thaw(fn)
        self.home: dict[Value, Block] = {}
        self.maker: dict[Value, tuple[Node, int]] = {}
        self.mirrors: dict[Block, list[Block]] = {}
        self.origin: dict[Value, Operand] = {}
        for block in blocks(self.top):
            self.bind(block.params, block)
            for node in block.nodes:
                self.made(node)
        self._visit(self.top)

    def bind(self, values: list[Value], block: Block) -> None:
        self.home.update((v, block) for v in values)

    def made(self, node: Node) -> None:
        """Enter a node's outs."""
        self.bind(node.outs, node.home)
        self.maker.update((v, (node, k)) for k, v in enumerate(node.outs))

    # -- taking tapes out ---------------------------------------------------------------

    def resolve(self, x: Operand) -> Operand:
        return self.origin.get(x, x) if isinstance(x, Value) else x

    def _visit(self, block: Block) -> None:
        for node in block.nodes:
            node.args = list(map(self.resolve, node.args))
            if not node.eqn.primal:
                if node.name == "loop":
                    self._loop(node)
                elif node.eqn.op is unwrap:
                    self._unwrap(node)
            for inner in node.blocks:
                self._visit(inner)
        block.results = list(map(self.resolve, block.results))

    def _loop(self, node: Node) -> None:
        for seq, elem in zip(node.xs, node.elems):
            made = self.maker.get(seq) if isinstance(seq, Value) else None
            if made is None or made[0].name != "loop" or made[1] <= made[0].carries:
                continue
            forward, k = made
            value = self.resolve(forward.body.results[k])
            if value.type == elem.type:
                self.origin[elem] = value
                self._mirror(node.body, forward.body)

    def _unwrap(self, node: Node) -> None:
        """`node` reads a value of an arm that was taken: follow it into the arm."""
        if not is_arm(node.home):
            return
        value = node.args[0]
        maker = self.maker.get(value) if isinstance(value, Value) else None
        if maker is not None and maker[0].home is node.home:
            return  # a branch of this very block: the value may be read only behind it
        found: tuple[Block, Value] | None = None
        while isinstance(value, Value) and (step := self._arm_value(value)) is not None:
            found = step
            value = step[1]
        if found is not None and found[1].type == node.outs[0].type:
            self.origin[node.outs[0]] = found[1]
            self._mirror(node.home, found[0])

    def _arm_value(self, tap: Value) -> tuple[Block, Value] | None:
        """The value, and its arm, that `tap` is where that arm is taken; else it is undefined."""
        node, k = self.maker.get(tap, (None, 0))
        if node is None or node.name != "cond":
            return None
        given = [(arm, arm.results[k]) for arm in node.blocks if _is_defined(arm.results[k])]
        if len(given) != 1:
            return None
        arm, value = given[0]
        value = self.resolve(value)
        return (self.home[value], value) if isinstance(value, Value) and within(self.home[value], arm) else None

    def _mirror(self, block: Block, forward: Block) -> None:
        """Note that `block` mirrors `forward`; so do the arms around the one those around the other."""
        while not within(block, forward):
            known = self.mirrors.setdefault(block, [])
            known += [f for f in (forward, *self.mirrors.get(forward, ())) if f not in known and not within(block, f)]
            if not (is_arm(block) and is_arm(forward)):
                return
            block, forward = around(block), around(forward)
            if not (is_arm(block) and is_arm(forward)):
                return

    # -- scope --------------------------------------------------------------------------

    def visible(self, x: Operand, block: Block) -> bool:
        return not isinstance(x, Value) or within(block, self.home[x])

    def strays(self, block: Block) -> Iterator[tuple[Value, Block]]:
        """What is read in `block`, or in a block in it, and is not in scope there; and where."""
        for b in blocks(block):
            scope = set(ancestors(b))
            for x in self.reads(b):
                if isinstance(x, Value) and self.home[x] not in scope:
                    yield x, b

    def reads(self, block: Block) -> Iterator[Operand]:
        for node in block.nodes:
            yield from node.args
        yield from block.results

    def mirror_of(self, block: Block, forward: Block) -> Block | None:
        """The block around `block` that mirrors `forward`."""
        return next((b for b in ancestors(block) if forward in self.mirrors.get(b, ())), None)

    # -- putting tapes in ---------------------------------------------------------------

    def tape(self, loop: Node, value: Value) -> Operand:
        """The sequence of what `value`, bound in the body of `loop`, is in each trip."""
        if value in loop.elems:
            return loop.xs[loop.elems.index(value)]
        for k in range(loop.carries + 1, len(loop.outs)):
            if loop.body.results[k] is value and loop.outs[k].type == Seq(value.type):
                return loop.outs[k]
        out = Value(Seq(value.type), value.hint)
        loop.outs.append(out)
        loop.body.results.append(value)
        self.made(loop)
        return out

    def tap(self, value: Value) -> Value:
        """The out of the `cond` that is `value`, bound in an arm, where that arm is taken."""
        arm = self.home[value]
        cond = arm.owner
        assert cond is not None and cond.name == "cond"
        wanted: Type = value.type if isinstance(value.type, Undef) else Undef(value.type)
        for k, out in enumerate(cond.outs):
            if arm.results[k] is value and out.type in (value.type, wanted):
                return out
        out = Value(wanted, value.hint)
        cond.outs.append(out)
        for block in cond.blocks:
            block.results.append(value if block is arm else undef(wanted))
        self.made(cond)
        return out


def _is_defined(x: Operand) -> bool:
    return not (isinstance(x, Lit) and x.value is UNDEF)
