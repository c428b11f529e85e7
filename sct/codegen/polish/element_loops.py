"""Loops over positions -> loops over elements, where the user wrote them so; records are unpacked where they are read;
the length of a tape tells how many iterations there were.

    for i in range(len(x)): value = x[i]; s += value   ->   for value in x: s += value
    t = tape[i]; a, b = t                              ->   a, b = tape[i]
    n += 1; tape.append(t)                             ->   tape.append(t), and `len(tape)` in place of n

The index must have no other use, or the user's `for i, value in enumerate(x)` is restored; the loop must not write
into `x`. A reversed loop is `for value in reversed(x)`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from sct.codegen.polish.buffers import Buffers
from sct.codegen.program.statement_ir import (
    Assign,
    Block,
    Evaluate,
    Increment,
    Loop,
    NewList,
    Pop,
    Push,
    Statement,
    Zip,
    all_blocks,
    statements,
)
from sct.ir.core import Eqn, Lit, Operand, Value
from sct.ir.types import List, Tensor
from sct.ops import OPS

__all__ = ["count_by_tapes", "loop_over_elements", "unpack_records"]


def loop_over_elements(block: Block) -> Block:
    """The block, changed in place."""
    _read_rows(block)
    evaluations = [s for s in statements(block) if isinstance(s, Evaluate)]
    definitions = {v: s.eqn for s in evaluations for v in s.eqn.outs}
    for s in statements(block):
        if isinstance(s, Loop) and s.index is not None and s.bounds[:1] == (Lit(0),) and s.bounds[2] == Lit(1):
            _loop_over_elements(s, s.index, block, _lists(s.bounds[1], definitions))
    for t in evaluations:
        if t.eqn.op.name == "dim" and len(t.eqn.args) > 1:
            t.eqn = t.eqn.replace(args=t.eqn.args[:1])
    return block


def _read_rows(block: Block) -> None:
    """row = rows[i]; ... rows[i][k] ...   ->   row = rows[i]; ... row[k] ...   where nothing writes into `rows`."""
    everything = statements(block)
    rows = [s for s in everything if isinstance(s, Evaluate) and _is_row(s.eqn)]
    if not rows:
        return
    buffers = Buffers(block)
    written = [buffers.written(s) for s in block]
    assigned = {v for s in everything for v in s.targets if not isinstance(s, Evaluate)}
    taken = {s for s in rows if None not in written and s.eqn.args[0] not in assigned
             and not any(buffers.buffer(s.eqn.out) in buffers_of for buffers_of in written if buffers_of)}
    for inner in all_blocks(block):
        for k, s in enumerate(inner):
            if s in taken and isinstance(s, Evaluate):
                for t in statements(inner[k + 1:]):
                    if isinstance(t, Evaluate) and _is_in_row(t.eqn, s.eqn):
                        _read_of_row(t, s.eqn)


def _is_row(eqn: Eqn) -> bool:
    """Does the equation read a list out of a list, by a name of the user's?"""
    return eqn.op.name == "index" and isinstance(eqn.out.type, List) and eqn.out.hint is not None \
        and set(eqn.attrs["key"]) == {"i"}


def _is_in_row(eqn: Eqn, row: Eqn) -> bool:
    n = len(row.args)
    return eqn.op.name == "index" and eqn.args[:n] == row.args and len(eqn.args) > n and set(eqn.attrs["key"]) == {"i"}


def _read_of_row(s: Evaluate, row: Eqn) -> None:
    """Let `s`, which reads a part of a row, read it of the row."""
    n = len(row.args)
    s.eqn = s.eqn.replace(args=(row.out, *s.eqn.args[n:]), attrs={**s.eqn.attrs, "key": s.eqn.attrs["key"][n - 1:]})
    s.like = s.eqn


def unpack_records(block: Block) -> Block:
    """The block, changed in place: a record that is read from a list and unpacked is unpacked at once."""
    unpackings = {
        s.eqn.args[0]: s for s in statements(block)
        if isinstance(s, Evaluate) and s.eqn.op.name == "unpack" and len(s.eqn.outs) > 1}
    if not unpackings:
        return block
    uses = Counter(x for s in statements(block) for x in s.operands)
    dropped: set[Evaluate] = set()
    for s in statements(block):
        for read in s.list_reads:
            if len(read.values) == 1 and uses[read.values[0]] == 1 \
                    and (unpacking := unpackings.get(read.values[0])) is not None:
                read.values = unpacking.eqn.outs
                dropped.add(unpacking)
    for inner in all_blocks(block):
        inner[:] = [s for s in inner if s not in dropped]
    return block


def count_by_tapes(block: Block) -> Block:
    """The block, changed in place: where each iteration appends to one tape, its length is read and nothing counted."""
    everything = statements(block)
    if any(isinstance(s, Increment) for s in everything):
        uses = _Uses(everything)
        for inner in all_blocks(block):
            for loop in [s for s in inner if isinstance(s, Loop)]:
                for increment in [s for s in loop.body if isinstance(s, Increment) and s.by == 1]:
                    _count_by_tape(loop, increment, inner, uses)
    return block


