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
from typing import Any, NoReturn, TypeVar

from sct.ir.dims import Dim, carried_size
from sct.ir.types import List, Optional, Tensor, Type, Undef, join, map_sizes

__all__ = ["Dead", "Raised", "Unstable", "fixpoint", "widened", "widened_types", "with_fresh_sizes"]

T = TypeVar("T")


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
