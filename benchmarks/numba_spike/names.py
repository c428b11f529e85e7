"""Which values are one variable, and which tape is behind a sequence.

Comes in: a function after `storage`.  `Names` says what a value is called: an out that
takes over a buffer, the carry of a loop that only updates its buffer in place, what an
arm leaves as it was are all the name of the first value.  `Tapes` says of every
sequence which loop pushes its elements, and where that tape begins and is popped.
"""

import keyword
from collections.abc import Iterator
from dataclasses import dataclass, field

from sct.ir.core import UNDEF, Eqn, Fn, Lit, Operand, Value
from sct.ir.types import Optional, Seq, Tensor, Type, Undef
from sct.passes.loops import parts


class Unsupported(Exception):
    """The spike does not print this."""


def bare(t: Type) -> Type:
    """Without `Undef` and `Optional`."""
    while isinstance(t, (Undef, Optional)):
        t = t.elem
    return t


def is_undef(x: Operand) -> bool:
    return isinstance(x, Lit) and x.value is UNDEF


class Names:
    """Values as variables."""

    def __init__(self, fn: Fn) -> None:
        self._same: dict[Value, Operand] = {}
        self._names: dict[Value, str] = {}
        self._taken: set[str] = {"np", "math", "grow", *keyword.kwlist}
        self._visit(fn)

    def find(self, x: Operand) -> Operand:
        """The first value of the variable of `x`."""
        while isinstance(x, Value) and x in self._same:
            x = self._same[x]
        return x

    def fresh(self, hint: str) -> str:
        """A name that is not used yet."""
        name, k = hint, 0
        while name in self._taken:
            k += 1
            name = f"{hint}_{k}"
        self._taken.add(name)
        return name

    def of(self, v: Value) -> str:
        """The variable of a value."""
        if v not in self._names:
            self._names[v] = self.fresh(v.hint or "t")
        return self._names[v]

    def _visit(self, fn: Fn) -> None:
        for eqn in fn.eqns:
            for region in eqn.regions:
                self._visit(region)
            if eqn.op.name == "loop":
                self._loop(eqn)
            elif eqn.op.name == "cond":
                self._cond(eqn)
            elif eqn.inplace is not None:
                self._same[eqn.out] = eqn.args[eqn.inplace]
            elif eqn.op.name == "unwrap":
                self._same[eqn.out] = eqn.args[0]

    def _loop(self, eqn: Eqn) -> None:
        loop = parts(eqn)
        for init, param, result, final in zip(loop.inits, loop.params, loop.results, loop.finals, strict=True):
            self._same[final] = param
            if self.find(result) is param:
                self._same[param] = init
        for test in eqn.regions[:-1]:
            self._same.update(zip(test.params, loop.params, strict=True))

    def _cond(self, eqn: Eqn) -> None:
        for out, *results in zip(eqn.outs, *(arm.results for arm in eqn.regions), strict=True):
            first, second = map(self.find, results)
            if first is second:
                self._same[out] = first


@dataclass(frozen=True)
class Stack:
    """The tapes of one loop body that begin before one loop: they share a fill pointer.

    loop    whose body pushes
    begin   the loop before which the tapes are empty
    """

    loop: Eqn
    begin: Eqn
    values: tuple[int, ...]


@dataclass
class Reading:
    """How a loop reads the tapes of one stack: by one pointer, set before the loop `begin`."""

    stack: Stack
    begin: Eqn
    backward: bool
    elems: list[tuple[Value, int]] = field(default_factory=list)


