"""Linear terms over integer values, and proofs of their bounds.

In:  an integer operand, the op that defines each value, and the ranges of the loop indices.
Out: a `LinearTerm`, a lower bound of it, or whether it is an index in bounds.

    for k in range(n): for i in range(k + 1, n):     ->     i - k is at least 1
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sct.ir.core import Lit, Operand, Value
from sct.ir.dims import Dim
from sct.ir.loop_view import LoopView
from sct.ir.types import INT

__all__ = ["DefiningOp", "LinearTerm", "Range", "is_in_bounds", "least_value", "loop_range",
           "lower_bound", "range_over", "term_of"]

DefiningOp = Callable[[Value], "tuple[str, Sequence[Operand]] | None"]
"""Gives the name of the op that defines a value and its operands, or None if that is unknown."""


@dataclass(frozen=True)
class LinearTerm:
    """const + sum(coef * value)"""

    const: int
    coefs: Mapping[Value, int] = field(default_factory=dict)

    def __add__(self, other: LinearTerm | int) -> LinearTerm:
        if isinstance(other, int):
            return LinearTerm(self.const + other, self.coefs)
        if not other.coefs or not self.coefs:
            return LinearTerm(self.const + other.const, self.coefs or other.coefs)
        coefs = dict(self.coefs)
        for v, c in other.coefs.items():
            coefs[v] = coefs.get(v, 0) + c
        return LinearTerm(self.const + other.const, {v: c for v, c in coefs.items() if c})

    def __mul__(self, k: int) -> LinearTerm:
        return LinearTerm(self.const * k, {v: c * k for v, c in self.coefs.items()} if k else {})

    def __sub__(self, other: LinearTerm | int) -> LinearTerm:
        return self + other * -1

    def substitute(self, env: Mapping[Value, LinearTerm]) -> LinearTerm:
        """The term with terms in place of values."""
        out = LinearTerm(self.const)
        for v, c in self.coefs.items():
            out = out + env.get(v, LinearTerm(0, {v: 1})) * c
        return out


def term_of(x: Operand, definition: DefiningOp) -> LinearTerm | None:
    """The int `x` as a term: sums and products by literals are followed, other values are its atoms."""
    if isinstance(x, Lit):
        return LinearTerm(x.value) if type(x.value) is int else None
    if x.type != INT:
        return None
    name, args = definition(x) or ("", ())
    if name in ("add", "sub", "mul", "neg"):
        parts = [term_of(a, definition) for a in args]
        if None not in parts:
            return _combined(name, [p for p in parts if p is not None]) or LinearTerm(0, {x: 1})
    return LinearTerm(0, {x: 1})


def _combined(name: str, parts: Sequence[LinearTerm]) -> LinearTerm | None:
    a, b = parts[0], parts[-1]
    if name == "neg":
        return a * -1
    if name == "mul":
        return a * b.const if not b.coefs else b * a.const if not a.coefs else None
    return a + b if name == "add" else a - b


@dataclass(frozen=True)
class Range:
    """The values of a loop index: from `low` to `high` inclusive (None: unknown), in steps of `step`."""

    index: Value
    low: LinearTerm | None
    high: LinearTerm | None
    step: int


def range_over(index: Value, bounds: Sequence[Operand], reverse: bool,
               term: Callable[[Operand], LinearTerm | None]) -> Range | None:
    start, stop, step = map(term, bounds)
    if step is None or step.coefs or not step.const:
        return None
    s = step.const
    low, high = (start, stop - 1 if stop else None) if s > 0 else (stop + 1 if stop else None, start)
    return Range(index, low, high, -s if reverse else s)


def loop_range(view: LoopView, definition: DefiningOp) -> Range | None:
    """The range of the index of a loop; None if the loop is not counted, or its step is unknown."""
    if view.index is None:
        return None
    return range_over(view.index, view.bounds, view.reverse, lambda x: term_of(x, definition))


def lower_bound(term: LinearTerm | None, ranges: Sequence[Range]) -> Dim | None:
    """A lower bound of `term` over all values of the loop indices, or None; inner loops stand first in `ranges`."""
    for r in ranges:
        if term is None:
            break
        c = term.coefs.get(r.index, 0)
        if c:
            bound = r.low if c > 0 else r.high
            term = term - LinearTerm(0, {r.index: c}) + bound * c if bound is not None else None
    if term is None:
        return None
    total = Dim(term.const)
    for v, c in term.coefs.items():
        if v.dim is None:
            return None
        total = total + v.dim * c
    return total


def least_value(term: LinearTerm | None, ranges: Sequence[Range]) -> float:
    """A lower bound of `term` as a number, minus infinity if there is none."""
    low = lower_bound(term, ranges)
    return float("-inf") if low is None else low.least


def is_in_bounds(term: LinearTerm | None, d: Dim, ranges: Sequence[Range]) -> bool:
    """Is `term` always a valid index of an axis of size `d`, be it from the start or from the end?"""
    if term is None:
        return False
    low, high = lower_bound(term, ranges), lower_bound(term * -1, ranges)
    return low is not None and high is not None and (low + d).least >= 0 and (high + d - 1).least >= 0
