"""The fixpoint of a join point, at which paths meet whose values are known only once they have been evaluated.

    the head of a loop       the carried values, in every iteration
    an outlined function     the arguments and the results of all its calls
    the outlining plan       which functions are outlined, in the whole program

A join point is evaluated from what is known about it so far.  What an evaluation learns only widens that, and raises
`Unstable`: the join point is evaluated again, until an evaluation learns nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from sct.frontend.values.size_terms import substituted
from sct.ir.dims import Dim, carried_size, sym
from sct.ir.types import List, Optional, Tensor, Type, Undef, join, map_sizes

__all__ = [
    "Dead", "LoopIndex", "Raised", "Unstable", "fixpoint", "widened", "widened_types", "with_fresh_sizes",
]

T = TypeVar("T")

_INDEX = "__index"
"""The index of a loop in sizes that rounds have learnt: each round has another index."""


class Dead(Exception):
    """The path that is being evaluated always raises."""


class Raised(Dead):
    """The path that is being evaluated has raised an exception that a `try` in progress handles."""


class Unstable(Exception):
    """An evaluation has learnt something about the join point `of`, which is to be evaluated again."""

    def __init__(self, of: Any) -> None:
        self.of = of


def fixpoint(of: Any, evaluate: Callable[[], T], most: int, refuse: Callable[[], NoReturn]) -> T:
    """The result of the first evaluation of the join point `of` that learns nothing; `refuse` after `most` of them."""
    for _ in range(most):
        try:
            return evaluate()
        except Unstable as unstable:
            if unstable.of is not of:
                raise
    refuse()


def widened(old: Type, new: Type, size: Callable[[int, Dim, Dim], Dim]) -> Type:
    """The least type that holds both, where a size of an array that differs is `size(axis, old, new)`."""

    def with_sizes(both: Type, a: Type, b: Type) -> Type:
        if isinstance(both, (Optional, Undef)):
            a, b = (t.elem if isinstance(t, type(both)) else t for t in (a, b))
        elif isinstance(both, List) and isinstance(a, List) and isinstance(b, List):
            a, b = a.elem, b.elem
        elif isinstance(both, Tensor) and isinstance(a, Tensor) and isinstance(b, Tensor):
            return Tensor(both.carrier, both.dtype, tuple(
                p if p == q else size(k, p, q) for k, (p, q) in enumerate(zip(a.shape, b.shape))))
        else:
            return both
        return type(both)(with_sizes(both.elem, a, b))

    return with_sizes(join(old, new), old, new)


@dataclass(frozen=True)
class LoopIndex:
    """The index of a loop over a range in the sizes of carried arrays, which may grow with it:

    P = np.eye(2)
    for i in range(3, n):       # P: f64[i - 1, i - 1]
        P = bordered(P)         # P: f64[i, i]
    """

    symbol: str
    start: Dim
    step: int

    def at_head(self, t: Type) -> Type:
        """A type that rounds have learnt, in this round."""
        return map_sizes(lambda d: with_size(d, _INDEX, sym(self.symbol)), t)

    def learnt(self, t: Type) -> Type:
        """The type of a carried value of this round, as rounds learn it."""
        return map_sizes(lambda d: with_size(d, self.symbol, sym(_INDEX)), t)

    def in_next(self, t: Type) -> Type:
        """The type of a value of this round, as that of an iteration before: with the index of the next one."""
        return map_sizes(lambda d: with_size(d, self.symbol, sym(_INDEX) - self.step), t)

    def behind(self, t: Type, name: str) -> Type:
        """The type of a carried value of this round behind the loop, where its sizes have this name."""
        sizes: dict[Dim, Dim] = {}
        return map_sizes(lambda d: sizes.setdefault(d, carried_size(f"{name} behind", len(sizes)))
                         if self.symbol in d.symbols else d, t)

    def first(self, d: Dim) -> Dim:
        """A size that rounds have learnt, in the first iteration."""
        return with_size(d, _INDEX, self.start)

    def linear(self, head: Dim, end: Dim) -> Dim | None:
        """The size, linear in the index, of an axis that has the size `head` in the first iteration and `end` after it;
        None if there is none."""
        change, index = (end - head).value, sym(_INDEX)
        steps = change // self.step if change and change % self.step == 0 else None
        size = end if steps is None else head + (index - self.start) * steps
        fixed = {_INDEX} | head.symbols | self.start.symbols
        if _INDEX in head.symbols or not all(name in fixed or name[0] != "_" for name in size.symbols):
            return None
        return size if self.first(size) == head else None


def with_size(d: Dim, name: str, size: Dim) -> Dim:
    """The size `d`, with another size in place of the one called `name`."""
    return substituted(d, {**{n: sym(n) for n in d.symbols}, name: size}) or d if name in d.symbols else d


def widened_types(old: Sequence[Type], new: Sequence[Type], name: str) -> list[Type]:
    """The types that hold both; a size that differs is replaced by a fresh symbol, the same one for equal pairs."""
    fresh: dict[tuple[Dim, Dim], Dim] = {}

    def size(_: int, d: Dim, e: Dim) -> Dim:
        return fresh.setdefault((d, e), carried_size(name, len(fresh)))

    return [widened(a, b, size) for a, b in zip(old, new)]


def with_fresh_sizes(t: Type, name: str) -> Type:
    """The type with a fresh symbol for each size."""
    count = itertools.count()
    return map_sizes(lambda _: carried_size(name, next(count)), t)
