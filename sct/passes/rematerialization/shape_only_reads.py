"""Operands that are read only for their shape: another array of that shape takes their place, so they need no tape.

    t = u[1:-1] of the forward loop; then dt = zeros_of(t); du[1:-1] += dt   ->   dt = zeros_of(du[1:-1])

In:  paired regions. Out: the same, with fewer reads out of scope. The substitute is the first of: the slice of a
cotangent that is updated near by; a param of the function of the same type; the substitute of an operand of the same
shape; the final value of the array that the loop carries. A size without a substitute is read in the forward pass: it
is a number, and may be kept. So is the length of a row that a table of lists loses:

    rows[i] = row; then drows[i] = zeros_of(rows[i])    ->   n = len(rows[i]); rows[i] = row; then drows[i] = [0.0] * n
"""

from __future__ import annotations

from collections.abc import Iterator

from sct.ir.core import Eqn, Operand, Value
from sct.ir.dims import Dim
from sct.ir.types import INT, List, Tensor
from sct.ops.arrays.creation import copy, zeros_of
from sct.ops.arrays.indexing import add_at, advanced, index, store
from sct.ops.arrays.shape import dim
from sct.ops.program.list_ops import remove_at, repeat, zero
from sct.ops.registry import ELEMENTWISE
from sct.passes.rematerialization.mutable_ir import Block, BlockNode, blocks, within
from sct.passes.rematerialization.paired_regions import PairedRegions

__all__ = ["replace_shape_operands"]

REACH = 30
"""How many equations the search for a substitute spans."""


def replace_shape_operands(regions: PairedRegions) -> None:
    """Replace the operands that are out of scope and read for their shape alone."""
    forward_only = _before_boundary(regions.top)
    rows: dict[BlockNode, None] = {}
    for block in blocks(regions.top):
        for node in list(block.nodes):
            for k in node.eqn.op.shapes:
                search = _Substitute(regions, node, forward_only)
                substitute = search.find(node.args[k], REACH)
                if substitute is None and node.eqn.op is dim and search.is_mirrored(node.args[k]):
                    _read_forward(regions, node)
                    continue
                node.args[k] = substitute or node.args[k]
                at = block.nodes.index(node)
                block.nodes[at:at] = search.views
            if node.eqn.op is zeros_of and isinstance(node.args[0].type, List):
                read = regions.node_of(node.args[0])
                update = None if read is None or read.eqn.op is not index else _update_of_item(regions, read)
                if read is not None and update is not None:
                    _read_lost_row(regions, node, read, update)
                    rows[read] = None
    still_read = {x for b in blocks(regions.top) for x in regions.reads(b)} if rows else set()
    for read in rows:
        if read.outs[0] not in still_read:
            read.home.nodes.remove(read)


def _read_lost_row(regions: PairedRegions, node: BlockNode, read: BlockNode, update: BlockNode) -> None:
    """Let `node`, which makes zeros of the row that `read` reads, read it before its table loses it by `update`.

    Of a row of numbers, only the length is read. The table needs no tape then."""
    row = Value(node.args[0].type)
    eqns = [Eqn(index, (update.args[0], *_item(update)), (row,), read.attrs, primal=False)]
    kept = row
    item = row.type.elem if isinstance(row.type, List) else row.type
    if isinstance(item, Tensor) and item.is_scalar:
        kept = Value(INT)
        eqns.append(Eqn(dim, (row,), (kept,), {"axis": 0}, primal=False))
        node.eqn = Eqn(repeat, (zero(Value(item)), kept), node.eqn.outs, primal=False)
        node.args, node.attrs = list(node.eqn.args), node.eqn.attrs
    else:
        node.args[0] = row
    at = update.home.nodes.index(update)
    for eqn in reversed(eqns):
        update.home.nodes.insert(at, BlockNode(eqn, update.home, list(eqn.args), list(eqn.outs), eqn.attrs))
        regions.register(update.home.nodes[at])


def _update_of_item(regions: PairedRegions, read: BlockNode) -> BlockNode | None:
    """The update of the forward pass by which the table loses the item that `read` reads in a mirroring block."""
    table, *at = read.args
    if regions.in_scope(table, read.home):
        return None
    for forward in regions.mirrors.get(read.home, ()):
        for node in forward.nodes:
            if node.eqn.op in (store, remove_at) and node.args[0] is table \
                    and node.attrs.get("key", ("i",)) == read.attrs["key"] \
                    and all(map(regions.are_equal, at, _item(node))):
                return node
    return None


def _item(update: BlockNode) -> list[Operand]:
    """The position of the item that is replaced or removed."""
    return update.args[2 if update.eqn.op is store else 1:]


def _read_forward(regions: PairedRegions, node: BlockNode) -> None:
    """Move a node of the backward pass behind the node of the forward pass whose out it reads."""
    producer = regions.node_of(node.args[0])
    assert producer is not None
    node.home.nodes.remove(node)
    node.home = producer.home
    node.home.nodes.insert(node.home.nodes.index(producer) + 1, node)
    regions.register(node)


