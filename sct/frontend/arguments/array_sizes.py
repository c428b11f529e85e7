"""The sizes of the arrays of a list: an axis has one size in all items, or another in each item.

    [(zeros(3), zeros((3, 2))), (zeros(5), zeros((5, 2)))]    first axes of one class: they are equal in each item
    [zeros(3), zeros(1)]                                      a class whose sizes may be 0 or 1

Axes that differ from item to item are of one class where their sizes are equal at each position of the list, or of the
list of lists.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np

__all__ = ["Ragged", "Sizes", "arrays_in", "flat_sizes", "least_size", "shape_key", "sizes_along"]

Sizes = Union[int, tuple[Any, ...]]
"""The size of an axis, or its sizes in the items of a list, which may be lists."""


@dataclass(frozen=True)
class Ragged:
    """In the key of the arrays of a list: an axis whose size differs from item to item.

    number  that of its class, negative; least  as by `least_size`
    """

    number: int
    least: int


def flat_sizes(sizes: Sizes) -> Iterator[int]:
    """The sizes in tuples of tuples, one after the other."""
    if isinstance(sizes, int):
        yield sizes
    else:
        for each in sizes:
            yield from flat_sizes(each)


def least_size(sizes: Collection[int]) -> int:
    """What code may rely on: 2 where no size is 0 or 1, else 0."""
    return 2 if min(sizes) >= 2 else 0


def shape_key(arrays: Sequence[np.ndarray], nesting: Hashable, number: Callable[[Hashable], int]) -> tuple[Any, ...]:
    """The key of the shape of arrays of one rank, which are the items of a list, or of lists of these lengths."""

    def of_axis(sizes: tuple[int, ...]) -> Any:
        if len(set(sizes)) > 1:
            return Ragged(number((nesting, sizes)), least_size(sizes))
        return sizes[0] if sizes[0] < 2 else number(sizes[0])

    return tuple(map(of_axis, zip(*[x.shape for x in arrays])))


def arrays_in(xs: Any) -> Iterator[np.ndarray]:
    """The arrays in a list, or in lists of it."""
    for x in xs:
        if isinstance(x, np.ndarray):
            yield x
        elif isinstance(x, list):
            yield from arrays_in(x)


def sizes_along(xs: Any, axis: int) -> tuple[Any, ...]:
    """The sizes of an axis of the arrays in a list: a tuple for each list.

    >>> sizes_along([[np.zeros(3), np.zeros(2)], [np.zeros(3)]], 0)
    ((3, 2), (3,))
    """
    return tuple([x.shape[axis] if isinstance(x, np.ndarray) else sizes_along(x, axis) for x in xs])