class _Uses:
    """The statements that read a value, those that assign it, and those that make it a list and append to that."""

    def __init__(self, everything: Iterable[Statement]) -> None:
        self.readers: dict[Operand, list[Statement]] = defaultdict(list)
        self.assigning: dict[Value, list[Statement]] = defaultdict(list)
        self.filling: dict[Value, list[Statement]] = defaultdict(list)
        for s in everything:
            for x in dict.fromkeys(s.reads):
                self.readers[x].append(s)
            for v in dict.fromkeys(s.targets):
                self.assigning[v].append(s)
            if isinstance(s, (NewList, Push)):
                self.filling[s.tape].append(s)


def _count_by_tape(loop: Loop, increment: Increment, block: Block, uses: _Uses) -> None:
    """Remove the counter of the iterations of `loop`, which stands in `block`, if a tape has one item of each."""
    count, inside = increment.count, statements(loop.body)
    readers = [s for s in uses.readers[count] if s is not increment]
    start = next((s for s in uses.assigning[count] if isinstance(s, Assign) and s in block), None)
    tape = next((s.tape for s in loop.body if isinstance(s, Push) and _has_item_each(loop, s, block, uses)), None)
    if start is None or tape is None or any(s in inside for s in readers) \
            or any(s not in (start, increment) for s in uses.assigning[count]):
        return
    loop.body.remove(increment)
    start.pairs = [(v, x) for v, x in start.pairs if v is not count]
    if not start.pairs:
        block.remove(start)
    place = block.index(loop) + 1
    if len(readers) == 1 and isinstance(backward := readers[0], Loop) and backward in block[place:] and not any(
            isinstance(s, Pop) and s.filled is tape for s in statements(block[place:block.index(backward)])):
        place, inlined = block.index(backward), Value(count.type)
        backward.bounds = tuple([inlined if x is count else x for x in backward.bounds])
        count = inlined
    length = Eqn(OPS["dim"], (tape,), (count,), {"axis": 0}, primal=False)
    block.insert(place, Evaluate(length, length))


def _has_item_each(loop: Loop, push: Push, block: Block, uses: _Uses) -> bool:
    """Has the tape, where the loop ends, one item of each iteration, even of one that is left early?"""
    others = [s for s in uses.filling[push.tape] if s is not push]
    if len(others) != 1 or not isinstance(others[0], NewList) or others[0] not in block:
        return False
    before = statements(loop.body[:loop.body.index(push)])
    return not any(jump in before for jump in loop.jumps)


def _loop_over_elements(s: Loop, index: Value, block: Block, groups: Sequence[Sequence[Operand]]) -> None:
    """Make `s`, a loop in `block`, a loop over the elements that it reads at `index`, where that is possible."""
    reads = [t for t in s.body if isinstance(t, Evaluate) and _is_element(t, s, [x for group in groups for x in group])]
    read_arrays = {t.eqn.args[0] for t in reads}
    if not reads or s.eqn is None or not all(read_arrays.intersection(group) for group in groups):
        return
    if s.reverse and len(groups) > 1:
        return  # `zip` pairs lists of different lengths from their starts: reversed, it would pair them from their ends
    buffers = Buffers(block)
    uses = Counter(x for t in statements(s.body) for x in t.operands)
    assigned = {v for t in statements(s.body) for v in t.targets}
    written = buffers.written(s)
    arrays = [t.eqn.args[0] for t in reads]
    only_for_elements = uses[index] == len(reads)
    if len(set(arrays)) < len(arrays) or not (only_for_elements or index.hint and not s.reverse) or written is None:
        return
    if any(x in assigned or not isinstance(x, Value) or
           not isinstance(x.type, List) and buffers.buffer(x) in written for x in arrays):
        return  # a list that each iteration reads is not assigned under its name
    s.zipped += [Zip(x, t.eqn.outs, x, s.reverse) for x, t in zip(arrays, reads) if isinstance(x, Value)]
    s.body[:] = [t for t in s.body if t not in reads]
    s.bounds = ()
    s.index = None if only_for_elements else index


def _lists(x: Operand, definitions: Mapping[Value, Eqn]) -> list[Sequence[Operand]]:
    """The groups of lists of equal length where `x` is the length of the shortest; none if it is something else."""
    eqn = definitions.get(x) if isinstance(x, Value) else None
    if eqn is not None and eqn.op.name == "dim" and isinstance(eqn.args[0].type, List):
        return [eqn.args]
    groups = [_lists(a, definitions) for a in eqn.args] if eqn is not None and eqn.op.name == "pymin" else []
    return [xs for group in groups for xs in group] if all(groups) else []


def _is_element(t: Evaluate, s: Loop, lists: Sequence[Operand]) -> bool:
    """Is this the current element of an array as long as the loop, read on the line of the loop's head?"""
    eqn = t.eqn
    if eqn.op.name != "index" or eqn.attrs["key"] != ("i",) or eqn.args[1] is not s.index \
            or eqn.out.hint is None and s.index.hint is not None:
        return False
    by_loop = eqn.loc is not None and s.eqn is not None and s.eqn.loc is not None \
        and (eqn.loc.file, eqn.loc.line) == (s.eqn.loc.file, s.eqn.loc.line)
    if isinstance(eqn.args[0].type, List):
        return (by_loop or isinstance(eqn.out.type, List)) and eqn.args[0] in lists
    return by_loop and s.bounds[1].dim is not None and s.bounds[1].dim == _length(eqn.args[0])


def _length(x: Operand) -> object:
    return x.type.shape[0] if isinstance(x.type, Tensor) else None
