"""Chooses which values of a forward loop are kept on tapes for the backward loop that mirrors it.

    tapes of a, b, c  ->  a tape of a;  in the backward loop  b = f(a); c = g(a)

In:  a function in which every residual is on a tape. Out: the same function with the tapes that cost least time; the
other values are obtained from other sources (`residual_sources`).
Loops are treated from the inside outwards; what an inner backward loop needs of an outer forward loop becomes a need
of the outer backward loop. In straight-line code every value is kept.
"""

from __future__ import annotations

from collections.abc import Set

from sct.ir.core import Eqn, Fn, Lit, Operand, Value, undef
from sct.ir.types import INT, Optional, Tensor, Type, Undef
from sct.ops.arrays.indexing import index
from sct.ops.arrays.shape import dim
from sct.ops.scalar.arithmetic import add, mul, sub
from sct.ops.scalar.comparison import not_, unwrap
from sct.passes.rematerialization.cost_model import CostModel
from sct.passes.rematerialization.final_array_reads import FinalArrayReads
from sct.passes.rematerialization.mutable_ir import Block, BlockNode, ancestors, blocks, is_branch, to_immutable, within
from sct.passes.rematerialization.paired_regions import PairedRegions
from sct.passes.rematerialization.residual_sources import ResidualSources, SourceKind, offset_from_axis
from sct.passes.rematerialization.reuse_forward_values import reuse_forward_values
from sct.passes.rematerialization.shape_only_reads import replace_shape_operands

__all__ = ["choose_residuals"]


def choose_residuals(fn: Fn, compiled: bool = False) -> Fn:
    """`fn` with its tapes chosen for CPython or, if `compiled`, for a backend that compiles loops."""
    regions = PairedRegions(fn)
    if regions.mirrors:
        reuse_forward_values(regions)
        replace_shape_operands(regions)
        _ChooseResiduals(regions, compiled).block(regions.top)
    return to_immutable(regions.top) if regions.mirrors else fn


class _ChooseResiduals:
    """Treats the backward loops and conditionals of a function, inner ones first."""

    def __init__(self, regions: PairedRegions, compiled: bool) -> None:
        self.regions = regions
        self.costs = CostModel(regions, compiled)
        self.finals = FinalArrayReads(regions)

    def block(self, block: Block) -> None:
        for node in block.nodes:
            for inner in node.blocks:
                self.block(inner)
            if node.name == "loop" and node.body in self.regions.mirrors:
                _BackwardLoop(self.regions, self.costs, self.finals, node).run()
            elif node.blocks and node.name != "loop":
                _BackwardConditional(self.regions, node).run()


class _ScopeRepair:
    """Replaces reads out of scope in the blocks of `node`.

    replacement  for a value and a block: the operand that is read in that block and the blocks inside it
    prologues    for a block: the new nodes at its start
    before_node  the new nodes in front of `node`
    """

    def __init__(self, regions: PairedRegions, node: BlockNode) -> None:
        self.regions, self.node = regions, node
        self.replacement: dict[tuple[Value, Block], Operand] = {}
        self.prologues: dict[Block, list[BlockNode]] = {}
        self.before_node: list[BlockNode] = []

    def insert_nodes(self) -> None:
        """Insert the new nodes, and substitute the replacements."""
        at = self.node.home.nodes.index(self.node)
        self.node.home.nodes[at:at] = self.before_node
        for block in self.node.blocks:
            for b in blocks(block):
                b.nodes[:0] = self.prologues.get(b, ())
        values = {v for v, _ in self.replacement}
        for block in self.node.blocks if values else ():
            for b in list(blocks(block)):
                self.substitute(b, values)

    def substitute(self, b: Block, values: Set[Value]) -> None:
        """Substitute the replacements of `values` in a block."""
        scopes = list(ancestors(b))

        def replaced(x: Operand) -> Operand:
            if isinstance(x, Value) and x in values:
                for c in scopes:
                    if (x, c) in self.replacement:
                        return self.replacement[x, c]
            return x

        for node in b.nodes:
            node.args = list(map(replaced, node.args))
        b.results = list(map(replaced, b.results))

    def prepend(self, block: Block, eqn: Eqn) -> Value:
        """The out of a new node at the start of `block`."""
        node = BlockNode(eqn, block, list(eqn.args), list(eqn.outs), eqn.attrs)
        self.prologues.setdefault(block, []).append(node)
        self.regions.register(node)
        return eqn.out

    def unwrapped(self, x: Operand, value: Value, block: Block) -> Operand:
        """The tap `x` of `value`, unwrapped in a block that runs only if `value` was bound."""
        if x.type == value.type:
            return x
        attrs = {"to": value.type} if isinstance(value.type, Optional) else {}  # it was bound, perhaps to None
        return self.prepend(block, Eqn(unwrap, (x,), (Value(value.type, value.hint, value.dim),), attrs, primal=False))


