"""Sizes and indices as linear terms, and what can be proved of them.

    for k in range(n): for i in range(k + 1, n):     i - k is at least 1
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sct.ir.core import Lit, Operand, Value
from sct.ir.types import INT, Dim

__all__ = ["Maker", "Range", "Term", "is_inside", "least", "lowest", "range_over", "term_of"]

Maker = Callable[[Value], "tuple[str, Sequence[Operand]] | None"]
"""The name of the op that made a value, and its operands; None if that is not known."""


@dataclass(frozen=True)
class Term:
    """const + sum(coef * value)"""

    const: int
    coefs: Mapping[Value, int] = field(default_factory=dict)

    def __add__(self, other: Term | int) -> Term:
        if isinstance(other, int):
            return Term(self.const + other, self.coefs)
        coefs = dict(self.coefs)
        for v, c in other.coefs.items():
            coefs[v] = coefs.get(v, 0) + c
        return Term(self.const + other.const, {v: c for v, c in coefs.items() if c})

    def __mul__(self, k: int) -> Term:
        return Term(self.const * k, {v: c * k for v, c in self.coefs.items()} if k else {})

    def __sub__(self, other: Term | int) -> Term:
        return self + other * -1

    def with_(self, env: Mapping[Value, Term]) -> Term:
        """The term with values replaced."""
        out = Term(self.const)
        for v, c in self.coefs.items():
            out = out + env.get(v, Term(0, {v: 1})) * c
        return out


def term_of(x: Operand, maker: Maker) -> Term | None:
    """The int `x` as a term of ints that are not sums or products by literals."""
    if isinstance(x, Lit):
        return Term(x.value) if type(x.value) is int else None
    if x.type != INT:
        return None
    name, args = maker(x) or ("", ())
    if name in ("add", "sub", "mul", "neg"):
        parts = [term_of(a, maker) for a in args]
        if None not in parts:
            return _combined(name, [p for p in parts if p is not None]) or Term(0, {x: 1})
    return Term(0, {x: 1})


def _combined(name: str, parts: Sequence[Term]) -> Term | None:
    a, b = parts[0], parts[-1]
    if name == "neg":
        return a * -1
    if name == "mul":
        return a * b.const if not b.coefs else b * a.const if not a.coefs else None
    return a + b if name == "add" else a - b


@dataclass(frozen=True)
class Range:
    """An index runs from `low` to `high`, both included; None: not known.  `step` is how it goes on."""

    index: Value
    low: Term | None
    high: Term | None
    step: int


def range_over(index: Value, bounds: Sequence[Operand], reverse: bool,
               term: Callable[[Operand], Term | None]) -> Range | None:
    start, stop, step = map(term, bounds)
    if step is None or step.coefs or not step.const:
        return None
    s = step.const
    low, high = (start, stop - 1 if stop else None) if s > 0 else (stop + 1 if stop else None, start)
    return Range(index, low, high, -s if reverse else s)


def lowest(term: Term | None, ranges: Sequence[Range], size: Callable[[Value], Dim | None]) -> Dim | None:
    """A lower bound of `term`, whose values run over `ranges`, inner before outer."""
    for r in ranges:
        if term is None:
            break
        c = term.coefs.get(r.index, 0)
        if c:
            bound = r.low if c > 0 else r.high
            term = term - Term(0, {r.index: c}) + bound * c if bound is not None else None
    if term is None:
        return None
    total = Dim(term.const)
    for v, c in term.coefs.items():
        d = size(v)
        if d is None:
            return None
        total = total + d * c
    return total


def least(term: Term | None, ranges: Sequence[Range], size: Callable[[Value], Dim | None]) -> float:
    """The same as a number."""
    low = lowest(term, ranges, size)
    return float("-inf") if low is None else low.least


def is_inside(term: Term | None, d: Dim, ranges: Sequence[Range]) -> bool:
    """Is `term` an index of an axis of size `d`, counted from its start or its end?"""
    if term is None:
        return False
    low, high = lowest(term, ranges, _dim), lowest(term * -1, ranges, _dim)
    return low is not None and high is not None and (low + d).least >= 0 and (high + d - 1).least >= 0


def _dim(v: Value) -> Dim | None:
    return v.dim
