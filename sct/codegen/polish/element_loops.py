"""How elements are read.  Loops over those of arrays and lists, where the user wrote them so:

    for i in range(len(x)): value = x[i]; s += value   ->   for value in x: s += value

The index must be wanted for that alone, or the user's `for i, value in enumerate(x)` is
given back; the loop must not write into `x`.  Backwards it is `for value in reversed(x)`.
Records are taken apart where they are read:

    t = tape[i]; a, b = t                              ->   a, b = tape[i]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from sct.codegen.polish.buffers import Memory
from sct.codegen.program.statement_ir import At, Block, Let, Loop, Pop, Zip, blocks, operands, statements, targets
from sct.ir.core import Eqn, Lit, Operand, Value
from sct.ir.types import List, Tensor

__all__ = ["iterate", "taken_apart"]


def iterate(block: Block) -> Block:
    """The block with such loops, in place."""
    memory = Memory(block)
    made = {v: s.eqn for s in statements(block) if isinstance(s, Let) for v in s.eqn.outs}
    for s in statements(block):
        if isinstance(s, Loop) and s.index is not None and s.bounds[:1] == (Lit(0),) and s.bounds[2] == Lit(1):
            _iterate(s, s.index, memory, _lists(s.bounds[1], made))
    for s in statements(block):
        if isinstance(s, Let) and s.eqn.op.name == "dim" and len(s.eqn.args) > 1:
            s.eqn = s.eqn.with_(args=s.eqn.args[:1])
    return block


def taken_apart(block: Block) -> Block:
    """The block where records that a list holds are taken apart as they are read, in place."""
    uses = Counter(x for s in statements(block) for x in operands(s))
    apart = {s.eqn.args[0]: s for s in statements(block)
             if isinstance(s, Let) and s.eqn.op.name == "unpack" and len(s.eqn.outs) > 1 and uses[s.eqn.args[0]] == 1}
    gone: set[Let] = set()
    for s in statements(block):
        for read in (s,) if isinstance(s, (Pop, At)) else s.zipped if isinstance(s, Loop) else ():
            if len(read.values) == 1 and (found := apart.get(read.values[0])) is not None:
                read.values = found.eqn.outs
                gone.add(found)
    for each in (block, *(b for s in statements(block) for b in blocks(s))):
        each[:] = [s for s in each if s not in gone]
    return block


def _iterate(s: Loop, index: Value, memory: Memory, lists: Sequence[Sequence[Operand]]) -> None:
    reads = [t for t in s.body if isinstance(t, Let) and _is_element(t, s, [x for alike in lists for x in alike])]
    read = {t.eqn.args[0] for t in reads}
    if not reads or s.eqn is None or not all(read.intersection(alike) for alike in lists):
        return
    uses = Counter(x for t in statements(s.body) for x in operands(t))
    assigned = {v for t in statements(s.body) for v in targets(t)}
    written = memory.written(s)
    arrays = [t.eqn.args[0] for t in reads]
    alone = uses[index] == len(reads)
    if len(set(arrays)) < len(arrays) or not (alone or index.hint and not s.reverse) or written is None:
        return
    if any(x in assigned or not isinstance(x, Value) or
           not isinstance(x.type, List) and memory.buffer(x) in written for x in arrays):
        return  # a list that is read in each trip is not overwritten under its name
    s.zipped += [Zip(x, t.eqn.outs, x, s.reverse) for x, t in zip(arrays, reads) if isinstance(x, Value)]
    s.body[:] = [t for t in s.body if t not in reads]
    s.bounds = ()
    s.index = None if alone else index


def _lists(x: Operand, made: Mapping[Value, Eqn]) -> list[Sequence[Operand]]:
    """The lists of which `x` is the length, those of one length together; that of the shortest."""
    eqn = made.get(x) if isinstance(x, Value) else None
    if eqn is not None and eqn.op.name == "dim" and isinstance(eqn.args[0].type, List):
        return [eqn.args]
    parts = [_lists(a, made) for a in eqn.args] if eqn is not None and eqn.op.name == "pymin" else []
    return [xs for part in parts for xs in part] if all(parts) else []


def _is_element(t: Let, s: Loop, lists: Sequence[Operand]) -> bool:
    """Is this the element of an array as long as the loop, made by the line of the loop?"""
    eqn = t.eqn
    if eqn.op.name != "index" or eqn.attrs["key"] != ("i",) or eqn.args[1] is not s.index or eqn.out.hint is None:
        return False
    by_loop = eqn.loc is not None and s.eqn is not None and s.eqn.loc is not None \
        and (eqn.loc.file, eqn.loc.line) == (s.eqn.loc.file, s.eqn.loc.line)
    if isinstance(eqn.args[0].type, List):
        return by_loop and eqn.args[0] in lists
    return by_loop and s.bounds[1].dim is not None and s.bounds[1].dim == _length(eqn.args[0])


def _length(x: Operand) -> object:
    return x.type.shape[0] if isinstance(x.type, Tensor) else None
