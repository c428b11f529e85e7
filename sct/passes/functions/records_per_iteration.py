"""Packs the residuals of an iteration into one record.

    tapes of a, of b  ->  a tape of records (a, b)

In:  a function in two parts, with tapes that a loop of the forward part fills and a loop of the backward part reads.
Out: the same function, where an iteration of the forward loop packs its residuals and the iteration of the backward
loop that mirrors it unpacks them. Only tapes that take the same path through other loops share records.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from sct.ir.core import Eqn, Fn, Operand, Value, boundary_index, regions, walk
from sct.ir.loop_view import loop_view
from sct.ir.types import Residuals, Seq, Type
from sct.ir.uses import DefUse
from sct.ops.program.call_ops import pack, unpack

__all__ = ["pack_residuals_per_iteration"]

T = TypeVar("T", Value, Operand)


class Crossing(Enum):
    """How a sequence passes the boundary of a loop."""

    YIELDED = "the body yields it, and the loop returns the sequence of these"
    READ = "the loop reads it, and the body receives its element"


@dataclass(frozen=True)
class SequencePath:
    """The path of a sequence from the loop that yields it to the loop that reads its elements.

    crossings  the loops whose boundaries it passes, and how
    values     its name before each crossing, and at last the element
    """

    crossings: tuple[tuple[Crossing, Eqn], ...]
    values: tuple[Value, ...]


def pack_residuals_per_iteration(fn: Fn) -> Fn:
    """`fn`, if it has two parts, with one tape for all that an iteration of a loop passes to the backward part."""
    at = boundary_index(fn)
    return fn if at is None else _PackResiduals(fn, at).run()


class _PackResiduals:
    """
    forward  the equations of the forward part
    packed   the sequences, and the elements, that are part of a record
    dropped  for a loop: the sequences and elements that are part of a record of its operands, params or outs
    yields   for a loop: the records that its body yields, with the sequences of these
    reads    for a loop: the sequences of records that it reads, with the elements of these
    first    for a region: the equations at its start
    last     for a region: the equations at its end
    """

    def __init__(self, fn: Fn, boundary: int) -> None:
        self.fn, self.def_use = fn, DefUse(fn)
        self.forward = set(walk(fn.replace(eqns=fn.eqns[:boundary])))
        self.packed: set[Operand] = set()
        self.dropped: dict[Eqn, set[Operand]] = defaultdict(set)
        self.yields: dict[Eqn, list[tuple[Value, Value]]] = defaultdict(list)
        self.reads: dict[Eqn, list[tuple[Value, Value]]] = defaultdict(list)
        self.first: dict[Fn, list[Eqn]] = defaultdict(list)
        self.last: dict[Fn, list[Eqn]] = defaultdict(list)

    def run(self) -> Fn:
        loops = [eqn for region in regions(self.fn) for eqn in region.eqns if eqn.op.name == "loop"]
        groups = [(loop, paths) for loop in reversed(loops) for paths in self.groups(loop)]
        for k, (loop, paths) in enumerate(groups):
            self.pack(loop, paths, Residuals(f"{self.fn.name}_iteration{k}"))
        return self.rebuilt(self.fn) if groups else self.fn

    def groups(self, loop: Eqn) -> Iterator[list[SequencePath]]:
        """The sequences of this loop that take the same path into the backward part, if they are two or more."""
        by_crossings: dict[object, list[SequencePath]] = defaultdict(list)
        for y in loop_view(loop).ys if loop in self.forward else ():
            path = self.path(y) if y not in self.packed else None
            if path is not None and path.crossings[-1][1] not in self.forward:
                by_crossings[path.crossings].append(path)
        for paths in by_crossings.values():
            if len(paths) > 1:
                self.packed.update(v for path in paths for v in path.values)
                yield paths

    def path(self, s: Value) -> SequencePath | None:
        """The path of the sequence `s`, if every sequence on it has a single reader."""
        crossings: list[tuple[Crossing, Eqn]] = []
        values, depth = [s], 0
        while len(self.def_use.uses(s)) == 1:
            user, k = self.def_use.uses(s)[0]
            eqn = user if isinstance(user, Eqn) else self.def_use.owner.get(user)
            if eqn is None or eqn.op.name != "loop":
                return None
            loop = loop_view(eqn)
            if user is eqn and k >= len(eqn.args) - len(loop.xs):
                s, depth = loop.elems[k - len(eqn.args)], depth - 1
                crossings.append((Crossing.READ, eqn))
            elif user is loop.body and k > len(loop.params):
                s, depth = eqn.outs[k], depth + 1
                crossings.append((Crossing.YIELDED, eqn))
            else:
                return None
            values.append(s)
            if depth < 0:
                return SequencePath(tuple(crossings), tuple(values))
        return None

    def pack(self, eqn: Eqn, paths: list[SequencePath], record: Residuals) -> None:
        """Replace the sequences of `paths`, which the loop yields, by one sequence of records."""
        loop = loop_view(eqn)
        bound: list[Operand] = [*loop.body.params, *(out for inner in loop.body.eqns for out in inner.outs)]
        field = {path: loop.yields[loop.ys.index(path.values[0])] for path in paths}
        paths.sort(key=lambda path: bound.index(field[path]) if field[path] in bound else -1)
        value, s = Value(record), Value(Seq(record))
        self.last[loop.body].append(
            Eqn(pack, tuple(field[path] for path in paths), (value,), {"of": record.of}, primal=False))
        self.yields[eqn].append((value, s))
        self.dropped[eqn].update(path.values[0] for path in paths)
        for n, (crossing, other) in enumerate(paths[0].crossings):
            before = s
            self.dropped[other].update(path.values[n + 1] for path in paths)
            if crossing is Crossing.READ:
                self.dropped[other].update(path.values[n] for path in paths)
            s = Value(Seq(s.type) if crossing is Crossing.YIELDED else _element(s.type))
            (self.yields if crossing is Crossing.YIELDED else self.reads)[other].append((before, s))
        elems = tuple(path.values[-1] for path in paths)
        self.first[loop_view(other).body].insert(
            0, Eqn(unpack, (s,), elems, {"types": tuple(e.type for e in elems)}, primal=False))

    def rebuilt(self, fn: Fn) -> Fn:
        return fn.replace(eqns=(*self.first[fn], *map(self.rebuilt_eqn, fn.eqns), *self.last[fn]))

    def rebuilt_eqn(self, eqn: Eqn) -> Eqn:
        inner = [self.rebuilt(region) for region in eqn.regions]
        if eqn in self.yields or eqn in self.reads:
            yields, reads, body, dropped = self.yields[eqn], self.reads[eqn], inner[-1], self.dropped[eqn]
            results = [x for k, x in enumerate(body.results)
                       if k <= eqn.attrs["carries"] or eqn.outs[k] not in dropped]
            inner[-1] = body.replace(params=(*_without(body.params, dropped), *(elem for _, elem in reads)),
                                     results=(*results, *(record for record, _ in yields)))
            eqn = eqn.replace(args=(*_without(eqn.args, dropped), *(s for s, _ in reads)),
                              outs=(*_without(eqn.outs, dropped), *(s for _, s in yields)))
        return eqn.replace(regions=tuple(inner))


def _without(operands: Iterable[T], dropped: set[Operand]) -> Iterator[T]:
    return (x for x in operands if x not in dropped)


def _element(t: Type) -> Type:
    assert isinstance(t, Seq)
    return t.elem
