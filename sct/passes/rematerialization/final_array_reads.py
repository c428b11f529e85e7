"""Reads of elements that the backward pass can repeat from the final array of a loop, or from an argument.

    for i in range(1, n): t = x[i - 1]; x[i] = t * a[i]   ->   t is read from the final x: x[i - 1] is never overwritten
    y = x.copy(); for i in range(n): y[i] += y[i + 1]     ->   y[i + 1] is read from x: it is not yet overwritten

In:  a value, and a block that runs after the loop. Out: the read of the final array, or of the argument that the loop
began with, that gives the value, if it is proved to exist. An array that a loop carries is a chain of versions; each
write makes a version from the one before. A read of a version equals the read of the last version if no later write of
the chain can touch the element, and that of the first if no earlier write can. That is proved axis by axis from the
ranges of the loops; negative indices are accounted for (`x[i - 1]` at `i = 0`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from sct.ir.affine import LinearTerm, Range, least_value, range_over, term_of
from sct.ir.array_accesses import ArrayAccess, LoopAround, access, common_loops, never_meet
from sct.ir.core import Lit, Operand, Value
from sct.ir.types import INT, Tensor, Type
from sct.ops.arrays.indexing import index
from sct.passes.rematerialization.mutable_ir import Block, BlockNode, ancestors, within
from sct.passes.rematerialization.paired_regions import PairedRegions
from sct.passes.scalar.position_lists import is_position_list

__all__ = ["FinalArrayReads", "FinalRead"]

WRITES = ("store", "add_at")

POSITIONS = ("argmax", "argmin")
"""Ops whose results are not negative."""


@dataclass(frozen=True)
class FinalRead:
    """array[key]"""

    array: Value
    key: tuple[str, ...]
    operands: tuple[Operand, ...]


@dataclass
class _VersionChain:
    """The versions of the array that `loop` carries at position `carry`.

    versions  numbered in the order in which the body computes them
    writes    for a write: the number of the version that it makes
    """

    loop: BlockNode
    carry: int
    versions: dict[Value, int] = field(default_factory=dict)
    writes: dict[BlockNode, int] = field(default_factory=dict)


class _ChainBroken(Exception):
    """The versions do not form a single chain."""


class FinalArrayReads:
    """Finds and caches the reads of final arrays in one function."""

    def __init__(self, regions: PairedRegions) -> None:
        self.regions = regions
        self._chains: dict[tuple[BlockNode, int], _VersionChain | None] = {}
        self._stores: dict[Value, list[BlockNode]] | None = None
        self._cache: dict[tuple[Value, Block], FinalRead | None] = {}

    def find(self, value: Value, reader: Block) -> FinalRead | None:
        """The read that gives `value` in the block `reader`, which runs after the loop that carries the array."""
        if (value, reader) not in self._cache:
            self._cache[value, reader] = self._search(value, reader)
        return self._cache[value, reader]

    def _search(self, value: Value, reader: Block) -> FinalRead | None:
        node = self.regions.node_of(value)
        if node is not None and node.name == "index":
            read = _Read(node.home, node.attrs["key"], tuple(node.args[1:]))
            for of_first in (False, True):
                if (final := self._read_of_version(node.args[0], read, reader, of_first)) is not None:
                    return final
        for store in self.stores_of(value):
            read = _Read(store.home, store.attrs["key"], tuple(store.args[2:]))
            final = self._read_of_version(store.outs[0], read, reader) if _part_type(store) == value.type else None
            if final is not None:
                return final
        return None

    def _read_of_version(self, array: Operand, read: _Read, reader: Block, of_first: bool = False
                         ) -> FinalRead | None:
        chain = self.chain(array, reader)
        if chain is None or not isinstance(array, Value) or array not in chain.versions:
            return None
        outer = self._loops_around(self.regions.home[array], chain.loop)
        between = self._loops_around(read.block, chain.loop)[len(outer):]
        if any(within(w.home, loop.body) for loop in between for w in chain.writes):
            return None
        source = self._argument_at_start(chain) if of_first else chain.loop.outs[chain.carry]
        if source is None:
            return None
        survives = all(
            self._never_overwrites(chain, read, write, (number > chain.versions[array]) != of_first, of_first)
            for write, number in chain.writes.items())
        return FinalRead(source, read.key, read.operands) if survives else None

    def _argument_at_start(self, chain: _VersionChain) -> Value | None:
        """The argument of the function that the array of the chain is at first, or is a copy of."""
        array = chain.loop.inits[chain.carry]
        node = self.regions.node_of(array)
        if node is not None and node.name == "copy" and node.args[0].type == array.type:
            array = node.args[0]
        return array if isinstance(array, Value) and array in self.regions.top.params else None

    def stores_of(self, value: Value) -> Sequence[BlockNode]:
        """The writes of `value` into an array, in the block that binds `value`."""
        if self._stores is None:
            self._stores = {}
            for node, _ in self.regions.producer.values():
                if node.name == "store" and isinstance(node.args[1], Value):
                    self._stores.setdefault(node.args[1], []).append(node)
        return [s for s in self._stores.get(value, ()) if s.home is self.regions.home[value]]

    def stored(self, value: Value) -> Operand | None:
        """The value that was written, before in the same block, into the part of an array that `value` reads."""
        node = self.regions.node_of(value)
        if node is None or node.name != "index" or not isinstance(node.args[0].type, Tensor):
            return None
        top = next((loop for b in reversed([*ancestors(node.home)]) if (loop := b.owner) and loop.name == "loop"), None)
        write = self.regions.node_of(node.args[0])
        while write is not None and write.name in WRITES and write.home is node.home and top is not None:
            same = write.attrs["key"] == node.attrs["key"] and write.args[2:] == node.args[1:]
            if write.name == "store" and same:
                return write.args[1] if write.args[1].type == value.type == _part_type(write) else None
            a, b = (self._access(n.home, n.attrs["key"], n.args[k:], top) for n, k in ((node, 1), (write, 2)))
            if not never_meet(a, b, common_loops(a, b)):
                return None
            write = self.regions.node_of(write.args[0])
        return None

    # -- version chains ------------------------------------------------------------------------

    def chain(self, array: Operand, reader: Block) -> _VersionChain | None:
        """The chain of the outermost loop that carries `array` and has ended before `reader` runs."""
        outermost = None
        while (carry := self.carry_of(array)) is not None and not within(reader, carry[0].body):
            if carry not in self._chains:
                self._chains[carry] = self._chain_of(*carry)
            chain = self._chains[carry]
            if chain is None:
                break
            outermost = chain
            array = carry[0].inits[carry[1]]
        return outermost

    def carry_of(self, array: Operand) -> tuple[BlockNode, int] | None:
        """(loop, position of the carry) such that `array` is a version of that carry."""
        while isinstance(array, Value):
            node, k = self.regions.producer.get(array, (None, 0))
            if node is None:
                loop = self.regions.home[array].owner
                if loop is None or loop.name != "loop" or array not in loop.params:
                    return None
                return loop, loop.params.index(array)
            if node.name in WRITES:
                array = node.args[0]
            elif node.name == "loop" and k < node.carries:
                array = node.inits[k]
            elif node.name == "cond":
                array = next((r for branch in node.blocks if isinstance(r := branch.results[k], Value)), Lit(None))
            else:
                return None
        return None

    def _chain_of(self, loop: BlockNode, k: int) -> _VersionChain | None:
        chain = _VersionChain(loop, k)
        try:
            self._follow_loop(chain, loop, k)
        except _ChainBroken:
            return None
        return chain

    def _follow_loop(self, chain: _VersionChain, loop: BlockNode, k: int) -> None:
        end = self._follow_block(chain, loop.body, loop.params[k])
        if loop.body.results[1 + k] is not end:
            raise _ChainBroken

    def _follow_block(self, chain: _VersionChain, block: Block, version: Value) -> Value:
        """Follow the chain from `version` through the block; the version at its end."""
        chain.versions.setdefault(version, len(chain.versions))
        for node in block.nodes:
            in_chain = [a for a in node.args if isinstance(a, Value) and a in chain.versions]
            if node.name in WRITES and node.args[0] in in_chain:
                version = self._add_version(chain, version, node.args[0], node.outs[0])
                chain.writes[node] = chain.versions[version]
            elif node.name == "loop" and any(a in node.inits for a in in_chain):
                version = self._follow_inner_loop(chain, version, node)
            elif node.name == "cond":
                version = self._follow_conditional(chain, version, node)
            elif node.name == "closure":
                raise _ChainBroken
        return version

    def _add_version(self, chain: _VersionChain, version: Value, read: Operand, new: Value) -> Value:
        if read is not version:
            raise _ChainBroken
        chain.versions[new] = len(chain.versions)
        return new

    def _follow_inner_loop(self, chain: _VersionChain, version: Value, node: BlockNode) -> Value:
        carried = [k for k, init in enumerate(node.inits) if isinstance(init, Value) and init in chain.versions]
        if len(carried) != 1 or node.inits[carried[0]] is not version:
            raise _ChainBroken
        self._follow_loop(chain, node, carried[0])
        return self._add_version(chain, version, version, node.outs[carried[0]])

    def _follow_conditional(self, chain: _VersionChain, version: Value, node: BlockNode) -> Value:
        ends = [self._follow_block(chain, branch, version) for branch in node.blocks]
        outs = [k for k in range(len(node.outs)) if any(branch.results[k] in chain.versions for branch in node.blocks)]
        if not outs:
            if any(end is not version for end in ends):
                raise _ChainBroken
            return version
        if len(outs) > 1 or any(branch.results[outs[0]] is not end for branch, end in zip(node.blocks, ends)):
            raise _ChainBroken
        return self._add_version(chain, version, version, node.outs[outs[0]])

    # -- what later writes can touch ----------------------------------------------------------

    def _never_overwrites(self, chain: _VersionChain, read: _Read, write: BlockNode, within_iteration: bool,
                          earlier: bool) -> bool:
        """Can no later (or no earlier) execution of `write` touch what `read` reads?

        within_iteration  it also follows (or precedes) the read within an iteration
        """
        a = self._access(read.block, read.key, read.operands, chain.loop)
        b = self._access(write.home, write.attrs["key"], write.args[2:], chain.loop)
        common = common_loops(a, b)
        levels = range(common + 1 if within_iteration else common)
        return all(never_meet(a, b, level, -1 if earlier else 1) for level in levels)

    def _loops_around(self, block: Block, top: BlockNode) -> list[BlockNode]:
        """The loops around `block`, from `top` inwards."""
        loops = [b.owner for b in ancestors(block) if b.owner is not None and b.owner.name == "loop"]
        return loops[:loops.index(top) + 1][::-1] if top in loops else []

    def _access(self, block: Block, key: Sequence[str], operands: Sequence[Operand], top: BlockNode) -> ArrayAccess:
        loops = [LoopAround(loop, loop.index, self._range(loop, top)) for loop in self._loops_around(block, top)]
        ranges = [loop.range for loop in reversed(loops) if loop.range is not None]
        return access(key, operands, loops, lambda x: self._term(x, block, top),
                      lambda x: self._least(x, block, top, ranges))

    def _range(self, loop: BlockNode, top: BlockNode) -> Range | None:
        if loop.index is None:
            return None
        return range_over(loop.index, loop.bounds, loop.attrs["reverse"], lambda x: self._term(x, loop.home, top))

    def _definition(self, x: Value) -> tuple[str, Sequence[Operand]] | None:
        node = self.regions.node_of(x)
        return None if node is None else (node.name, node.args)

    def _term(self, x: Operand, block: Block, top: BlockNode) -> LinearTerm | None:
        """`x` as a term of indices and of values that are invariant in the loops from `top` inwards."""
        t = term_of(x, self._definition)
        loops = self._loops_around(block, top)
        indices = {loop.index for loop in loops}
        if t is None or any(v not in indices and within(self.regions.home[v], top.body) for v in t.coefs):
            return None
        return t


    def _least(self, x: Operand, block: Block, top: BlockNode, ranges: Sequence[Range]) -> LinearTerm | None:
        """A term that is at most `x`, or at most each int of the array `x`: k for `k + np.argmax(...)` and `[p, k]`."""
        node = self.regions.node_of(x)
        if node is not None and is_position_list(node.eqn):
            terms = [self._least(part, block, top, ranges) for part in node.args]
            return next((t for t in terms if t is not None and all(
                other is not None and least_value(other - t, ranges) >= 0 for other in terms)), None)
        if node is not None and node.name in POSITIONS:
            return LinearTerm(0)
        if node is not None and node.name == "add" and x.type != INT:
            terms = [self._least(part, block, top, ranges) for part in node.args]
            return terms[0] + terms[1] if terms[0] is not None and terms[1] is not None else None
        return self._term(x, block, top)


@dataclass(frozen=True)
class _Read:
    block: Block
    key: tuple[str, ...]
    operands: tuple[Operand, ...]


def _part_type(store: BlockNode) -> Type | None:
    """The type of a read by the subscript of the write; None if the write has arrays of positions."""
    key = store.attrs["key"]
    if not isinstance(store.args[0].type, Tensor) or not all(k == "i" or k[0] == "s" for k in key):
        return None
    return cast(Type, index.type(store.args[0], *store.args[2:], key=key))