class _BackwardConditional(_ScopeRepair):
    """A backward conditional: values of forward branches are read from taps of their `cond`, if that is in scope."""

    def run(self) -> None:
        regions = self.regions
        reads = [s for block in self.node.blocks for s in regions.reads_out_of_scope(block)]
        scope = set(ancestors(self.node.home))
        for value, block in reads:
            tap = value
            while regions.home[tap] not in scope and is_branch(regions.home[tap]):
                tap = regions.add_tap(tap)
            target = regions.mirror_of(block, regions.home[value]) or block
            inside = any(within(target, branch) for branch in self.node.blocks)
            if inside and tap is not value and regions.home[tap] in scope and (value, target) not in self.replacement:
                self.replacement[value, target] = self.unwrapped(tap, value, target)
        self.insert_nodes()


class _BackwardLoop(_ScopeRepair):
    """A backward loop and the forward loops that it mirrors.

    sources     how values of the forward loops are obtained
    tape_elems  for a tape that this loop reads: its element
    copies      the nodes that compute values again
    """

    def __init__(self, regions: PairedRegions, costs: CostModel, finals: FinalArrayReads, node: BlockNode) -> None:
        super().__init__(regions, node)
        self.sources = ResidualSources(regions, costs, finals, node)
        self.tape_elems: dict[Operand, Value] = {}
        self.copies: list[BlockNode] = []

    def run(self) -> None:
        needs: dict[tuple[Value, Block], None] = {}
        for value, block in self.regions.reads_out_of_scope(self.node.body):
            if self.sources.forward_body_of(value) is not None:
                needs[value, self.target_block(value, block)] = None
        if needs:
            self.sources.choose({v for v, _ in needs})
            for value, block in needs:
                self.provide(value, block)
            self.insert_nodes()
            self.mark_exact_copies()

    def target_block(self, value: Value, block: Block) -> Block:
        """The block around `block` in which `value` becomes available."""
        home = self.regions.home[value]
        return self.node.body if home in self.sources.forward else self.regions.mirror_of(block, home) or block

    def provide(self, value: Operand, block: Block) -> Operand:
        """The operand that stands for `value` in `block`; the values that it is computed from are provided first."""
        if not self.sources.is_forward_value(value):
            return value
        work = [(value, self.target_block(value, block))]
        while work:
            v, c = work[-1]
            before = [(x, self.target_block(x, c)) for x in self.sources.prerequisites(v)]
            missing = [pair for pair in before if pair not in self.replacement]
            if missing:
                work += missing
                continue
            work.pop()
            if (v, c) not in self.replacement:
                self.replacement[v, c] = self.obtain(v, c) if v in self.sources.untaped else self.read_tape(v, c)
        return self.replacement[value, self.target_block(value, block)]

    def read_tape(self, value: Value, block: Block) -> Operand:
        """The element of the tape of `value`; of a negation, the negated element of the tape of the predicate."""
        node = self.regions.node_of(value)
        if node is not None and node.eqn.op is not_ and isinstance(p := node.args[0], Value) \
                and isinstance(p.type, Tensor) and p.type.kind == "b" \
                and self.regions.home[p] is self.regions.home[value]:
            kept = self.read_tape(p, block)
            return self.prepend(block, Eqn(not_, (kept,), (Value(value.type, value.hint),), primal=True))
        tap = value
        while self.regions.home[tap] not in self.sources.forward:
            tap = self.regions.add_tap(tap)
        loop = self.sources.forward[self.regions.home[tap]]
        seq = self.regions.add_tape(loop, tap)
        self.sources.costs.taped.add(tap)
        if seq not in self.tape_elems:
            elem = Value(tap.type, value.hint, value.dim)
            self.node.args.append(seq)
            self.node.body.params.append(elem)
            self.regions.bind([elem], self.node.body)
            self.tape_elems[seq] = elem
        return self.unwrapped(self.tape_elems[seq], value, block)

    def obtain(self, value: Value, block: Block) -> Operand:
        """`value` in `block`, from its source."""
        source, body = self.sources.sources[value], self.sources.forward_body_of(value)
        assert source is not None and body is not None and self.node.index is not None
        loop = self.sources.forward[body]
        if source.kind is SourceKind.INDEX:
            return self.node.index
        if source.kind is SourceKind.SIZE:
            return self.size(value, source.operands[0])
        if source.kind is SourceKind.COUNTER:
            return self.count_up(loop, value)
        if source.kind is SourceKind.NEXT_ITERATION:
            return self.carry_back(loop, value)
        if source.kind is SourceKind.BEFORE_LOOP:
            return self.compute_before_loop(value)
        if source.kind is SourceKind.LAST_ITERATION:
            return self.read_last(loop, value)
        args = tuple(self.replacement[x, self.target_block(x, block)] if self.sources.is_forward_value(x) else x
                     for x in source.operands)
        if source.kind is SourceKind.STORED:
            return args[0]
        outs = (Value(value.type, value.hint, value.dim),)
        if source.kind is SourceKind.FINAL_ARRAY:
            final = self.sources.finals.find(value, self.node.home)
            assert final is not None
            eqn = Eqn(index, args, outs, {"key": final.key}, primal=False)
        else:
            assert source.kind is SourceKind.RECOMPUTED, source.kind
            eqn = self.regions.producer[value][0].eqn.replace(args=args, outs=outs, primal=False)
        copy = self.prepend(block, eqn)
        self.copies.append(self.prologues[block][-1])
        return copy

    def read_last(self, loop: BlockNode, value: Value) -> Operand:
        """A loop-invariant value, which the forward loops carry out; it is defined if this loop has an iteration."""
        loops = self.sources.loops_outwards(loop)
        assert loops is not None
        t, result = Undef(value.type), value
        params = [Value(t, value.hint) for _ in loops]
        for k, inner in enumerate(loops):
            out = Value(t, value.hint)
            inner.add_carry(params[k + 1] if k + 1 < len(loops) else undef(t), params[k], result, out)
            self.regions.bind([params[k]], inner.body)
            self.regions.register(inner)
            result = out
        return self.unwrapped(result, value, self.node.body)

    def compute_before_loop(self, value: Value) -> Operand:
        """A loop-invariant value, computed again before this loop."""
        if (value, self.node.home) not in self.replacement:
            node, _ = self.regions.producer[value]
            args = tuple(self.compute_before_loop(x) if self.sources.is_forward_value(x) else x for x in node.args)
            out = Value(value.type, value.hint, value.dim)
            copy = BlockNode(node.eqn.replace(args=args, outs=(out,), primal=False), self.node.home, list(args), [out],
                        node.attrs)
            self.before_node.append(copy)
            self.copies.append(copy)
            self.regions.register(copy)
            self.replacement[value, self.node.home] = out
        return self.replacement[value, self.node.home]

    def size(self, value: Value, size: Operand) -> Operand:
        """The number that is this size, or the size of an argument; the forward loops read it, too."""
        number = size
        if isinstance(size.type, Tensor) and size.type.is_array:
            assert value.dim is not None
            axis, offset = offset_from_axis(value.dim, size.type.shape)  # type: ignore[misc]
            number = along = Value(value.type, value.hint, value.dim)
            eqns = []
            if offset:
                along = Value(value.type, None, value.dim - offset)
                eqns = [Eqn(add if offset > 0 else sub, (along, Lit(abs(offset))), (number,), primal=False)]
            top = self.regions.top
            for eqn in [*eqns, Eqn(dim, (size,), (along,), {"axis": axis}, primal=False)]:
                top.nodes.insert(0, BlockNode(eqn, top, list(eqn.args), list(eqn.outs), eqn.attrs))
                self.regions.register(top.nodes[0])
        for body in self.sources.forward:
            for node in (node for b in blocks(body) for node in b.nodes):
                node.args = [number if x is value else x for x in node.args]
        return number

    def count_up(self, loop: BlockNode, value: Value) -> Operand:
        counter = self.sources.affine_counter(loop, value)
        assert counter is not None and self.node.index is not None
        (init, step), out = counter, self.node.index
        if step != 1:
            out = self.prepend(self.node.body, Eqn(mul, (out, Lit(step)), (Value(INT, value.hint),), primal=False))
        if init != Lit(0):
            out = self.prepend(self.node.body, Eqn(add, (init, out), (Value(INT, value.hint),), primal=False))
        return out

    def carry_back(self, loop: BlockNode, value: Value) -> Operand:
        """A new carry of this loop: the carry of `loop` at the start of the following iteration."""
        k = self.sources.next_carry(loop, value)
        assert k is not None
        param, final, body = loop.params[k], loop.outs[k], self.node.body
        carry = Value(param.type, value.hint, value.dim)
        self.regions.bind([carry], body)
        value_in_body = carry if carry.type == value.type else self.prepend(body, Eqn(
            unwrap, (carry,), (Value(value.type, value.hint, value.dim),), {"to": value.type}, primal=False))
        self.replacement[value, body] = value_in_body
        self.node.add_carry(final, carry, self.provide(param, body), Value(param.type, value.hint))
        self.regions.register(self.node)
        return value_in_body

    def mark_exact_copies(self) -> None:
        """Mark the copies that predicates and indices depend on as primal, so that they are never rewritten."""
        producer = {out: node for node in self.copies for out in node.outs}
        work = [x for b in blocks(self.node.body) for node in b.nodes
                if not all(_is_float(out.type) for out in node.outs) or node.blocks for x in node.args]
        exact: set[BlockNode] = set()
        while work:
            x = work.pop()
            node = producer.get(x) if isinstance(x, Value) else None
            if node is not None and node not in exact:
                exact.add(node)
                work += node.args
        for node in self.copies:
            if node in exact or not all(_is_float(out.type) for out in node.outs):
                node.eqn = node.eqn.replace(primal=True)


def _is_float(t: Type) -> bool:
    while isinstance(t, Undef):
        t = t.elem
    return isinstance(t, Tensor) and t.kind in "fc"


