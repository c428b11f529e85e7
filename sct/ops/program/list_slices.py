"""A part of a list gives way to another list, or to nothing, or stands behind it, so that its length changes; two items
change places.

    xs[i:j] = ys       dys = dxs[at:at + len(ys)]; dxs[at:at + len(ys)] = [0.0] * (len(xs) + len(ys) - len(dxs))
    del xs[i:j]        dxs[at:at] = [0.0] * (len(xs) - len(dxs))
    xs.extend(ys)      dys = dxs[len(xs):]; del dxs[len(xs):]
    xs[i], xs[j] = xs[j], xs[i]      dxs[i], dxs[j] = dxs[j], dxs[i]

`at` is where the part starts: `i`, but for what Python makes of positions that count from the end or are behind it.
A slice with a step keeps the length: it is written by `store`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sct.ir.core import Lit, Op, Operand, Value
from sct.ir.types import INT, List, Tensor
from sct.ops import samples
from sct.ops.arrays.creation import zeros_of
from sct.ops.arrays.indexing import Key, index, split
from sct.ops.arrays.shape import dim
from sct.ops.program.list_ops import elem, pairs, part, repeat, run_joined, type_joined, zero
from sct.ops.registry import op
from sct.ops.scalar.arithmetic import add, sub

__all__ = ["extend", "remove_slice", "splice", "swapped"]


def parts_of_lists(*others: Any) -> list[samples.Sample]:
    """A list, what replaces a part of it, and the bounds of the part: also behind the end, and in the wrong order."""
    xs = [1.5, -0.5, 2.0, 0.25]
    bounds: list[tuple[tuple[int, ...], str]] = [
        ((1, 3), "s110"), ((2,), "s100"), ((2,), "s010"), ((-2,), "s100"), ((-9, -1), "s110"), ((3, 1), "s110"),
        ((7,), "s100"), ((0, 0), "s110")]
    rows = [samples.arrays((2,), seed=k) for k in range(3)]
    return [((x, *other, *ends), {"key": (key,)}) for ends, key in bounds
            for x, *other in ((xs, *others), (rows, *([o[:0] + rows[:len(o)] for o in others])))]


def start(n: Operand, i: Operand | None) -> Any:
    """Where the part `xs[i:...]` of a list of length `n` starts."""
    if i is None or i == Lit(0):
        return Lit(0)
    return slice_start(n, i)


def start_text(n: Operand, i: Operand) -> str:
    at_front = isinstance(i, Lit) and i.value >= 0 or i.dim is not None and i.dim.least >= 0
    return "min(_1, _0)" if at_front else "range(_0)[_1:].start"


slice_start = op("slice_start", type=lambda n, i: INT, run=lambda n, i: range(n)[i:].start, emit=start_text,
                 nondiff="a position is an integer", samples=lambda: [((4, i), {}) for i in (0, 2, 7, -1, -9)])


def zeros_of_part(xs: Operand, bounds: Sequence[Operand], key: Key, count: Operand) -> Any:
    """The zero cotangent of the part, of so many items: that of numbers reads their count alone, and no list."""
    of_numbers = isinstance(t := elem(xs), Tensor) and t.is_scalar
    return repeat(zero(Value(t)), count) if of_numbers else zeros_of(index(xs, *bounds, key=key))


def run_splice(xs: list[Any], ys: list[Any], *bounds: Any, key: Key) -> list[Any]:
    spliced = list(xs)
    (where,) = split(key, bounds)
    spliced[where] = ys
    return spliced


def splice_transposed(ct: Operand, xs: Operand, ys: Operand, *bounds: Operand, key: Key) -> list[Any]:
    at = start(dim(xs), split(key, bounds)[0].start)
    end = add(at, dim(ys))
    part_of_ct = part(ct, at, end)
    rest = splice(ct, zeros_of_part(xs, bounds, key, sub(add(dim(xs), dim(ys)), dim(ct))), at, end, key=("s110",))
    return [rest, part_of_ct, *[None] * len(bounds)]


splice: Op = op("splice", type=lambda xs, ys, *bounds, key: type_joined(xs, ys), run=run_splice,
                inactive=(2, 3), linear=splice_transposed, samples=lambda: parts_of_lists([0.75, 3.0, -1.0]), key_at=2,
                updates=True, holds=True, allocates=True)
"""`xs[i:j] = ys`"""


def run_remove(xs: list[Any], *bounds: Any, key: Key) -> list[Any]:
    return run_splice(xs, [], *bounds, key=key)


def removed(ct: Operand, xs: Operand, *bounds: Operand, key: Key) -> list[Any]:
    at = start(dim(xs), split(key, bounds)[0].start)
    zeros = zeros_of_part(xs, bounds, key, sub(dim(xs), dim(ct)))
    return [splice(ct, zeros, at, at, key=("s110",)), *[None] * len(bounds)]


remove_slice: Op = op("remove_slice", type=lambda xs, *bounds, key: List(elem(xs)), run=run_remove,
                      inactive=(1, 2), linear=removed, samples=parts_of_lists, key_at=1, updates=True, allocates=True)
"""`del xs[i:j]`"""


def extend_transposed(ct: Operand, xs: Operand, ys: Operand) -> list[Any]:
    """The part behind the list is read first: then nothing else reads what loses it."""
    part_of_ct = part(ct, dim(xs), None)
    return [remove_slice(ct, dim(xs), key=("s100",)), part_of_ct]


extend: Op = op("extend", type=type_joined, run=run_joined, emit="_0.extend(_1)", samples=pairs,
                linear=extend_transposed, updates=True, holds=True, allocates=True)


def run_swapped(xs: list[Any], i: int, j: int) -> list[Any]:
    items = list(xs)
    items[i], items[j] = items[j], items[i]
    return items


swapped: Op = op("swapped", type=lambda xs, i, j: List(elem(xs)), run=run_swapped, inactive=(1, 2), raises="value",
                 linear=lambda ct, xs, i, j: [swapped(ct, i, j), None, None], updates=True, allocates=True,
                 samples=lambda: [(([1.5, -0.5, 2.0], i, j), {}) for i, j in ((0, 2), (1, 1), (-1, 0))])
"""The list with the items at `i` and `j` in each other's place, each of them once, as before."""