def _before_boundary(top: Block) -> set[Value]:
    """The values that the backward part of a function can only receive in a record."""
    at = next((k for k, node in enumerate(top.nodes) if node.name == "boundary"), 0)
    return {out for node in top.nodes[:at] for out in node.outs} | set(top.params if at else ())


class _Substitute:
    """The search for an array that replaces another as a shape operand of `node`; `views` are nodes that it needs."""

    def __init__(self, regions: PairedRegions, node: BlockNode, forward_only: set[Value]) -> None:
        self.regions, self.node, self.block, self.forward_only = regions, node, node.home, forward_only
        self.views: list[BlockNode] = []

    def find(self, x: Operand, reach: int) -> Operand | None:
        """An array that is available at `node` and has the type of `x`."""
        if not isinstance(x, Value) or not isinstance(x.type, Tensor) or not x.type.is_array or not reach:
            return None
        if self.is_available(x):
            return x
        for update in self.updates():
            whole, *key = self.available_version(update.args[0]), *update.args[2:]
            if whole is not None and all(map(self.is_available, key)) \
                    and index.type(whole, *key, **update.attrs) == x.type:
                return self.view(x, Eqn(index, (whole, *key), (), update.attrs))
        for p in self.regions.top.params:
            if p.type == x.type and p not in self.forward_only and _is_fixed(x.type):
                return p
        for like in self.operands_of_same_shape(x):
            if like.type == x.type and (substitute := self.find(like, reach - 1)) is not None:
                return substitute
        node = self.regions.node_of(x)
        if node is None or not (node.name == "transpose" or node.eqn.op is index and not advanced(node.attrs["key"])):
            return None
        base = self.find(node.args[0], reach - 1)
        return None if base is None else self.view(x, node.eqn.replace(args=(base, *node.args[1:])))

    def is_mirrored(self, x: Operand) -> bool:
        """Does a node of a block that one around `node` mirrors bind `x`, out of scope?"""
        return isinstance(x, Value) and self.regions.node_of(x) is not None \
            and not self.regions.in_scope(x, self.block) \
            and self.regions.mirror_of(self.block, self.regions.home[x]) is not None

    def is_available(self, x: Operand) -> bool:
        """Is `x` bound before `node`, and in the same part of the function?"""
        if not isinstance(x, Value):
            return True
        producer = self.regions.node_of(x)
        return self.regions.in_scope(x, self.block) and x not in self.forward_only \
            and (producer is None or self.precedes(producer))

    def precedes(self, other: BlockNode) -> bool:
        """Does `other`, in a block around `node`, run before `node`?"""
        enclosing = self.node
        while enclosing.home is not other.home:
            assert enclosing.home.owner is not None
            enclosing = enclosing.home.owner
        return other.home.nodes.index(other) < other.home.nodes.index(enclosing)

    def updates(self) -> Iterator[BlockNode]:
        """The updates of slices of cotangents that are near `node`."""
        at = self.block.nodes.index(self.node)
        return (n for n in self.block.nodes[max(0, at - REACH):at + REACH] if n.eqn.op in (add_at, store)
                and not n.eqn.primal and not advanced(n.attrs["key"]))

    def available_version(self, x: Operand) -> Operand | None:
        """The last version of the array `x` that is available; what a forward loop carries has none."""
        while not self.is_available(x):
            producer = self.regions.node_of(x)
            if producer is None or producer.eqn.op not in (add_at, store) or producer.home is not self.block:
                return None
            x = producer.args[0]
        return x

    def operands_of_same_shape(self, x: Value) -> list[Operand]:
        """Arrays that have the shape of `x` if they have its type."""
        node = self.regions.node_of(x)
        if node is None:
            loop = self.regions.home[x].owner
            if loop is None or loop.name != "loop" or x not in loop.params or within(self.block, loop.body):
                return []
            k = loop.params.index(x)
            assert isinstance(x.type, Tensor)
            return [loop.outs[k], loop.inits[k]] if _is_fixed(x.type) else []
        op = node.eqn.op
        if op.updates or op.shapes == (0,) or op is copy:
            return node.args[:1]
        return node.args if op in ELEMENTWISE else []

    def view(self, x: Value, eqn: Eqn) -> Value:
        """The out of a new node `eqn`, an array of the type of `x`."""
        out = Value(x.type)
        node = BlockNode(eqn.replace(outs=(out,), primal=False), self.block, list(eqn.args), [out], eqn.attrs)
        self.views.append(node)
        self.regions.register(node)
        return out


def _is_fixed(t: Tensor) -> bool:
    """Do all sizes of `t` come from the arguments, so that equal terms mean equal sizes everywhere?"""
    return all(_is_argument(d) for d in t.shape)


def _is_argument(d: Dim) -> bool:
    return not any(name.startswith("_") for name in d.symbols) and "join(" not in str(d)