class Tapes:
    """Sequences as flat tapes.

    made     the equation that makes a value, and which of its outs it is
    begins   the stacks that are emptied before a loop
    pushes   the stacks that the body of a loop pushes to
    reads    how a loop reads its scalar elements
    starts   the readings whose pointers are set before a loop
    """

    def __init__(self, fn: Fn) -> None:
        self.made: dict[Value, tuple[Eqn, int]] = {}
        self._around: dict[Eqn, Eqn | None] = {}
        self._elem: dict[Value, tuple[Eqn, int]] = {}
        self._enter(fn, None)
        self.begins: dict[Eqn, list[Stack]] = {}
        self.pushes: dict[Eqn, list[Stack]] = {}
        self.reads: dict[Eqn, list[Reading]] = {}
        self.starts: dict[Eqn, list[Reading]] = {}
        self._write()
        self._read()

    def path(self, stack: Stack) -> list[Eqn]:
        """The loops from the one before which the tapes are empty to the one that pushes."""
        path = self._path(stack.loop)
        return [e for e in reversed(path[: path.index(stack.begin) + 1]) if e.op.name == "loop"]

    def _enter(self, fn: Fn, around: Eqn | None) -> None:
        for eqn in fn.eqns:
            self._around[eqn] = around
            self.made.update((out, (eqn, k)) for k, out in enumerate(eqn.outs))
            if eqn.op.name == "loop":
                self._elem.update((e, (eqn, k)) for k, e in enumerate(parts(eqn).elems))
            for region in eqn.regions:
                self._enter(region, eqn)

    def _loops(self) -> Iterator[Eqn]:
        return (eqn for eqn in self._around if eqn.op.name == "loop")

    def leaf(self, seq: Operand) -> tuple[Eqn, int]:
        """The loop that pushes the numbers in `seq`, and which of its ys they are."""
        if seq in self._elem:
            loop, k = self._elem[seq]
            return self.leaf(parts(loop).xs[k])
        if seq not in self.made:
            raise Unsupported(f"a sequence that no loop makes: {seq}")
        eqn, k = self.made[seq]
        if eqn.op.name == "unwrap":
            return self.leaf(eqn.args[0])
        if eqn.op.name == "cond":
            given = {self.leaf(arm.results[k]) for arm in eqn.regions if not is_undef(arm.results[k])}
            if len(given) != 1:
                raise Unsupported("a sequence that either arm makes")
            return given.pop()
        if eqn.op.name != "loop":
            raise Unsupported(f"a sequence made by {eqn.op}")
        loop = parts(eqn)
        j = k - len(loop.finals) - 1
        return self.leaf(loop.yields[j]) if isinstance(bare(loop.yields[j].type), Seq) else (eqn, j)

    def _write(self) -> None:
        outermost: dict[tuple[Eqn, int], Eqn] = {}
        for eqn in self._loops():
            for y in parts(eqn).ys:
                leaf = self.leaf(y)
                if eqn not in self._path(leaf[0]):
                    raise Unsupported("a sequence of sequences that are not made in the loop")
                outermost.setdefault(leaf, eqn)
        groups: dict[tuple[Eqn, Eqn], list[int]] = {}
        for (eqn, j), begin in outermost.items():
            if not isinstance(t := bare(parts(eqn).yields[j].type), Tensor) or t.is_array:
                raise Unsupported(f"a tape of {t}")
            groups.setdefault((eqn, begin), []).append(j)
        for (eqn, begin), values in groups.items():
            stack = Stack(eqn, begin, tuple(sorted(values)))
            self.pushes.setdefault(eqn, []).append(stack)
            self.begins.setdefault(begin, []).append(stack)

    def _path(self, eqn: Eqn) -> list[Eqn]:
        """`eqn` and the equations around it."""
        path, at = [], eqn
        while at is not None:
            path.append(at)
            at = self._around[at]  # type: ignore[assignment]
        return path

    def _read(self) -> None:
        for eqn in self._loops():
            found: dict[tuple[Stack, Eqn, bool], Reading] = {}
            loop = parts(eqn)
            for seq, elem in zip(loop.xs, loop.elems, strict=True):
                if isinstance(bare(elem.type), Seq):
                    continue
                pusher, j = self.leaf(seq)
                stack = next(s for s in self.pushes[pusher] if j in s.values)
                begin, backward = self._chain(eqn, seq, stack)
                reading = found.setdefault((stack, begin, backward), Reading(stack, begin, backward))
                reading.elems.append((elem, j))
            self.reads[eqn] = list(found.values())
            for reading in found.values():
                self.starts.setdefault(reading.begin, []).append(reading)

    def _chain(self, eqn: Eqn, seq: Operand, stack: Stack) -> tuple[Eqn, bool]:
        """The outermost loop that takes the tape of `seq` apart, and whether backwards;
        every loop on the way must run against, or every one along, the loop that made it."""
        writers = [e for e in self._path(stack.loop) if e.op.name == "loop"]
        backward: set[bool] = set()
        while True:
            backward.add(eqn.attrs["reverse"] != writers.pop(0).attrs["reverse"])
            seq, unwrapped = self._unwrapped(seq)
            if seq not in self._elem:
                break
            outer = self._elem[seq][0]
            conds = sum(e.op.name == "cond" for e in self._between(eqn, outer))
            if conds > unwrapped:
                raise Unsupported("a tape that is read under a condition and written without")
            eqn, seq = outer, parts(outer).xs[self._elem[seq][1]]
        if len(backward) > 1 or (True in backward and parts(eqn).exits):
            raise Unsupported("a tape that is read in another order")
        return eqn, backward.pop()

    def _unwrapped(self, seq: Operand) -> tuple[Operand, int]:
        count = 0
        while seq in self.made and self.made[seq][0].op.name == "unwrap":
            seq, count = self.made[seq][0].args[0], count + 1
        return seq, count

    def _between(self, inner: Eqn, outer: Eqn) -> list[Eqn]:
        path = self._path(inner)
        return path[1 : path.index(outer)]
