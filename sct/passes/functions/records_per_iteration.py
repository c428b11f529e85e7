"""What a trip hands over is one record:  tapes of a, of b  ->  a tape of (a, b)

For loops whose tapes go from the forward part of a function to its backward part: a trip
packs what it keeps of itself, and the trip that mirrors it takes that apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from sct.ir.core import Eqn, Fn, Operand, Value, boundary_of
from sct.ir.types import Residuals, Seq, Type
from sct.ops.program.call_ops import pack, unpack
from sct.passes.rewriting.mutable_ir import Block, Node, ancestors, blocks, freeze, thaw

__all__ = ["one_record_a_trip"]


@dataclass(frozen=True)
class Way:
    """How a sequence gets from the loop that yields it to the one that reads its elements.

    loops   those that it passes, each as a yield or as what is read
    values  what it is before each of them, and at last the element
    """

    loops: tuple[tuple[str, Node], ...]
    values: tuple[Value, ...]


def one_record_a_trip(fn: Fn) -> Fn:
    """`fn`, where it has two parts, with one tape for all that a loop hands over to another loop."""
    return _Trips(fn).run() if boundary_of(fn) is not None else fn


class _Trips:
    def __init__(self, fn: Fn) -> None:
        self.fn, self.top = fn, thaw(fn)
        self.users: dict[Operand, list[tuple[Node | Block, int]]] = defaultdict(list)
        for block in blocks(self.top):
            for node in block.nodes:
                self._use(node, node.args)
            self._use(block, block.results)
        self.carried: set[Value] = set()
        self.before = set(self.top.nodes[:boundary_of(fn)])

    def _use(self, user: Node | Block, operands: list[Operand]) -> None:
        for k, x in enumerate(operands):
            self.users[x].append((user, k))

    def run(self) -> Fn:
        inside_out = reversed([node for block in blocks(self.top) for node in block.nodes if node.name == "loop"])
        found = [(loop, ways) for loop in inside_out for ways in self.groups(loop)]
        for k, (loop, ways) in enumerate(found):
            self.join(loop, ways, Residuals(f"{self.fn.name}_trip{k}"))
        return freeze(self.top).with_(owned=self.fn.owned) if found else self.fn

    def groups(self, loop: Node) -> Iterator[list[Way]]:
        """The sequences of this loop that go the same way into the backward part, if there are two or more."""
        same: dict[object, list[Way]] = defaultdict(list)
        for y in loop.outs[loop.carries + 1:]:
            way = self.way(y) if y not in self.carried else None
            if way is not None and self.is_before(loop) and not self.is_before(way.loops[-1][1]):
                same[way.loops].append(way)
        for ways in same.values():
            if len(ways) > 1:
                self.carried.update(v for way in ways for v in way.values[1:])
                yield ways

    def is_before(self, node: Node) -> bool:
        *_, outermost = [node, *(b.owner for b in ancestors(node.home) if b.owner is not None)]
        return outermost in self.before

    def way(self, s: Value) -> Way | None:
        loops: list[tuple[str, Node]] = []
        values, depth = [s], 0
        while len(self.users[s]) == 1:
            user, k = self.users[s][0]
            if isinstance(user, Block):
                node, at = user.owner, k - 1
                if node is None or node.name != "loop" or user is not node.body or at < node.carries:
                    return None
                s, depth = node.outs[at + 1], depth + 1
                loops.append(("yield", node))
            else:
                at = k - 3 * user.counted - user.carries if user.name == "loop" else -1
                if at < 0:
                    return None
                s, depth = user.elems[at], depth - 1
                loops.append(("read", user))
            values.append(s)
            if depth < 0:
                return Way(tuple(loops), tuple(values))
        return None

    def join(self, loop: Node, ways: list[Way], record: Residuals) -> None:
        made: list[Operand] = [*loop.body.params, *(out for node in loop.body.nodes for out in node.outs)]
        first = loop.body.results[1 + loop.carries:]
        yields = {way: first[loop.outs[loop.carries + 1:].index(way.values[0])] for way in ways}
        ways.sort(key=lambda way: made.index(yields[way]) if yields[way] in made else -1)
        packed = Value(record)
        self.add(loop.body, len(loop.body.nodes), Eqn(
            pack, tuple(yields[way] for way in ways), (packed,), {"of": record.of}, primal=False))
        self.replace_results(loop, [k for k, y in enumerate(loop.outs) if y in {way.values[0] for way in ways}], packed)
        s = loop.outs[-1]
        for n, (kind, node) in enumerate(ways[0].loops):
            gone, after = {way.values[n] for way in ways}, {way.values[n + 1] for way in ways}
            if kind == "yield":
                self.replace_results(node, [k for k, y in enumerate(node.outs) if y in after], s)
                s = node.outs[-1]
            else:
                node.args[:] = [*(x for x in node.args if x not in gone), s]
                s = Value(_element(s.type))
                node.body.params[:] = [*(p for p in node.body.params if p not in after), s]
        elems = tuple(way.values[-1] for way in ways)
        self.add(node.body, 0, Eqn(unpack, (s,), elems, {"types": tuple(e.type for e in elems)}, primal=False))

    def replace_results(self, loop: Node, outs: list[int], result: Value) -> None:
        """One yield for those that become the outs at these positions."""
        loop.body.results[:] = [*(x for k, x in enumerate(loop.body.results) if k not in outs), result]
        loop.outs[:] = [*(y for k, y in enumerate(loop.outs) if k not in outs), Value(Seq(result.type))]

    def add(self, block: Block, at: int, eqn: Eqn) -> None:
        block.nodes.insert(at, Node(eqn, block, list(eqn.args), list(eqn.outs), eqn.attrs))


def _element(t: Type) -> Type:
    assert isinstance(t, Seq)
    return t.elem
