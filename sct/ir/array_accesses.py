"""Accesses to parts of arrays in loops, and whether two of them may touch the same element.

    for i in range(1, n): t = x[i - 1]; x[i] = t     ->     no write touches an element that a later iteration reads ...

In:  the subscripts of two accesses, as linear terms of the indices of the loops around them. Out: a proof, axis by axis
from the ranges of the loops, that they touch different elements, or none. Negative indices are accounted for.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from sct.ir.affine import LinearTerm, Range, least_value
from sct.ir.core import Operand, Value

__all__ = ["ArrayAccess", "LoopAround", "access", "common_loops", "never_meet"]


@dataclass(frozen=True)
class LoopAround:
    """A loop around an access: its identity, its index (None: not counted) and the range of that (None: unknown)."""

    loop: Hashable
    index: Value | None
    range: Range | None


@dataclass(frozen=True)
class Interval:
    """low <= element < high; None: unknown.

    low, high            count from the start of the axis
    end_low, end_high    the same bounds counted from the end of the axis, as negative numbers and 0 do
    """

    low: LinearTerm | None = None
    high: LinearTerm | None = None
    end_low: LinearTerm | None = None
    end_high: LinearTerm | None = None


@dataclass(frozen=True)
class ArrayAccess:
    """A read or a write: the loops around it, outermost first, and what it touches of each leading axis, where that
    is known."""

    loops: tuple[LoopAround, ...]
    intervals: tuple[Interval, ...]


def access(key: Sequence[str], operands: Sequence[Operand], loops: Sequence[LoopAround],
           term: Callable[[Operand], LinearTerm | None],
           least: Callable[[Operand], LinearTerm | None] = lambda _: None) -> ArrayAccess:
    """The access `x[key]` in these loops, where `term` gives an operand of the subscript as a term, and `least` a lower
    bound of an int, or of an array of them, that is no term."""
    ranges = [loop.range for loop in reversed(loops) if loop.range is not None]
    intervals, rest = [], iter(operands)

    def bound(present: bool) -> LinearTerm | None:
        return term(next(rest)) if present else None

    def from_start(t: LinearTerm | None) -> LinearTerm | None:
        return t if least_value(t, ranges) >= 0 else None

    def from_end(t: LinearTerm | None) -> LinearTerm | None:
        return t if t is not None and not t.coefs and t.const < 0 else None

    for k in key:
        if k in ("i", "a"):
            x = next(rest)
            exact = term(x) if k == "i" else None
            low, end_low = from_start(least(x) if exact is None else exact), from_end(exact)
            high, end_high = (None if t is None or exact is None else t + 1 for t in (low, end_low))
            intervals.append(Interval(low, high, end_low, end_high))
        elif k[0] == "s":
            low, high, _ = (bound(c == "1") for c in k[1:])
            low = LinearTerm(0) if k[1] == "0" else low
            end_high = LinearTerm(0) if k[2] == "0" else from_end(high)
            high = None if k[2] == "0" else from_start(high)
            intervals.append(Interval(from_start(low), high, from_end(low), end_high) if k[3] == "0" else Interval())
        else:
            break
    return ArrayAccess(tuple(loops), tuple(intervals))


def common_loops(a: ArrayAccess, b: ArrayAccess) -> int:
    """The number of loops around both."""
    common = 0
    while common < min(len(a.loops), len(b.loops)) and a.loops[common].loop is b.loops[common].loop:
        common += 1
    return common


def never_meet(a: ArrayAccess, b: ArrayAccess, level: int, direction: int = 1) -> bool:
    """Do `a` and `b` touch different elements if the first `level` loops are in the same iteration, and `b` is in a
    later iteration of the next loop (an earlier one if `direction` is -1), if that one is common to both?"""
    common = common_loops(a, b)
    ranges: list[Range] = []
    env: dict[Value, LinearTerm] = {}
    for n, loop in enumerate(b.loops):
        r = loop.range
        if r is None:
            if loop.index is not None and n >= level:
                return False
            continue
        if n < level:
            ranges.append(r)
            continue
        other_index = Value(r.index.type)
        low, high = (None if t is None else t.substitute(env) for t in (r.low, r.high))
        if n == level < common:
            distance = Value(r.index.type)
            env[r.index] = LinearTerm(0, {r.index: 1, distance: direction * r.step})
            ranges += [r, Range(distance, LinearTerm(1), None, 1)]
        else:
            env[r.index] = LinearTerm(0, {other_index: 1})
            ranges.append(Range(other_index, low, high, r.step))
    ranges += [loop.range for loop in a.loops[min(level + 1, common):] if loop.range is not None]
    return any(_disjoint(x, y, env, ranges[::-1]) for x, y in zip(a.intervals, b.intervals))


def _disjoint(a: Interval, b: Interval, env: Mapping[Value, LinearTerm], ranges: Sequence[Range]) -> bool:
    """Is one wholly before the other on an axis?  `env` holds the indices of the iteration of `b`."""
    low, high = (None if t is None else t.substitute(env) for t in (b.low, b.high))
    return any(last is not None and first is not None and least_value(first - last, ranges) >= 0
               for last, first in ((a.high, low), (high, a.low), (a.end_high, b.end_low), (b.end_high, a.end_low)))
