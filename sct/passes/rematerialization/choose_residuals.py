"""What the backward pass of a loop keeps:  tape of a, b, c  ->  tape of a; b = f(a); c = g(a)

Every value that a backward loop reads of the forward loop it mirrors is kept on a
tape, or computed again from what is kept, from the index, and from what is in scope of
both; the choice is a minimum cut, by time (contracts 6).  What a carry becomes at the end of
a trip, it is at the start of the next: the backward loop then carries it back itself.  What is
the same in each trip is as the last trip leaves it, or is computed again before the backward loop.
Loops are treated inside out; what an inner one reads of the loops around its forward
loop becomes a demand there.  In straight-line code everything is kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeGuard

from sct.ir.check import fits
from sct.ir.core import Eqn, Fn, Lit, Operand, Value, undef
from sct.ir.types import INT, Tensor, Type, Undef
from sct.ops.arrays.indexing import index
from sct.ops.scalar.arithmetic import add, mul
from sct.ops.scalar.comparison import unwrap
from sct.passes.rematerialization.cost_model import FREE, ON_ARRAYS, OUTER, Costs, Way, can_repeat
from sct.passes.rematerialization.final_array_reads import Finals
from sct.passes.rematerialization.min_cut import Network
from sct.passes.rematerialization.paired_regions import Program
from sct.passes.rematerialization.reuse_forward_values import recall
from sct.passes.rematerialization.shape_only_reads import stand_in
from sct.passes.rewriting.mutable_ir import Block, Node, ancestors, around, blocks, freeze, is_arm, within
from sct.passes.scalar.purity import cannot_raise, is_pure

__all__ = ["save"]

REACH = 8
"""How many equations back it is asked whether a value is the same in each trip."""


def save(fn: Fn, compiled: bool = False) -> Fn:
    """`fn` with its tapes chosen, for a backend that compiles loops or for CPython."""
    program = Program(fn)
    if program.mirrors:
        recall(program)
        stand_in(program)
        _Save(program, compiled).block(program.top)
    return freeze(program.top) if program.mirrors else fn


class _Save:
    def __init__(self, program: Program, compiled: bool) -> None:
        self.program = program
        self.costs = Costs(program, compiled)
        self.finals = Finals(program)

    def block(self, block: Block) -> None:
        for node in block.nodes:
            for inner in node.blocks:
                self.block(inner)
            if node.name == "loop" and node.body in self.program.mirrors:
                _Loop(self.program, self.costs, self.finals, node).run()
            elif node.blocks and node.name != "loop":
                _Arms(self.program, node).run()


class _Legal:
    """Makes what is read out of scope in blocks inside `node` legal, where it can here."""

    def __init__(self, program: Program, node: Node) -> None:
        self.program, self.node = program, node
        self.made: dict[tuple[Value, Block], Operand] = {}
        self.before: dict[Block, list[Node]] = {}
        self.ahead: list[Node] = []

    def finish(self) -> None:
        """Put the new nodes in, and read what they make."""
        at = self.node.home.nodes.index(self.node)
        self.node.home.nodes[at:at] = self.ahead
        for block in self.node.blocks:
            for b in blocks(block):
                b.nodes[:0] = self.before.get(b, ())
        for block in self.node.blocks:
            for b in list(blocks(block)):
                self.substitute(b)

    def substitute(self, b: Block) -> None:
        around = list(ancestors(b))

        def replaced(x: Operand) -> Operand:
            if isinstance(x, Value):
                for c in around:
                    if (x, c) in self.made:
                        return self.made[x, c]
            return x

        for node in b.nodes:
            node.args = list(map(replaced, node.args))
        b.results = list(map(replaced, b.results))

    def add(self, block: Block, eqn: Eqn) -> Value:
        """A new node at the start of `block`; its out."""
        node = Node(eqn, block, list(eqn.args), list(eqn.outs), eqn.attrs)
        self.before.setdefault(block, []).append(node)
        self.program.made(node)
        return eqn.out

    def unwrapped(self, x: Operand, value: Value, block: Block) -> Operand:
        """`x`, the tap of `value`, in a block that runs only where the value was bound."""
        if x.type == value.type:
            return x
        return self.add(block, Eqn(unwrap, (x,), (Value(value.type, value.hint, value.dim),), primal=False))


class _Arms(_Legal):
    """Values of the arms of a `cond` that is in scope are its outs."""

    def run(self) -> None:
        p = self.program
        strays = [s for block in self.node.blocks for s in p.strays(block)]
        for value, block in strays:
            tap = value
            while not p.visible(tap, self.node.home) and is_arm(p.home[tap]):
                tap = p.tap(tap)
            c = p.mirror_of(block, p.home[value]) or block
            mine = any(within(c, arm) for arm in self.node.blocks)
            if mine and tap is not value and p.visible(tap, self.node.home) and (value, c) not in self.made:
                self.made[value, c] = self.unwrapped(tap, value, c)
        self.finish()


class _Loop(_Legal):
    """One backward loop, and the forward loops that it mirrors."""

    def __init__(self, program: Program, costs: Costs, finals: Finals, node: Node) -> None:
        super().__init__(program, node)
        self.costs, self.finals = costs, finals
        self.forward = {body: body.owner for body in program.mirrors[node.body] if body.owner is not None}
        self.ways: dict[Value, Way | None] = {}
        self.again: set[Value] = set()
        self.elems: dict[Operand, Value] = {}
        self.clones: list[Node] = []

    def run(self) -> None:
        needs: dict[tuple[Value, Block], None] = {}
        for value, block in self.program.strays(self.node.body):
            if self.body_of(value) is not None:
                needs[value, self.counterpart(value, block)] = None
        if needs:
            self.cut({v for v, _ in needs})
            for value, block in needs:
                self.materialise(value, block)
            self.finish()
            self.mark_exact()

    # -- where values are ---------------------------------------------------------------

    def body_of(self, value: Value) -> Block | None:
        """The body of a mirrored loop that binds `value`, itself or in an arm."""
        block = self.program.home[value]
        while block not in self.forward:
            if not is_arm(block):
                return None
            block = around(block)
        return block

    def counterpart(self, value: Value, block: Block) -> Block:
        """The block around `block` in which `value` is to be made."""
        home = self.program.home[value]
        return self.node.body if home in self.forward else self.program.mirror_of(block, home) or block

    # -- deciding -----------------------------------------------------------------------

    def cut(self, needs: set[Value]) -> None:
        net = Network()
        work = list(needs)
        for v in needs:
            net.edge("source", ("need", v), float("inf"))
        while work:
            v = work.pop()
            if v in self.ways:
                continue
            way = self.ways[v] = self.way(v)
            keep = self.costs.keep(v, self.forward)
            if way is None:
                net.edge(("need", v), "sink", keep)
                continue
            net.edge(("need", v), ("again", v), keep)
            net.edge(("again", v), "sink", way.cost)
            for x in way.operands:
                if isinstance(x, Value) and not self.program.visible(x, self.node.body):
                    net.edge(("again", v), ("need", x), float("inf"))
                    if self.body_of(x) is not None:
                        work.append(x)
                    else:
                        net.edge(("need", x), "sink", self.costs.request(x, self.node.home))
        side = net.source_side("source", "sink")
        self.again = {v for v in self.ways if ("again", v) in side}

    def way(self, value: Value) -> Way | None:
        """How `value` is got at without a tape, if it can be."""
        body = self.body_of(value)
        assert body is not None
        loop = self.forward[body]
        if value is loop.index and self.same_index(loop):
            return Way("index", 0.0, ())
        if self.counter(loop, value) is not None:
            return Way("counter", 0.2, ())
        if self.costs.is_work(value) and (leaves := self.invariant(value, REACH)) is not None:
            if self.around(loop) is not None and all(self.program.visible(x, self.node.home) for x in leaves):
                return Way("last", FREE, ())
            if self.invariant(value, REACH, raising=False) is not None:
                return Way("same", OUTER * ON_ARRAYS, tuple(leaves))
        again, inside = self.repeated(value), self.node.body
        if again is not None and all(x is loop.index or self.program.visible(x, inside) for x in again.operands):
            return again
        final = self.finals.of(value, self.node.home)
        if final is not None:
            return Way("final", FREE, (final.array, *final.operands))
        k = self.shifted(loop, value)
        return Way("shift", 0.2, (loop.params[k],)) if k is not None else again

    def repeated(self, value: Value) -> Way | None:
        node, _ = self.program.maker.get(value, (None, 0))
        if node is None or not can_repeat(node):
            return None
        return Way("again", self.costs.repeat(node), tuple(node.args))

    def invariant(self, value: Value, reach: int, *, raising: bool = True) -> list[Operand] | None:
        """What `value` is computed from, outside the forward loop, if it is the same in each trip."""
        node, _ = self.program.maker.get(value, (None, 0))
        if node is None or node.home not in self.forward or not reach \
                or not (is_pure(node) and len(node.outs) == 1 and (raising or cannot_raise(node))):
            return None
        leaves: list[Operand] = []
        for x in node.args:
            found = self.invariant(x, reach - 1, raising=raising) if self.is_missing(x) else [x]
            if found is None:
                return None
            leaves += found
        return leaves

    def around(self, loop: Node) -> list[Node] | None:
        """The forward loop and those around it, inner ones first, if no arm is between them and this loop."""
        found = [loop]
        while not within(self.node.home, found[-1].home):
            owner = found[-1].home.owner
            if owner is None or owner.name != "loop":
                return None
            found.append(owner)
        in_parts = any(node.name == "boundary" for node in self.program.top.nodes)
        return None if self.costs.compiled or in_parts else found

    def same_index(self, loop: Node) -> bool:
        mine, its = self.node.bounds, loop.bounds
        return self.node.counted and bool(its) and mine[0] == its[0] and mine[2] == its[2]

    def counter(self, loop: Node, value: Value) -> tuple[Operand, int] | None:
        """(init, step) of a carry that is `init + step * position`, where the index is the position."""
        start, _, step = self.node.bounds
        if value not in loop.params or value.type != INT or (start, step) != (Lit(0), Lit(1)):
            return None
        if loop.counted and not self.same_index(loop):
            return None
        k = loop.params.index(value)
        made = self.program.maker.get(loop.body.results[1 + k])  # type: ignore[arg-type]
        if made is None or made[0].eqn.op is not add or made[0].args[0] is not value:
            return None
        by, init = made[0].args[1], loop.inits[k]
        if not isinstance(by, Lit) or type(by.value) is not int or init.type != INT:
            return None
        return (init, by.value) if self.program.visible(init, self.node.body) else None

    def shifted(self, loop: Node, value: Value) -> int | None:
        """The carry that `value` becomes at the end of a trip, if this loop runs them all backwards."""
        if self.node.attrs["reverse"] == loop.attrs["reverse"] or not self.runs_all(loop):
            return None
        for k, result in enumerate(loop.body.results[1:1 + loop.carries]):
            if result is value and loop.params[k].type == loop.outs[k].type and fits(value.type, loop.outs[k].type):
                return k
        return None

    def runs_all(self, loop: Node) -> bool:
        """Does this loop run the trips that `loop` ran?"""
        if not loop.exits:
            return self.node.bounds == loop.bounds
        start, stop, step = self.node.bounds
        if not loop.counted:
            return (start, stop, step) == (Lit(0), loop.trips, Lit(1))
        if (start, step) != (loop.bounds[0], loop.bounds[2]):
            return False
        length = stop if start == Lit(0) else self._operand(stop, add, start)
        return (length if step == Lit(1) else self._operand(length, mul, step)) is loop.trips

    def _operand(self, x: Operand | None, op: object, other: Operand) -> Operand | None:
        """`a` where `x` is `op(a, other)` or `op(other, a)`."""
        node, _ = self.program.maker.get(x, (None, 0)) if isinstance(x, Value) else (None, 0)
        if node is None or node.eqn.op is not op or other not in node.args:
            return None
        return node.args[1 - node.args.index(other)]

    # -- making -------------------------------------------------------------------------

    def materialise(self, value: Operand, block: Block) -> Operand:
        """What `value` is in `block`; what it is computed from is made before it."""
        if not self.is_missing(value):
            return value
        work = [(value, self.counterpart(value, block))]
        while work:
            v, c = work[-1]
            before = [(x, self.counterpart(x, c)) for x in self.repeated_from(v) if self.is_missing(x)]
            missing = [pair for pair in before if pair not in self.made]
            if missing:
                work += missing
                continue
            work.pop()
            if (v, c) not in self.made:
                self.made[v, c] = self.repeat(v, c) if v in self.again else self.taped(v, c)
        return self.made[value, self.counterpart(value, block)]

    def is_missing(self, value: Operand) -> TypeGuard[Value]:
        """Is this a value of the forward loop?"""
        return isinstance(value, Value) and self.body_of(value) is not None

    def repeated_from(self, value: Value) -> Sequence[Operand]:
        way = self.ways[value] if value in self.again else None
        return way.operands if way is not None and way.kind in ("again", "final") else ()

    def taped(self, value: Value, block: Block) -> Operand:
        """An element of the tape of `value`."""
        tap = value
        while self.program.home[tap] not in self.forward:
            tap = self.program.tap(tap)
        loop = self.forward[self.program.home[tap]]
        seq = self.program.tape(loop, tap)
        self.costs.taped.add(tap)
        if seq not in self.elems:
            elem = Value(tap.type, value.hint, value.dim)
            self.node.args.append(seq)
            self.node.body.params.append(elem)
            self.program.bind([elem], self.node.body)
            self.elems[seq] = elem
        return self.unwrapped(self.elems[seq], value, block)

    def repeat(self, value: Value, block: Block) -> Operand:
        way, body = self.ways[value], self.body_of(value)
        assert way is not None and body is not None and self.node.index is not None
        loop = self.forward[body]
        if way.kind == "index":
            return self.node.index
        if way.kind == "counter":
            return self.counted_up(loop, value)
        if way.kind == "shift":
            return self.shift(loop, value)
        if way.kind == "same":
            return self.computed_ahead(value)
        if way.kind == "last":
            return self.last(loop, value)
        args = tuple(self.made[x, self.counterpart(x, block)] if self.is_missing(x) else x for x in way.operands)
        outs = (Value(value.type, value.hint, value.dim),)
        if way.kind == "final":
            final = self.finals.of(value, self.node.home)
            assert final is not None
            eqn = Eqn(index, args, outs, {"key": final.key}, primal=False)
        else:
            eqn = self.program.maker[value][0].eqn.with_(args=args, outs=outs, primal=False)
        made = self.add(block, eqn)
        self.clones.append(self.before[block][-1])
        return made

    def last(self, loop: Node, value: Value) -> Operand:
        """What is the same in each trip, as the forward loop leaves it: in a trip of this loop it is there."""
        loops = self.around(loop)
        assert loops is not None
        t, result = Undef(value.type), value
        params = [Value(t, value.hint) for _ in loops]
        for k, inner in enumerate(loops):
            out = Value(t, value.hint)
            inner.add_carry(params[k + 1] if k + 1 < len(loops) else undef(t), params[k], result, out)
            self.program.bind([params[k]], inner.body)
            self.program.made(inner)
            result = out
        return self.unwrapped(result, value, self.node.body)

    def computed_ahead(self, value: Value) -> Operand:
        """What is the same in each trip, computed before the loop."""
        if (value, self.node.home) not in self.made:
            node, _ = self.program.maker[value]
            args = tuple(self.computed_ahead(x) if self.is_missing(x) else x for x in node.args)
            out = Value(value.type, value.hint, value.dim)
            made = Node(node.eqn.with_(args=args, outs=(out,), primal=False), self.node.home, list(args), [out],
                        node.attrs)
            self.ahead.append(made)
            self.clones.append(made)
            self.program.made(made)
            self.made[value, self.node.home] = out
        return self.made[value, self.node.home]

    def counted_up(self, loop: Node, value: Value) -> Operand:
        found = self.counter(loop, value)
        assert found is not None and self.node.index is not None
        (init, step), out = found, self.node.index
        if step != 1:
            out = self.add(self.node.body, Eqn(mul, (out, Lit(step)), (Value(INT, value.hint),), primal=False))
        if init != Lit(0):
            out = self.add(self.node.body, Eqn(add, (init, out), (Value(INT, value.hint),), primal=False))
        return out

    def shift(self, loop: Node, value: Value) -> Operand:
        """A carry of this loop: in each trip what the carry of `loop` was before, in the next trip."""
        k = self.shifted(loop, value)
        assert k is not None
        param, final, body = loop.params[k], loop.outs[k], self.node.body
        carry = Value(param.type, value.hint, value.dim)
        self.program.bind([carry], body)
        known = carry if carry.type == value.type else self.add(body, Eqn(
            unwrap, (carry,), (Value(value.type, value.hint, value.dim),), {"to": value.type}, primal=False))
        self.made[value, body] = known
        self.node.add_carry(final, carry, self.materialise(param, body), Value(param.type, value.hint))
        self.program.made(self.node)
        return known

    def mark_exact(self) -> None:
        """What a test or an index is computed from again is computed as the user wrote it."""
        maker = {out: node for node in self.clones for out in node.outs}
        work = [x for b in blocks(self.node.body) for node in b.nodes
                if not all(_is_float(out.type) for out in node.outs) or node.blocks for x in node.args]
        exact: set[Node] = set()
        while work:
            x = work.pop()
            node = maker.get(x) if isinstance(x, Value) else None
            if node is not None and node not in exact:
                exact.add(node)
                work += node.args
        for node in self.clones:
            if node in exact or not all(_is_float(out.type) for out in node.outs):
                node.eqn = node.eqn.with_(primal=True)


def _is_float(t: Type) -> bool:
    while isinstance(t, Undef):
        t = t.elem
    return isinstance(t, Tensor) and t.kind == "f"


